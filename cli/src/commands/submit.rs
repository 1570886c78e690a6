//! `redqueen submit`: gives an experiment to a coordinator.

use std::process::ExitCode;

use redqueen_wire::{ExtendRequest, ResumeRequest, RunState, SubmitRequest};

use crate::{
    commands::control::{describe, status_json},
    connection::{CoordinatorArgs, block_on, refused},
    error::CliError,
    load::{ExperimentArgs, warn},
    output::Output,
    standing,
};

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    experiment: ExperimentArgs,
    /// Go on with the run if it was cancelled.
    #[arg(long)]
    resume_cancelled: bool,
    #[command(flatten)]
    coordinator: CoordinatorArgs,
    /// Go on with this run, which is of the same experiment and asks for less: more games, runs or generations. Its
    /// results are kept; it becomes the run of this experiment, with another id.
    #[arg(long, value_name = "RUN")]
    extend: Option<String>,
}

pub(crate) fn run(args: &Args, output: &Output) -> Result<ExitCode, CliError> {
    let (source, experiment) = args.experiment.load()?;
    warn(&experiment, output);
    let request = SubmitRequest { source, resolved: experiment.to_resolved_toml() };
    let status = block_on(async {
        let mut client = args.coordinator.connect().await?;
        let answer = match args.extend.clone() {
            None => client.submit(request).await,
            Some(run) => client.extend(ExtendRequest { run, experiment: Some(request) }).await,
        };
        let status = answer.map_err(|status| refused(&status))?.into_inner();
        if status.state() != RunState::Cancelled || !args.resume_cancelled {
            return Ok(status);
        }
        let request = ResumeRequest { run: status.run, ..ResumeRequest::default() };
        client.resume(request).await.map(tonic::Response::into_inner).map_err(|status| refused(&status))
    })?;
    output.result(|| describe(&status), || status_json(&status));
    // Of a run that was there before and ended otherwise than well nothing will come.
    Ok(standing::exit_code(status.state()))
}
