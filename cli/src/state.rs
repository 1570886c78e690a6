//! How a run stands, and what that means for whoever asked for its end.
//!
//! Commands that bring a run to its end, or wait for it, say by their exit code whether it came: a run that was
//! cancelled, failed or interrupted is not done. Commands that show what a run has say its state beside it.

use std::{path::Path, process::ExitCode};

use coordinator::store;
use redqueen_wire::RunState;
use serde_json::Value;

use crate::{error::EXIT_FAILED, output::Output};

/// A state as the database, texts and `--json` name it.
pub(crate) fn name(state: RunState) -> &'static str {
    match state {
        RunState::Unspecified => "unknown",
        RunState::Running => "running",
        RunState::Paused => "paused",
        RunState::Finished => "finished",
        RunState::Failed => "failed",
        RunState::Cancelled => "cancelled",
    }
}

/// Exit code of a command that asked for a run to be done: a failure if it has ended otherwise.
pub(crate) fn exit_code(state: RunState) -> ExitCode {
    match state {
        RunState::Failed | RunState::Cancelled => ExitCode::from(EXIT_FAILED),
        _ => ExitCode::SUCCESS,
    }
}

/// State of the run in `directory`; null where none can be read, as of a copy that holds nothing but results.
pub(crate) fn of_directory(directory: &Path) -> Value {
    store::state(directory).map_or(Value::Null, Value::String)
}

/// Says what a run's state means for what is shown of it, if it has not finished.
pub(crate) fn note(state: &Value, output: &Output) {
    let what = match state.as_str().unwrap_or_default() {
        "running" => "is under way: this is what it has so far",
        "paused" => "is paused: this is what it has so far",
        "interrupted" => "was interrupted, and goes on when it is run again: this is what it has so far",
        "cancelled" => "was cancelled before its end: this is what it has",
        "failed" => "failed: some of its trials are quarantined",
        _ => return,
    };
    output.note(&format!("note: the run {what}"));
}
