//! Durable state of runs: one SQLite database a run, one writer thread, group commits.
//!
//! [`run::RunStore`] is one run's database; [`writer::Writer`] is the thread that owns them all and makes
//! what the core decided durable; [`digest`] and [`read`] look at a run beside its writer. What is here is
//! the only place that knows SQL; `analysis` reads the same tables by the contract in docs/run-directory.md.
//!
//! Leases are not stored: they end with the coordinator that gave them, by design.

mod digest;
mod directory;
mod error;
mod export;
mod read;
mod run;
mod schema;
mod time;
mod writer;

pub use digest::{Digest, digest};
pub(crate) use directory::DATABASE;
pub use directory::{RunDirectory, connect_to_read, read_experiment, run_id};
pub use error::Error;
pub(crate) use export::copy_out;
pub use read::{Failure, Folded, Rerun, Summary, artifact, failures, folded, rerun, stage, summary};
pub use run::{Alarm, RunStore};
pub(crate) use writer::{Command, Opened, Reply, Writer};
