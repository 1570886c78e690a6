//! Tables of a run's database (docs/run-directory.md) and how a connection is set up.
//!
//! The format is a contract with `analysis` and with queries of users: a change of meaning increments [`FORMAT`].

use record::{ColumnType, Shape};
use rusqlite::Connection;

/// Format of the database, in `PRAGMA user_version`.
pub(crate) use record::files::{FORMAT, FORMATS};

const TABLES: &str = "
CREATE TABLE run (
    id TEXT NOT NULL, name TEXT NOT NULL, version TEXT NOT NULL, experiment_hash TEXT NOT NULL,
    state TEXT NOT NULL, reproducible INTEGER NOT NULL, created_at TEXT NOT NULL, ended_at TEXT,
    commits INTEGER NOT NULL DEFAULT 0
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
/// Tables that are new in format 3, beside `run.commits`.
const TRUST: &str = "
CREATE TABLE claims (
    stage INTEGER NOT NULL, trial INTEGER NOT NULL, worker TEXT NOT NULL, row TEXT NOT NULL, at TEXT NOT NULL,
    PRIMARY KEY (stage, trial, worker, row)
) STRICT, WITHOUT ROWID;
CREATE TABLE distrusted (
    worker TEXT PRIMARY KEY, at TEXT NOT NULL, why TEXT NOT NULL
) STRICT, WITHOUT ROWID;
";

/// Sets up a connection that writes, so that a commit is on disk when it returns (ARCHITECTURE.md, invariant 3). On a
/// file system that machines share there is no log, since its readers and its writer would have to share memory.
pub(crate) fn configure(conn: &Connection, shared: bool) -> rusqlite::Result<()> {
    conn.pragma_update(None, "synchronous", "FULL")?;
    conn.pragma_update(None, "journal_mode", if shared { "TRUNCATE" } else { "WAL" })?;
    if shared {
        conn.pragma_update(None, "locking_mode", "NORMAL")?;
    }
    conn.pragma_update(None, "cache_size", -16_384)?;
    conn.set_prepared_statement_cache_capacity(64);
    Ok(())
}

/// Creates the tables that every run has.
pub(crate) fn create(conn: &Connection) -> rusqlite::Result<()> {
    conn.execute_batch(TABLES)?;
    conn.execute_batch(TRUST)?;
    conn.pragma_update(None, "user_version", FORMAT)
}

/// Tables that a database of `format` has, whatever its run.
pub(crate) fn tables(format: i64) -> &'static [&'static str] {
    let all = &["run", "stages", "artifacts", "workers", "failures", "quarantined", "events", "claims", "distrusted"];
    if format < 3 { &all[..7] } else { all }
}

/// Migrates a database of an older format to [`FORMAT`], in a transaction of the caller; returns the old format, if it
/// was another. `hash` is the hash of what the results of its experiment depend on.
pub(crate) fn migrate(conn: &Connection, hash: &str) -> rusqlite::Result<Option<i64>> {
    let found: i64 = conn.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if found == FORMAT {
        return Ok(None);
    }
    debug_assert!(FORMATS.contains(&found), "the format was checked when the database was opened");
    if found < 3 {
        conn.execute_batch("ALTER TABLE run ADD COLUMN commits INTEGER NOT NULL DEFAULT 0")?;
        conn.execute_batch(TRUST)?;
    }
    // Before format 4 the hash covered everything except the questions.
    conn.execute("UPDATE run SET experiment_hash = ?1", [hash])?;
    conn.pragma_update(None, "user_version", FORMAT)?;
    Ok(Some(found))
}

/// Name of the table of results of a shape.
pub(crate) fn results_table(shape: &Shape) -> String {
    format!("results_{}", shape.name)
}

/// Creates the table of results of a shape, unless it exists.
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

/// Statement that stores one result; a second result of the same trial changes nothing.
pub(crate) fn insert_result(shape: &Shape) -> String {
    let marks = ", ?".repeat(shape.columns.len());
    format!("INSERT INTO \"{}\" VALUES (?, ?, ?, ?{marks}) ON CONFLICT DO NOTHING", results_table(shape))
}

/// Statement that reads the stored result of one trial (`?2`) of a stage (`?1`): all columns of the table.
pub(crate) fn select_result(shape: &Shape) -> String {
    format!("SELECT * FROM \"{}\" WHERE stage = ?1 AND trial = ?2", results_table(shape))
}

/// Statement that reads the shape's columns of one stage (`?1`), by trial: trial first, then the columns.
pub(crate) fn select_results(shape: &Shape) -> String {
    let columns: String = shape.columns.iter().map(|c| format!(", \"{}\"", c.name)).collect();
    format!("SELECT trial{columns} FROM \"{}\" WHERE stage = ?1 ORDER BY trial", results_table(shape))
}
