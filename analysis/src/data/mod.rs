//! Closed stages of a run as Parquet.

mod database;
mod export;
mod layout;
mod old_names;
pub(crate) mod parquet;
mod stage;
mod write;

pub(crate) use export::{Place, closed_stages};
pub use export::{StageFile, export, export_to, stage_files};
pub(crate) use layout::{has_stages, is_superseded};
pub(crate) use old_names::replace_old_names;
pub(crate) use stage::Exported;
