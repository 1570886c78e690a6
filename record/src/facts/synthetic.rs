//! Facts of a synthetic stage.

use serde::{Deserialize, Serialize};

use super::Kind;

/// Facts of trials that only cost time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SyntheticFacts {
    /// [`Kind::Synthetic`]
    pub kind: Kind,
    /// CPU time of a trial, microseconds.
    pub cost_us: u64,
    /// Share of the trials that are run.
    pub scale: f64,
}
