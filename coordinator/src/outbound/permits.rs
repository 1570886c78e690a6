//! Places among the big answers on their way: a few, however many ask.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

/// All of them. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Places(Arc<Semaphore>);

impl Places {
    /// Big answers on their way, of all sessions.
    pub(crate) const AT_ONCE: usize = 8;

    pub(crate) fn new() -> Self {
        Places(Arc::new(Semaphore::new(Self::AT_ONCE)))
    }

    /// Waits for a place; first come, first served.
    pub(crate) async fn take(&self) -> (Place, Vacated) {
        let permit = Arc::clone(&self.0).acquire_owned().await.expect("never closed");
        let (gone, vacated) = oneshot::channel();
        (Place { _permit: permit, _gone: gone }, Vacated(vacated))
    }
}

/// A place, given back when dropped. It goes with its answer wherever that is: to the driver, through a session's
/// queue, and in the end with the bytes that hyper and h2 keep until the socket took them.
pub(crate) struct Place {
    _permit: OwnedSemaphorePermit,
    _gone: oneshot::Sender<()>,
}

/// Says when a place was given back.
pub(crate) struct Vacated(oneshot::Receiver<()>);

impl Vacated {
    /// Waits until it was.
    pub(crate) async fn wait(&mut self) {
        // Nothing is ever sent: its sender is dropped with the place.
        let _ = (&mut self.0).await;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_place_is_waited_for_until_one_is_given_back() {
        let places = Places::new();
        let mut taken = Vec::new();
        for _ in 0..Places::AT_ONCE {
            taken.push(timeout(Duration::ZERO, places.take()).await.expect("a place"));
        }
        assert!(timeout(Duration::ZERO, places.take()).await.is_err(), "there are no more");
        let (place, mut vacated) = taken.pop().expect("taken");
        assert!(timeout(Duration::ZERO, vacated.wait()).await.is_err(), "it stands");
        drop(place);
        timeout(Duration::ZERO, vacated.wait()).await.expect("given back");
        timeout(Duration::ZERO, places.take()).await.expect("for the next");
    }
}
