//! `redqueen analyze`: the tables of a run.

use std::{path::Path, path::PathBuf, process::ExitCode};

use crate::{
    commands::run_directory,
    error::{CliError, EXIT_FAILED, EXIT_USAGE},
    output::Output,
};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The directory of a run.
    run: PathBuf,
    /// Files written under RUN/tables.
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Format::Md, Format::Csv, Format::Tex, Format::Json])]
    format: Vec<Format>,
    /// Test two pairs of the grid against one another: `--test "a v o" --test …` wants `a v o,b v o`. May be repeated.
    #[arg(long = "test", value_name = "PAIR,PAIR", value_parser = contrast)]
    tests: Vec<(String, String)>,
}

#[derive(Clone, Copy, clap::ValueEnum)]
pub(crate) enum Format {
    Md,
    Csv,
    Tex,
    Json,
}

fn contrast(text: &str) -> Result<(String, String), String> {
    let (one, other) = text.split_once(',').ok_or("write two pairs: `a v o,b v o`")?;
    Ok((one.trim().to_owned(), other.trim().to_owned()))
}

pub(crate) fn run(args: &Args, output: &Output) -> Result<ExitCode, CliError> {
    let directory = run_directory(&args.run)?;
    let options = analysis::Options { contrasts: args.tests.clone(), figures: true };
    let report = analysis::analyze(&directory, &options).map_err(|error| analysis_error(&error))?;
    let formats: Vec<analysis::Format> = args
        .format
        .iter()
        .map(|format| match format {
            Format::Md => analysis::Format::Markdown,
            Format::Csv => analysis::Format::Csv,
            Format::Tex => analysis::Format::Latex,
            Format::Json => analysis::Format::Json,
        })
        .collect();
    let files = report.write(&directory, &formats).map_err(|error| analysis_error(&error))?;
    output.note(&format!("{} files in {}", files.len(), directory.join("tables").display()));
    output.result(|| report.to_markdown(), || report.to_json());
    Ok(ExitCode::SUCCESS)
}

/// The tables that `run` prints at its end, written too. `None` where the kind has no tables.
pub(crate) fn tables_after_run(directory: &Path) -> Result<Option<analysis::Report>, CliError> {
    let options = analysis::Options::default();
    match analysis::analyze(directory, &options) {
        Ok(report) => {
            report.write(directory, &analysis::Format::ALL).map_err(|error| analysis_error(&error))?;
            Ok(Some(report))
        }
        Err(analysis::Error::NothingToTabulate { .. }) => Ok(None),
        Err(error) => Err(analysis_error(&error)),
    }
}

pub(crate) fn analysis_error(error: &analysis::Error) -> CliError {
    let code = if error.is_input() { EXIT_USAGE } else { EXIT_FAILED };
    let shown = CliError::chained(code, error);
    match error.hint() {
        Some(hint) => shown.hint(hint),
        None => shown,
    }
}
