//! Being told to stop.

use tokio::sync::watch;

/// Held by whoever may stop a worker.
#[derive(Debug)]
pub struct Stop(watch::Sender<bool>);

/// Held by whoever is to be stopped. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Shutdown(watch::Receiver<bool>);

impl Stop {
    /// A pair: say it here, hear it there.
    pub fn channel() -> (Stop, Shutdown) {
        let (send, receive) = watch::channel(false);
        (Stop(send), Shutdown(receive))
    }

    /// Tells everyone.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

impl Shutdown {
    /// Whether it was said.
    pub(crate) fn is_told(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until it is said. Whoever dropped the other end said it, too.
    pub(crate) async fn told(&mut self) {
        // An error is a dropped sender.
        let _ = self.0.wait_for(|&told| told).await;
    }
}
