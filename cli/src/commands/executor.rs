//! `redqueen executor`: the process in which a worker runs trials. It is not for people, so help does not list it.

use std::process::ExitCode;

use worker::ExecuteError;

use super::Command;
use crate::{
    error::{CliError, EXIT_FAILED, EXIT_USAGE},
    output::Output,
};

/// Run trials for the worker that started this process.
#[derive(clap::Args)]
#[command(hide = true)]
pub(super) struct Args {
    /// Bytes of memory that the process may have.
    #[arg(long)]
    memory_bytes: Option<u64>,
}

impl Command for Args {
    fn run(self, _output: &Output) -> Result<ExitCode, CliError> {
        worker::execute(self.memory_bytes).map_err(|error| match error {
            ExecuteError::NoWorker(_) => CliError::chained(EXIT_USAGE, &error)
                .hint("`redqueen run` and `redqueen worker` start it by themselves"),
            // Its reader is a worker, which adds what to do.
            _ => CliError::chained(EXIT_FAILED, &error),
        })?;
        Ok(ExitCode::SUCCESS)
    }
}
