//! The actions that the core asks for.

use std::num::NonZeroU32;

use super::{Quota, RunEvent, RunState, Worker};
use crate::{
    ids::{LeaseId, RunId, SessionId, StageKey, Ticket},
    ranges::RangeSet,
    rows::Rows,
};

/// What the coordinator is to do.
#[derive(Debug, PartialEq)]
pub enum Action {
    /// Lease trials to a worker.
    Lease {
        /// The session.
        session: SessionId,
        /// Number of the lease, for the log; leases are not stored.
        lease: LeaseId,
        /// The stage.
        stage: StageKey,
        /// The trials.
        trials: RangeSet,
        /// Most threads of the worker that may run trials of the stage at once; `None` for all.
        threads_max: Option<NonZeroU32>,
    },
    /// Tell a worker that its batch is durable.
    Ack {
        /// The session.
        session: SessionId,
        /// The worker's number of the batch.
        batch: u64,
    },
    /// Tell a worker to drop trials that it has not begun: another worker holds them.
    Withdraw {
        /// The session.
        session: SessionId,
        /// The stage.
        stage: StageKey,
        /// The trials.
        trials: RangeSet,
    },
    /// Tell a worker to drop its queued trials of a stage.
    Forget {
        /// The session.
        session: SessionId,
        /// The stage.
        stage: StageKey,
    },
    /// Tell a worker to leave when it has finished what it runs.
    Leave {
        /// The session.
        session: SessionId,
        /// The reason, for people.
        why: String,
    },
    /// End a session.
    Dismiss {
        /// The session.
        session: SessionId,
        /// The reason.
        why: Dismissal,
    },
    /// Make rows durable, then send [`super::Input::Committed`].
    Store {
        /// Names the batch.
        ticket: Ticket,
        /// The stage.
        stage: StageKey,
        /// The worker that ran them.
        worker: Worker,
        /// The rows.
        rows: Rows,
    },
    /// Delete the results of a worker in the open stage, then send [`super::Input::Retracted`].
    Retract {
        /// The stage.
        stage: StageKey,
        /// Name of the worker.
        worker: String,
        /// What showed that they are wrong.
        why: String,
    },
    /// Store a failure, and whether the trial is quarantined.
    StoreFailure {
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
    /// Delete a failure: the worker that seemed to have died of the trial has returned. The trial is no longer
    /// quarantined.
    StoreAcquittal {
        /// The stage.
        stage: StageKey,
        /// Index of the trial.
        trial: u64,
        /// Number of the failure, from 1; later ones move up.
        attempt: u32,
    },
    /// Close the stage and store what follows, in one transaction, then send [`super::Input::StageClosed`].
    CloseStage(StageKey),
    /// Store the state of a run.
    StoreState {
        /// The run.
        run: RunId,
        /// Its new state.
        state: RunState,
    },
    /// Store the priority and the limit of a run.
    StoreQuota {
        /// The run.
        run: RunId,
        /// Its priority and limit.
        quota: Quota,
    },
    /// Record an event of a run, in its database and in the log.
    Event {
        /// The run.
        run: RunId,
        /// The event.
        event: RunEvent,
    },
}

/// Why the coordinator ends a session.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Dismissal {
    /// The process has opened a new session.
    #[error("its process has opened another session")]
    Fenced,
    /// The worker was silent for three heartbeats.
    #[error("nothing heard for three heartbeats")]
    Silent,
    /// A batch cannot belong to its stage.
    #[error("sent results that are not of the stage: {0}")]
    Misfit(String),
    /// Its results are wrong.
    #[error("its results are wrong: {0}")]
    Distrusted(String),
    /// The coordinator is stopping.
    #[error("the coordinator is stopping")]
    Draining,
}
