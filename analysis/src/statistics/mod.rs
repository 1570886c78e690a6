//! Statistics, a file each: what the papers' tables need, checked against SciPy and statsmodels.

pub mod adjust;
pub mod contrast;
pub(crate) mod counts;
mod differences;
pub mod effect;
pub mod fisher;
pub mod friedman;
mod incomplete;
pub mod interval;
pub mod kruskal_wallis;
pub mod letters;
pub mod mann_whitney;
pub mod moments;
pub mod normality;
pub mod quantile;
pub mod ranks;
pub mod rating;
mod reason;
pub mod regression;
pub(crate) mod running;
pub mod student;
mod t_test;
pub mod tails;
pub mod welch;
pub mod wilcoxon;

pub use reason::Reason;
pub use t_test::TTest;

/// Confidence of every interval.
pub(crate) const CONFIDENCE: f64 = 0.95;
