//! The connected workers, asked of the driver for all who look.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::{Mutex, oneshot},
    time::Instant,
};

use crate::{
    core::MemberView,
    driver::{Driver, Message},
};

/// Least time between two questions to the driver.
const PAUSE: Duration = Duration::from_secs(1);
/// Time after which an answer is dropped if nobody asks.
const UNASKED: Duration = Duration::from_secs(60);
/// Heartbeats without a message after which a worker counts as silent; it is dismissed after three.
const SILENT: u32 = 2;

/// The connected workers at one time.
#[derive(Clone, Debug)]
pub struct WorkersSeen {
    /// In the order in which they joined.
    pub workers: Vec<MemberView>,
    /// Interval of their heartbeats; one that is silent for three of these is dismissed.
    pub heartbeat: Duration,
    taken: Instant,
}

/// What a worker does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkerState {
    /// It has trials.
    Works,
    /// It has none.
    Idle,
    /// It runs trials that may have killed other workers, and nothing else until they are done.
    Alone,
    /// It delivers what it has and leaves.
    Leaving,
    /// Nothing was heard of it for two heartbeats ([`MemberView::silent`]).
    Silent,
}

impl WorkersSeen {
    /// What a worker of these does.
    pub fn state(&self, worker: &MemberView) -> WorkerState {
        if worker.silent >= self.heartbeat * SILENT {
            WorkerState::Silent
        } else if worker.leaving {
            WorkerState::Leaving
        } else if worker.alone {
            WorkerState::Alone
        } else if worker.holds.is_empty() {
            WorkerState::Idle
        } else {
            WorkerState::Works
        }
    }

    /// Time since they were seen.
    pub fn age(&self) -> Duration {
        self.taken.elapsed()
    }
}

/// Asks the driver at most once a second, however many ask here.
pub(super) struct Workers {
    driver: Driver,
    heartbeat: Duration,
    seen: Mutex<Option<Arc<WorkersSeen>>>,
}

impl Workers {
    pub(super) fn new(driver: Driver, heartbeat: Duration) -> Self {
        Workers { driver, heartbeat, seen: Mutex::default() }
    }

    /// The workers as they were at most [`PAUSE`] ago, or last if the driver has ended.
    pub(super) async fn seen(&self) -> Arc<WorkersSeen> {
        // Held while the driver is asked, so that others wait for the same answer.
        let mut seen = self.seen.lock().await;
        if let Some(seen) = seen.as_ref().filter(|seen| seen.age() < PAUSE) {
            return Arc::clone(seen);
        }
        let (answer, members) = oneshot::channel();
        self.driver.command(Message::Members(answer)).await;
        let fresh = |workers| Arc::new(WorkersSeen { workers, heartbeat: self.heartbeat, taken: Instant::now() });
        match (members.await, seen.as_ref()) {
            (Ok(workers), _) => Arc::clone(seen.insert(fresh(workers))),
            (Err(_), Some(last)) => Arc::clone(last),
            (Err(_), None) => fresh(Vec::new()),
        }
    }

    /// Drops the last answer if nobody has asked for long.
    pub(super) fn forget_unasked(&self) {
        // One who asks at this moment holds the lock.
        if let Ok(mut seen) = self.seen.try_lock()
            && seen.as_ref().is_some_and(|seen| seen.age() > UNASKED)
        {
            *seen = None;
        }
    }
}
