//! All tables and figures of a run.

use std::path::Path;

use crate::{
    Error, Options, Report, Words,
    data::{Place, closed_stages},
    forms::figure::Figures,
    kinds::{self, subject::Tables},
};

/// Exports the closed stages of the run in `run` and makes its tables and figures.
///
/// # Errors
/// Nothing is closed, the kind has no tables, or a file cannot be read or written.
pub fn analyze(run: &Path, options: &Options) -> Result<Report, Error> {
    let place = if options.apart { Place::Apart } else { Place::Beside };
    let subject = kinds::read(&closed_stages(run, place)?)?;
    let Tables { shown: tables, long, left_out: tables_left_out } = subject.tables(options)?;
    let Figures { drawn: figures, mut left_out } = if options.figures { subject.figures() } else { Figures::default() };
    left_out.extend(tables_left_out);
    let words = Words { question: subject.question(&options.questions), findings: subject.findings(&tables) };
    Ok(Report { tables, figures, warnings: subject.warnings(), long, left_out, words }.checked())
}
