//! The messages of the driver.

use std::collections::{BTreeMap, BTreeSet};

use experiments::{Experiment, Speeds};
use tokio::sync::oneshot;

use crate::{
    core::{Demand, Input, MemberView, OpenRun, Worker},
    ids::{RunId, SessionId, StageKey},
    outbound::{Outbound, Permit},
    ranges::RangeSet,
    store::{Command, Reply, RunStore},
};

/// A message for the driver.
pub(crate) enum Message {
    /// An input for the core.
    Input(Input),
    /// A worker has passed every check.
    Register {
        worker: Worker,
        held: Vec<(StageKey, RangeSet)>,
        outbound: Outbound,
        registered: oneshot::Sender<SessionId>,
    },
    /// Somebody wants to know who works and what is needed.
    Fleet(oneshot::Sender<(Demand, Vec<MemberView>)>),
    /// Somebody looks at the workers.
    Members(oneshot::Sender<Vec<MemberView>>),
    /// Tell the workers of these jobs to leave; answered with how many were told.
    Leave { allocations: BTreeSet<String>, only_idle: bool, answer: oneshot::Sender<u32> },
    /// A worker requests a plan or an artifact, and has a permit for it.
    Wanted { wanted: Wanted, permit: Permit },
    /// A run was opened; answered when the core has it.
    Adopt {
        store: Box<RunStore>,
        open: Box<OpenRun>,
        artifacts: BTreeMap<String, Vec<u8>>,
        adopted: oneshot::Sender<()>,
    },
    /// The speed of decisions of a run was measured on this machine, for the time left.
    Measured { run: RunId, experiment: Box<Experiment>, speeds: Speeds },
    /// A reply of the writer thread.
    Reply(Reply),
    /// A command for the writer thread, after those of the driver.
    Command(Command),
    /// Drain, make everything durable, and end.
    Stop,
}

/// A request for a large answer.
pub(crate) struct Wanted {
    pub(crate) session: SessionId,
    pub(crate) stage: StageKey,
    /// Hash of an artifact of the stage; `None` for its plan.
    pub(crate) artifact: Option<String>,
}
