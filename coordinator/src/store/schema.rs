//! Tables of a run's database (docs/run-directory.md) and how a connection is set up.
//!
//! The format is a contract with `analysis` and with users' own queries: a change of meaning raises
//! [`FORMAT`].

use experiments::value::{ColumnType, Shape};
use rusqlite::Connection;

/// Format of the database, in `PRAGMA user_version`.
pub(crate) const FORMAT: i64 = 2;

const TABLES: &str = "
CREATE TABLE run (
    id TEXT NOT NULL, name TEXT NOT NULL, version TEXT NOT NULL, experiment_hash TEXT NOT NULL,
    state TEXT NOT NULL, reproducible INTEGER NOT NULL, created_at TEXT NOT NULL, ended_at TEXT
) STRICT;
CREATE TABLE stages (
    stage INTEGER PRIMARY KEY, name TEXT NOT NULL, trials INTEGER NOT NULL, shape TEXT NOT NULL,
    spec TEXT NOT NULL, state TEXT NOT NULL, closed_at TEXT, fold TEXT
) STRICT;
CREATE TABLE artifacts (
    hash TEXT PRIMARY KEY, kind TEXT NOT NULL, data BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE workers (
    worker INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, threads INTEGER NOT NULL, first_seen_at TEXT NOT NULL
) STRICT;
CREATE TABLE failures (
    stage INTEGER NOT NULL, trial INTEGER NOT NULL, attempt INTEGER NOT NULL, worker TEXT NOT NULL,
    error TEXT NOT NULL, at TEXT NOT NULL, PRIMARY KEY (stage, trial, attempt)
) STRICT, WITHOUT ROWID;
CREATE TABLE quarantined (
    stage INTEGER NOT NULL, trial INTEGER NOT NULL, PRIMARY KEY (stage, trial)
) STRICT, WITHOUT ROWID;
CREATE TABLE events (
    event INTEGER PRIMARY KEY, at TEXT NOT NULL, kind TEXT NOT NULL, detail TEXT NOT NULL
) STRICT;
";

/// Settings that SQLite keeps with the connection, not with the file.
pub(crate) fn configure(conn: &Connection) -> rusqlite::Result<()> {
    conn.busy_timeout(std::time::Duration::from_secs(10))?;
    conn.pragma_update(None, "journal_mode", "WAL")?;
    // A commit is on disk when it returns (DESIGN 3.3).
    conn.pragma_update(None, "synchronous", "FULL")?;
    conn.pragma_update(None, "cache_size", -16_384)?;
    conn.set_prepared_statement_cache_capacity(64);
    Ok(())
}

/// Makes the tables that every run has.
pub(crate) fn create(conn: &Connection) -> rusqlite::Result<()> {
    conn.execute_batch(TABLES)?;
    conn.pragma_update(None, "user_version", FORMAT)
}

/// Name of the table of a shape's results.
pub(crate) fn results_table(shape: &Shape) -> String {
    format!("results_{}", shape.name)
}

/// Makes the table of a shape's results, unless it stands.
pub(crate) fn create_results(conn: &Connection, shape: &Shape) -> rusqlite::Result<()> {
    let mut sql = format!(
        "CREATE TABLE IF NOT EXISTS \"{}\" (stage INTEGER NOT NULL, trial INTEGER NOT NULL, \
         worker INTEGER NOT NULL, elapsed_us INTEGER NOT NULL",
        results_table(shape)
    );
    for column in &shape.columns {
        let kind = match column.kind {
            ColumnType::Int | ColumnType::Label => "INTEGER",
            ColumnType::Real => "REAL",
            ColumnType::Text => "TEXT",
        };
        sql.push_str(&format!(", \"{}\" {kind} NOT NULL", column.name));
    }
    sql.push_str(", PRIMARY KEY (stage, trial)) STRICT, WITHOUT ROWID");
    conn.execute_batch(&sql)
}

/// Statement that stores one result; a second one for the same trial changes nothing.
pub(crate) fn insert_result(shape: &Shape) -> String {
    let marks = ", ?".repeat(shape.columns.len());
    format!("INSERT INTO \"{}\" VALUES (?, ?, ?, ?{marks}) ON CONFLICT DO NOTHING", results_table(shape))
}

/// Statement that reads the shape's columns of one stage (`?1`), by trial: trial first, then the columns.
pub(crate) fn select_results(shape: &Shape) -> String {
    let columns: String = shape.columns.iter().map(|c| format!(", \"{}\"", c.name)).collect();
    format!("SELECT trial{columns} FROM \"{}\" WHERE stage = ?1 ORDER BY trial", results_table(shape))
}
