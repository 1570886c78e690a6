//! What can go wrong with a run directory.

use std::{io, path::Path, path::PathBuf};

/// Why a run directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No run is there.
    #[error("`{}` holds no run", path.display())]
    NotARun {
        /// The directory.
        path: PathBuf,
    },
    /// A run of something else is there.
    #[error("`{}` holds the run of another experiment", path.display())]
    OtherRun {
        /// The directory.
        path: PathBuf,
    },
    /// Somebody writes it.
    #[error("`{}` is in use by another redqueen", path.display())]
    InUse {
        /// The directory.
        path: PathBuf,
    },
    /// Written by another version.
    #[error("`{}` has format {found}; this redqueen writes format {known}", path.display())]
    Format {
        /// The database.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// Ours.
        known: i64,
    },
    /// The resolved experiment is not one for this version.
    #[error("`{}` is not an experiment for this version of redqueen: {faults}", path.display())]
    Resolved {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        faults: String,
    },
    /// The plan could not go on.
    #[error("the plan of the run in `{}` cannot go on: {reason}", path.display())]
    Plan {
        /// The directory.
        path: PathBuf,
        /// What it said.
        reason: String,
    },
    /// A file could not be read or written.
    #[error("cannot use `{}`", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// SQLite refused.
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

    pub(crate) fn database(path: &Path, source: rusqlite::Error) -> Self {
        Error::Database { path: path.to_owned(), source }
    }

    /// What a person can do about it, if anything is known.
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Error::NotARun { .. } => "name a run's directory, the one given to --out or made under runs/",
            Error::OtherRun { .. } => "choose another --out, or leave --out away for a directory of its own",
            Error::InUse { .. } => "wait for the other process, or stop it",
            Error::Format { .. } | Error::Resolved { .. } => "use the version of redqueen that made the run",
            _ => return None,
        })
    }
}
