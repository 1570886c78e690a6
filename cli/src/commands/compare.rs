//! `redqueen compare`: our figures beside the paper's.

use std::{path::PathBuf, process::ExitCode};

use crate::{
    commands::{
        analyze::{analysis_error, left_unwritten},
        run_directory,
    },
    error::CliError,
    output::Output,
    standing,
};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The directory of a run.
    run: PathBuf,
    /// The paper's table, as `evomcts/table-5`; the experiment's own if not given. Of an evolution, the best individual
    /// of the final benchmark is compared; of a study, each agent on each problem (`siea-mcts/fop`).
    #[arg(long, value_name = "KEY")]
    paper: Option<String>,
    /// Where `tables` goes; into RUN if not given.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, output: &Output) -> Result<ExitCode, CliError> {
    let directory = run_directory(&args.run)?;
    let state = standing::of_directory(&directory);
    standing::note(&state, output);
    let report = analysis::compare(&directory, args.paper.as_deref()).map_err(|error| analysis_error(&error))?;
    match report.write(args.out.as_ref().unwrap_or(&directory), &analysis::Format::ALL) {
        Ok(_) => {}
        Err(error) if args.out.is_none() => left_unwritten(&error, output)?,
        Err(error) => return Err(analysis_error(&error)),
    }
    output.result(
        || report.to_markdown(),
        || {
            let mut value = report.to_json();
            value["state"] = state;
            value
        },
    );
    Ok(ExitCode::SUCCESS)
}
