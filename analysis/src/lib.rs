//! Tables, tests, ratings and the paper's figures beside ours.
//!
//! Closed stages of a run's database are exported to Parquet ([`export()`]); everything else reads Parquet and
//! nothing but Parquet, through polars. This crate never links the coordinator: what it knows of a run's database is
//! the contract in docs/run-directory.md.
//!
//! A statistic is one file in [`statistics`]; a table one function in `tables/`; a paper's table one file under
//! `papers/` and a line in [`papers`].

mod axes;
mod compare;
mod counts;
mod error;
mod evolution;
mod export;
mod figure;
mod figures;
mod games;
mod pairing;
pub mod papers;
mod questions;
pub mod rating;
mod replicates;
mod report;
pub mod samples;
pub mod statistics;
mod study;
mod subject;
mod table;
mod tables;
mod tuning;
mod turns;

pub use compare::compare;
pub use error::Error;
pub use export::{export, export_to};
pub use figure::Figure;
pub use questions::{Adjust, Question, Test};
pub use replicates::replicates;
pub use report::{Format, Options, Report, analyze};
pub use table::{Cell, Column, Digits, Form, Known, Table};
pub use tables::LongTable;
