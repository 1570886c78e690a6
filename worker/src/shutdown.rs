//! Telling a worker to stop.

use tokio::sync::watch;

/// Stops a worker; so does dropping it.
#[derive(Debug)]
pub struct Stop(watch::Sender<bool>);

/// What a worker listens to. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Shutdown(watch::Receiver<bool>);

impl Stop {
    /// A connected pair.
    pub fn channel() -> (Stop, Shutdown) {
        let (send, receive) = watch::channel(false);
        (Stop(send), Shutdown(receive))
    }

    /// Tells every holder of the other end to stop.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

impl Shutdown {
    /// Whether the worker was told to stop.
    pub(crate) fn is_requested(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until the worker is told to stop.
    pub(crate) async fn requested(&mut self) {
        // An error says that the other end was dropped.
        let _ = self.0.wait_for(|&stop| stop).await;
    }
}
