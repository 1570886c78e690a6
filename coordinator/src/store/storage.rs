//! What a run may expect of the file system that it is on.

use std::{
    ffi::CStr,
    fs::{File, TryLockError},
    io,
    path::Path,
};

use super::{Error, owner::Times};
use crate::FileSystem;

/// How a run is kept.
#[derive(Debug)]
pub(super) struct Storage {
    pub(super) file_system: FileSystem,
    /// Locks the file of a directory.
    pub(super) lock: fn(&File) -> Result<(), TryLockError>,
    /// SQLite's VFS below that of a lease, if it is not the default.
    pub(super) base: Option<&'static CStr>,
    pub(super) times: Times,
}

impl Storage {
    /// That of the run in `directory`.
    pub(super) fn of(directory: &Path) -> Self {
        let file_system = FileSystem::of(directory);
        Storage { file_system, lock: File::try_lock, base: None, times: Times::USUAL }
    }

    /// Refuses a file system on which no run can be kept.
    pub(super) fn check(&self, directory: &Path) -> Result<(), Error> {
        if self.file_system.keeps_runs() {
            return Ok(());
        }
        Err(Error::Unsuitable { path: directory.to_owned(), file_system: self.file_system.name().to_owned() })
    }
}

/// Whether a file system has no locks, by what it says to an attempt to take one.
pub(super) fn has_no_locks(error: &io::Error) -> bool {
    use rustix::io::Errno;
    [Errno::NOSYS, Errno::NOLCK, Errno::OPNOTSUPP].iter().any(|no| Some(no.raw_os_error()) == error.raw_os_error())
}
