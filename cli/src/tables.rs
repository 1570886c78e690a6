//! The tables of a run: their formats, the questions of its experiment, and what is done where none can be written.

use std::{fs, path::Path};

use experiments::Experiment;

use crate::{
    error::{CliError, EXIT_FAILED},
    output::Output,
};

/// A format of tables' files.
#[derive(Clone, Copy, clap::ValueEnum)]
pub(crate) enum Format {
    Md,
    Csv,
    Tex,
    Json,
    Parquet,
}

impl Format {
    /// Every format.
    pub(crate) const ALL: [Format; 5] = [Format::Md, Format::Csv, Format::Tex, Format::Json, Format::Parquet];

    pub(crate) fn of_analysis(self) -> analysis::Format {
        analysis::Format::Text(match self {
            Format::Md => analysis::Text::Markdown,
            Format::Csv => analysis::Text::Csv,
            Format::Tex => analysis::Text::Latex,
            Format::Json => analysis::Text::Json,
            Format::Parquet => return analysis::Format::Parquet,
        })
    }
}

/// A format of tables that are printed.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Text {
    Md,
    Csv,
    Tex,
    Json,
}

impl Text {
    pub(crate) fn of_analysis(self) -> analysis::Text {
        match self {
            Text::Md => analysis::Text::Markdown,
            Text::Csv => analysis::Text::Csv,
            Text::Tex => analysis::Text::Latex,
            Text::Json => analysis::Text::Json,
        }
    }
}

/// What the run's experiment asks of its results. A copy that holds nothing but results asks nothing.
pub(crate) fn questions(run: &Path) -> Result<Vec<record::Question>, CliError> {
    let path = run.join(record::files::RESOLVED);
    let Ok(text) = fs::read_to_string(&path) else { return Ok(Vec::new()) };
    let experiment = Experiment::from_resolved(&text).map_err(|faults| CliError {
        code: EXIT_FAILED,
        ..CliError::usage(format!("cannot read `{}`: {faults}", path.display()))
            .hint("use the version of redqueen that made the run, or put a copy of the file in its place")
    })?;
    Ok(experiment.questions().to_vec())
}

/// The tables that `run` prints at its end, written too, with the figures. `None` where the kind has no tables.
pub(crate) fn after_run(directory: &Path) -> Result<Option<analysis::Report>, CliError> {
    let options = analysis::Options { questions: questions(directory)?, figures: true, ..analysis::Options::default() };
    match analysis::analyze(directory, &options) {
        Ok(report) => {
            report.write(directory, &analysis::Format::ALL)?;
            Ok(Some(report))
        }
        Err(analysis::Error::NothingToTabulate { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Says that nothing could be written beside a run, because its place may only be read; the result is shown all the
/// same.
///
/// # Errors
/// Nothing could be written for another reason.
pub(crate) fn note_unwritten(error: analysis::Error, output: &Output) -> Result<(), CliError> {
    let (forbidden, shown) = (error.is_forbidden(), CliError::from(error));
    if !forbidden {
        return Err(shown.hint("name another place with --out DIR"));
    }
    output.note(&format!("warning: nothing was written beside the run: {}", shown.message));
    output.note("  hint: name another place with --out DIR");
    Ok(())
}
