//! What is to come behind a stage, as its kind says.

/// Stages that are alike.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ahead {
    /// How many.
    pub stages: u64,
    /// Trials of each.
    pub trials: u64,
    /// Executor seconds of a trial.
    pub secs: f64,
}
