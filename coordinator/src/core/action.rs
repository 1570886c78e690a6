//! What the core answers.

use super::{RunEvent, RunState, Worker};
use crate::{
    ids::{LeaseId, RunId, SessionId, StageKey, Ticket},
    ranges::RangeSet,
    rows::Rows,
};

/// What is to be done.
#[derive(Debug, PartialEq)]
pub enum Action {
    /// Hand trials to a worker.
    Lease {
        /// To.
        session: SessionId,
        /// For the log; a lease is not stored.
        lease: LeaseId,
        /// Of this stage.
        stage: StageKey,
        /// These.
        trials: RangeSet,
    },
    /// Tell a worker that its batch is durable.
    Ack {
        /// To.
        session: SessionId,
        /// The worker's number.
        batch: u64,
    },
    /// Tell a worker to drop these, as far as it has not begun them: another one holds them.
    Withdraw {
        /// To.
        session: SessionId,
        /// Of this stage.
        stage: StageKey,
        /// These.
        trials: RangeSet,
    },
    /// Tell a worker to drop what it has queued of a stage.
    Forget {
        /// To.
        session: SessionId,
        /// The stage.
        stage: StageKey,
    },
    /// End a session.
    Dismiss {
        /// Whose.
        session: SessionId,
        /// Why.
        why: Dismissal,
    },
    /// Make rows durable, then say [`super::Input::Committed`].
    Store {
        /// To name the batch.
        ticket: Ticket,
        /// Of this stage.
        stage: StageKey,
        /// Who ran them.
        worker: Worker,
        /// What.
        rows: Rows,
    },
    /// Delete what a worker delivered of the open stage, then say [`super::Input::Retracted`].
    Retract {
        /// Of this stage.
        stage: StageKey,
        /// Whose.
        worker: String,
        /// How it was seen that they are wrong.
        why: String,
    },
    /// Note a failure, and whether the trial is given up.
    StoreFailure {
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
    /// Take a noted failure back: the worker that seemed to have died of the trial has come back. The trial is given
    /// up no more.
    StoreAcquittal {
        /// Of this stage.
        stage: StageKey,
        /// Index.
        trial: u64,
        /// Number of the failure, from 1; later ones move up.
        attempt: u32,
    },
    /// Close the stage in one transaction with what follows, then say [`super::Input::StageClosed`].
    CloseStage(StageKey),
    /// Note that a run is in another state.
    StoreState {
        /// The run.
        run: RunId,
        /// Its state now.
        state: RunState,
    },
    /// Tell people, in the log and in the run's events.
    Event {
        /// Of this run.
        run: RunId,
        /// What.
        event: RunEvent,
    },
}

/// Why a session ends.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Dismissal {
    /// A new session of the same process.
    #[error("its process has opened another session")]
    Fenced,
    /// No sign of life for three heartbeats.
    #[error("nothing heard for three heartbeats")]
    Silent,
    /// A batch that cannot be of the stage.
    #[error("sent results that are not of the stage: {0}")]
    Misfit(String),
    /// Others agree that its results are wrong.
    #[error("its results are wrong: {0}")]
    Distrusted(String),
    /// The coordinator is leaving.
    #[error("the coordinator is stopping")]
    Draining,
}
