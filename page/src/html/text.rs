//! Text, numbers and times for people.

use maud::{Markup, html};

/// Text with every character that moves or hides what stands around it shown by its number (`\u{202e}`); lines stay
/// lines.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => shown.push(c),
            c if analysis::is_unseen(c) => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
    }
    shown
}

/// A number with its thousands separated: `12,000`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 trial`, `12,000 trials`.
pub(crate) fn count(number: u64, one: &str) -> String {
    let text = thousands(number);
    if number == 1 { format!("{text} {one}") } else { format!("{text} {one}s") }
}

/// A span of time for people: `41 s`, `12 min`, `3 h 20 min`, `2 d 4 h`.
pub fn span(seconds: f64) -> String {
    let whole = seconds.round().max(0.0) as u64;
    match whole {
        0 => format!("{seconds:.1} s"),
        1..120 => format!("{whole} s"),
        120..7_200 => format!("{} min", whole / 60),
        7_200..172_800 => format!("{} h {} min", whole / 3_600, whole / 60 % 60),
        _ => format!("{} d {} h", whole / 86_400, whole / 3_600 % 24),
    }
}

/// A time of RFC 3339 in UTC, as the run's database has it.
pub(crate) fn time(rfc3339: &str) -> Markup {
    let shown = rfc3339.replacen('T', " ", 1).replace('Z', " UTC");
    html! { time datetime=(rfc3339) { (shown) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_spans_for_people() {
        for (number, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (12_345_678, "12,345,678")] {
            assert_eq!(thousands(number), text);
        }
        assert_eq!([count(1, "trial"), count(12_000, "trial")], ["1 trial", "12,000 trials"]);
        for (seconds, text) in
            [(0.24, "0.2 s"), (41.2, "41 s"), (754.0, "12 min"), (12_000.0, "3 h 20 min"), (188_000.0, "2 d 4 h")]
        {
            assert_eq!(span(seconds), text);
        }
    }

    #[test]
    fn marks_that_turn_text_are_shown() {
        assert_eq!(visible("a\u{202e}b\nc\u{200b}\u{1b}"), "a\\u{202e}b\nc\\u{200b}\\u{1b}");
        assert_eq!(visible("naïve 名 ε²"), "naïve 名 ε²");
    }

    #[test]
    fn a_time_is_for_people_and_programs() {
        assert_eq!(
            time("2026-11-28T01:35:09Z").into_string(),
            "<time datetime=\"2026-11-28T01:35:09Z\">2026-11-28 01:35:09 UTC</time>"
        );
    }
}
