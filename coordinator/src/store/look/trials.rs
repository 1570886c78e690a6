//! Trials of a stage: rows of a page, and all that is known of one.

use std::path::Path;

use record::{Row, Stage};
use rusqlite::{Connection, OptionalExtension as _, params};

use super::super::{DATABASE, Error, connect_to_read, schema, stored::read_value};

/// The stored result of a trial.
#[derive(Clone, Debug, PartialEq)]
pub struct TrialRow {
    /// The trial.
    pub trial: u64,
    /// The worker that delivered it.
    pub worker: String,
    /// Microseconds on its executor.
    pub elapsed_us: u64,
    /// Values of the columns of the stage's shape.
    pub row: Row,
}

/// A page of trials.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Given {
    /// Stored results, by trial.
    pub rows: Vec<TrialRow>,
    /// Trials that were given up, by trial.
    pub quarantined: Vec<u64>,
}

/// An attempt that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Its number, from 1.
    pub attempt: u32,
    /// The worker.
    pub worker: String,
    /// Why it failed.
    pub error: String,
    /// When: RFC 3339, UTC.
    pub at: String,
}

/// A result that differs from the stored one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The worker that delivered it.
    pub worker: String,
    /// Its pure columns, a JSON list.
    pub row: String,
    /// When: RFC 3339, UTC.
    pub at: String,
}

/// All that is known of one trial.
#[derive(Clone, Debug, PartialEq)]
pub struct Looked {
    /// Its stored result.
    pub result: Option<TrialRow>,
    /// Whether it was given up.
    pub quarantined: bool,
    /// Attempts that failed, in their order.
    pub attempts: Vec<Attempt>,
    /// Results that differ from the stored one.
    pub claims: Vec<Claim>,
}

/// What is stored of the trials `from..from + limit` of a stage of the run in `directory`.
///
/// # Errors
/// There is no run, or its database cannot be read.
pub fn trials(directory: &Path, stage: &Stage, from: u64, limit: u32) -> Result<Given, Error> {
    let conn = connect_to_read(directory)?;
    let (first, last) = (whole(from), whole(from.saturating_add(limit.into())));
    let read = || -> rusqlite::Result<Given> {
        let rows = rows(&conn, stage, first, last)?;
        let quarantined = conn
            .prepare("SELECT trial FROM quarantined WHERE stage = ?1 AND trial >= ?2 AND trial < ?3 ORDER BY trial")?
            .query_map(params![stage.index, first, last], |row| row.get::<_, i64>(0).map(i64::unsigned_abs))?
            .collect::<rusqlite::Result<_>>()?;
        Ok(Given { rows, quarantined })
    };
    read().map_err(|error| Error::database(&directory.join(DATABASE), error))
}

/// What the run in `directory` knows of one trial.
///
/// # Errors
/// There is no run, or its database cannot be read.
pub fn looked(directory: &Path, stage: &Stage, trial: u64) -> Result<Looked, Error> {
    let conn = connect_to_read(directory)?;
    let (index, trial) = (stage.index, whole(trial));
    let read = || -> rusqlite::Result<Looked> {
        let attempts = conn
            .prepare(
                "SELECT attempt, worker, error, at FROM failures WHERE stage = ?1 AND trial = ?2 ORDER BY attempt",
            )?
            .query_map(params![index, trial], |row| {
                Ok(Attempt { attempt: row.get(0)?, worker: row.get(1)?, error: row.get(2)?, at: row.get(3)? })
            })?
            .collect::<rusqlite::Result<_>>()?;
        let claims = if has(&conn, "claims")? {
            conn.prepare("SELECT worker, row, at FROM claims WHERE stage = ?1 AND trial = ?2 ORDER BY at, worker")?
                .query_map(params![index, trial], |row| {
                    Ok(Claim { worker: row.get(0)?, row: row.get(1)?, at: row.get(2)? })
                })?
                .collect::<rusqlite::Result<_>>()?
        } else {
            Vec::new()
        };
        let quarantined = conn
            .query_row("SELECT 1 FROM quarantined WHERE stage = ?1 AND trial = ?2", params![index, trial], |_| Ok(()))
            .optional()?
            .is_some();
        let result = rows(&conn, stage, trial, trial.saturating_add(1))?.pop();
        Ok(Looked { result, quarantined, attempts, claims })
    };
    read().map_err(|error| Error::database(&directory.join(DATABASE), error))
}

/// Stored results of the trials `first..last`, by trial.
fn rows(conn: &Connection, stage: &Stage, first: i64, last: i64) -> rusqlite::Result<Vec<TrialRow>> {
    let columns: String = stage.shape.columns.iter().map(|column| format!(", r.\"{}\"", column.name)).collect();
    let sql = format!(
        "SELECT r.trial, w.name, r.elapsed_us{columns} FROM \"{}\" r LEFT JOIN workers w ON w.worker = r.worker \
         WHERE r.stage = ?1 AND r.trial >= ?2 AND r.trial < ?3 ORDER BY r.trial",
        schema::results_table(&stage.shape)
    );
    conn.prepare(&sql)?
        .query_map(params![stage.index, first, last], |row| {
            let values =
                stage.shape.columns.iter().enumerate().map(|(at, column)| read_value(row, 3 + at, column.kind));
            Ok(TrialRow {
                trial: row.get::<_, i64>(0)?.unsigned_abs(),
                worker: row.get::<_, Option<String>>(1)?.unwrap_or_default(),
                elapsed_us: row.get::<_, i64>(2)?.unsigned_abs(),
                row: values.collect::<rusqlite::Result<_>>()?,
            })
        })?
        .collect()
}

/// Whether the database has a table; databases of format 2 lack some.
pub(super) fn has(conn: &Connection, table: &str) -> rusqlite::Result<bool> {
    let sql = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1";
    Ok(conn.query_row(sql, [table], |_| Ok(())).optional()?.is_some())
}

/// An index as SQLite has it.
pub(super) fn whole(index: u64) -> i64 {
    i64::try_from(index).unwrap_or(i64::MAX)
}
