//! What the program prints: results on stdout, everything else on stderr.

pub(crate) mod plain;
pub(crate) mod stderr;
pub(crate) mod stdout;
mod write;

use std::{process::ExitCode, time::Duration};

use serde_json::{Value, json};

pub(crate) use page::{span, thousands};

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
