//! `redqueen priority`: what a run gets of the fleet beside other runs.

use std::process::ExitCode;

use redqueen_wire::{PrioritizeRequest, RunRequest, RunStatus};

use super::Command;
use crate::{
    connection::block_on,
    error::CliError,
    output::Output,
    quota_argument::{LimitArgs, priority},
    run_argument::RunIdArgs,
    status,
};

/// Show or change the priority of a run among those of its coordinator.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    run: RunIdArgs,
    /// New priority, 1 to 1000: runs that have trials to run get thread time in proportion to their priorities.
    #[arg(value_name = "N", value_parser = priority)]
    priority: Option<u32>,
    #[command(flatten)]
    limit: LimitArgs,
}

impl Command for Args {
    fn run(self, output: &Output) -> Result<ExitCode, CliError> {
        self.run.check()?;
        let (run, priority) = (self.run.run.clone(), self.priority);
        let max_threads = self.limit.to_wire();
        let status = block_on(async {
            if priority.is_none() && max_threads.is_none() {
                let request = RunRequest { run };
                return self.run.coordinator.ask(async |mut client| client.status(request.clone()).await).await;
            }
            let mut client = self.run.coordinator.connect().await?;
            Ok(client.prioritize(PrioritizeRequest { run, priority, max_threads }).await?.into_inner())
        })?;
        output.result(|| to_text(&status), || status::to_json(&status));
        Ok(ExitCode::SUCCESS)
    }
}

fn to_text(status: &RunStatus) -> String {
    let limit = match status.max_threads {
        0 => "on any number of threads".to_owned(),
        1 => "on at most 1 thread".to_owned(),
        most => format!("on at most {most} threads"),
    };
    format!("{} ({}): priority {}, {limit}", status.name, status::short(&status.run), status.priority)
}
