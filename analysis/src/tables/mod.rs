//! The tables of a match grid, a file each.

mod pairs;
mod ratings;
mod seats;
mod tests;

pub(crate) use pairs::pairs;
pub(crate) use ratings::ratings;
pub(crate) use seats::seats;
pub(crate) use tests::{contrasts, tests};

/// Confidence of every interval.
pub(crate) const CONFIDENCE: f64 = 0.95;
