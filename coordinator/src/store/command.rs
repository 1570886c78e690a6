//! What the writer thread is asked, and what it answers.

use std::{any::Any, time::Duration};

use experiments::Experiment;
use serde_json::Value;
use tokio::sync::oneshot;

use super::{Blobs, RunStore, retry::Refused};
use crate::{
    core::{OpenRun, Repeat, RunState, StageView, Worker},
    ids::{RunId, StageKey, Ticket},
    ranges::RangeSet,
    rows::Rows,
};

/// What the thread is asked.
pub enum Command {
    /// Take a run up.
    Adopt(Box<RunStore>),
    /// Make rows durable.
    Store {
        /// To be named in the answer.
        ticket: Ticket,
        /// Of this stage.
        stage: StageKey,
        /// Who ran them.
        worker: Worker,
        /// What came of it.
        rows: Rows,
    },
    /// Take what a worker delivered of the open stage out again: it computes wrongly.
    Retract {
        /// The stage.
        stage: StageKey,
        /// Who stored it.
        worker: String,
        /// How that was seen.
        why: String,
    },
    /// Note a failure.
    Failure {
        /// Of this stage.
        stage: StageKey,
        /// Index.
        trial: u64,
        /// From 1.
        attempt: u32,
        /// Who ran it.
        worker: String,
        /// What it said.
        error: String,
        /// No further attempt.
        quarantine: bool,
    },
    /// Take a noted failure back.
    Acquit {
        /// Of this stage.
        stage: StageKey,
        /// Index.
        trial: u64,
        /// Number of the failure; later ones move up.
        attempt: u32,
    },
    /// Note a state.
    State {
        /// The run.
        run: RunId,
        /// Its state now.
        state: RunState,
    },
    /// Note what happened, for people.
    Event {
        /// The run.
        run: RunId,
        /// One of the kinds of docs/run-directory.md.
        kind: &'static str,
        /// JSON object.
        detail: Value,
    },
    /// Close the open stage.
    CloseStage(StageKey),
    /// Take over what changes no result, and questions ([`RunStore::change`]).
    Change {
        /// The run.
        run: RunId,
        /// The experiment as given.
        source: String,
        /// The same, read.
        experiment: Box<Experiment>,
        /// Told when it is done, behind [`Reply::Changed`]: false if the run has ended and its files are closed. An
        /// error says why nothing can be written.
        answer: oneshot::Sender<Result<bool, String>>,
    },
    /// Give a run back, behind everything that was told of it before.
    Release {
        /// The run.
        run: RunId,
        /// Where it goes, behind [`Reply::Released`]; nothing if its files are closed. An error says why nothing can be
        /// written.
        answer: oneshot::Sender<Result<Option<Box<RunStore>>, String>>,
    },
    /// Give trials that were given up another chance ([`RunStore::retry`]).
    Retry {
        /// The run.
        run: RunId,
        /// Whether stages behind the one that lacks such a trial may be dropped.
        discard_later: bool,
        /// Told when it is done, behind [`Reply::Reopened`]; dropped if it cannot be.
        answer: oneshot::Sender<Result<(), Refused>>,
    },
}

impl Command {
    pub(super) fn run(&self) -> RunId {
        match self {
            Command::Adopt(store) => store.id(),
            Command::Store { stage, .. }
            | Command::Retract { stage, .. }
            | Command::Failure { stage, .. }
            | Command::Acquit { stage, .. }
            | Command::CloseStage(stage) => stage.run,
            Command::State { run, .. }
            | Command::Event { run, .. }
            | Command::Change { run, .. }
            | Command::Release { run, .. }
            | Command::Retry { run, .. } => *run,
        }
    }
}

/// What it answers.
#[derive(Debug)]
pub enum Reply {
    /// Durable.
    Committed {
        /// Whose.
        ticket: Ticket,
        /// Rows of trials that had one.
        repeats: Vec<Repeat>,
    },
    /// A transaction with rows was made durable.
    Wrote {
        /// Rows in it.
        rows: u64,
        /// How long it took.
        duration: Duration,
    },
    /// What a worker had delivered of a stage is not stored any more.
    Retracted {
        /// The stage.
        stage: StageKey,
        /// These trials; none if the stage is closed.
        trials: RangeSet,
    },
    /// Closed.
    Closed {
        /// The run.
        run: RunId,
        /// What the stage came to.
        headline: String,
        /// The next stage as a whole for whoever has to tell workers, or how the run ended.
        next: Result<(StageView, Box<Opened>), RunState>,
    },
    /// A run whose trials were given up goes on.
    Reopened {
        /// The run.
        run: RunId,
        /// Where it stands now.
        open: Box<OpenRun>,
        /// The stage that is open now.
        opened: Box<Opened>,
        /// What the last closed stage came to.
        headline: String,
    },
    /// What changes no result of a run is other than it was.
    Changed {
        /// The run.
        run: RunId,
        /// Its experiment now.
        experiment: Box<Experiment>,
        /// Where it stands.
        open: Box<OpenRun>,
        /// The stage that is open.
        opened: Box<Opened>,
    },
    /// A run was given back: it is to be forgotten.
    Released {
        /// The run.
        run: RunId,
    },
    /// Nothing of a run can be written for now. It is tried again; nothing is acknowledged meanwhile.
    Trouble {
        /// The run.
        run: RunId,
        /// What is in the way, with the path.
        message: String,
    },
    /// It can be written again.
    Recovered {
        /// The run.
        run: RunId,
    },
    /// The thread has panicked, with this.
    Panicked(Box<dyn Any + Send>),
    /// Nothing more will come of this run: its plan cannot go on, or its database is damaged.
    Stuck {
        /// The run.
        run: RunId,
        /// What is wrong.
        why: String,
    },
}

/// A stage that was opened, and its artifacts by hash.
#[derive(Debug)]
pub struct Opened {
    /// The stage.
    pub stage: record::Stage,
    /// What its trials need.
    pub artifacts: Blobs,
}
