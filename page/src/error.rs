//! Why there is no report.

use coordinator::store;

use crate::champion;

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The run's directory cannot be read.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// The run has no tables, or they cannot be made.
    #[error(transparent)]
    Analysis(#[from] analysis::Error),
    /// The champion cannot be shown.
    #[error(transparent)]
    Champion(#[from] champion::Error),
    /// A stage says something else than this version reads.
    #[error(transparent)]
    Facts(#[from] record::FactsError),
}
