//! The files of a run directory: their names, and how they are read and written.

use std::{
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use super::Error;
pub(crate) use record::files::{DATABASE, EXPERIMENT as SOURCE, RESOLVED};

/// What the coordinator that has the run open holds a lock on.
pub(super) const LOCK: &str = "redqueen.lock";

/// Both of a run that is being made longer, until its database is that of the longer run.
pub(super) const SOURCE_NEXT: &str = "experiment.next.toml";
pub(super) const RESOLVED_NEXT: &str = "resolved.next.toml";

/// Text of the resolved experiment.
pub(super) fn read_resolved(directory: &Path) -> Result<String, Error> {
    let path = directory.join(RESOLVED);
    fs::read_to_string(&path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Error::damaged(&path, "it is missing"),
        io::ErrorKind::InvalidData => Error::damaged(&path, "it is no text"),
        _ => Error::io(&path, error),
    })
}

/// Path of the database of the run in `directory`.
///
/// # Errors
/// There is no run, or its database is gone.
pub(super) fn database_of(directory: &Path) -> Result<PathBuf, Error> {
    let path = directory.join(DATABASE);
    if path.exists() {
        Ok(path)
    } else if directory.join(RESOLVED).exists() {
        Err(Error::damaged(&path, "it is missing"))
    } else {
        Err(Error::NotARun { path: directory.to_owned() })
    }
}

/// Makes what was written under a temporary name a file's content: after a crash it is there whole or not at all.
pub(super) fn put_in_place(temporary: &Path, path: &Path) -> io::Result<()> {
    File::open(temporary)?.sync_all()?;
    fs::rename(temporary, path)?;
    path.parent().map_or(Ok(()), |parent| File::open(parent)?.sync_all())
}

/// Writes a file so that after a crash it is there whole or not at all.
pub(super) fn write_durably(path: &Path, content: &[u8]) -> Result<(), Error> {
    if fs::read(path).is_ok_and(|found| found == content) {
        return Ok(());
    }
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".new");
    let temporary = PathBuf::from(temporary);
    let write = || {
        File::create(&temporary)?.write_all(content)?;
        put_in_place(&temporary, path)
    };
    write().map_err(|error| Error::io(path, error))
}
