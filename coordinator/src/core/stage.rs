//! A stage as the core sees it.

use record::Shape;

use crate::rows::Rows;

/// What scheduling needs of a stage.
#[derive(Clone, Debug, PartialEq)]
pub struct StageView {
    /// Index in the run, from 0.
    pub index: u32,
    /// Name, for people.
    pub name: String,
    /// Number of trials.
    pub trials: u64,
    /// Expected number of trials of later stages.
    pub ahead: u64,
    /// Columns of its rows.
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
