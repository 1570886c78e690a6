//! The published status of runs.

use std::{path::PathBuf, sync::Arc};

use crate::core::RunView;

/// The status of a run, with what the core does not know.
#[derive(Clone, Debug)]
pub(crate) struct RunReport {
    /// Its status in the core.
    pub view: RunView,
    /// Result of the last closed stage, in a line.
    pub headline: String,
    /// Name of the experiment.
    pub name: String,
    /// False where a player has a time budget.
    pub reproducible: bool,
    /// Its directory.
    pub directory: PathBuf,
}

/// The published status of every run.
pub(crate) type Reports = Arc<Vec<RunReport>>;
