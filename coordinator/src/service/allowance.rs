//! How often a session may request plans and artifacts.

use tokio::time::Instant;
use tonic::Status;

/// Most requests at once: every open stage of many runs, each with its artifacts.
const BURST: f64 = 256.0;
/// Sustained requests a second.
const RATE: f64 = 32.0;

/// A token bucket (a leaky bucket as a meter, ITU-T I.371), full at first and refilled at a steady rate.
pub(crate) struct Allowance {
    left: f64,
    at: Instant,
}

impl Allowance {
    pub(crate) fn new() -> Self {
        Allowance { left: BURST, at: Instant::now() }
    }

    /// Counts one request.
    ///
    /// # Errors
    /// The session requests more than any worker needs.
    pub(crate) fn take(&mut self) -> Result<(), Status> {
        let now = Instant::now();
        self.left = (self.left + RATE * (now - self.at).as_secs_f64()).min(BURST);
        self.at = now;
        if self.left < 1.0 {
            return Err(Status::resource_exhausted("too many requests for plans and artifacts"));
        }
        self.left -= 1.0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_burst_passes_and_then_a_steady_rate() {
        let mut allowance = Allowance::new();
        let mut taken = 0;
        while allowance.take().is_ok() {
            taken += 1;
        }
        assert_eq!(f64::from(taken), BURST);
        tokio::time::advance(Duration::from_secs(1)).await;
        let more = (0..100).filter(|_| allowance.take().is_ok()).count();
        assert_eq!(more as f64, RATE);
    }
}
