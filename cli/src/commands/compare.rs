//! `redqueen compare`: a run's figures beside the paper's.

use std::{path::PathBuf, process::ExitCode};

use clap_complete::ArgValueCompleter;

use super::Command;
use crate::{completion, error::CliError, output::Output, run_argument::run_directory, state, tables::note_unwritten};

/// Set a run's figures beside the paper's.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The directory of a run.
    #[arg(add = ArgValueCompleter::new(completion::directories))]
    run: PathBuf,
    /// The paper's table, such as `evomcts/table-5`; the experiment's own if not given. For an evolution the best
    /// individual of the final benchmark is compared; for a study, each agent on each problem (`siea-mcts/fop`).
    #[arg(add = ArgValueCompleter::new(completion::paper), long, value_name = "KEY")]
    paper: Option<String>,
    /// Where `tables` goes; into RUN if not given.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Command for Args {
    fn run(self, output: &Output) -> Result<ExitCode, CliError> {
        let directory = run_directory(&self.run)?;
        let state = state::of_directory(&directory);
        state::note(&state, output);
        let report = analysis::compare(&directory, self.paper.as_deref())?;
        match report.write(self.out.as_ref().unwrap_or(&directory), &analysis::Format::ALL) {
            Ok(_) => {}
            Err(error) if self.out.is_none() => note_unwritten(error, output)?,
            Err(error) => return Err(error.into()),
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
}
