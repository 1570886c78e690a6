//! What every call can ask of the connection that it came over.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use tokio_util::sync::CancellationToken;
use tonic::{Request, Status, transport::server::TlsConnectInfo};

use super::limits::Limits;
use crate::metrics::Refusal;

/// Admits, measures and closes one connection. Cheap to clone.
#[derive(Clone)]
pub(crate) struct ConnectionHandle(Arc<Entry>);

struct Entry {
    id: u64,
    limits: Arc<Limits>,
    closed: CancellationToken,
    speaks: AtomicBool,
    authenticated: AtomicBool,
    written: AtomicU64,
}

impl ConnectionHandle {
    pub(super) fn new(id: u64, limits: Arc<Limits>, closed: CancellationToken) -> Self {
        ConnectionHandle(Arc::new(Entry {
            id,
            limits,
            closed,
            speaks: AtomicBool::new(false),
            authenticated: AtomicBool::new(false),
            written: AtomicU64::new(0),
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
        open.remove(self.0.id);
        open.authenticated += 1;
        limits.fewer.notify_one();
        self.0.authenticated.store(true, Ordering::Release);
        Ok(())
    }

    pub(super) fn is_authenticated(&self) -> bool {
        self.0.authenticated.load(Ordering::Acquire)
    }

    /// Notes that something was read from the connection.
    pub(super) fn speaks(&self) {
        if !self.0.speaks.swap(true, Ordering::AcqRel) {
            self.0.limits.open().speaks(self.0.id);
        }
    }

    /// Notes that the connection took so many bytes.
    pub(super) fn wrote(&self, bytes: usize) {
        self.0.written.fetch_add(bytes as u64, Ordering::Relaxed);
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

impl Drop for Entry {
    fn drop(&mut self) {
        let mut open = self.limits.open();
        if *self.authenticated.get_mut() {
            open.authenticated -= 1;
        } else {
            open.remove(self.id);
            self.limits.fewer.notify_one();
        }
    }
}
