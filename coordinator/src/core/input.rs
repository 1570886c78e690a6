//! What reaches the core.

use std::{collections::BTreeMap, time::Duration};

use experiments::Costs;

use super::{RunState, StageView, Worker};
use crate::{
    ids::{RunId, SessionId, StageKey, Ticket},
    ranges::RangeSet,
    rows::Rows,
};

/// What happened.
#[derive(Debug)]
pub enum Input {
    /// A run was created or found on disk.
    RunOpened(Box<OpenRun>),
    /// A run's given-up trials got another chance, or a cancelled run goes on; this is how it stands now.
    RunReopened(Box<OpenRun>),
    /// What trials of a run's open stage, and of those that follow, are expected to take: for the time left, nothing
    /// else.
    Expected {
        /// The run.
        run: RunId,
        /// Of its open stage.
        costs: Costs,
    },
    /// A run is another's from now on: it was made longer, and has another id.
    RunLeft(RunId),
    /// A worker said Hello and passed every check.
    SessionOpened {
        /// New, never used before.
        session: SessionId,
        /// Who.
        worker: Worker,
        /// By stage: what it runs, or has run and not seen acknowledged.
        held: Vec<(StageKey, RangeSet)>,
    },
    /// Its stream ended, for whatever reason.
    SessionClosed(SessionId),
    /// A sign of life.
    Heartbeat {
        /// From.
        session: SessionId,
        /// Age of its oldest running trial.
        oldest: Duration,
        /// Results it keeps until they are acknowledged.
        outbox: u64,
        /// It has nothing to run, running or to be acknowledged.
        idle: bool,
    },
    /// Results arrived.
    Results {
        /// From.
        session: SessionId,
        /// The worker's number for the batch, to be acknowledged.
        batch: u64,
        /// Of this stage.
        stage: StageKey,
        /// What came.
        rows: Rows,
    },
    /// A worker will not run these.
    HandedBack {
        /// From.
        session: SessionId,
        /// Of this stage.
        stage: StageKey,
        /// Trials; those the session does not hold are ignored.
        trials: RangeSet,
    },
    /// A trial ended without result.
    TrialFailed {
        /// From.
        session: SessionId,
        /// Of this stage.
        stage: StageKey,
        /// Index.
        trial: u64,
        /// What it said.
        error: String,
    },
    /// The store made a batch durable.
    Committed {
        /// The batch.
        ticket: Ticket,
        /// Its trials that were in the store before.
        repeats: Vec<Repeat>,
    },
    /// The store deleted what a worker had delivered of a run's open stage.
    Retracted {
        /// Of this stage.
        stage: StageKey,
        /// What is not stored any more.
        trials: RangeSet,
    },
    /// The store closed a stage; what follows is stored with it.
    StageClosed {
        /// The run.
        run: RunId,
        /// The next stage, or the state in which the run ended.
        next: Result<StageView, RunState>,
    },
    /// The store cannot write a run for now, and tries again; why, for people.
    StoreTrouble {
        /// The run.
        run: RunId,
        /// What is wrong and where.
        why: String,
    },
    /// It can again.
    StoreRecovered(RunId),
    /// Stop leasing a run's trials.
    Pause(RunId),
    /// Go on with a paused run.
    Resume(RunId),
    /// End a run; late results are dropped.
    Cancel(RunId),
    /// Time passed. Comes at least once a heartbeat.
    Tick,
    /// Lease nothing any more and tell the workers to leave.
    Drain,
}

/// A second result of a trial, set against the one that was stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// The trial.
    pub trial: u64,
    /// Whose result is stored.
    pub stored_by: String,
    /// Whether the pure columns are equal. Always said of a run that is not reproducible.
    pub equal: bool,
    /// Others whose result differed from the stored one and equals this one.
    pub agrees_with: Vec<String>,
}

/// A run as found on disk.
#[derive(Debug)]
pub struct OpenRun {
    /// Its id.
    pub run: RunId,
    /// `Running` or `Paused`; ended runs are kept for their status.
    pub state: RunState,
    /// The stage that is open, or was last.
    pub stage: StageView,
    /// Trials of it that are in the store, by the name of whoever delivered them.
    pub stored: BTreeMap<String, RangeSet>,
    /// Trials of it that were given up.
    pub quarantined: RangeSet,
    /// Failures so far, by trial.
    pub failures: BTreeMap<u64, u32>,
    /// Share of the trials that are run twice, on two workers, and compared; from 0 to 1.
    pub audit: f64,
    /// Stored trials about which workers disagree, and who has given a result of each.
    pub disputes: BTreeMap<u64, Vec<String>>,
    /// Workers whose results others agree are wrong.
    pub distrusted: Vec<String>,
}

impl OpenRun {
    /// Trials of the stage that are in the store, whoever delivered them.
    pub fn all_stored(&self) -> RangeSet {
        let mut all = RangeSet::new();
        self.stored.values().for_each(|trials| all.insert_all(trials));
        all
    }
}
