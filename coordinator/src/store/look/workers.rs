//! Workers that a run has seen.

use std::path::Path;

use super::{
    super::{DATABASE, Error, connect_to_read},
    trials::has,
};

/// A worker that delivered results of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hand {
    /// Its name.
    pub name: String,
    /// Its executor threads.
    pub threads: u32,
    /// When its first result was stored: RFC 3339, UTC.
    pub first_seen_at: String,
    /// Why its results are not believed any more, if they are not.
    pub distrusted: Option<String>,
}

/// The workers of the run in `directory`, or the one of that name: those that computed wrongly, then by name.
///
/// # Errors
/// There is no run, or its database cannot be read.
pub fn hands(directory: &Path, name: Option<&str>) -> Result<Vec<Hand>, Error> {
    let conn = connect_to_read(directory)?;
    let read = || -> rusqlite::Result<Vec<Hand>> {
        let why =
            if has(&conn, "distrusted")? { "(SELECT why FROM distrusted d WHERE d.worker = w.name)" } else { "NULL" };
        let sql = format!(
            "SELECT name, threads, first_seen_at, {why} AS why FROM workers w WHERE ?1 IS NULL OR name = ?1 \
             ORDER BY why IS NULL, name"
        );
        conn.prepare(&sql)?
            .query_map([name], |row| {
                Ok(Hand {
                    name: row.get(0)?,
                    threads: row.get(1)?,
                    first_seen_at: row.get(2)?,
                    distrusted: row.get(3)?,
                })
            })?
            .collect()
    };
    read().map_err(|error| Error::database(&directory.join(DATABASE), error))
}
