//! Closed stages of a run as Parquet.

mod export;
mod old_names;
pub(crate) mod parquet;

pub(crate) use export::{Exported, Place, closed_stages};
pub use export::{export, export_to};
pub(crate) use old_names::replace_old_names;
