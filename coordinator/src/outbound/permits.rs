//! Permits for large answers: only a few answers are in memory at once, however many sessions ask.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

/// Gives out the permits. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Permits(Arc<Semaphore>);

impl Permits {
    /// Large answers of all sessions that may be in memory at once.
    pub(crate) const AT_ONCE: usize = 8;

    pub(crate) fn new() -> Self {
        Permits(Arc::new(Semaphore::new(Self::AT_ONCE)))
    }

    /// Waits for a permit; first come, first served.
    pub(crate) async fn take(&self) -> (Permit, Returned) {
        let permit = Arc::clone(&self.0).acquire_owned().await.expect("never closed");
        let (gone, returned) = oneshot::channel();
        (Permit { _permit: permit, _gone: gone }, Returned(returned))
    }
}

/// One large answer may be in memory; returned when dropped. It travels with the answer: to the driver, through a
/// session's queue, and then with the bytes that hyper and h2 keep until the socket has taken them.
pub(crate) struct Permit {
    _permit: OwnedSemaphorePermit,
    _gone: oneshot::Sender<()>,
}

/// Resolves when a permit was returned.
pub(crate) struct Returned(oneshot::Receiver<()>);

impl Returned {
    /// Waits for the return.
    pub(crate) async fn wait(&mut self) {
        // Nothing is ever sent: its sender is dropped with the permit.
        let _ = (&mut self.0).await;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_permit_is_waited_for_until_one_is_returned() {
        let permits = Permits::new();
        let mut taken = Vec::new();
        for _ in 0..Permits::AT_ONCE {
            taken.push(timeout(Duration::ZERO, permits.take()).await.expect("a permit"));
        }
        assert!(timeout(Duration::ZERO, permits.take()).await.is_err(), "there are no more");
        let (permit, mut returned) = taken.pop().expect("taken");
        assert!(timeout(Duration::ZERO, returned.wait()).await.is_err(), "it is still held");
        drop(permit);
        timeout(Duration::ZERO, returned.wait()).await.expect("returned");
        timeout(Duration::ZERO, permits.take()).await.expect("another permit");
    }
}
