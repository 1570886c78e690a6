//! The state of a run: its name, the exit code it means, and the note about it.
//!
//! Commands that run an experiment to its end, or wait for that, tell by their exit code whether it finished: a run
//! that was cancelled, failed or interrupted did not. Commands that show results name the state beside them.

use std::{path::Path, process::ExitCode};

use coordinator::store;
use redqueen_wire::RunState;
use serde_json::Value;

use crate::{error::EXIT_FAILED, output::Output};

/// The state's name in the database, in texts and in `--json`.
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

/// Exit code of a command that wanted the run finished: a failure if it ended otherwise.
pub(crate) fn exit_code(state: RunState) -> ExitCode {
    match state {
        RunState::Failed | RunState::Cancelled => ExitCode::from(EXIT_FAILED),
        _ => ExitCode::SUCCESS,
    }
}

/// State of the run in `directory`; null where it cannot be read, as in a copy that holds only results.
pub(crate) fn of_directory(directory: &Path) -> Value {
    store::state(directory).map_or(Value::Null, Value::String)
}

/// Notes what the state of an unfinished run means for the results shown.
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
