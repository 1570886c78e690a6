//! The task that owns the core: carries messages in and actions out.
//!
//! One loop reads all messages, so that everything happens in one order. The clock is read here and passed to the core;
//! SQLite is behind the writer thread; each worker has a channel of its own.

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

use crate::{
    core::Core,
    followers::Followers,
    metrics::Metrics,
    reports::Reports,
    store::{Counting, Writer},
};
pub(crate) use message::{Message, Wanted};
use state::State;

/// Most waiting messages; more make their senders wait, and in the end the workers.
const QUEUE: usize = 1_024;

/// Handle of the driver. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Driver {
    pub(crate) messages: mpsc::Sender<Message>,
    /// Read before `messages`: commands of people and replies of the store do not wait behind messages of workers.
    pub(crate) urgent: mpsc::Sender<Message>,
    pub(crate) reports: watch::Receiver<Reports>,
    pub(crate) metrics: Metrics,
    /// Counts of games, for those who ask.
    pub(crate) counting: Counting,
    /// Those who follow events of runs.
    pub(crate) followers: Followers,
}

impl Driver {
    /// Starts the driver and the writer thread.
    pub(crate) fn start(heartbeat: Duration) -> std::io::Result<(Self, tokio::task::JoinHandle<()>)> {
        let (messages, queue) = mpsc::channel(QUEUE);
        let (urgent, urgent_queue) = mpsc::channel(QUEUE);
        let (publish, reports) = watch::channel(Reports::default());
        let metrics = Metrics::new(reports.clone());
        let replies = urgent.clone();
        let (counting, followers) = (Counting::default(), Followers::new(reports.clone()));
        let writer = Writer::start(counting.clone(), move |reply| {
            // Fails only if the driver has ended; then the reply is not needed.
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
        let task = tokio::spawn(state.run(queue, urgent_queue));
        Ok((Driver { messages, urgent, reports, metrics, counting, followers }, task))
    }

    /// Sends a message; does nothing if the driver has ended.
    pub(crate) async fn send(&self, message: Message) {
        let _ = self.messages.send(message).await;
    }

    /// Sends a message that is handled before those of workers.
    pub(crate) async fn command(&self, message: Message) {
        let _ = self.urgent.send(message).await;
    }
}
