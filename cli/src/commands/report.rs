//! `redqueen report`: one document that says what a run asked, what came out and how to do it again.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::ValueHint;
use clap_complete::ArgValueCompleter;
use page::report::{Document, Options, report};
use serde_json::json;

use super::Command;
use crate::{
    completion,
    error::CliError,
    output::{Output, path_json},
    run_argument::run_directory,
    state,
    tables::questions,
};

/// Write a run's report: one HTML file that needs nothing else, with sentences, figures, tables and provenance.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The directory of a run.
    #[arg(add = ArgValueCompleter::new(completion::directories))]
    run: PathBuf,
    /// Replicates of another setting, to test the run against.
    #[arg(add = ArgValueCompleter::new(completion::directories), long, value_name = "RUN", num_args = 1..)]
    against: Vec<PathBuf>,
    /// The file; RUN/report.html if not given.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: Option<PathBuf>,
}

impl Command for Args {
    fn run(self, output: &Output) -> Result<ExitCode, CliError> {
        let run = run_directory(&self.run)?;
        let against = self.against.iter().map(|run| run_directory(run)).collect::<Result<Vec<_>, _>>()?;
        let state = state::of_directory(&run);
        state::note(&state, output);
        let document = report(&run, &Options { questions: questions(&run)?, against })?;
        let path = self.out.unwrap_or_else(|| in_directory(&run));
        write(&document, &path, output)
            .map_err(|error| unwritable(&path, &error).hint("name another place with --out FILE"))?;
        output.result(
            || path.display().to_string(),
            || json!({ "report": path_json(&path), "bytes": document.html.len(), "state": state }),
        );
        Ok(ExitCode::SUCCESS)
    }
}

/// Where a run's report is, if nothing else is said.
pub(super) fn in_directory(run: &Path) -> PathBuf {
    run.join(record::files::REPORT)
}

/// Writes a report; says what its reader should know first.
pub(super) fn write(document: &Document, path: &Path, output: &Output) -> io::Result<()> {
    if let Some(warning) = &document.warning {
        output.note(&format!("warning: {warning}"));
    }
    fs::write(path, &document.html)
}

/// Why a report was not written.
pub(super) fn unwritable(path: &Path, error: &io::Error) -> CliError {
    CliError::failed(format!("cannot write `{}`: {error}", path.display()))
}
