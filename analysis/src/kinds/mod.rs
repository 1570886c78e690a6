//! The kinds of runs, a folder each: how its stages are read (`read`), its tables and figures, and what it says of
//! itself ([`Subject`]). A kind is added as a folder and a line in [`KINDS`].

pub(crate) mod evolution;
pub(crate) mod grid;
mod kind;
pub(crate) mod learning;
pub(crate) mod own;
pub(crate) mod study;
pub(crate) mod subject;
pub(crate) mod tuning;
pub(crate) mod turn_figures;
pub(crate) mod warnings;
pub(crate) mod words;
pub(crate) mod workers;

use crate::{Error, data::Exported};

use kind::Kind;
use subject::Subject;

/// Every kind. The first that takes a run's stages reads them.
const KINDS: [Kind; 5] =
    [grid::report::KIND, learning::report::KIND, tuning::report::KIND, study::report::KIND, evolution::report::KIND];

/// The kind of a run.
///
/// # Errors
/// Runs of its kind have no tables.
pub(crate) fn kind(stages: &[Exported]) -> Result<&'static Kind, Error> {
    let name = || stages[0].spec.meta["kind"].as_str().unwrap_or("unknown").to_owned();
    KINDS.iter().find(|kind| (kind.takes)(stages)).ok_or_else(|| Error::NothingToTabulate { kind: name() })
}

/// Reads the closed stages of a run.
///
/// # Errors
/// Runs of its kind have no tables, or a stage cannot be read.
pub(crate) fn read(stages: &[Exported]) -> Result<Box<dyn Subject>, Error> {
    (kind(stages)?.read)(stages)
}
