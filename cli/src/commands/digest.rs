//! `redqueen digest`: one hash of all results.

use std::{path::PathBuf, process::ExitCode};

use clap_complete::ArgValueCompleter;
use coordinator::store;
use serde_json::json;

use super::Command;
use crate::{completion, error::CliError, output::Output, run_argument::run_directory, state};

/// Print one hash of all results: equal runs print equal hashes.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The directory of a run.
    #[arg(add = ArgValueCompleter::new(completion::directories))]
    run: PathBuf,
}

impl Command for Args {
    fn run(self, output: &Output) -> Result<ExitCode, CliError> {
        let digest = store::digest(&run_directory(&self.run)?)?;
        state::note(&json!(digest.state), output);
        output.result(
            || digest.hex.clone(),
            || {
                json!({
                    "digest": digest.hex, "trials": digest.trials, "complete": digest.complete, "state": digest.state,
                })
            },
        );
        Ok(ExitCode::SUCCESS)
    }
}
