//! The task that owns the core: carries events in and actions out.
//!
//! One loop, one queue of inputs, so the order in which things happened is one list. The clock is read here
//! and handed to the core; SQLite is behind the writer thread; each worker has a channel of its own.

mod actions;
mod encode;
mod message;
mod replies;
mod state;

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use tokio::sync::{mpsc, watch};

use crate::{core::Core, metrics::Metrics, reports::Reports, store::Writer};
pub(crate) use message::{Message, Wanted};
use state::State;

/// Inputs that may wait; more make their senders wait, workers in the end.
const QUEUE: usize = 1_024;

/// Way in to a running driver. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Driver {
    pub(crate) inputs: mpsc::Sender<Message>,
    /// Goes before `inputs`: commands of people and answers of the store do not wait behind the fleet.
    pub(crate) first: mpsc::Sender<Message>,
    pub(crate) reports: watch::Receiver<Reports>,
    pub(crate) metrics: Metrics,
}

impl Driver {
    /// Starts the driver and the writer thread.
    pub(crate) fn start(heartbeat: Duration) -> std::io::Result<(Self, tokio::task::JoinHandle<()>)> {
        let (inputs, queue) = mpsc::channel(QUEUE);
        let (first, urgent) = mpsc::channel(QUEUE);
        let (publish, reports) = watch::channel(Reports::default());
        let metrics = Metrics::new(reports.clone());
        let replies = first.clone();
        let writer = Writer::start(move |reply| {
            // Fails only when the driver is gone, and then nobody waits for the answer.
            let _ = replies.blocking_send(Message::Reply(reply));
        })?;
        let state = State {
            core: Core::new(heartbeat),
            heartbeat_ms: u32::try_from(heartbeat.as_millis()).unwrap_or(u32::MAX),
            epoch: Instant::now(),
            writer,
            runs: BTreeMap::new(),
            outbound: BTreeMap::new(),
            next_session: 1,
            actions: Vec::new(),
            publish,
            metrics: metrics.clone(),
        };
        let task = tokio::spawn(state.run(queue, urgent));
        Ok((Driver { inputs, first, reports, metrics }, task))
    }

    /// Sends an input; an ended driver takes none, and then nobody minds.
    pub(crate) async fn send(&self, input: Message) {
        let _ = self.inputs.send(input).await;
    }

    /// Sends an input that goes before what workers have said.
    pub(crate) async fn command(&self, input: Message) {
        let _ = self.first.send(input).await;
    }
}
