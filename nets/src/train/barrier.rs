//! Where threads wait for one another, some hundred thousand times in a training.

use std::{
    hint,
    sync::{
        Condvar, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
};

/// Looks at the others before the thread sleeps: about as long as the shortest batches take.
const SPINS: u32 = 2_000;

/// A barrier for a fixed number of threads.
pub(super) struct Barrier {
    threads: usize,
    arrived: AtomicUsize,
    round: AtomicUsize,
    /// Whether a thread left by a panic.
    broken: AtomicBool,
    /// How many threads sleep.
    sleepers: Mutex<usize>,
    woken: Condvar,
}

/// Breaks the barrier if its thread panics.
pub(super) struct Leaving<'a>(&'a Barrier);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.broken.store(true, Ordering::SeqCst);
            self.0.wake();
        }
    }
}

impl Barrier {
    pub(super) fn new(threads: usize) -> Self {
        let (arrived, round) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let (sleepers, woken) = (Mutex::new(0), Condvar::new());
        Barrier { threads, arrived, round, broken: AtomicBool::new(false), sleepers, woken }
    }

    /// What a thread holds until it is done, so that others do not wait for one that panicked.
    pub(super) fn leaving(&self) -> Leaving<'_> {
        Leaving(self)
    }

    /// Wakes those that sleep. What they wait for is set before the lock is taken, and they look at it under the lock.
    fn wake(&self) {
        let sleepers = self.sleepers.lock().unwrap_or_else(PoisonError::into_inner);
        if *sleepers > 0 {
            self.woken.notify_all();
        }
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
            if self.threads > 1 {
                self.wake();
            }
            return;
        }
        let waits = || self.round.load(Ordering::SeqCst) == round && !self.broken.load(Ordering::SeqCst);
        let mut spins = 0;
        while waits() && spins < SPINS {
            spins += 1;
            hint::spin_loop();
        }
        if waits() {
            let mut sleepers = self.sleepers.lock().unwrap_or_else(PoisonError::into_inner);
            *sleepers += 1;
            while waits() {
                sleepers = self.woken.wait(sleepers).unwrap_or_else(PoisonError::into_inner);
            }
            *sleepers -= 1;
        }
        assert!(!self.broken.load(Ordering::SeqCst), "another thread of the training panicked");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All add to the count of a round before any begins the next one.
    #[test]
    fn rounds_do_not_mix() {
        let (barrier, count) = (Barrier::new(3), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for round in 0..500 {
                        count.fetch_add(1, Ordering::SeqCst);
                        barrier.wait();
                        assert_eq!(count.load(Ordering::SeqCst), 3 * (round + 1));
                        barrier.wait();
                    }
                });
            }
        });
    }

    #[test]
    fn a_thread_that_panics_is_not_waited_for() {
        let barrier = Barrier::new(2);
        let ended = thread::scope(|scope| {
            let waiting = scope.spawn(|| barrier.wait());
            let panicking = scope.spawn(|| {
                let _leaving = barrier.leaving();
                panic!("as the test wants");
            });
            [waiting.join().is_err(), panicking.join().is_err()]
        });
        assert_eq!(ended, [true, true]);
    }
}
