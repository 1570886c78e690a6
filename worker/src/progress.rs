//! What an executor process is at: written by it, read by its worker, in memory that both share.
//!
//! It is what makes blame exact. A trial that kills its process cannot say so, and a message before each trial would
//! cost more than many trials do; two stores to memory cost nothing, and they outlast the process. The age of a trial
//! comes from here, too, so that the ceiling needs no word from a process that may be stopped.

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

/// Words of the board: since when a trial runs (0: none does), key of its stage, the trial.
const WORDS: usize = 3;
const BYTES: usize = WORDS * size_of::<u64>();

/// Microseconds of the clock that every process of a machine shares.
pub(crate) fn now_us() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    // The clock runs since the machine started, so neither part is negative and the sum is not zero.
    time.tv_sec.unsigned_abs() * 1_000_000 + time.tv_nsec.unsigned_abs() / 1_000
}

/// A trial that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Running {
    /// Of its stage.
    pub(crate) key: u32,
    pub(crate) trial: u64,
    /// By [`now_us`].
    pub(crate) since_us: u64,
}

/// The worker's end.
pub(crate) struct Board(File);

impl Board {
    /// An empty one.
    pub(crate) fn new() -> io::Result<Self> {
        let file = File::from(memory()?);
        file.set_len(BYTES as u64)?;
        Ok(Board(file))
    }

    /// For the process that writes it.
    pub(crate) fn share(&self) -> io::Result<OwnedFd> {
        Ok(self.0.try_clone()?.into())
    }

    /// The trial that runs, or ran when the process died. Of a process that lives the words may be of two trials, so
    /// nobody is blamed before it is dead.
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
    Ok(rustix::fs::memfd_create("redqueen-board", rustix::fs::MemfdFlags::CLOEXEC)?)
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

/// The executor's end.
#[derive(Clone, Copy)]
pub(crate) struct Chalk(&'static [AtomicU64; WORDS]);

impl Chalk {
    /// Takes up the board behind `memory`, for the rest of the process.
    pub(crate) fn take(memory: &impl AsFd) -> io::Result<Self> {
        // Touching what lies beyond the end of a file kills a process.
        if rustix::fs::fstat(memory)?.st_size != BYTES as i64 {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        // SAFETY: a mapping at no given address takes the place of nothing.
        let words =
            unsafe { mmap(ptr::null_mut(), BYTES, ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED, memory, 0)? };
        // SAFETY: the mapping is aligned to a page, has BYTES bytes, and nobody ends it or cuts the file short; whoever
        // else has it maps or reads it as it is meant: in words that change at any time.
        Ok(Chalk(unsafe { &*words.cast::<[AtomicU64; WORDS]>() }))
    }

    /// A trial begins.
    pub(crate) fn begin(self, key: u32, trial: u64, now_us: u64) {
        let [since, of, which] = self.0;
        of.store(u64::from(key), Ordering::Relaxed);
        which.store(trial, Ordering::Relaxed);
        since.store(now_us, Ordering::Release);
    }

    /// None runs.
    pub(crate) fn clear(self) {
        self.0[0].store(0, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_end_writes_the_other_reads() {
        let board = Board::new().expect("memory");
        let chalk = Chalk::take(&board.0).expect("it is a board");
        assert_eq!(board.running(), None);
        let since_us = now_us();
        chalk.begin(3, u64::MAX, since_us);
        assert_eq!(board.running(), Some(Running { key: 3, trial: u64::MAX, since_us }));
        chalk.clear();
        assert_eq!(board.running(), None);
    }

    #[test]
    fn a_file_of_another_size_is_no_board() {
        let file = File::from(memory().expect("memory"));
        assert!(Chalk::take(&file).is_err());
    }
}
