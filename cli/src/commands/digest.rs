//! `redqueen digest`: one hash of all results.

use std::{path::PathBuf, process::ExitCode};

use coordinator::store;
use serde_json::json;

use crate::{commands::run_directory, error::CliError, output::Output, standing};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The directory of a run.
    run: PathBuf,
}

pub(crate) fn run(args: &Args, output: &Output) -> Result<ExitCode, CliError> {
    let digest = store::digest(&run_directory(&args.run)?)?;
    standing::note(&json!(digest.state), output);
    output.result(
        || digest.hex.clone(),
        || json!({ "digest": digest.hex, "trials": digest.trials, "complete": digest.complete, "state": digest.state }),
    );
    Ok(ExitCode::SUCCESS)
}
