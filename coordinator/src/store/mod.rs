//! Durable state of runs: one SQLite database for each run, one writer thread, group commits.
//!
//! A [`RunStore`] is the database of one run. The [`Writer`] is the thread that owns all of them and makes the core's
//! decisions durable. [`digest()`] and the functions of `read` read a run beside its writer. Only this module knows SQL;
//! `analysis` reads the same tables by the contract in docs/run-directory.md.
//!
//! Leases are not stored: they end with the coordinator that gave them.

mod command;
mod commits;
mod database;
mod digest;
mod directory;
mod error;
mod events;
mod export;
mod extend;
mod facts;
mod files;
mod games;
mod lane;
mod load;
pub mod look;
mod ours;
mod owner;
mod quota;
mod read;
mod retry;
mod run;
mod schema;
mod slow;
mod storage;
mod stored;
mod tallies;
#[cfg(test)]
mod tests;
mod time;
mod trouble;
mod writer;
mod writing;

pub use command::{Command, Opened, Reply};
pub use database::connect_to_read;
pub use digest::{Digest, digest};
pub(crate) use directory::patiently;
pub use directory::{RunDirectory, read_experiment};
pub use error::Error;
pub(crate) use events::last_event;
pub use events::{Events, Newest, StoredEvent, events, newest};
pub(crate) use export::copy_out;
pub(crate) use files::{DATABASE, RESOLVED};
pub(crate) use games::{GamesChunk, GamesReader};
pub use owner::{Holder, leased_to};
pub use read::{
    Failure, Folded, Rerun, Share, Summary, Times, artifact, failures, folded, rerun, shares, stage, state, summary,
    times,
};
pub use retry::Refused;
pub use run::RunStore;
pub use tallies::{Counting, PairTally, Tallies};
pub use writer::Writer;

/// Artifacts by their hash.
pub type Blobs = std::collections::BTreeMap<String, Vec<u8>>;
