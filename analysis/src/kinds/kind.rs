//! What is known of a kind before a run of it is read.

use serde_json::Value;

use super::subject::Subject;
use crate::{Error, data::Exported};

/// A run that was read, or why it was not.
type Read = Result<Box<dyn Subject>, Error>;

/// A kind of run.
pub(crate) struct Kind {
    /// Whether the closed stages of a run, of which there is at least one, are of this kind.
    pub(crate) takes: fn(&[Exported]) -> bool,
    /// Reads them.
    pub(crate) read: fn(&[Exported]) -> Read,
    /// The facts of a run's first stage without those that follow from its seed: they are equal for replicates.
    pub(crate) setting: fn(&Value) -> Value,
}

/// Whether the facts of the first stage name this kind.
pub(super) fn is_named(stages: &[Exported], kind: &str) -> bool {
    stages[0].spec.meta["kind"] == kind
}

/// The stage of a run that has one.
///
/// # Errors
/// A second is closed, which the tables would leave out.
pub(super) fn only(stages: &[Exported]) -> Result<&Exported, Error> {
    match stages {
        [one] => Ok(one),
        [_, second, ..] => Err(second.contract(&format!("its run has one stage, and {} are closed", stages.len()))),
        [] => unreachable!("a run is read when a stage is closed"),
    }
}
