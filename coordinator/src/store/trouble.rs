//! Which errors may pass, such as a full disk, and which are permanent.

use std::time::{Duration, Instant};

use rusqlite::ErrorCode;

use super::Error;

/// Pause before a failed transaction is retried.
pub(super) const RETRY: Duration = Duration::from_secs(1);
/// Least time between two log lines about the same trouble.
const REMIND: Duration = Duration::from_secs(60);

/// Why a run cannot be written, and since when.
#[derive(Debug)]
pub(super) struct Trouble {
    /// Why, with the path.
    pub(super) message: String,
    since: Instant,
    reminded: Instant,
    /// When to retry.
    pub(super) next: Instant,
}

impl Trouble {
    pub(super) fn new(now: Instant, message: String) -> Self {
        Trouble { message, since: now, reminded: now, next: now + RETRY }
    }

    /// Notes one more failure; returns how long the trouble has lasted if that is to be logged again.
    pub(super) fn again(&mut self, now: Instant) -> Option<Duration> {
        self.next = now + RETRY;
        if now - self.reminded < REMIND {
            return None;
        }
        self.reminded = now;
        Some(now - self.since)
    }
}

/// Why writing fails, in a line with the path, if retrying may help.
pub(super) fn passing(error: &Error) -> Option<String> {
    let (what, path, cause) = match error {
        Error::Io { path, source } => ("cannot use", path, source.to_string()),
        Error::LeaseLapsed { .. } => return Some(error.to_string()),
        Error::Database { path, source } => {
            let what = match source.sqlite_error_code()? {
                ErrorCode::DiskFull => "disk full",
                ErrorCode::SystemIoFailure => "reading or writing fails",
                ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => "another process holds the database",
                ErrorCode::FileLockingProtocolFailed => "the file system's locks fail",
                ErrorCode::ReadOnly | ErrorCode::PermissionDenied => "no permission to write",
                ErrorCode::CannotOpen => "cannot open a file of the database",
                ErrorCode::OutOfMemory => "out of memory",
                _ => return None,
            };
            (what, path, source.to_string())
        }
        _ => return None,
    };
    Some(format!("{what} at `{}`: {cause}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use rusqlite::ffi;

    use super::*;

    /// The result codes of SQLite (https://www.sqlite.org/rescode.html).
    #[test]
    fn errors_that_may_pass_are_told_from_permanent_ones() {
        let error = |code| {
            let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
            Error::database(Path::new("/runs/a/redqueen.sqlite"), error)
        };
        for code in [
            ffi::SQLITE_FULL,
            ffi::SQLITE_IOERR,
            ffi::SQLITE_IOERR_FSYNC,
            ffi::SQLITE_IOERR_WRITE,
            ffi::SQLITE_BUSY,
            ffi::SQLITE_BUSY_SNAPSHOT,
            ffi::SQLITE_LOCKED,
            ffi::SQLITE_READONLY,
            ffi::SQLITE_READONLY_DBMOVED,
            ffi::SQLITE_CANTOPEN,
            ffi::SQLITE_NOMEM,
            ffi::SQLITE_PERM,
            ffi::SQLITE_PROTOCOL,
        ] {
            let line = passing(&error(code)).unwrap_or_else(|| panic!("{code} may pass"));
            assert!(line.contains("/runs/a/redqueen.sqlite"), "{line}");
        }
        for code in
            [ffi::SQLITE_CORRUPT, ffi::SQLITE_NOTADB, ffi::SQLITE_CONSTRAINT, ffi::SQLITE_ERROR, ffi::SQLITE_MISUSE]
        {
            assert_eq!(passing(&error(code)), None, "{code} is permanent");
        }
        assert!(matches!(error(ffi::SQLITE_CORRUPT), Error::Damaged { .. }));
        let full = std::io::Error::from(std::io::ErrorKind::StorageFull);
        assert!(passing(&Error::io(Path::new("/runs/a"), full)).is_some());
    }
}
