//! The inputs of the core.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use experiments::Costs;

use super::{Load, Quota, RunState, StageView, Worker};
use crate::{
    ids::{RunId, SessionId, StageKey, Ticket},
    ranges::RangeSet,
    rows::Rows,
};

/// An event that the core handles.
#[derive(Debug)]
pub enum Input {
    /// A run was created or found on disk.
    RunOpened(Box<OpenRun>),
    /// Quarantined trials of a run are retried, or a cancelled run goes on; this is the run now.
    RunReopened(Box<OpenRun>),
    /// Expected costs of the trials of a run; used for the time left only.
    Expected {
        /// The run.
        run: RunId,
        /// Costs of the open stage and those that follow.
        costs: Costs,
    },
    /// A run is gone: it was extended and has another id.
    RunLeft(RunId),
    /// A worker sent Hello and passed every check.
    SessionOpened {
        /// A new id.
        session: SessionId,
        /// The worker.
        worker: Worker,
        /// The trials that it runs or has finished without an acknowledgement, by stage.
        held: Vec<(StageKey, RangeSet)>,
    },
    /// A session's stream has ended, for whatever reason.
    SessionClosed(SessionId),
    /// A heartbeat.
    Heartbeat {
        /// The session.
        session: SessionId,
        /// What it says of its trials and results.
        load: Load,
        /// Executor time of all finished trials of its process.
        executed: Duration,
        /// Stages of which it has trials or unacknowledged results, if it says so.
        holds: Option<BTreeSet<StageKey>>,
    },
    /// Results arrived.
    Results {
        /// The session.
        session: SessionId,
        /// The worker's number of the batch.
        batch: u64,
        /// The stage.
        stage: StageKey,
        /// The rows.
        rows: Rows,
    },
    /// A worker hands back trials that it will not run.
    HandedBack {
        /// The session.
        session: SessionId,
        /// The stage.
        stage: StageKey,
        /// The trials; those that the session does not hold are ignored.
        trials: RangeSet,
    },
    /// A trial ended without result.
    TrialFailed {
        /// The session.
        session: SessionId,
        /// The stage.
        stage: StageKey,
        /// Its index.
        trial: u64,
        /// Its error.
        error: String,
    },
    /// A batch is durable.
    Committed {
        /// The batch.
        ticket: Ticket,
        /// Its trials that were stored before.
        repeats: Vec<Repeat>,
    },
    /// Results of a distrusted worker in the open stage were deleted.
    Retracted {
        /// The stage.
        stage: StageKey,
        /// The trials that are no longer stored.
        trials: RangeSet,
    },
    /// A stage is closed, and what follows is stored.
    StageClosed {
        /// The run.
        run: RunId,
        /// The next stage, or the state in which the run ended.
        next: Result<StageView, RunState>,
    },
    /// The store cannot write a run for now and keeps trying.
    StoreTrouble {
        /// The run.
        run: RunId,
        /// Why, with the path, for people.
        why: String,
    },
    /// The store can write the run again.
    StoreRecovered(RunId),
    /// Stop leasing trials of a run.
    Pause(RunId),
    /// Go on with a paused run.
    Resume(RunId),
    /// Give a run that has not ended another priority or limit.
    Prioritize {
        /// The run.
        run: RunId,
        /// Its priority and limit from now on.
        quota: Quota,
    },
    /// End a run; results that arrive later are dropped.
    Cancel(RunId),
    /// Tell the workers of these jobs to leave.
    Leave {
        /// Names of jobs ([`super::Place::allocation`]).
        allocations: BTreeSet<String>,
        /// Only those that hold no trials.
        only_idle: bool,
    },
    /// Time has passed; at least once per heartbeat.
    Tick,
    /// Stop leasing and tell all workers to leave.
    Drain,
}

/// A second result of a trial, compared with the stored one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// The trial.
    pub trial: u64,
    /// The worker whose result is stored.
    pub stored_by: String,
    /// Whether the pure columns are equal; always true if the run is not reproducible.
    pub equal: bool,
    /// Other workers with this same result, which is not the stored one.
    pub agrees_with: Vec<String>,
}

/// A run as it is on disk.
#[derive(Debug)]
pub struct OpenRun {
    /// Its id.
    pub run: RunId,
    /// Its state; runs that have ended are kept for their status.
    pub state: RunState,
    /// The open stage, or the last one.
    pub stage: StageView,
    /// Its stored trials, by the name of the worker.
    pub stored: BTreeMap<String, RangeSet>,
    /// Its quarantined trials.
    pub quarantined: RangeSet,
    /// Number of failures of its trials.
    pub failures: BTreeMap<u64, u32>,
    /// Share of the trials that two workers run, to be compared; from 0 to 1.
    pub audit: f64,
    /// Stored trials with differing results, and the workers that gave one.
    pub disputes: BTreeMap<u64, Vec<String>>,
    /// Workers whose results are wrong.
    pub distrusted: Vec<String>,
    /// Its priority and limit.
    pub quota: Quota,
}

impl OpenRun {
    /// The stored trials of the stage.
    pub fn all_stored(&self) -> RangeSet {
        let mut all = RangeSet::new();
        self.stored.values().for_each(|trials| all.insert_all(trials));
        all
    }
}
