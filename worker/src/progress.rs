//! Which trial an executor process runs, and since when: written by the process, read by its worker, in shared memory.
//!
//! This makes blame exact. A trial that kills its process cannot report it, and a message before each trial would cost
//! more than many trials do; two stores to memory cost nothing and outlast the process. The age of a trial comes from
//! here too, so that the time limit needs no answer from a process that may be stopped.

use std::{
    fs::File,
    io,
    os::{
        fd::{AsFd, OwnedFd},
        unix::fs::FileExt as _,
    },
    ptr,
    sync::atomic::{AtomicU64, Ordering},
};

use rustix::{
    mm::{MapFlags, ProtFlags, mmap},
    time::{ClockId, clock_gettime},
};

/// Words of the memory: when the running trial began (0: none runs), the key of its stage, its index.
const WORDS: usize = 3;
const BYTES: usize = WORDS * size_of::<u64>();

/// Microseconds on the monotonic clock that all processes of a machine share.
pub(crate) fn now_us() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    // The clock counts from the start of the machine, so neither part is negative and the sum is not zero.
    time.tv_sec.unsigned_abs() * 1_000_000 + time.tv_nsec.unsigned_abs() / 1_000
}

/// A running trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Running {
    /// Key of its stage.
    pub(crate) key: u32,
    pub(crate) trial: u64,
    /// When it began, on the clock of [`now_us`].
    pub(crate) since_us: u64,
}

/// The worker's side of the shared memory.
pub(crate) struct SharedProgress(File);

impl SharedProgress {
    /// New memory, in which no trial runs.
    pub(crate) fn new() -> io::Result<Self> {
        let file = File::from(memory()?);
        file.set_len(BYTES as u64)?;
        Ok(SharedProgress(file))
    }

    /// A descriptor for the process that writes.
    pub(crate) fn share(&self) -> io::Result<OwnedFd> {
        Ok(self.0.try_clone()?.into())
    }

    /// The trial that runs, or ran when the process died. While the process lives, the words may belong to two trials,
    /// so no trial is blamed before the process is dead.
    pub(crate) fn running(&self) -> Option<Running> {
        let mut bytes = [0; BYTES];
        self.0.read_exact_at(&mut bytes, 0).ok()?;
        let word = |index: usize| u64::from_ne_bytes(bytes[index * 8..][..8].try_into().expect("eight bytes"));
        let (since_us, key) = (word(0), u32::try_from(word(1)).ok()?);
        (since_us > 0).then_some(Running { key, trial: word(2), since_us })
    }
}

#[cfg(target_os = "linux")]
fn memory() -> io::Result<OwnedFd> {
    Ok(rustix::fs::memfd_create("redqueen-progress", rustix::fs::MemfdFlags::CLOEXEC)?)
}

#[cfg(not(target_os = "linux"))]
fn memory() -> io::Result<OwnedFd> {
    use rustix::{fs::Mode, shm};
    static LAST: AtomicU64 = AtomicU64::new(0);
    let name = format!("/redqueen-{}-{}", std::process::id(), LAST.fetch_add(1, Ordering::Relaxed));
    let memory =
        shm::open(&name, shm::OFlags::CREATE | shm::OFlags::EXCL | shm::OFlags::RDWR, Mode::RUSR | Mode::WUSR)?;
    shm::unlink(&name)?;
    Ok(memory)
}

/// The executor's side of the shared memory.
#[derive(Clone, Copy)]
pub(crate) struct ProgressWriter(&'static [AtomicU64; WORDS]);

impl ProgressWriter {
    /// Maps the memory behind `memory` for the rest of the process.
    pub(crate) fn take(memory: &impl AsFd) -> io::Result<Self> {
        // Touching a page beyond the end of a file kills the process.
        if rustix::fs::fstat(memory)?.st_size != BYTES as i64 {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        // SAFETY: no address is given, so the mapping replaces no other.
        let words =
            unsafe { mmap(ptr::null_mut(), BYTES, ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED, memory, 0)? };
        // SAFETY: the mapping is aligned to a page and has BYTES bytes; nothing unmaps it or truncates the file, and
        // the worker reads it as words that may change at any time.
        Ok(ProgressWriter(unsafe { &*words.cast::<[AtomicU64; WORDS]>() }))
    }

    /// Notes that a trial begins.
    pub(crate) fn begin(self, key: u32, trial: u64, now_us: u64) {
        let [since, of, which] = self.0;
        of.store(u64::from(key), Ordering::Relaxed);
        which.store(trial, Ordering::Relaxed);
        since.store(now_us, Ordering::Release);
    }

    /// Notes that no trial runs.
    pub(crate) fn clear(self) {
        self.0[0].store(0, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_executor_writes_the_worker_reads() {
        let shared = SharedProgress::new().expect("memory");
        let writer = ProgressWriter::take(&shared.0).expect("it has the size");
        assert_eq!(shared.running(), None);
        let since_us = now_us();
        writer.begin(3, u64::MAX, since_us);
        assert_eq!(shared.running(), Some(Running { key: 3, trial: u64::MAX, since_us }));
        writer.clear();
        assert_eq!(shared.running(), None);
    }

    #[test]
    fn a_file_of_another_size_is_refused() {
        let file = File::from(memory().expect("memory"));
        assert!(ProgressWriter::take(&file).is_err());
    }
}
