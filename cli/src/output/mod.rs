//! What the program prints: results on stdout, everything else on stderr.

pub(crate) mod plain;
pub(crate) mod stderr;
pub(crate) mod stdout;
mod write;

use std::{process::ExitCode, time::Duration};

use serde_json::{Value, json};

pub(crate) use self::{plain::path_json, stdout::print};
use crate::error::{CliError, EXIT_FAILED};

/// How long the end of the process waits for the last messages to be written.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// How to print.
pub(crate) struct Output {
    pub(crate) json: bool,
}

impl Output {
    /// Prints a result: as text, or as one JSON value with the same facts.
    pub(crate) fn result(&self, text: impl FnOnce() -> String, json: impl FnOnce() -> Value) {
        if self.json {
            stdout::print_json(&format!("{:#}", json()));
        } else {
            print(text().trim_end());
        }
    }

    /// Prints a result that has JSON and no text.
    pub(crate) fn facts(&self, json: impl FnOnce() -> Value) {
        if self.json {
            stdout::print_json(&format!("{:#}", json()));
        }
    }

    /// Prints an error.
    pub(crate) fn error(&self, error: &CliError) {
        if self.json {
            let faults = error.faults.as_ref().map(|faults| faults.to_json());
            let value =
                json!({ "error": error.message, "hint": error.hint, "exit_code": error.code, "faults": faults });
            return stdout::print_json(&format!("{value:#}"));
        }
        if let Some(faults) = &error.faults {
            let text = faults.render(stderr::has_colour(), 100);
            // Without colours it holds nothing for a terminal to obey.
            return if stderr::has_colour() { stderr::say_as_is(text) } else { stderr::say(text.trim_end()) };
        }
        stderr::say(&format!("error: {}", error.message));
        if let Some(hint) = &error.hint {
            stderr::say(&format!("  hint: {hint}"));
        }
    }

    /// Prints a message on stderr.
    pub(crate) fn note(&self, text: &str) {
        stderr::say(text);
    }
}

/// The exit code of the process: a failure if a result could not be written.
pub(crate) fn finish(code: ExitCode) -> ExitCode {
    let failure = stdout::take_failure();
    if let Some(error) = &failure {
        stderr::say(&format!("error: cannot write to stdout: {error}"));
        stderr::say("  hint: make room where it goes, or send it elsewhere; what the command did besides is done");
    }
    stderr::flush(LAST_WORDS);
    if failure.is_some() && code == ExitCode::SUCCESS { ExitCode::from(EXIT_FAILED) } else { code }
}

/// A number with its thousands separated: `12,000`.
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
