//! The published status of runs.

use std::{path::PathBuf, sync::Arc};

use crate::core::RunView;

/// A run's status with what the core does not know of it.
#[derive(Clone, Debug)]
pub(crate) struct RunReport {
    /// As the core sees it.
    pub view: RunView,
    /// What the last closed stage came to.
    pub headline: String,
    /// Of the experiment.
    pub name: String,
    /// False where a player has a time budget.
    pub reproducible: bool,
    /// Where it is kept.
    pub directory: PathBuf,
}

/// The published status of every run.
pub(crate) type Reports = Arc<Vec<RunReport>>;
