//! The tables of a match grid, a file each.

mod cost;
mod pairs;
mod ratings;
mod seats;
mod tests;
mod workers;

pub(crate) use cost::cost;
pub(crate) use pairs::pairs;
pub(crate) use ratings::ratings;
pub(crate) use seats::seats;
pub(crate) use tests::{contrasts, tests};
pub(crate) use workers::workers;

/// Confidence of every interval.
pub(crate) const CONFIDENCE: f64 = 0.95;
