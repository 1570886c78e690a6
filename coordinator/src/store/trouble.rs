//! Which errors pass when somebody makes room, and which stay whatever is tried.

use std::time::{Duration, Instant};

use rusqlite::ErrorCode;

use super::Error;

/// Pause between two attempts at a transaction that failed.
pub(super) const RETRY: Duration = Duration::from_secs(1);
/// How often the log is told of trouble that goes on.
const REMIND: Duration = Duration::from_secs(60);

/// What stands in a run's way, and since when.
#[derive(Debug)]
pub(super) struct Trouble {
    /// What is in the way, with the path.
    pub(super) message: String,
    since: Instant,
    reminded: Instant,
    /// When to try again.
    pub(super) next: Instant,
}

impl Trouble {
    pub(super) fn new(now: Instant, message: String) -> Self {
        Trouble { message, since: now, reminded: now, next: now + RETRY }
    }

    /// Notes one more failure; says for how long it has gone on whenever the log should be told again.
    pub(super) fn again(&mut self, now: Instant) -> Option<Duration> {
        self.next = now + RETRY;
        if now - self.reminded < REMIND {
            return None;
        }
        self.reminded = now;
        Some(now - self.since)
    }
}

/// What is in the way, in a line that names the path, if trying again may help.
pub(super) fn passing(error: &Error) -> Option<String> {
    let (what, path, cause) = match error {
        Error::Io { path, source } => ("cannot use", path, source.to_string()),
        Error::Database { path, source } => {
            let what = match source.sqlite_error_code()? {
                ErrorCode::DiskFull => "disk full",
                ErrorCode::SystemIoFailure => "reading or writing fails",
                ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => "another process holds the database",
                ErrorCode::ReadOnly | ErrorCode::PermissionDenied => "no right to write",
                ErrorCode::CannotOpen => "cannot open what belongs to the database",
                ErrorCode::OutOfMemory => "no memory",
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

    /// SQLite's own list of result codes (https://www.sqlite.org/rescode.html), by what they mean for a writer.
    #[test]
    fn tells_what_passes_from_what_stays() {
        let said = |code| {
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
        ] {
            let line = passing(&said(code)).unwrap_or_else(|| panic!("{code} passes"));
            assert!(line.contains("/runs/a/redqueen.sqlite"), "{line}");
        }
        for code in
            [ffi::SQLITE_CORRUPT, ffi::SQLITE_NOTADB, ffi::SQLITE_CONSTRAINT, ffi::SQLITE_ERROR, ffi::SQLITE_MISUSE]
        {
            assert_eq!(passing(&said(code)), None, "{code} stays");
        }
        assert!(matches!(said(ffi::SQLITE_CORRUPT), Error::Damaged { .. }));
        let full = std::io::Error::from(std::io::ErrorKind::StorageFull);
        assert!(passing(&Error::io(Path::new("/runs/a"), full)).is_some());
    }
}
