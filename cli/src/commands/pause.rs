//! `redqueen pause`.

use std::process::ExitCode;

use redqueen_wire::RunRequest;

use super::Command;
use crate::{error::CliError, output::Output, run_argument::RunIdArgs};

/// Stop leasing a run's trials until it is resumed.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    run: RunIdArgs,
}

impl Command for Args {
    fn run(self, output: &Output) -> Result<ExitCode, CliError> {
        let request = RunRequest { run: self.run.run.clone() };
        self.run.call(output, async |mut client| client.pause(request).await)
    }
}
