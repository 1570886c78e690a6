//! `redqueen executor`: what a worker starts to run trials in. Not for people, so help does not list it.

use std::process::ExitCode;

use worker::ExecuteError;

use crate::error::{CliError, EXIT_FAILED, EXIT_USAGE};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Bytes of memory that the process may have.
    #[arg(long)]
    memory_bytes: Option<u64>,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CliError> {
    worker::execute(args.memory_bytes).map_err(|error| match error {
        ExecuteError::NoWorker(_) => {
            CliError::chained(EXIT_USAGE, &error).hint("`redqueen run` and `redqueen worker` start it by themselves")
        }
        // Whoever reads this is a worker, which says what to do.
        _ => CliError::chained(EXIT_FAILED, &error),
    })?;
    Ok(ExitCode::SUCCESS)
}
