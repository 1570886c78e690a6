//! How many commits of a run were made, noted beside its database.
//!
//! SQLite stops reading a write-ahead log at the first frame that is not whole, as it must after a crash. A log that
//! was cut short or lost thus takes acknowledged commits with it, and nobody is told. So the database counts its
//! commits, and after each the count is written here: a note that is ahead of the database shows what is gone. It is
//! written without a sync, since one that is behind shows nothing and does no harm; and it is never ahead after a
//! mere crash, since it is written when the commit is durable.

use std::{
    fs::{self, File},
    os::unix::fs::FileExt as _,
    path::Path,
};

use rusqlite::Connection;

/// Name of the file.
const NAME: &str = "redqueen.commits";

/// The count as it goes on.
pub(super) struct Commits {
    count: u64,
    /// None where it cannot be written: the run does without.
    file: Option<File>,
}

impl Commits {
    /// Reads the database's count and opens the note; also gives how many noted commits the database lacks.
    pub(super) fn open(conn: &Connection, directory: &Path) -> rusqlite::Result<(Self, u64)> {
        let count = conn.query_row("SELECT commits FROM run", [], |row| row.get::<_, i64>(0))?.unsigned_abs();
        let path = directory.join(NAME);
        let noted: u64 = fs::read_to_string(&path).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0);
        let file = File::options().create(true).truncate(false).write(true).open(&path).ok();
        Ok((Commits { count, file }, noted.saturating_sub(count)))
    }

    /// Counts the commit that is about to be made; belongs into its transaction.
    pub(super) fn count(&self, conn: &Connection) -> rusqlite::Result<()> {
        conn.prepare_cached("UPDATE run SET commits = ?1")?.execute([self.count as i64 + 1]).map(drop)
    }

    /// Notes that it is durable.
    pub(super) fn made(&mut self) {
        self.count += 1;
        let text = format!("{:020}\n", self.count);
        if self.file.as_ref().is_some_and(|file| file.write_all_at(text.as_bytes(), 0).is_err()) {
            // A full disk, say. The next one may be written.
            tracing::debug!("cannot note a commit");
        }
    }
}
