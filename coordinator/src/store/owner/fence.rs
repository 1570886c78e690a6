//! The time until which an owner may write.

use std::{
    path::Path,
    sync::{
        Mutex, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use rustix::time::{ClockId, clock_gettime};

use super::Holder;
use crate::store::Error;

/// A clock that also counts while the machine sleeps and while the process is stopped.
pub(super) fn now() -> Duration {
    #[cfg(target_os = "linux")]
    const CLOCK: ClockId = ClockId::Boottime;
    #[cfg(not(target_os = "linux"))]
    const CLOCK: ClockId = ClockId::Monotonic;
    let now = clock_gettime(CLOCK);
    Duration::new(now.tv_sec.cast_unsigned(), now.tv_nsec as u32)
}

/// Whether an owner may write, asked before every write to its database.
#[derive(Debug, Default)]
pub(crate) struct Fence {
    /// By [`now`], in nanoseconds.
    until: AtomicU64,
    /// Why the file could not be renewed.
    why: Mutex<Option<String>>,
    /// Who has the run now, if that is known.
    lost: OnceLock<Option<Holder>>,
}

impl Fence {
    /// Whether the owner may write now.
    pub(crate) fn is_open(&self) -> bool {
        self.lost.get().is_none() && now().as_nanos() < u128::from(self.until.load(Ordering::Acquire))
    }

    pub(super) fn open_until(&self, until: Duration) {
        self.fails(None);
        self.until.store(until.as_nanos() as u64, Ordering::Release);
    }

    /// Notes why a renewal failed.
    pub(super) fn fails(&self, why: Option<String>) {
        *self.why.lock().unwrap_or_else(PoisonError::into_inner) = why;
    }

    /// Closes it for good.
    pub(super) fn lose(&self, to: Option<Holder>) {
        let _ = self.lost.set(to);
    }

    pub(super) fn is_lost(&self) -> bool {
        self.lost.get().is_some()
    }

    /// Why the run in `directory` may not be written; `None` if it may.
    pub(crate) fn shut(&self, directory: &Path) -> Option<Error> {
        let path = directory.to_owned();
        match self.lost.get() {
            Some(holder) => Some(Error::LeaseLost { path, holder: holder.clone().map(Box::new) }),
            None if self.is_open() => None,
            None => {
                let why = self.why.lock().unwrap_or_else(PoisonError::into_inner).clone();
                Some(Error::LeaseLapsed { path, why: why.unwrap_or_else(|| "this process was stopped".to_owned()) })
            }
        }
    }
}
