//! What every run's database has, as docs/run-directory.md describes it, written without the coordinator.

use std::path::Path;

use rusqlite::Connection;
use serde_json::Value;

/// Columns of the tables of results that come before those of the shape.
pub(crate) const OF_EVERY_RESULT: &str =
    "stage INTEGER NOT NULL, trial INTEGER NOT NULL, worker INTEGER NOT NULL, elapsed_us INTEGER NOT NULL";

/// Makes `directory/redqueen.sqlite` of a format, with these tables of results and two workers.
pub(crate) fn create(directory: &Path, format: u32, results: &str) -> Connection {
    let conn = Connection::open(directory.join("redqueen.sqlite")).expect("a database");
    conn.pragma_update(None, "journal_mode", "WAL").expect("a log");
    conn.pragma_update(None, "synchronous", "OFF").expect("no waiting in tests");
    conn.execute_batch(&format!(
        "CREATE TABLE stages (stage INTEGER PRIMARY KEY, name TEXT NOT NULL, trials INTEGER NOT NULL, \
         shape TEXT NOT NULL, spec TEXT NOT NULL, state TEXT NOT NULL, closed_at TEXT, fold TEXT) STRICT;
         CREATE TABLE workers (worker INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, threads INTEGER NOT NULL, \
         first_seen_at TEXT NOT NULL) STRICT;
         INSERT INTO workers VALUES (1, 'north', 2, ''), (2, 'south', 2, '');
         {results}
         PRAGMA user_version = {format};"
    ))
    .expect("tables");
    conn
}

/// Stores a stage; its fold, if it has one, once it is closed.
pub(crate) fn insert_stage(conn: &Connection, spec: &Value, closed: bool, fold: Option<&Value>) {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    conn.execute(
        "INSERT INTO stages VALUES (?1, ?2, ?3, ?4, ?5, ?6, NULL, ?7)",
        (
            spec["index"].as_i64(),
            text(&spec["name"]),
            spec["trials"].as_i64(),
            text(&spec["shape"]["name"]),
            spec.to_string(),
            if closed { "closed" } else { "open" },
            fold.filter(|_| closed).map(Value::to_string),
        ),
    )
    .expect("a stage");
}
