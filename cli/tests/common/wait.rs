//! Waiting for conditions.

use std::time::{Duration, Instant};

/// Longest wait for anything; far above what it takes, so that only a fault reaches it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// Waits until `done` gives something.
#[track_caller]
pub(crate) fn wait<T>(what: &str, mut done: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(value) = done() {
            return value;
        }
        assert!(begun.elapsed() < PATIENCE, "{what}: not within {PATIENCE:?}");
        // Not a guess of how long something takes: the pause between two looks.
        std::thread::sleep(Duration::from_millis(10));
    }
}
