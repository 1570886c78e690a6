//! Where threads wait for one another, some hundred thousand times in a training.

use std::{
    hint,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
};

/// Looks at the others before the thread lets others run.
const SPINS: u32 = 2_000;

/// A barrier for a fixed number of threads.
pub(super) struct Barrier {
    threads: usize,
    arrived: AtomicUsize,
    round: AtomicUsize,
    /// Whether a thread left by a panic.
    broken: AtomicBool,
}

/// Breaks the barrier if its thread panics.
pub(super) struct Leaving<'a>(&'a Barrier);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.broken.store(true, Ordering::SeqCst);
        }
    }
}

impl Barrier {
    pub(super) fn new(threads: usize) -> Self {
        let (arrived, round) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Barrier { threads, arrived, round, broken: AtomicBool::new(false) }
    }

    /// What a thread holds until it is done, so that others do not wait for one that panicked.
    pub(super) fn leaving(&self) -> Leaving<'_> {
        Leaving(self)
    }

    /// Waits until all threads are here.
    ///
    /// # Panics
    /// Another thread panicked.
    pub(super) fn wait(&self) {
        let round = self.round.load(Ordering::SeqCst);
        if self.arrived.fetch_add(1, Ordering::SeqCst) + 1 == self.threads {
            self.arrived.store(0, Ordering::SeqCst);
            self.round.store(round + 1, Ordering::SeqCst);
            return;
        }
        let mut spins = 0;
        while self.round.load(Ordering::SeqCst) == round {
            assert!(!self.broken.load(Ordering::SeqCst), "another thread of the training panicked");
            spins += 1;
            if spins < SPINS { hint::spin_loop() } else { thread::yield_now() }
        }
    }
}
