//! Tables, tests, ratings and the paper's figures beside ours.
//!
//! Closed stages of a run's database are exported to Parquet ([`export()`]); everything else reads Parquet and
//! nothing but Parquet, through polars. This crate never links the coordinator: what it knows of a run's database is
//! the contract in docs/run-directory.md.
//!
//! A statistic is one file in [`statistics`]; a table one function in `tables/`; a paper's table one file under
//! `papers/` and a line in [`papers`].

mod analyze;
mod compare;
mod data;
mod error;
mod forms;
mod kinds;
pub mod papers;
mod replicates;
mod report;
pub mod samples;
pub mod statistics;

pub use analyze::analyze;
pub use compare::{compare, contradicted};
pub use data::{StageFile, export, export_to, stage_files};
pub use error::Error;
pub use forms::{
    figure::Figure,
    table::{Cell, Column, Digits, Form, Known, LongTable, Table, is_unseen},
};
pub use kinds::words::Words;
pub use record::{Adjust, Question, Test};
pub use replicates::replicates;
pub use report::{Format, Options, Report, Text};
