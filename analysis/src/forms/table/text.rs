//! Text that a format cannot be broken by.

/// Characters that move or hide what stands around them on a line of a terminal or of a text, those that end it among
/// them.
pub fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Whether a character ends a line, in any reader.
fn ends_line(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// On one line: `line_break` for each end of a line, a space for a tab, and other invisible characters by their
/// number (`\u{1b}`).
pub(super) fn on_one_line(text: &str, line_break: &str) -> String {
    if !text.chars().any(is_unseen) {
        return text.to_owned();
    }
    let mut line = String::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\r' if rest.peek() == Some(&'\n') => {}
            c if ends_line(c) => line.push_str(line_break),
            '\t' => line.push(' '),
            c if is_unseen(c) => line.extend(c.escape_unicode()),
            c => line.push(c),
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_end_of_a_line_is_one() {
        assert_eq!(on_one_line("a\nb\r\nc\rd\u{2028}e\u{85}f", "<br>"), "a<br>b<br>c<br>d<br>e<br>f");
        assert_eq!(on_one_line("a\tb\u{1b}[31m\u{202e}", " "), "a b\\u{1b}[31m\\u{202e}");
        assert_eq!(on_one_line("naïve 名 ε²", " "), "naïve 名 ε²");
    }
}
