//! What a run may take of the fleet beside others.

use std::{num::NonZeroU32, ops::RangeInclusive};

/// Priorities that a run may have.
pub const PRIORITIES: RangeInclusive<u32> = 1..=1_000;

/// Priority and limit of a run. They change no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// Weight of the run among those that have trials to run, one of [`PRIORITIES`]: the thread time of the fleet is
    /// divided in proportion to the weights.
    pub priority: u32,
    /// Most threads that run its trials at once; `None` for no limit.
    pub max_threads: Option<NonZeroU32>,
}

impl Default for Quota {
    fn default() -> Self {
        Quota { priority: *PRIORITIES.start(), max_threads: None }
    }
}
