//! The tables of a tuning, a file each.

mod candidates;
mod retest;
mod search;

pub(crate) use candidates::candidates;
pub(crate) use retest::retest;
pub(crate) use search::search;
