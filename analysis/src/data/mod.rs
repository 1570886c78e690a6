//! Closed stages of a run as Parquet.

mod export;
pub(crate) mod parquet;

pub(crate) use export::{Exported, Place, closed_stages};
pub use export::{export, export_to};
