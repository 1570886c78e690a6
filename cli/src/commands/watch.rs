//! `redqueen watch`: a run's progress until its end.

use std::{process::ExitCode, time::Duration};

use redqueen_wire::{RunRequest, RunState};

use super::Command;
use crate::{
    connection::{Control, block_on},
    error::CliError,
    output::{Output, print, stdout},
    progress::Progress,
    run_argument::RunIdArgs,
    state, status,
};

/// Follow a run until it ends.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    run: RunIdArgs,
}

impl Command for Args {
    fn run(self, output: &Output) -> Result<ExitCode, CliError> {
        self.run.check()?;
        let mut progress = Progress::new(Duration::ZERO);
        let last = block_on(async {
            let request = RunRequest { run: self.run.run.clone() };
            let ask = async |mut client: Control| client.watch(request.clone()).await;
            let mut replies = self.run.coordinator.ask(ask).await?;
            let mut last = None;
            while let Some(status) = replies.message().await? {
                if output.json {
                    // One line for each change, so that programs can follow.
                    stdout::print_json(&status::to_json(&status).to_string());
                } else {
                    progress.show(&status);
                }
                last = Some(status);
                if !stdout::is_open() {
                    break;
                }
            }
            Ok(last)
        })?;
        progress.finish();
        let Some(status) = last else { return Err(CliError::failed("the coordinator said nothing of the run")) };
        if !output.json {
            print(&status::to_text(&status));
        }
        match status.state() {
            state @ (RunState::Finished | RunState::Failed | RunState::Cancelled) => Ok(state::exit_code(state)),
            state => Err(CliError::failed(format!("the coordinator stopped; the run is {}", state::name(state)))
                .hint("the run goes on when the coordinator is back: watch it again")),
        }
    }
}
