//! State of a run.

/// State of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunState {
    /// Its trials are leased.
    Running,
    /// Nothing is leased; results that arrive are kept.
    Paused,
    /// Every stage is closed.
    Finished,
    /// As finished, but some trial was given up.
    Failed,
    /// Ended by a person.
    Cancelled,
}

impl RunState {
    /// As the database and `--json` name it.
    pub fn name(self) -> &'static str {
        match self {
            RunState::Running => "running",
            RunState::Paused => "paused",
            RunState::Finished => "finished",
            RunState::Failed => "failed",
            RunState::Cancelled => "cancelled",
        }
    }

    /// The state of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        [RunState::Running, RunState::Paused, RunState::Finished, RunState::Failed, RunState::Cancelled]
            .into_iter()
            .find(|state| state.name() == name)
    }

    /// Whether nothing more will happen.
    pub fn is_ended(self) -> bool {
        !matches!(self, RunState::Running | RunState::Paused)
    }
}
