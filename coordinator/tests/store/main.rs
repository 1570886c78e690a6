//! The database of a run: formats, questions, damage, errors in writing, disputes, events, another chance.

mod again;
mod bench;
mod damage;
mod disputes;
mod format;
mod questions;
mod writer;
