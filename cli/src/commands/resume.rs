//! `redqueen resume`.

use std::process::ExitCode;

use redqueen_wire::ResumeRequest;

use super::Command;
use crate::{error::CliError, options::RetryArgs, output::Output, run_argument::RunIdArgs};

/// Continue a run that was paused, cancelled, or failed.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    run: RunIdArgs,
    #[command(flatten)]
    retry: RetryArgs,
}

impl Command for Args {
    fn run(self, output: &Output) -> Result<ExitCode, CliError> {
        let RetryArgs { retry_quarantined, discard_later } = self.retry;
        let request = ResumeRequest { run: self.run.run.clone(), retry_quarantined, discard_later };
        self.run.call(output, async |mut client| client.resume(request).await)
    }
}
