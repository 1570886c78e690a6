//! From an experiment file to stages, trials and results.

pub mod plan;
pub mod value;
