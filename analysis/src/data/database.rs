//! A run's database, opened to read.

use std::{
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use record::{files::FORMATS, journal};
use rusqlite::{Connection, OpenFlags, OptionalExtension as _};

use super::stage::Facts;
use crate::Error;

/// How long to wait for another holder of the database, or for the end of a transaction.
const PATIENCE: Duration = Duration::from_secs(10);
/// Pause between two looks for that end.
const PAUSE: Duration = Duration::from_millis(20);

/// A connection to the database of a run.
///
/// # Errors
/// The database cannot be read, is damaged, or has a format that this version does not know.
pub(super) fn connect(database: &Path) -> Result<Connection, Error> {
    let read = |error| Error::database(database, error);
    // A file that cannot be read is an error of SQLite's below.
    let opened = if journal::is_logged(database).unwrap_or(true) {
        open(database, OpenFlags::SQLITE_OPEN_READ_WRITE)
            .or_else(|_| open(database, OpenFlags::SQLITE_OPEN_READ_ONLY))
            // A directory that cannot be written has no place for the files that readers and writers share, and where
            // no log stands beside the database, no writer.
            .or_else(|error| match journal::has(database, "-wal") {
                true => Err(error),
                false => open(&immutable(database), OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI),
            })
    } else {
        let begun = Instant::now();
        loop {
            match open(database, OpenFlags::SQLITE_OPEN_READ_ONLY) {
                Err(error) if record::is_unfinished(&error) && begun.elapsed() < PATIENCE => thread::sleep(PAUSE),
                opened => break opened,
            }
        }
    };
    let (conn, format) = opened.map_err(read)?;
    match format {
        0 => Err(Error::damaged(database, "it has no format")),
        _ if FORMATS.contains(&format) => Ok(conn),
        _ => {
            let (oldest, newest) = (FORMATS.start(), FORMATS.end());
            let reason = format!("it has format {format}; this redqueen reads formats {oldest} to {newest}");
            Err(Error::contract(database, reason))
        }
    }
}

/// Name by which SQLite takes a database for one that does not change (https://www.sqlite.org/uri.html).
fn immutable(database: &Path) -> PathBuf {
    let mut name = "file:".to_owned();
    for &byte in database.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => name.push(byte.into()),
            _ => name.push_str(&format!("%{byte:02X}")),
        }
    }
    PathBuf::from(name + "?immutable=1")
}

/// A connection that changes nothing, and the database's format. A log beside a database can only be read with the
/// right to write, which is why this asks for it.
fn open(database: &Path, flags: OpenFlags) -> rusqlite::Result<(Connection, i64)> {
    // A name that begins with `file:` would be taken for a URI, asked to or not.
    let is_uri = flags.contains(OpenFlags::SQLITE_OPEN_URI);
    let name = if is_uri { database.to_owned() } else { Path::new(".").join(database) };
    let conn = Connection::open_with_flags(name, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    conn.busy_timeout(PATIENCE)?;
    conn.pragma_update(None, "query_only", true)?;
    let format = conn.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    // The first that reads a page: an empty or foreign file shows itself here.
    conn.query_row("SELECT COUNT(*) FROM sqlite_schema", [], |_| Ok(()))?;
    Ok((conn, format))
}

/// Facts of the closed stages, as they stand.
pub(super) fn read_facts(conn: &Connection) -> rusqlite::Result<Vec<Facts>> {
    conn.prepare("SELECT spec, fold FROM stages WHERE state = 'closed' ORDER BY stage")?
        .query_map([], |row| Ok(Facts { spec: row.get(0)?, fold: row.get(1)? }))?
        .collect()
}

/// (stored, trials) of the last stage; of a run that has not begun, nothing of nothing.
pub(super) fn open_stage(conn: &Connection) -> rusqlite::Result<(u64, u64)> {
    let last = conn
        .query_row("SELECT stage, trials, shape FROM stages ORDER BY stage DESC LIMIT 1", [], |row| {
            Ok((row.get::<_, u32>(0)?, row.get::<_, i64>(1)?, row.get::<_, String>(2)?))
        })
        .optional()?;
    let Some((stage, trials, shape)) = last else { return Ok((0, 0)) };
    Ok((stored(conn, &shape, stage)?, trials.unsigned_abs()))
}

/// Rows of a stage.
pub(super) fn stored(conn: &Connection, shape: &str, stage: u32) -> rusqlite::Result<u64> {
    let sql = format!("SELECT COUNT(*) FROM \"results_{}\" WHERE stage = ?1", shape.replace('"', ""));
    conn.query_row(&sql, [stage], |row| row.get(0)).map(i64::unsigned_abs)
}
