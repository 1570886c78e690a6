//! A run's directory: its files, who may write it, and opening it again.

use std::{
    fs::{self, File, TryLockError},
    io::Write,
    path::{Path, PathBuf},
};

use experiments::Experiment;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _};

use super::{Error, schema};
use crate::ids::RunId;

/// Files of a run directory.
pub(crate) const DATABASE: &str = "redqueen.sqlite";
const LOCK: &str = "redqueen.lock";
/// The experiment as given.
pub(crate) const SOURCE: &str = "experiment.toml";
/// The experiment with every default filled in.
pub(crate) const RESOLVED: &str = "resolved.toml";

/// A run directory that this process alone may write.
#[derive(Debug)]
pub struct RunDirectory {
    path: PathBuf,
    /// Released by the kernel when the process ends, however it ends: a killed run stops no later one.
    _lock: File,
}

impl RunDirectory {
    /// Makes `path` the directory of the run of `experiment`, or opens it if it is that already.
    ///
    /// # Errors
    /// The directory holds another experiment's run or other files, is in use, or cannot be written.
    pub fn create(path: &Path, source: &str, experiment: &Experiment) -> Result<Self, Error> {
        let occupied = fs::read_dir(path)
            .is_ok_and(|entries| entries.flatten().any(|e| !e.file_name().to_string_lossy().starts_with("redqueen.")));
        let resolved_path = path.join(RESOLVED);
        match fs::read_to_string(&resolved_path) {
            Ok(found) => {
                let found = blake3::hash(found.as_bytes()).to_hex().to_string();
                if found != experiment.hash() {
                    return Err(Error::OtherRun { path: path.to_owned() });
                }
            }
            Err(_) if occupied && !path.join(DATABASE).exists() && !path.join(SOURCE).exists() => {
                return Err(Error::NotARun { path: path.to_owned() });
            }
            Err(_) => {}
        }
        fs::create_dir_all(path).map_err(|error| Error::io(path, error))?;
        let directory = Self::lock(path)?;
        // A crash may have left the directory half made: every step can be done again.
        write_durably(&path.join(SOURCE), source)?;
        write_durably(&resolved_path, &experiment.to_resolved_toml())?;
        Ok(directory)
    }

    /// Opens the directory of an existing run for writing.
    ///
    /// # Errors
    /// There is no run, or another process has it open.
    pub fn open(path: &Path) -> Result<Self, Error> {
        if !path.join(DATABASE).exists() {
            return Err(Error::NotARun { path: path.to_owned() });
        }
        Self::lock(path)
    }

    fn lock(path: &Path) -> Result<Self, Error> {
        let lock_path = path.join(LOCK);
        let lock = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&lock_path)
            .map_err(|error| Error::io(&lock_path, error))?;
        match lock.try_lock() {
            Ok(()) => Ok(RunDirectory { path: path.to_owned(), _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(Error::InUse { path: path.to_owned() }),
            Err(TryLockError::Error(error)) => Err(Error::io(&lock_path, error)),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The experiment as it was resolved when the run was made.
    ///
    /// # Errors
    /// The file cannot be read, or this version does not understand it.
    pub fn experiment(&self) -> Result<Experiment, Error> {
        read_experiment(&self.path)
    }

    pub(super) fn connect(&self) -> Result<Connection, Error> {
        let path = self.path.join(DATABASE);
        let conn = Connection::open(&path).map_err(|error| Error::database(&path, error))?;
        schema::configure(&conn).map_err(|error| Error::database(&path, error))?;
        check_format(&conn, &path)?;
        Ok(conn)
    }
}

/// Reads the resolved experiment of a run directory.
///
/// # Errors
/// The file cannot be read, or this version does not understand it.
pub fn read_experiment(directory: &Path) -> Result<Experiment, Error> {
    let path = directory.join(RESOLVED);
    let text = fs::read_to_string(&path).map_err(|error| Error::io(&path, error))?;
    Experiment::from_resolved(&text).map_err(|faults| Error::Resolved { path, faults: faults.to_string() })
}

/// Opens the database of a run directory for reading, beside whoever writes it.
///
/// # Errors
/// There is no run, or its database is of another format.
pub fn connect_to_read(directory: &Path) -> Result<Connection, Error> {
    let path = directory.join(DATABASE);
    if !path.exists() {
        return Err(Error::NotARun { path: directory.to_owned() });
    }
    let conn = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)
        .map_err(|error| Error::database(&path, error))?;
    conn.busy_timeout(std::time::Duration::from_secs(10)).map_err(|error| Error::database(&path, error))?;
    conn.pragma_update(None, "query_only", true).map_err(|error| Error::database(&path, error))?;
    check_format(&conn, &path)?;
    Ok(conn)
}

/// Id of the run in a directory, from its database.
///
/// # Errors
/// There is no run, or its database cannot be read.
pub fn run_id(conn: &Connection, directory: &Path) -> Result<RunId, Error> {
    let path = directory.join(DATABASE);
    let id: Option<String> = conn
        .query_row("SELECT id FROM run", [], |row| row.get(0))
        .optional()
        .map_err(|error| Error::database(&path, error))?;
    id.as_deref().and_then(RunId::from_hex).ok_or(Error::NotARun { path: directory.to_owned() })
}

fn check_format(conn: &Connection, path: &Path) -> Result<(), Error> {
    let format: i64 =
        conn.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(|error| Error::database(path, error))?;
    // 0 is a database that was never finished being made.
    if format == 0 || format == schema::FORMAT {
        Ok(())
    } else {
        Err(Error::Format { path: path.to_owned(), found: format, known: schema::FORMAT })
    }
}

/// Writes a file so that after a crash it is there whole or not at all.
fn write_durably(path: &Path, text: &str) -> Result<(), Error> {
    if fs::read_to_string(path).is_ok_and(|found| found == text) {
        return Ok(());
    }
    let temporary = path.with_extension("toml.new");
    let write = || {
        let mut file = File::create(&temporary)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&temporary, path)?;
        path.parent().map_or(Ok(()), |parent| File::open(parent)?.sync_all())
    };
    write().map_err(|error| Error::io(path, error))
}
