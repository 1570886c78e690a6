//! What people are told of a run beside its results: the events of `redqueen events`.

use serde_json::{Value, json};

/// Something that happened to a run or to the workers that serve it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEvent {
    /// A worker has come.
    WorkerJoined {
        /// Its name.
        worker: String,
        /// Its executor threads.
        threads: u32,
    },
    /// A worker is gone.
    WorkerLeft {
        /// Its name.
        worker: String,
        /// Why, for people.
        why: String,
        /// Trials of the run that it held and that wait again.
        lost: u64,
    },
    /// A worker has nothing to do although it was given trials: they wait again.
    LeaseDropped {
        /// Its name.
        worker: String,
        /// The stage.
        stage: u32,
        /// Trials.
        trials: u64,
    },
    /// Idle workers got trials that others hold, too.
    CopyIssued {
        /// The stage.
        stage: u32,
        /// Trials.
        trials: u64,
        /// Whose.
        of: String,
        /// Who runs them now, too.
        to: String,
    },
    /// Others agree that a worker computes wrongly.
    Distrusted {
        /// Its name.
        worker: String,
        /// The trial that showed it.
        trial: u64,
        /// Its stage.
        stage: u32,
        /// Who agree.
        agreed: Vec<String>,
    },
    /// Trials of the sample were not run twice.
    AuditSkipped {
        /// The stage.
        stage: u32,
        /// Trials.
        trials: u64,
        /// Why, for people.
        why: String,
    },
    /// Trials were in the hands of two workers that died; they run with nothing beside them from now on.
    Suspected {
        /// The stage.
        stage: u32,
        /// Trials.
        trials: u64,
    },
}

impl RunEvent {
    /// As the database names it; docs/run-directory.md lists them.
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

    /// What it says, for the database.
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
