//! What the core asks for.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{job::JobId, journal::Entry};

/// What is to be done. Acts are carried out in order, one after the other, and each but `Note`, `Leave` and `End` is
/// answered by an input of its own.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// Ask for a job, then give [`Seen::Submitted`](super::Seen::Submitted).
    Submit {
        /// Its name; no other submission has it.
        name: String,
        /// How long it may last; whole minutes.
        walltime: Duration,
        /// Machines on which it must not run.
        exclude: Vec<String>,
    },
    /// List the jobs of this account, then give [`Seen::Queue`](super::Seen::Queue).
    Query,
    /// End jobs, then give [`Seen::Cancelled`](super::Seen::Cancelled).
    Cancel(Vec<JobId>),
    /// Tell the coordinator to drain the workers of these jobs: they finish the trials that they run and leave. The core says
    /// so again while they stay.
    Leave(Vec<String>),
    /// Append this to the journal and wait until it is on disk; tell people.
    Note(Entry),
    /// The launch has ended; the core is not needed any more.
    End(Ended),
}

/// How a launch ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Ended {
    /// Why.
    pub outcome: Outcome,
    /// Names of jobs that may still be in the queue, because it could not be read for long. Empty in all other cases.
    pub unconfirmed: Vec<String>,
}

/// Why a launch ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// All runs have ended.
    Finished,
    /// The budget is used up and work is left.
    Budget,
    /// The batch system refuses such jobs for good, in its own words, and work is left.
    Refused(String),
    /// A person stopped it.
    Stopped,
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Outcome::Finished => write!(f, "all runs have ended"),
            Outcome::Budget => write!(f, "the budget is used up"),
            Outcome::Refused(text) => write!(f, "the batch system refuses the jobs: {text}"),
            Outcome::Stopped => write!(f, "stopped"),
        }
    }
}
