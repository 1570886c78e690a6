//! `redqueen submit`: gives an experiment to a coordinator.

use std::process::ExitCode;

use clap_complete::ArgValueCompleter;
use redqueen_wire::{ExtendRequest, PrioritizeRequest, ResumeRequest, RunState, SubmitRequest};

use super::Command;
use crate::{
    completion,
    connection::{CoordinatorArgs, block_on},
    error::CliError,
    options::{self, ExperimentArgs, warn},
    output::Output,
    quota_argument::{LimitArgs, priority},
    state, status,
};

/// Give an experiment to a coordinator.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    experiment: ExperimentArgs,
    /// Continue the run if it was cancelled.
    #[arg(long)]
    resume_cancelled: bool,
    /// Priority of the run, 1 to 1000 (1 for a new run): runs of one coordinator that have trials to run get thread time
    /// in proportion to their priorities.
    #[arg(long, value_name = "N", value_parser = priority)]
    priority: Option<u32>,
    #[command(flatten)]
    limit: LimitArgs,
    #[command(flatten)]
    coordinator: CoordinatorArgs,
    /// Continue this run, which is of the same experiment with fewer games, runs or generations. Its results are
    /// kept, and it becomes the run of this experiment, with another id.
    #[arg(add = ArgValueCompleter::new(completion::run_id), long, value_name = "RUN")]
    extend: Option<String>,
}

impl Command for Args {
    fn run(self, output: &Output) -> Result<ExitCode, CliError> {
        let (source, experiment) = self.experiment.load()?;
        warn(&experiment, output);
        let (priority, max_threads) = (self.priority, self.limit.to_wire());
        let request = SubmitRequest { priority, max_threads, ..options::request(source, &experiment) };
        let status = block_on(async {
            let mut client = self.coordinator.connect().await?;
            let answer = match self.extend.clone() {
                None => client.submit(request).await,
                Some(run) => client.extend(ExtendRequest { run, experiment: Some(request) }).await,
            };
            let status = answer?.into_inner();
            if status.state() != RunState::Cancelled || !self.resume_cancelled {
                return Ok(status);
            }
            let request = ResumeRequest { run: status.run, ..ResumeRequest::default() };
            let status = client.resume(request).await?.into_inner();
            // A run that has ended keeps its priority.
            let request = PrioritizeRequest { run: status.run, priority, max_threads };
            Ok(client.prioritize(request).await?.into_inner())
        })?;
        output.result(|| status::to_text(&status), || status::to_json(&status));
        // A run that existed before and was cancelled or failed will not finish.
        Ok(state::exit_code(status.state()))
    }
}
