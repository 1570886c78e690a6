//! The database of a run: formats, questions, damage, errors in writing, disputes, events, another chance, changes of
//! what changes no result, runs made longer, slow disks.

mod bench;
mod changes;
mod damage;
mod disputes;
mod extend;
mod format;
mod look;
mod questions;
mod retry;
mod slow;
mod writer;
