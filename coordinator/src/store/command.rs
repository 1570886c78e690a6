//! The commands of the writer thread and its replies.

use std::{any::Any, time::Duration};

use experiments::Experiment;
use serde_json::Value;
use tokio::sync::oneshot;

use super::{Blobs, RunStore, retry::Refused};
use crate::{
    core::{OpenRun, Quota, Repeat, RunState, StageView, Worker},
    ids::{RunId, StageKey, Ticket},
    ranges::RangeSet,
    rows::Rows,
};

/// A command for the writer thread.
pub enum Command {
    /// Add a run.
    Adopt(Box<RunStore>),
    /// Make rows durable.
    Store {
        /// Names the batch in the reply.
        ticket: Ticket,
        /// The stage.
        stage: StageKey,
        /// The worker that ran them.
        worker: Worker,
        /// The rows.
        rows: Rows,
    },
    /// Delete the results of a worker in the open stage, since they are wrong.
    Retract {
        /// The stage.
        stage: StageKey,
        /// Name of the worker.
        worker: String,
        /// What showed it.
        why: String,
    },
    /// Store a failure.
    Failure {
        /// The stage.
        stage: StageKey,
        /// Index of the trial.
        trial: u64,
        /// Number of the failure, from 1.
        attempt: u32,
        /// Name of the worker that ran it.
        worker: String,
        /// The error.
        error: String,
        /// Whether the trial is quarantined.
        quarantine: bool,
    },
    /// Delete a failure.
    Acquit {
        /// The stage.
        stage: StageKey,
        /// Index of the trial.
        trial: u64,
        /// Number of the failure; later ones move up.
        attempt: u32,
    },
    /// Store the state of a run.
    State {
        /// The run.
        run: RunId,
        /// Its new state.
        state: RunState,
    },
    /// Store the priority and the limit of a run.
    Quota {
        /// The run.
        run: RunId,
        /// Its new priority and limit.
        quota: Quota,
    },
    /// Record an event of a run.
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
    /// Replace keys that change no result, and questions ([`RunStore::change`]).
    Change {
        /// The run.
        run: RunId,
        /// The experiment as it was given.
        source: String,
        /// The same, parsed.
        experiment: Box<Experiment>,
        /// Resolved after [`Reply::Changed`]: false if the run has ended and its files are closed; an error if nothing
        /// can be written.
        answer: oneshot::Sender<Result<bool, String>>,
    },
    /// Release a run after all earlier commands for it.
    Release {
        /// The run.
        run: RunId,
        /// Resolved with the run after [`Reply::Released`]; `None` if its files are closed, an error if nothing can be
        /// written.
        answer: oneshot::Sender<Result<Option<Box<RunStore>>, String>>,
    },
    /// Run quarantined trials again ([`RunStore::retry`]).
    Retry {
        /// The run.
        run: RunId,
        /// Whether stages that follow the one with quarantined trials may be dropped.
        discard_later: bool,
        /// Resolved after [`Reply::Reopened`]; dropped if it cannot be done.
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
            | Command::Quota { run, .. }
            | Command::Event { run, .. }
            | Command::Change { run, .. }
            | Command::Release { run, .. }
            | Command::Retry { run, .. } => *run,
        }
    }
}

/// A reply of the writer thread.
#[derive(Debug)]
pub enum Reply {
    /// A batch is durable.
    Committed {
        /// Names the batch.
        ticket: Ticket,
        /// Its rows of trials that had a result already.
        repeats: Vec<Repeat>,
    },
    /// A transaction with rows is durable.
    Wrote {
        /// Number of rows.
        rows: u64,
        /// How long it took.
        duration: Duration,
    },
    /// Results of a distrusted worker were deleted.
    Retracted {
        /// The stage.
        stage: StageKey,
        /// Their trials; none if the stage is closed.
        trials: RangeSet,
    },
    /// A stage is closed.
    Closed {
        /// The run.
        run: RunId,
        /// Its result, in a line.
        headline: String,
        /// The next stage with its artifacts, or how the run ended.
        next: Result<(StageView, Box<Opened>), RunState>,
    },
    /// A run with quarantined trials goes on.
    Reopened {
        /// The run.
        run: RunId,
        /// The run now.
        open: Box<OpenRun>,
        /// The open stage now.
        opened: Box<Opened>,
        /// Result of the last closed stage, in a line.
        headline: String,
    },
    /// Keys of a run that change no result have new values.
    Changed {
        /// The run.
        run: RunId,
        /// The experiment now.
        experiment: Box<Experiment>,
        /// The run.
        open: Box<OpenRun>,
        /// The open stage.
        opened: Box<Opened>,
    },
    /// A run was released and is to be forgotten.
    Released {
        /// The run.
        run: RunId,
    },
    /// A run cannot be written for now. Writing is retried; nothing is acknowledged meanwhile.
    Trouble {
        /// The run.
        run: RunId,
        /// Why, with the path.
        message: String,
    },
    /// A run can be written again.
    Recovered {
        /// The run.
        run: RunId,
    },
    /// The thread has panicked.
    Panicked(Box<dyn Any + Send>),
    /// A run cannot go on: its plan has failed, or its database is damaged.
    Stuck {
        /// The run.
        run: RunId,
        /// Why.
        why: String,
    },
}

/// An open stage and its artifacts.
#[derive(Debug)]
pub struct Opened {
    /// The stage.
    pub stage: record::Stage,
    /// Its artifacts, by hash.
    pub artifacts: Blobs,
}
