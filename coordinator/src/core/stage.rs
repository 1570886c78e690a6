//! A stage as the core sees it.

use record::Shape;

use crate::rows::Rows;

/// As much of a stage as scheduling needs.
#[derive(Clone, Debug, PartialEq)]
pub struct StageView {
    /// Index in the run, from 0.
    pub index: u32,
    /// For people.
    pub name: String,
    /// Number of trials.
    pub trials: u64,
    /// Trials that later stages are expected to have.
    pub ahead: u64,
    /// Of its rows.
    pub shape: Shape,
}

impl StageView {
    /// Why `rows` cannot be of this stage, if they cannot.
    pub(super) fn misfit(&self, rows: &Rows) -> Option<String> {
        if let Some(trial) = rows.trials.iter().find(|&&trial| trial >= self.trials) {
            return Some(format!("trial {trial} of {}", self.trials));
        }
        rows.check(&self.shape).err().map(|error| error.to_string())
    }
}
