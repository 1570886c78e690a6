//! How many connections are open, and which of them is closed first.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{sync::Notify, time::Instant};
use tokio_util::sync::CancellationToken;

use crate::metrics::{Metrics, Refusal};

/// Most connections over which no call has carried the token.
pub(crate) const UNAUTHENTICATED_MAX: usize = 1_024;
/// Time that a connection has to send anything before another one may take its place.
pub(super) const SILENT_TIME: Duration = Duration::from_millis(250);
/// Time that a connection which has sent something has for its first authenticated call.
pub(super) const SPEAKING_TIME: Duration = Duration::from_secs(3);

/// The open connections and the bounds on them.
pub(super) struct Limits {
    pub(super) unauthenticated_max: usize,
    pub(super) authenticated_max: usize,
    /// How long a write may make no progress; `None` where callers of the connection watch that.
    pub(super) write_patience: Option<Duration>,
    metrics: Option<Metrics>,
    open: Mutex<Open>,
    /// Notified when an unauthenticated connection was closed or admitted.
    pub(super) fewer: Notify,
}

impl Limits {
    pub(super) fn new(authenticated_max: usize, metrics: Option<Metrics>) -> Self {
        Limits {
            unauthenticated_max: UNAUTHENTICATED_MAX,
            authenticated_max,
            write_patience: None,
            metrics,
            open: Mutex::default(),
            fewer: Notify::new(),
        }
    }

    /// When one more connection may be received; `None` if there is room now.
    pub(super) fn room_from(&self) -> Option<Instant> {
        let open = self.open();
        let first =
            |connections: &Unauthenticated, time| connections.values().next().map(|(arrived, _)| *arrived + time);
        let full = open.unauthenticated() >= self.unauthenticated_max;
        let times = [first(&open.silent, SILENT_TIME), first(&open.speaking, SPEAKING_TIME)];
        times.into_iter().flatten().min().filter(|_| full)
    }

    pub(super) fn refused(&self, reason: Refusal) {
        if let Some(metrics) = &self.metrics {
            metrics.refused(reason);
        }
    }

    pub(super) fn open(&self) -> MutexGuard<'_, Open> {
        // No code under the lock panics halfway through a change.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Connections by order of arrival: when each arrived, and what closes it.
type Unauthenticated = BTreeMap<u64, (Instant, CancellationToken)>;

/// The open connections.
#[derive(Default)]
pub(super) struct Open {
    /// Unauthenticated connections that have sent nothing yet.
    silent: Unauthenticated,
    /// The other unauthenticated connections.
    speaking: Unauthenticated,
    /// How many are authenticated.
    pub(super) authenticated: usize,
    next: u64,
}

impl Open {
    /// How many connections are unauthenticated.
    pub(super) fn unauthenticated(&self) -> usize {
        self.silent.len() + self.speaking.len()
    }

    /// Adds a connection that has sent nothing yet; returns its number and what closes it.
    pub(super) fn insert(&mut self) -> (u64, CancellationToken) {
        let (id, closed) = (self.next, CancellationToken::new());
        self.next += 1;
        self.silent.insert(id, (Instant::now(), closed.clone()));
        (id, closed)
    }

    /// Notes that an unauthenticated connection has sent something.
    pub(super) fn speaks(&mut self, id: u64) {
        if let Some(connection) = self.silent.remove(&id) {
            self.speaking.insert(id, connection);
        }
    }

    /// Takes a connection back among the unauthenticated ones, as one that has just come and spoken.
    pub(super) fn take_back(&mut self, closed: CancellationToken) -> u64 {
        let id = self.next;
        self.next += 1;
        self.speaking.insert(id, (Instant::now(), closed));
        id
    }

    /// Removes an unauthenticated connection.
    pub(super) fn remove(&mut self, id: u64) {
        if self.silent.remove(&id).is_none() {
            self.speaking.remove(&id);
        }
    }

    /// Removes the unauthenticated connection that is closed first.
    pub(super) fn pop_oldest(&mut self) -> Option<CancellationToken> {
        let now = Instant::now();
        let had_its_time = |connections: &Unauthenticated, time| {
            connections.values().next().is_some_and(|(arrived, _)| *arrived + time <= now)
        };
        let speaks = !had_its_time(&self.silent, SILENT_TIME) && had_its_time(&self.speaking, SPEAKING_TIME);
        let popped = if speaks { self.speaking.pop_first() } else { self.silent.pop_first() };
        popped.or_else(|| self.speaking.pop_first()).map(|(_, (_, closed))| closed)
    }
}
