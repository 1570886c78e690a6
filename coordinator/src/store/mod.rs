//! Durable state of runs: one SQLite database a run, one writer thread, group commits.
//!
//! [`RunStore`] is one run's database; [`Writer`] is the thread that owns them all and makes what the core decided
//! durable; [`digest()`] and what is in `read` look at a run beside its writer. What is here is
//! the only place that knows SQL; `analysis` reads the same tables by the contract in docs/run-directory.md.
//!
//! Leases are not stored: they end with the coordinator that gave them, by design.

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
mod lane;
mod load;
mod read;
mod retry;
mod run;
mod schema;
mod stored;
mod time;
mod trouble;
mod writer;
mod writing;

pub use command::{Command, Opened, Reply};
pub use database::connect_to_read;
pub use digest::{Digest, digest};
pub use directory::{RunDirectory, read_experiment};
pub use error::Error;
pub use events::{Events, StoredEvent, events};
pub(crate) use export::copy_out;
pub(crate) use files::{DATABASE, RESOLVED};
pub use read::{
    Failure, Folded, Rerun, Share, Summary, artifact, failures, folded, rerun, shares, stage, state, summary,
};
pub use retry::Refused;
pub use run::RunStore;
pub use writer::Writer;

/// Artifacts by their hash.
pub type Blobs = std::collections::BTreeMap<String, Vec<u8>>;
