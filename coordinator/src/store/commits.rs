//! The number of commits of a run, kept in a file beside its database.
//!
//! SQLite stops reading a write-ahead log at the first incomplete frame, as it must after a crash. So a log that was
//! truncated or lost takes acknowledged commits with it, silently. Therefore the database counts its commits, and after
//! each one the count is written to a file: a file that is ahead of the database shows that commits are lost. It is
//! written without a sync, since a file that is behind does no harm; and a mere crash never leaves it ahead, since it
//! is written when the commit is durable.

use std::{
    fs::{self, File},
    os::unix::fs::FileExt as _,
    path::Path,
};

use rusqlite::Connection;

/// Name of the file.
const NAME: &str = "redqueen.commits";

/// The count and its file.
pub(super) struct Commits {
    count: u64,
    /// `None` if it cannot be written; the run goes on without it.
    file: Option<File>,
}

impl Commits {
    /// Reads the count of the database and opens the file; also returns how many commits the database has lost.
    pub(super) fn open(conn: &Connection, directory: &Path) -> rusqlite::Result<(Self, u64)> {
        let count = conn.query_row("SELECT commits FROM run", [], |row| row.get::<_, i64>(0))?.unsigned_abs();
        let path = directory.join(NAME);
        let noted: u64 = fs::read_to_string(&path).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0);
        let file = File::options().create(true).truncate(false).write(true).open(&path).ok();
        Ok((Commits { count, file }, noted.saturating_sub(count)))
    }

    /// The count.
    pub(super) fn number(&self) -> u64 {
        self.count
    }

    /// Counts the commit that is about to be made, in its transaction.
    pub(super) fn count(&self, conn: &Connection) -> rusqlite::Result<()> {
        conn.prepare_cached("UPDATE run SET commits = ?1")?.execute([self.count as i64 + 1]).map(drop)
    }

    /// Notes that the commit is durable.
    pub(super) fn made(&mut self) {
        self.count += 1;
        let text = format!("{:020}\n", self.count);
        if self.file.as_ref().is_some_and(|file| file.write_all_at(text.as_bytes(), 0).is_err()) {
            // A full disk, for instance. The next write may succeed.
            tracing::debug!("cannot write the number of commits");
        }
    }
}
