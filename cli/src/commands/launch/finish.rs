//! The end of a launch: what became of its runs, and their tables.

use std::process::ExitCode;

use coordinator::{is_run_directory, store};
use launch::{
    core::{Ended, Outcome},
    directory::Directory,
};
use redqueen_wire::{Address, Standing};
use serde_json::json;

use super::files;
use crate::{
    error::{CliError, EXIT_FAILED, EXIT_INTERRUPTED},
    output::{Output, path_json},
    tables,
};

/// Tells how the launch ended, and makes the tables of its runs if they have. The coordinator has stopped.
pub(super) fn finish(
    directory: &Directory,
    ended: &Ended,
    no_tables: bool,
    output: &Output,
) -> Result<ExitCode, CliError> {
    let status = directory.status().map_err(|error| files(&error))?;
    output.note(&super::status::text(&status, true, 0));
    if !ended.unconfirmed.is_empty() {
        output.note(&format!("these jobs may still be in the queue: {}", ended.unconfirmed.join(", ")));
    }
    let finished = ended.outcome == Outcome::Finished;
    if finished {
        // Workers that were cut off end when they see it.
        if let Ok(address) = Address::read(&directory.address()) {
            let written = Address { standing: Standing::Finished, ..address }.write(&directory.address());
            written.map_err(|error| CliError::failed(error.to_string()))?;
        }
    }
    let costs = super::costs::report(directory)?;
    super::costs::write(directory, &costs)?;
    let mut texts = vec![super::costs::shown(&costs).to_markdown()];
    let mut values = Vec::new();
    let mut failed = false;
    let runs = runs(directory)?;
    if runs.is_empty() {
        output.note(&format!(
            "the runs are with their coordinator: `redqueen export RUN --access {}` fetches one, and `redqueen analyze` makes its tables",
            directory.data().display()
        ));
    }
    for run in runs {
        let state = store::state(&run).unwrap_or_else(|_| "unknown".to_owned());
        failed |= state != "finished";
        let made = if finished && !no_tables && state == "finished" { tables::after_run(&run)? } else { None };
        if let Some(report) = &made {
            texts.push(report.to_markdown());
        }
        values.push(json!({
            "directory": path_json(&run), "state": state, "tables": made.map(|report| report.to_json()),
        }));
    }
    output.result(
        || texts.join("\n"),
        || json!({ "outcome": ended.outcome.to_string(), "launch": status.view, "costs": costs.to_json(), "runs": values }),
    );
    Ok(match ended.outcome {
        Outcome::Finished if !failed => ExitCode::SUCCESS,
        Outcome::Stopped => ExitCode::from(EXIT_INTERRUPTED),
        _ => ExitCode::from(EXIT_FAILED),
    })
}

/// The directories of the coordinator's runs.
fn runs(directory: &Directory) -> Result<Vec<std::path::PathBuf>, CliError> {
    let entries = std::fs::read_dir(directory.data()).map_err(|error| files(&error))?;
    let mut runs: Vec<_> = entries.flatten().map(|entry| entry.path()).filter(|path| is_run_directory(path)).collect();
    runs.sort();
    Ok(runs)
}
