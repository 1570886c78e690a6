//! What every call can ask of the connection that it came over.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tonic::{Request, Status, transport::server::TlsConnectInfo};

use super::limits::{Limits, Open};
use crate::metrics::Refusal;

/// Admits, measures and closes one connection. Cheap to clone.
#[derive(Clone)]
pub(crate) struct ConnectionHandle(Arc<Entry>);

struct Entry {
    /// Its number among the unauthenticated connections.
    id: AtomicU64,
    limits: Arc<Limits>,
    closed: CancellationToken,
    speaks: AtomicBool,
    authenticated: AtomicBool,
    written: AtomicU64,
    /// Requests of a visitor that are being answered.
    serving: AtomicUsize,
    opened: Instant,
    /// Milliseconds after `opened` when a visitor last took something of an answer.
    quiet_ms: AtomicU64,
}

impl ConnectionHandle {
    pub(super) fn new(id: u64, limits: Arc<Limits>, closed: CancellationToken) -> Self {
        ConnectionHandle(Arc::new(Entry {
            id: AtomicU64::new(id),
            limits,
            closed,
            speaks: AtomicBool::new(false),
            authenticated: AtomicBool::new(false),
            written: AtomicU64::new(0),
            serving: AtomicUsize::new(0),
            opened: Instant::now(),
            quiet_ms: AtomicU64::new(0),
        }))
    }

    /// The handle of the connection that a call came over.
    pub(crate) fn of<T>(request: &Request<T>) -> Option<Self> {
        let extensions = request.extensions();
        let plain = extensions.get::<ConnectionHandle>();
        plain.or_else(|| extensions.get::<TlsConnectInfo<ConnectionHandle>>().map(TlsConnectInfo::get_ref)).cloned()
    }

    /// Bytes that the connection has taken so far.
    pub(crate) fn written(&self) -> u64 {
        self.0.written.load(Ordering::Relaxed)
    }

    /// Closes the connection, whatever goes on over it.
    pub(crate) fn close(&self) {
        self.0.closed.cancel();
    }

    /// Notes that a call over the connection carried the token: from now on it is authenticated.
    ///
    /// # Errors
    /// As many authenticated connections are open as there may be.
    pub(crate) fn admit(&self) -> Result<(), Status> {
        if self.is_authenticated() {
            return Ok(());
        }
        let limits = &self.0.limits;
        let mut open = limits.open();
        // Two calls at once: the other one was first.
        if self.is_authenticated() {
            return Ok(());
        }
        if open.authenticated >= limits.authenticated_max {
            let most = limits.authenticated_max;
            limits.refused(Refusal::full);
            return Err(Status::resource_exhausted(format!(
                "the coordinator has {most} connections and takes no more (--connections-max)"
            )));
        }
        self.count_in(&mut open);
        Ok(())
    }

    /// Counts the connection as authenticated.
    fn count_in(&self, open: &mut Open) {
        open.remove(self.0.id.load(Ordering::Relaxed));
        open.authenticated += 1;
        self.0.limits.fewer.notify_one();
        self.0.authenticated.store(true, Ordering::Release);
    }

    /// Notes that a request of a visitor is being answered, until the returned value is dropped: so long the connection
    /// counts as authenticated. `None` if as many connections are as may be.
    pub(crate) fn serve(&self) -> Option<Serving> {
        let limits = &self.0.limits;
        let mut open = limits.open();
        if self.0.serving.load(Ordering::Relaxed) == 0 {
            if open.authenticated >= limits.authenticated_max {
                return None;
            }
            self.count_in(&mut open);
        }
        self.0.serving.fetch_add(1, Ordering::Relaxed);
        drop(open);
        Some(Serving(self.clone()))
    }

    /// Notes that an answer to a visitor is ready to be written.
    fn served(&self) {
        let mut open = self.0.limits.open();
        self.takes();
        if self.0.serving.fetch_sub(1, Ordering::Relaxed) == 1 {
            open.authenticated -= 1;
            self.0.id.store(open.take_back(self.0.closed.clone()), Ordering::Relaxed);
            self.0.authenticated.store(false, Ordering::Release);
        }
    }

    /// Notes that a visitor took something of an answer.
    fn takes(&self) {
        let elapsed = u64::try_from(self.0.opened.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.0.quiet_ms.store(elapsed, Ordering::Relaxed);
    }

    /// When the connection was opened, or a visitor last took something of an answer.
    pub(super) fn quiet_since(&self) -> Instant {
        self.0.opened + Duration::from_millis(self.0.quiet_ms.load(Ordering::Relaxed))
    }

    /// How long a write may make no progress, if that is watched here.
    pub(super) fn write_patience(&self) -> Option<Duration> {
        self.0.limits.write_patience
    }

    pub(super) fn is_authenticated(&self) -> bool {
        self.0.authenticated.load(Ordering::Acquire)
    }

    /// Notes that something was read from the connection.
    pub(super) fn speaks(&self) {
        if !self.0.speaks.swap(true, Ordering::AcqRel) {
            self.0.limits.open().speaks(self.0.id.load(Ordering::Relaxed));
        }
    }

    /// Notes that the connection took so many bytes.
    pub(super) fn wrote(&self, bytes: usize) {
        self.0.written.fetch_add(bytes as u64, Ordering::Relaxed);
        if self.write_patience().is_some() {
            self.takes();
        }
    }

    /// Closes the connection because no call over it carried the token in time.
    pub(super) fn time_out(&self) {
        self.0.limits.refused(Refusal::silent);
        self.close();
    }

    /// Resolves when the connection is to be closed.
    pub(super) fn closed(&self) -> CancellationToken {
        self.0.closed.clone()
    }
}

/// A request of a visitor that is being answered.
pub(crate) struct Serving(ConnectionHandle);

impl Drop for Serving {
    fn drop(&mut self) {
        self.0.served();
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        let mut open = self.limits.open();
        if *self.authenticated.get_mut() {
            open.authenticated -= 1;
        } else {
            open.remove(*self.id.get_mut());
            self.limits.fewer.notify_one();
        }
    }
}
