//! `redqueen submit`: gives an experiment to a coordinator.

use std::process::ExitCode;

use redqueen_wire::SubmitRequest;

use crate::{
    commands::control::{describe, status_json},
    connection::{CoordinatorArgs, block_on, refused},
    error::CliError,
    load::ExperimentArgs,
    output::Output,
};

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    experiment: ExperimentArgs,
    #[command(flatten)]
    coordinator: CoordinatorArgs,
}

pub(crate) fn run(args: &Args, output: &Output) -> Result<ExitCode, CliError> {
    let (source, experiment) = args.experiment.load()?;
    let request = SubmitRequest { source, resolved: experiment.to_resolved_toml() };
    let status = block_on(async {
        let mut client = args.coordinator.connect().await?;
        client.submit(request).await.map(tonic::Response::into_inner).map_err(|status| refused(&status))
    })?;
    output.result(|| describe(&status), || status_json(&status));
    Ok(ExitCode::SUCCESS)
}
