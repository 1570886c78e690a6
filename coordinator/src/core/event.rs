//! Events of a run, for people: what `redqueen events` lists.

use serde_json::{Value, json};

/// Something that happened to a run or to its workers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEvent {
    /// A worker has joined.
    WorkerJoined {
        /// Its name.
        worker: String,
        /// Its executor threads.
        threads: u32,
    },
    /// A worker has left.
    WorkerLeft {
        /// Its name.
        worker: String,
        /// Why, for people.
        why: String,
        /// Trials of the run that it held; they wait again.
        lost: u64,
    },
    /// A worker has nothing to do although it has a lease: its trials wait again.
    LeaseDropped {
        /// Its name.
        worker: String,
        /// The stage.
        stage: u32,
        /// Trials.
        trials: u64,
    },
    /// An idle worker was leased trials that another one holds.
    CopyIssued {
        /// The stage.
        stage: u32,
        /// Trials.
        trials: u64,
        /// Name of the worker that holds them.
        of: String,
        /// Name of the idle worker.
        to: String,
    },
    /// The results of a worker are wrong.
    Distrusted {
        /// Its name.
        worker: String,
        /// The trial that showed it.
        trial: u64,
        /// Its stage.
        stage: u32,
        /// Workers that agree on another result.
        agreed: Vec<String>,
    },
    /// Trials that were to be audited were not.
    AuditSkipped {
        /// The stage.
        stage: u32,
        /// Trials.
        trials: u64,
        /// Why, for people.
        why: String,
    },
    /// Two workers died that held these trials; from now on their worker runs nothing else.
    Suspected {
        /// The stage.
        stage: u32,
        /// Trials.
        trials: u64,
    },
}

impl RunEvent {
    /// Its kind in the database; docs/run-directory.md lists the kinds.
    pub fn kind(&self) -> &'static str {
        match self {
            RunEvent::WorkerJoined { .. } => "worker-joined",
            RunEvent::WorkerLeft { .. } => "worker-left",
            RunEvent::LeaseDropped { .. } => "lease-dropped",
            RunEvent::CopyIssued { .. } => "copy-issued",
            RunEvent::Distrusted { .. } => "distrusted",
            RunEvent::AuditSkipped { .. } => "audit-skipped",
            RunEvent::Suspected { .. } => "suspected",
        }
    }

    /// Its details in the database: a JSON object.
    pub fn detail(&self) -> Value {
        match self {
            RunEvent::WorkerJoined { worker, threads } => json!({ "worker": worker, "threads": threads }),
            RunEvent::WorkerLeft { worker, why, lost } => json!({ "worker": worker, "why": why, "lost": lost }),
            RunEvent::LeaseDropped { worker, stage, trials } => {
                json!({ "worker": worker, "stage": stage, "trials": trials })
            }
            RunEvent::CopyIssued { stage, trials, of, to } => {
                json!({ "stage": stage, "trials": trials, "of": of, "to": to })
            }
            RunEvent::Distrusted { worker, trial, stage, agreed } => {
                json!({ "worker": worker, "stage": stage, "trial": trial, "agreed": agreed })
            }
            RunEvent::AuditSkipped { stage, trials, why } => json!({ "stage": stage, "trials": trials, "why": why }),
            RunEvent::Suspected { stage, trials } => json!({ "stage": stage, "trials": trials }),
        }
    }
}
