//! The published status of runs.

use std::{path::PathBuf, sync::Arc};

use crate::core::RunView;

/// The published status of a run: that in the core, with what the core does not know.
#[derive(Clone, Debug)]
pub struct RunReport {
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

#[cfg(test)]
impl RunReport {
    /// The report of a run in this state, for tests.
    pub(crate) fn example(run: crate::ids::RunId, state: crate::core::RunState, directory: PathBuf) -> Self {
        let view = RunView {
            run,
            state,
            stage: 0,
            stage_name: String::new(),
            trials: 100,
            ahead: 0,
            stored: 0,
            leased: 0,
            quarantined: 0,
            rate: 0.0,
            left: None,
            workers: 0,
            threads: 0,
            quota: crate::core::Quota::default(),
            obstacle: String::new(),
        };
        RunReport { view, headline: String::new(), name: String::new(), reproducible: true, directory }
    }
}
