//! What a run leaves behind, as types that its writer and its readers share.
//!
//! Plans (`experiments`) write these types, the coordinator stores them, and `analysis` and the program read them:
//! the shapes of rows with their columns by name, the facts and folds of stages, the questions that an experiment
//! asks of its results, and the names and formats of files. docs/run-directory.md describes the same for people.
//!
//! Everything here is plain data. What older versions wrote is still read: a fact that they did not have is an
//! `Option` or has a default, and keys that this version does not know are left alone.

pub mod columns;
#[cfg(feature = "sqlite")]
mod damage;
pub mod facts;
pub mod files;
pub mod folds;
pub mod journal;
mod questions;
mod shape;
mod stage;
pub mod study;

#[cfg(feature = "sqlite")]
pub use damage::{damage, is_unfinished};
pub use questions::{Adjust, Question, Test};
pub use shape::{Column, ColumnType, Row, Shape, Value};
pub use stage::{FactsError, Stage};
