//! What follows from the words with which batch systems refuse a job.

use super::{Refusal, RefusalClass};
use crate::call::{NOT_EXECUTABLE, NOT_FOUND, Output};

/// The exit code of ssh when the connection was not made or was lost.
const SSH_FAILED: i32 = 255;

/// (part of a message in lower case, what follows from it); the first row that fits counts.
pub(super) type Rows = &'static [(&'static str, RefusalClass)];

/// The refusal that an output says. `program` is what was called, `cause` the part of the output that says why; where
/// no row fits it the class is `otherwise`.
pub(super) fn read(output: &Output, program: &str, cause: &str, rows: Rows, otherwise: RefusalClass) -> Refusal {
    let text = output.words();
    let lower = cause.to_lowercase();
    let class = || rows.iter().find(|(part, _)| lower.contains(part)).map(|(_, class)| *class);
    match output.code {
        Some(NOT_FOUND | NOT_EXECUTABLE) => {
            Refusal { class: RefusalClass::Permanent, text: format!("`{program}` cannot be run here: {text}") }
        }
        None => Refusal { class: RefusalClass::Doubtful, text },
        Some(SSH_FAILED) => Refusal { class: class().unwrap_or(RefusalClass::Doubtful), text },
        Some(0) => Refusal { class: RefusalClass::Doubtful, text: format!("the answer names no job: {text}") },
        Some(_) => Refusal { class: class().unwrap_or(otherwise), text },
    }
}
