//! The directory of a run: creating it, locking it and opening it.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use experiments::{Difference, Experiment};
use record::files::{ARTIFACTS, RESULTS};

use super::{
    Error,
    database::{self, connect_to_read, connect_within, resolved_of},
    files::{
        DATABASE, LOCK, RESOLVED, RESOLVED_NEXT, SOURCE, SOURCE_NEXT, database_of, put_in_place, read_resolved,
        write_durably,
    },
    load,
    owner::{self, FencedVfs, Lease},
    schema,
    storage::{Storage, has_no_locks},
};
use crate::FileSystem;

/// How long a check ([`is_held`]) may hold the lock, and the pause between two attempts to take it.
const LOOKS: Duration = Duration::from_millis(500);
const PAUSE: Duration = Duration::from_millis(10);
/// Longest pause between two looks at the file of an owner that may be gone.
const LOOK: Duration = Duration::from_secs(1);

/// A run directory that only this process may write.
#[derive(Debug)]
pub struct RunDirectory {
    path: PathBuf,
    /// Changed keys that change no result and are not in the database yet.
    pub(super) changes: Vec<Difference>,
    storage: Storage,
    /// Where the lock below is not enough.
    lease: Option<Lease>,
    /// Released by the kernel when the process ends, even by kill -9.
    _lock: File,
}

impl RunDirectory {
    /// Makes `path` the directory of the run of `experiment`, or opens it if it already is. What counts is the meaning
    /// of its resolved experiment, not how an older version wrote it; keys that change no result may differ and are
    /// updated.
    ///
    /// # Errors
    /// The directory holds another experiment's run or other files, is damaged or in use, or cannot be written.
    pub fn create(path: &Path, source: &str, experiment: &Experiment) -> Result<Self, Error> {
        Self::create_on(Storage::of(path), path, source, experiment)
    }

    pub(super) fn create_on(
        storage: Storage,
        path: &Path,
        source: &str,
        experiment: &Experiment,
    ) -> Result<Self, Error> {
        storage.check(path)?;
        examine(path, experiment)?;
        fs::create_dir_all(path).map_err(|error| Error::io(path, error))?;
        let mut directory = Self::lock(path, storage)?;
        // Another process may have made it meanwhile. In an existing run only keys that change no result are updated,
        // since its database knows the rest of the resolved text by hash.
        if examine(path, experiment)? {
            directory.update(source, experiment)?;
        } else {
            // A crash may have left the directory incomplete: every step can be repeated.
            bring(path, experiment)?;
            write_durably(&path.join(SOURCE), source.as_bytes())?;
            write_durably(&path.join(RESOLVED), experiment.to_resolved_toml().as_bytes())?;
        }
        Ok(directory)
    }

    /// Opens the directory of an existing run for writing.
    ///
    /// # Errors
    /// There is no run, its database is missing, or another process has it open.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::open_on(Storage::of(path), path)
    }

    pub(super) fn open_on(storage: Storage, path: &Path) -> Result<Self, Error> {
        database_of(path)?;
        storage.check(path)?;
        Self::lock(path, storage)
    }

    fn lock(path: &Path, storage: Storage) -> Result<Self, Error> {
        let lock_path = path.join(LOCK);
        let lock = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&lock_path)
            .map_err(|error| Error::io(&lock_path, error))?;
        let begun = Instant::now();
        let locked = loop {
            match (storage.lock)(&lock) {
                Ok(()) => break true,
                Err(TryLockError::WouldBlock) if begun.elapsed() < LOOKS => thread::sleep(PAUSE),
                Err(TryLockError::WouldBlock) => {
                    return Err(Error::InUse {
                        path: path.to_owned(),
                        holder: owner::holder(path).map(Box::new),
                        left: None,
                    });
                }
                Err(TryLockError::Error(error)) if has_no_locks(&error) => {
                    let name = storage.file_system.name();
                    tracing::warn!(
                        "`{}` is on {name}, which has no locks: a lease alone keeps others out",
                        path.display()
                    );
                    break false;
                }
                Err(TryLockError::Error(error)) => return Err(Error::io(&lock_path, error)),
            }
        };
        let lease =
            if locked && !storage.file_system.is_shared() { None } else { Some(Lease::take(path, storage.times)?) };
        let directory = RunDirectory { path: path.to_owned(), changes: Vec::new(), storage, lease, _lock: lock };
        database::undo(&directory)?;
        directory.settle()?;
        Ok(directory)
    }

    /// Whether other machines may see it.
    pub(super) fn is_shared(&self) -> bool {
        self.storage.file_system.is_shared()
    }

    /// Name of its file system.
    pub(super) fn file_system(&self) -> &str {
        self.storage.file_system.name()
    }

    /// How SQLite reaches its files, if there is a lease: through the lease's fence.
    pub(super) fn fenced(&self) -> io::Result<Option<FencedVfs>> {
        let fence = self.lease.as_ref().map(Lease::fence);
        fence.map(|fence| FencedVfs::register(fence.clone(), self.storage.base)).transpose()
    }

    /// Fails if this process may not write it now, since another one may have taken it.
    pub(super) fn may_write(&self) -> Result<(), Error> {
        self.lease.as_ref().and_then(|lease| lease.fence().shut(&self.path)).map_or(Ok(()), Err)
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

    /// The same with the files that its players need: what a run is made from.
    ///
    /// # Errors
    /// As [`RunDirectory::experiment`], or one of the files is gone or is another one.
    pub(super) fn whole_experiment(&self) -> Result<Experiment, Error> {
        let experiment = self.experiment()?;
        let read = |hash: String| {
            let path = self.path.join(ARTIFACTS).join(hash);
            fs::read(&path).map_err(|error| Error::io(&path, error))
        };
        let files = experiment.artifacts().into_iter().map(read).collect::<Result<Vec<_>, Error>>()?;
        experiment.with_artifacts(files).map_err(|missing| {
            Error::damaged(&self.path.join(ARTIFACTS).join(&missing.hash), "its content is another one")
        })
    }

    /// Updates keys that change no result, and questions, in the files of the run.
    pub(super) fn update(&mut self, source: &str, experiment: &Experiment) -> Result<(), Error> {
        let (path, text) = (&self.path, read_resolved(&self.path)?);
        let mut changes = experiment.differences(&read_experiment(path)?);
        if changes.is_empty() {
            return Ok(());
        }
        self.may_write()?;
        // A database of an older format knows the whole text by hash.
        let read = || {
            connect_to_read(path)?
                .query_row("PRAGMA user_version", [], |row| row.get(0))
                .map_err(|error| Error::database(&path.join(DATABASE), error))
        };
        let format: i64 = read()?;
        if format < schema::FORMAT {
            load::migrate(&mut database::open(self)?.conn, &text)
                .map_err(|error| Error::database(&path.join(DATABASE), error))?;
        }
        // The resolved text last: as long as it has the old values, this is repeated.
        write_durably(&path.join(SOURCE), source.as_bytes())?;
        write_durably(&path.join(RESOLVED), experiment.resolved_over(&text).as_bytes())?;
        changes.retain(|change| change.key != "analysis");
        self.changes.extend(changes);
        Ok(())
    }

    /// Writes the files of the longer experiment beside the present ones.
    pub(super) fn prepare(&self, source: &str, longer: &Experiment) -> Result<(), Error> {
        self.may_write()?;
        write_durably(&self.path.join(SOURCE_NEXT), source.as_bytes())?;
        write_durably(&self.path.join(RESOLVED_NEXT), longer.to_resolved_toml().as_bytes())
    }

    /// Moves those files into place if the database is that of the longer run, and removes them otherwise: the process
    /// may have been killed in between.
    pub(super) fn settle(&self) -> Result<(), Error> {
        let path = |name: &str| self.path.join(name);
        let next = [(SOURCE_NEXT, SOURCE), (RESOLVED_NEXT, RESOLVED)];
        if !next.iter().any(|(name, _)| path(name).exists()) {
            return Ok(());
        }
        self.may_write()?;
        let is_longer = path(RESOLVED_NEXT).exists() && {
            let known = resolved_of(&connect_to_read(&self.path)?, &self.path)?;
            fs::read_to_string(path(RESOLVED_NEXT)).is_ok_and(|text| text == known)
        };
        for (name, stands) in next.iter().filter(|(name, _)| path(name).exists()) {
            let done = if is_longer { put_in_place(&path(name), &path(stands)) } else { fs::remove_file(path(name)) };
            done.map_err(|error| Error::io(&path(name), error))?;
        }
        Ok(())
    }
}

/// Writes the files that an experiment brings beside its run. The database has them too; these are for people.
fn bring(path: &Path, experiment: &Experiment) -> Result<(), Error> {
    let folder = path.join(ARTIFACTS);
    for artifact in experiment.brought() {
        fs::create_dir_all(&folder).map_err(|error| Error::io(&folder, error))?;
        write_durably(&folder.join(artifact.hash()), &artifact.data)?;
    }
    Ok(())
}

/// Whether a process has the run in `path` open for writing; false if that cannot be determined.
pub(super) fn is_held(path: &Path) -> bool {
    let Ok(lock) = File::open(path.join(LOCK)) else { return false };
    // Released with the file, at once; a process that wants the run meanwhile retries.
    match lock.try_lock_shared() {
        Err(TryLockError::WouldBlock) => true,
        // The lock may be one of this machine alone.
        Ok(()) => FileSystem::of(path).is_shared() && owner::seems_held(path),
        Err(TryLockError::Error(_)) => owner::seems_held(path),
    }
}

/// Repeats `open` as long as it fails for a lease that may have no owner any more, until that is certain either way.
pub(crate) fn patiently<T>(mut open: impl FnMut() -> Result<T, Error>) -> Result<T, Error> {
    let mut told = false;
    loop {
        match open() {
            Err(error @ Error::InUse { left: Some(left), .. }) => {
                if !std::mem::replace(&mut told, true) {
                    tracing::warn!("{error}; waiting for that");
                }
                thread::sleep(left.min(LOOK));
            }
            done => return done,
        }
    }
}

/// Reads the resolved experiment of a run directory.
///
/// # Errors
/// The file is missing or damaged, cannot be read, or is not understood by this version.
pub fn read_experiment(directory: &Path) -> Result<Experiment, Error> {
    let path = directory.join(RESOLVED);
    let mut text = read_resolved(directory)?;
    if directory.join(DATABASE).exists() {
        // A truncated text may still be an experiment, though another one.
        match connect_within(directory, LOOKS).and_then(|conn| resolved_of(&conn, directory)) {
            Ok(known) => text = known,
            Err(error @ (Error::Damaged { .. } | Error::Format { .. })) => return Err(error),
            Err(_) => {}
        }
    }
    Experiment::from_resolved(&text).map_err(|faults| Error::Resolved { path, faults: faults.to_string() })
}

/// Whether `path` has the run of `experiment`; false if the run may be made there.
fn examine(path: &Path, experiment: &Experiment) -> Result<bool, Error> {
    let (database, resolved) = (path.join(DATABASE), path.join(RESOLVED));
    let stands = database.exists();
    if stands || resolved.exists() {
        let there = read_experiment(path)?;
        if there.hash() != experiment.hash() {
            let (differences, longer) = (experiment.results_differences(&there), experiment.lengthens(&there).is_ok());
            return Err(Error::OtherRun { path: path.to_owned(), differences, longer });
        }
    } else if let Some(what) = occupant(path) {
        return Err(Error::Occupied { path: path.to_owned(), what });
    }
    if !stands {
        // The database is complete before anything else is written, so later files show that there was one.
        let traces = [RESULTS.to_owned(), format!("{DATABASE}-wal")];
        if let Some(trace) = traces.iter().find(|trace| path.join(trace).exists()) {
            return Err(Error::damaged(&database, format!("it is missing, while `{trace}` is there")));
        }
    }
    Ok(stands)
}

/// What prevents a new run at `path`, if anything; the files of an interrupted start do not.
fn occupant(path: &Path) -> Option<String> {
    if path.exists() && !path.is_dir() {
        return Some("is not a directory".to_owned());
    }
    if path.join(SOURCE).exists() {
        return None;
    }
    let mut entries = fs::read_dir(path).ok()?.flatten().map(|entry| entry.file_name());
    let other = entries.find(|name| !name.as_encoded_bytes().starts_with(b"redqueen."))?;
    Some(format!("holds other files (`{}`)", other.display()))
}
