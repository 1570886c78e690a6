//! A run's directory: its files, who may write it, and opening it again.

use std::{
    fs::{self, File, TryLockError},
    io::{self, Write},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use experiments::Experiment;

use super::{
    Error,
    database::{check_experiment, connect_to_read},
};

/// Files of a run directory.
pub(crate) const DATABASE: &str = "redqueen.sqlite";
const LOCK: &str = "redqueen.lock";
/// How long whoever only looks may hold the lock ([`is_held`]), and the pause between two attempts at it.
const LOOKS: Duration = Duration::from_millis(500);
const PAUSE: Duration = Duration::from_millis(10);
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
    /// Makes `path` the directory of the run of `experiment`, or opens it if it is that already: what counts is what
    /// its resolved experiment means now, not how an older version wrote it.
    ///
    /// # Errors
    /// The directory holds another experiment's run or other files, is damaged or in use, or cannot be written.
    pub fn create(path: &Path, source: &str, experiment: &Experiment) -> Result<Self, Error> {
        examine(path, experiment)?;
        fs::create_dir_all(path).map_err(|error| Error::io(path, error))?;
        let directory = Self::lock(path)?;
        // Another process may have made it meanwhile. Nothing of a run that stands is written again but its questions:
        // its resolved text is the one its database knows by hash.
        if examine(path, experiment)? {
            ask(path, source, experiment)?;
        } else {
            // A crash may have left the directory half made: every step can be done again.
            write_durably(&path.join(SOURCE), source)?;
            write_durably(&path.join(RESOLVED), &experiment.to_resolved_toml())?;
        }
        Ok(directory)
    }

    /// Opens the directory of an existing run for writing.
    ///
    /// # Errors
    /// There is no run, its database is gone, or another process has it open.
    pub fn open(path: &Path) -> Result<Self, Error> {
        database_of(path)?;
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
        let begun = Instant::now();
        loop {
            match lock.try_lock() {
                Ok(()) => return Ok(RunDirectory { path: path.to_owned(), _lock: lock }),
                Err(TryLockError::WouldBlock) if begun.elapsed() < LOOKS => thread::sleep(PAUSE),
                Err(TryLockError::WouldBlock) => return Err(Error::InUse { path: path.to_owned() }),
                Err(TryLockError::Error(error)) => return Err(Error::io(&lock_path, error)),
            }
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
}

/// Whether a process has the run in `path` open for writing. Where that cannot be told, nobody is supposed to.
pub(super) fn is_held(path: &Path) -> bool {
    let Ok(lock) = File::open(path.join(LOCK)) else { return false };
    // Released with the file, at once; whoever wants the run meanwhile tries again.
    matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock))
}

/// Puts the questions of `experiment` in place of those that its run's files have, if they are others. Results do not
/// depend on them, and neither does the hash by which the database knows the rest. Only for whoever holds the lock.
///
/// # Errors
/// The files cannot be read or written.
pub(crate) fn ask(path: &Path, source: &str, experiment: &Experiment) -> Result<(), Error> {
    let text = read_resolved(path)?;
    let asked = Experiment::without_questions(&text).to_owned() + &experiment.questions_toml();
    if asked == text {
        return Ok(());
    }
    // The resolved text last: as long as it has the old questions, this is done again.
    write_durably(&path.join(SOURCE), source)?;
    write_durably(&path.join(RESOLVED), &asked)
}

/// Reads the resolved experiment of a run directory.
///
/// # Errors
/// The file is gone or damaged, cannot be read, or this version does not understand it.
pub fn read_experiment(directory: &Path) -> Result<Experiment, Error> {
    let path = directory.join(RESOLVED);
    let text = read_resolved(directory)?;
    if directory.join(DATABASE).exists() {
        // A text that was cut short may still be an experiment, and another one.
        let checked = connect_to_read(directory).and_then(|conn| check_experiment(&conn, directory));
        if let Err(error @ (Error::Damaged { .. } | Error::Format { .. })) = checked {
            return Err(error);
        }
    }
    Experiment::from_resolved(&text).map_err(|faults| Error::Resolved { path, faults: faults.to_string() })
}

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

/// Whether the run of `experiment` stands in `path`; false where it may be made.
fn examine(path: &Path, experiment: &Experiment) -> Result<bool, Error> {
    let (database, resolved) = (path.join(DATABASE), path.join(RESOLVED));
    let stands = database.exists();
    if stands || resolved.exists() {
        if read_experiment(path)?.hash() != experiment.hash() {
            return Err(Error::OtherRun { path: path.to_owned() });
        }
    } else if !path.join(SOURCE).exists()
        && fs::read_dir(path)
            .is_ok_and(|entries| entries.flatten().any(|e| !e.file_name().to_string_lossy().starts_with("redqueen.")))
    {
        return Err(Error::NotARun { path: path.to_owned() });
    }
    if !stands {
        // A database is there, whole, before anything can be stored: what comes after it shows that there was one.
        let traces = ["results".to_owned(), format!("{DATABASE}-wal")];
        if let Some(trace) = traces.iter().find(|trace| path.join(trace).exists()) {
            return Err(Error::damaged(&database, format!("it is missing, while `{trace}` is there")));
        }
    }
    Ok(stands)
}

/// Makes what was written under a temporary name a file's content: after a crash it is there whole or not at all.
pub(super) fn put_in_place(temporary: &Path, path: &Path) -> io::Result<()> {
    File::open(temporary)?.sync_all()?;
    fs::rename(temporary, path)?;
    path.parent().map_or(Ok(()), |parent| File::open(parent)?.sync_all())
}

/// Writes a file so that after a crash it is there whole or not at all.
fn write_durably(path: &Path, text: &str) -> Result<(), Error> {
    if fs::read_to_string(path).is_ok_and(|found| found == text) {
        return Ok(());
    }
    let temporary = path.with_extension("toml.new");
    let write = || {
        File::create(&temporary)?.write_all(text.as_bytes())?;
        put_in_place(&temporary, path)
    };
    write().map_err(|error| Error::io(path, error))
}
