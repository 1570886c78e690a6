//! The databases that this process writes.
//!
//! When a process closes any descriptor of a file, its POSIX locks on that file end, also those that SQLite holds
//! through another descriptor (https://www.sqlite.org/howtocorrupt.html, section 2.2). So the file of a database that
//! this process writes is opened by SQLite alone.

use std::{
    collections::BTreeMap,
    fs, io,
    os::unix::fs::MetadataExt as _,
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Device and number of the file of a database.
type Id = (u64, u64);

/// Databases that this process writes, and whether they have a write-ahead log.
static OURS: Mutex<BTreeMap<Id, bool>> = Mutex::new(BTreeMap::new());

/// A database that this process writes, until it is dropped.
#[derive(Debug)]
pub(super) struct Ours(Id);

impl Ours {
    /// Notes that this process writes `database`; `logged` says whether it has a write-ahead log.
    pub(super) fn note(database: &Path, logged: bool) -> io::Result<Self> {
        let id = id(database)?;
        all().insert(id, logged);
        Ok(Ours(id))
    }
}

impl Drop for Ours {
    fn drop(&mut self) {
        all().remove(&self.0);
    }
}

/// Whether `database`, which this process writes, has a write-ahead log; `None` if this process does not write it.
pub(super) fn logged(database: &Path) -> Option<bool> {
    all().get(&id(database).ok()?).copied()
}

fn all() -> MutexGuard<'static, BTreeMap<Id, bool>> {
    OURS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn id(database: &Path) -> io::Result<Id> {
    let file = fs::metadata(database)?;
    Ok((file.dev(), file.ino()))
}
