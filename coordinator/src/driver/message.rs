//! What reaches the driver.

use std::collections::BTreeMap;

use experiments::{Experiment, Speeds};
use tokio::sync::oneshot;

use crate::{
    core::{Input, OpenRun, Worker},
    ids::{RunId, SessionId, StageKey},
    outbound::{Outbound, Permit},
    ranges::RangeSet,
    store::{Command, Reply, RunStore},
};

/// What reaches the driver.
pub(crate) enum Message {
    /// For the core, as it is.
    Input(Input),
    /// A worker that passed every check.
    Register {
        worker: Worker,
        held: Vec<(StageKey, RangeSet)>,
        outbound: Outbound,
        registered: oneshot::Sender<SessionId>,
    },
    /// A worker lacks a stage's plan or an artifact of it, and it is its turn.
    Wanted { wanted: Wanted, permit: Permit },
    /// A run to take up; answered when the core knows it.
    Adopt {
        store: Box<RunStore>,
        open: Box<OpenRun>,
        artifacts: BTreeMap<String, Vec<u8>>,
        adopted: oneshot::Sender<()>,
    },
    /// What decisions in a run cost on this machine: for the time left.
    Measured { run: RunId, experiment: Box<Experiment>, speeds: Speeds },
    /// From the writer thread.
    Reply(Reply),
    /// For the writer thread, behind what it was told before.
    Command(Command),
    /// Drain, make everything durable, end.
    Stop,
}

/// What a session wants a big answer to.
pub(crate) struct Wanted {
    pub(crate) session: SessionId,
    pub(crate) stage: StageKey,
    /// Hash of an artifact of the stage; its plan without.
    pub(crate) artifact: Option<String>,
}
