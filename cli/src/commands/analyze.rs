//! `redqueen analyze`: tables and figures of a run, or of several as replicates.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap_complete::ArgValueCompleter;
use serde_json::{Value, json};

use super::Command;
use crate::{
    completion,
    error::CliError,
    output::{Output, path_json},
    run_argument::run_directory,
    state,
    tables::{Format, note_unwritten, questions},
};

/// Make the tables and figures of a run, or of several runs as replicates.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The directory of a run; several are replicates of one experiment, which differ by their seed alone.
    #[arg(add = ArgValueCompleter::new(completion::directories), required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// Replicates of another setting, to test the first against.
    #[arg(add = ArgValueCompleter::new(completion::directories), long, value_name = "RUN", num_args = 1..)]
    against: Vec<PathBuf>,
    /// Where `tables` and `figures` go; into RUN if not given, and nowhere for several runs.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Formats of the tables' files.
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = Format::ALL)]
    format: Vec<Format>,
    /// Draw no figures.
    #[arg(long)]
    no_figures: bool,
    /// Test two pairs of the grid against one another: `--contrast "a v o,b v o"`. May be repeated.
    #[arg(long = "contrast", value_name = "PAIR,PAIR", value_parser = contrast)]
    contrasts: Vec<(String, String)>,
    /// The name of --contrast up to version 0.1.0.
    #[arg(long = "test", hide = true, value_name = "PAIR,PAIR", value_parser = contrast)]
    old_contrasts: Vec<(String, String)>,
}

fn contrast(text: &str) -> Result<(String, String), String> {
    let (one, other) = text.split_once(',').ok_or("write two pairs: `a v o,b v o`")?;
    Ok((one.trim().to_owned(), other.trim().to_owned()))
}

impl Command for Args {
    fn run(self, output: &Output) -> Result<ExitCode, CliError> {
        let directories = |runs: &[PathBuf]| runs.iter().map(|run| run_directory(run)).collect::<Result<Vec<_>, _>>();
        let (runs, others) = (directories(&self.runs)?, directories(&self.against)?);
        let states: Vec<(&PathBuf, Value)> =
            runs.iter().chain(&others).map(|run| (run, state::of_directory(run))).collect();
        // For replicates, the report itself names the runs that are not finished.
        if let [(_, state)] = &states[..] {
            state::note(state, output);
        }
        if !self.old_contrasts.is_empty() {
            output.note("warning: --test of `redqueen analyze` is now called --contrast");
        }
        let contrasts = [self.contrasts, self.old_contrasts].concat();
        let one = if runs.len() == 1 && others.is_empty() { runs.first() } else { None };
        let report = match one {
            Some(run) => {
                let options = analysis::Options {
                    contrasts,
                    questions: questions(run)?,
                    figures: !self.no_figures,
                    apart: self.out.is_some(),
                    ..analysis::Options::default()
                };
                analysis::analyze(run, &options)
            }
            None if !contrasts.is_empty() => {
                return Err(CliError::usage("--contrast takes pairs of one grid, and several runs are given")
                    .hint("run `redqueen analyze RUN --contrast …` for each"));
            }
            None => {
                // Figures are drawn only where they can be written.
                let figures = !self.no_figures && self.out.is_some();
                analysis::replicates(&runs, &others, figures)
            }
        };
        let report = report?;
        if let Some(directory) = self.out.as_ref().or(one) {
            let formats: Vec<analysis::Format> = self.format.iter().copied().map(Format::of_analysis).collect();
            match report.write(directory, &formats) {
                Ok(files) => list(directory, &files, output),
                Err(error) if self.out.is_none() => note_unwritten(error, output)?,
                Err(error) => return Err(error.into()),
            }
        }
        output.result(
            || report.to_markdown(),
            || {
                let mut value = report.to_json();
                value["runs"] =
                    states.iter().map(|(run, state)| json!({ "directory": path_json(run), "state": state })).collect();
                value
            },
        );
        Ok(ExitCode::SUCCESS)
    }
}

/// Lists the files written, one line for each folder: `RUN/tables: pairs.md, …`.
fn list(directory: &Path, files: &[PathBuf], output: &Output) {
    for folder in ["tables", "figures"] {
        let folder = directory.join(folder);
        let inside = files.iter().filter(|file| file.parent() == Some(&folder));
        let names: Vec<_> = inside.filter_map(|file| Some(file.file_name()?.to_string_lossy())).collect();
        if !names.is_empty() {
            output.note(&format!("{}: {}", folder.display(), names.join(", ")));
        }
    }
}
