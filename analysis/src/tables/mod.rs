//! The tables of a match grid, of an evolution, of a tuning, of a study and of replicates, a file each.

mod benchmarks;
mod by_pair;
mod candidates;
pub(crate) mod compared;
mod cost;
mod formulas;
mod generations;
pub(crate) mod levels;
mod pairs;
mod phases;
mod points;
mod questions;
mod ratings;
mod replicates;
mod retest;
mod search;
mod seats;
mod tests;
pub(crate) mod times;
mod trees;
mod workers;

pub(crate) use benchmarks::{SCORE_OF, benchmarks, last};
pub(crate) use by_pair::ByPair;
pub use by_pair::LongTable;
pub(crate) use candidates::candidates;
pub(crate) use cost::cost;
pub(crate) use formulas::{formulas, frequent};
pub(crate) use generations::generations;
pub(crate) use levels::{influence, levels};
pub(crate) use pairs::pairs;
pub(crate) use phases::phases;
pub(crate) use points::{points, study_cost};
pub(crate) use questions::answer;
pub(crate) use ratings::ratings;
pub(crate) use replicates::{outcomes, replicates, settings};
pub(crate) use retest::retest;
pub(crate) use search::search;
pub(crate) use seats::seats;
pub(crate) use tests::{contrasts, tests};
pub(crate) use times::times;
pub(crate) use trees::trees;
pub(crate) use workers::workers;

/// Confidence of every interval.
pub(crate) const CONFIDENCE: f64 = 0.95;
