//! Statistics, a file each: what the papers' tables need, checked against SciPy and statsmodels.

pub mod adjust;
pub mod interval;
pub mod mann_whitney;
pub mod moments;
pub mod normality;
pub mod quantile;
pub mod tails;
pub mod welch;
