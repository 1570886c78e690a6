//! Errors of run directories.

use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use experiments::{Difference, NotLonger, plan::PlanError};
use record::{damage, is_unfinished};

use super::{Holder, Refused};

/// Differences that a message names.
const DIFFERENCES: usize = 8;

/// Why a run directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The directory holds no run.
    #[error("`{}` holds no run", path.display())]
    NotARun {
        /// The directory.
        path: PathBuf,
    },
    /// The place of a new run is taken by something else.
    #[error("`{}` {what}, so no run can be made there", path.display())]
    Occupied {
        /// The place.
        path: PathBuf,
        /// What it is or holds.
        what: String,
    },
    /// The directory holds the run of another experiment.
    #[error("`{}` holds the run of another experiment: {}", path.display(), list(differences))]
    OtherRun {
        /// The directory.
        path: PathBuf,
        /// The keys that differ.
        differences: Vec<Difference>,
        /// Whether the wanted experiment is a longer version of that one.
        longer: bool,
    },
    /// The run cannot be written for now.
    #[error("the run in `{}` cannot be changed now: {why}", path.display())]
    Held {
        /// The directory.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// The run cannot be extended to the wanted experiment.
    #[error("the run in `{}` cannot be made longer to this experiment: {why}", path.display())]
    NotLonger {
        /// The directory.
        path: PathBuf,
        /// Why.
        why: NotLonger,
    },
    /// Another process has the run open for writing.
    #[error("`{}` is in use by another redqueen{}", path.display(), by(holder.as_deref(), *left))]
    InUse {
        /// The directory.
        path: PathBuf,
        /// The process, where it is known.
        holder: Option<Box<Holder>>,
        /// Time after which the run is free, if that process gives no sign of life until then; `None` if it is alive.
        left: Option<Duration>,
    },
    /// This process has not renewed its lease of the run in time, and may write again when it has.
    #[error("the lease of the run in `{}` could not be renewed in time: {why}", path.display())]
    LeaseLapsed {
        /// The directory.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// Another process has taken the run, since this one did not renew its lease in time.
    #[error(
        "the run in `{}` was taken by another redqueen{}, since this process could not renew its lease in time",
        path.display(), by(holder.as_deref(), None)
    )]
    LeaseLost {
        /// The directory.
        path: PathBuf,
        /// The other process, where it is known.
        holder: Option<Box<Holder>>,
    },
    /// No run can be kept on a file system of this kind.
    #[error(
        "`{}` is on {file_system}, where other processes see a file only as it was when it was closed, so no run can \
         be kept there",
        path.display()
    )]
    Unsuitable {
        /// The directory.
        path: PathBuf,
        /// Name of the file system.
        file_system: String,
    },
    /// The database is in the middle of a transaction, whose writer does not end it or was killed.
    #[error("`{}` is in the middle of a transaction, which a reader must not undo", path.display())]
    Unfinished {
        /// The file.
        path: PathBuf,
    },
    /// The database has a format of another version.
    #[error("`{}` has format {found}; this redqueen reads formats {oldest} to {newest}", path.display())]
    Format {
        /// The database.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// Oldest format that is read.
        oldest: i64,
        /// Newest format, which is written.
        newest: i64,
    },
    /// A file is damaged: truncated, overwritten or missing.
    #[error("`{}` is damaged: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What shows it.
        reason: String,
    },
    /// The resolved experiment is not understood by this version.
    #[error("`{}` is not an experiment for this version of redqueen: {faults}", path.display())]
    Resolved {
        /// The file.
        path: PathBuf,
        /// Its faults.
        faults: String,
    },
    /// The plan failed.
    #[error("the plan of the run in `{}` cannot go on: {reason}", path.display())]
    Plan {
        /// The directory.
        path: PathBuf,
        /// Why.
        reason: Box<PlanError>,
    },
    /// A stage that this version would have made otherwise, so it cannot make the run longer.
    #[error(
        "the run in `{}` cannot be made longer: its stage {stage} ({name}) is not what this version of redqueen makes of \
         the results before it",
        path.display()
    )]
    OtherStage {
        /// The directory.
        path: PathBuf,
        /// Index of the stage.
        stage: u32,
        /// Its name.
        name: String,
    },
    /// Quarantined trials are not retried.
    #[error("the run in `{}` cannot retry: {refused}", path.display())]
    Refused {
        /// The directory.
        path: PathBuf,
        /// Why.
        refused: Refused,
    },
    /// A file could not be read or written.
    #[error("cannot use `{}`", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// SQLite failed.
    #[error("cannot use the database `{}`", path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
}

impl Error {
    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        Error::Io { path: path.to_owned(), source }
    }

    /// The error for a failure of SQLite on the database `path`: damage is a variant of its own.
    pub(crate) fn database(path: &Path, source: rusqlite::Error) -> Self {
        match damage(&source) {
            Some(reason) => Error::damaged(path, reason),
            None if is_unfinished(&source) => Error::Unfinished { path: path.to_owned() },
            None => Error::Database { path: path.to_owned(), source },
        }
    }

    /// What a plan said of the run in `directory`. Where it could not read `database`, that is what went wrong: a disk
    /// that fails is tried again, and a plan that cannot go on is not.
    pub(crate) fn plan(directory: &Path, database: &Path, error: PlanError) -> Self {
        match error {
            PlanError::Store(said) => match said.downcast::<rusqlite::Error>() {
                Ok(sqlite) => Error::database(database, *sqlite),
                Err(said) => Error::plan_stopped(directory, PlanError::Store(said)),
            },
            error => Error::plan_stopped(directory, error),
        }
    }

    fn plan_stopped(directory: &Path, error: PlanError) -> Self {
        Error::Plan { path: directory.to_owned(), reason: Box::new(error) }
    }

    pub(crate) fn damaged(path: &Path, reason: impl Into<String>) -> Self {
        Error::Damaged { path: path.to_owned(), reason: reason.into() }
    }

    /// What a person can do about it, if anything is known.
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Error::NotARun { .. } => "name a run's directory, the one given to --out or made under runs/",
            Error::OtherRun { longer: true, .. } => {
                "add --extend to go on with that run for longer, or choose another --out"
            }
            Error::Occupied { .. } => "choose another --out: a directory that is new or empty",
            Error::OtherRun { .. } => "choose another --out, or leave --out away for a directory of its own",
            Error::InUse { .. } => "wait for the other process, or stop it",
            Error::LeaseLost { .. } => "the other process goes on with the run; nothing that was acknowledged is lost",
            Error::Unsuitable { .. } => "put the run on a local disk, or on NFS, Lustre, GPFS or BeeGFS",
            Error::Unfinished { .. } => {
                "ask again if a process writes the run; if it was killed, `redqueen run` or a coordinator undoes the \
                 transaction when it opens the run"
            }
            Error::Format { .. } | Error::Resolved { .. } | Error::OtherStage { .. } => {
                "use the version of redqueen that made the run"
            }
            Error::Damaged { .. } => {
                "nothing was changed; put a copy of the directory in its place (`redqueen export` makes one), or run \
                 the experiment anew under another --out"
            }
            Error::Refused { refused: Refused::Later { .. }, .. } => {
                "add --discard-later to drop them and run them again"
            }
            _ => return None,
        })
    }

    /// The error with its causes, in a line.
    pub(crate) fn chain(&self) -> String {
        let mut text = self.to_string();
        let mut cause = std::error::Error::source(self);
        while let Some(error) = cause {
            text.push_str(&format!(": {error}"));
            cause = error.source();
        }
        text
    }
}

/// Who has a run, and when it is free if that process is gone.
fn by(holder: Option<&Holder>, left: Option<Duration>) -> String {
    let mut text = holder.map(|holder| format!(" ({holder})")).unwrap_or_default();
    if let Some(left) = left {
        text.push_str(&format!("; if that is gone, the run is free in {} s", left.as_secs_f64().ceil()));
    }
    text
}

/// The error of a value that is not what was written.
pub(super) fn unreadable(error: impl Into<Box<dyn std::error::Error + Send + Sync + 'static>>) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Text, error.into())
}

/// Differences in a line; the first ones, if there are many.
fn list(differences: &[Difference]) -> String {
    let mut shown: Vec<String> = differences.iter().take(DIFFERENCES).map(Difference::to_string).collect();
    if differences.len() > DIFFERENCES {
        shown.push(format!("and {} more", differences.len() - DIFFERENCES));
    }
    shown.join("; ")
}
