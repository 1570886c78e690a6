//! What the core is told.

use crate::{
    job::JobId,
    systems::{Queued, Refusal},
};

/// Something that was seen or happened.
#[derive(Clone, Debug)]
pub enum Seen {
    /// What the coordinator says of its work and its workers; every few seconds.
    Fleet {
        /// The work that is left.
        demand: Demand,
        /// Every worker that is connected.
        members: Vec<Member>,
    },
    /// The coordinator did not answer.
    CoordinatorAway,
    /// What came of [`Act::Query`](super::Act::Query): all jobs of this account, or why the answer says nothing.
    Queue(Result<Vec<Queued>, String>),
    /// What came of [`Act::Submit`](super::Act::Submit).
    Submitted {
        /// The job's name.
        name: String,
        /// The batch system's answer.
        answer: Result<JobId, Refusal>,
    },
    /// What came of [`Act::Cancel`](super::Act::Cancel).
    Cancelled {
        /// The jobs.
        ids: Vec<JobId>,
        /// Whether the batch system took the command.
        ok: bool,
    },
    /// A person ends the launch.
    Stop {
        /// Cancel running jobs as well, in place of letting their workers finish what they run.
        now: bool,
    },
    /// Time went by. At least one input every few seconds is needed.
    Tick,
}

/// The work that is left, over all open runs of the coordinator.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Demand {
    /// Core-seconds that are left; `None` if unknown.
    pub left: Option<f64>,
    /// Threads that the open stages can feed now.
    pub width: u32,
    /// No run is open: there will be no more work.
    pub ended: bool,
    /// Seconds that the longest trial is expected to take; `None` if unknown.
    pub trial_secs: Option<f64>,
}

/// A worker that is connected to the coordinator.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Name of its job ([`Job::name`](crate::job::Job::name)); another or empty if a person started it by hand.
    pub allocation: String,
    /// How often its job had begun anew when it started.
    pub restart: u32,
    /// The machine, as the worker names it.
    pub host: String,
    /// Threads on which it runs trials.
    pub threads: u32,
    /// Seconds since it had work; `None` while it has some.
    pub idle_secs: Option<f64>,
    /// Seconds that its trials have taken so far, over all threads, since the worker started.
    pub useful_secs: f64,
}
