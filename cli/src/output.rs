//! What the program prints: data on stdout, everything else on stderr.

use std::io::{self, IsTerminal as _, Write as _};

use serde_json::{Value, json};

use crate::error::CliError;

/// How to print.
pub(crate) struct Output {
    pub(crate) json: bool,
}

impl Output {
    /// Prints a result: as text, or as one JSON value with the same facts.
    pub(crate) fn result(&self, text: impl FnOnce() -> String, json: impl FnOnce() -> Value) {
        if self.json {
            print(&format!("{:#}", json()));
        } else {
            print(text().trim_end());
        }
    }

    /// Prints an error.
    pub(crate) fn error(&self, error: &CliError) {
        if self.json {
            let faults = error.faults.as_ref().map(|faults| faults.to_json());
            let value =
                json!({ "error": error.message, "hint": error.hint, "exit_code": error.code, "faults": faults });
            return print(&format!("{value:#}"));
        }
        if let Some(faults) = &error.faults {
            let colour = io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
            eprint!("{}", faults.render(colour, 100));
            return;
        }
        eprintln!("error: {}", error.message);
        if let Some(hint) = &error.hint {
            eprintln!("  hint: {hint}");
        }
    }

    /// Says something on the way.
    pub(crate) fn note(&self, text: &str) {
        eprintln!("{text}");
    }
}

/// Prints a line to stdout. A closed pipe is no error: whoever reads has seen enough.
pub(crate) fn print(text: &str) {
    let mut out = io::stdout().lock();
    if let Err(error) = writeln!(out, "{text}").and_then(|()| out.flush())
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        eprintln!("error: cannot write to stdout: {error}");
    }
}

/// A number with thousands apart: `12,000`.
pub(crate) fn thousands(number: u64) -> String {
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

/// A span of time for people: `41 s`, `12 min`, `3 h 20 min`, `2 d 4 h`.
pub(crate) fn span(seconds: f64) -> String {
    let whole = seconds.round().max(0.0) as u64;
    match whole {
        0 => format!("{seconds:.1} s"),
        1..120 => format!("{whole} s"),
        120..7_200 => format!("{} min", whole / 60),
        7_200..172_800 => format!("{} h {} min", whole / 3_600, whole / 60 % 60),
        _ => format!("{} d {} h", whole / 86_400, whole / 3_600 % 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_spans_for_people() {
        for (number, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (12_345_678, "12,345,678")] {
            assert_eq!(thousands(number), text);
        }
        for (seconds, text) in
            [(0.24, "0.2 s"), (41.2, "41 s"), (754.0, "12 min"), (12_000.0, "3 h 20 min"), (188_000.0, "2 d 4 h")]
        {
            assert_eq!(span(seconds), text);
        }
    }
}
