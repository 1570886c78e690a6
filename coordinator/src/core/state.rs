//! State of a run.

/// State of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunState {
    /// Trials are leased.
    Running,
    /// Nothing is leased; results that arrive are kept.
    Paused,
    /// Every stage is closed.
    Finished,
    /// Every stage is closed, and some trial is quarantined.
    Failed,
    /// Ended by a person.
    Cancelled,
}

impl RunState {
    /// Its name in the database and in `--json`.
    pub fn name(self) -> &'static str {
        match self {
            RunState::Running => "running",
            RunState::Paused => "paused",
            RunState::Finished => "finished",
            RunState::Failed => "failed",
            RunState::Cancelled => "cancelled",
        }
    }

    /// The state with that name.
    pub fn from_name(name: &str) -> Option<Self> {
        [RunState::Running, RunState::Paused, RunState::Finished, RunState::Failed, RunState::Cancelled]
            .into_iter()
            .find(|state| state.name() == name)
    }

    /// Whether the run has ended.
    pub fn is_ended(self) -> bool {
        !matches!(self, RunState::Running | RunState::Paused)
    }
}
