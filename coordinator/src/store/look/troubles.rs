//! Trials with which something is wrong, in the order of their indices.

use std::path::Path;

use rusqlite::params;

use super::{
    super::{DATABASE, Error, connect_to_read},
    trials::{has, whole},
};

/// What is wrong with a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// An attempt failed.
    Failed,
    /// It was given up.
    GivenUp,
    /// Two results of it differ.
    Disputed,
}

/// A trial with which something is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Troubled {
    /// Its stage.
    pub stage: u32,
    /// Its index.
    pub trial: u64,
    /// Attempts that failed.
    pub attempts: u32,
    /// The worker of the last one, or one that claims another result.
    pub worker: String,
    /// The error of the last attempt; empty where there is none.
    pub error: String,
}

/// At most `limit` trials of the run in `directory`, those behind trial `after` (its stage and index).
///
/// # Errors
/// There is no run, or its database cannot be read.
pub fn troubled(
    directory: &Path,
    trouble: Trouble,
    after: Option<(u32, u64)>,
    limit: u32,
) -> Result<Vec<Troubled>, Error> {
    let conn = connect_to_read(directory)?;
    // Each of these tables has (stage, trial) first in its key.
    let table = match trouble {
        Trouble::Failed => "failures",
        Trouble::GivenUp => "quarantined",
        Trouble::Disputed => "claims",
    };
    let (stage, trial) = after.map_or((-1, -1), |(stage, trial)| (i64::from(stage), whole(trial)));
    let read = || -> rusqlite::Result<Vec<Troubled>> {
        if !has(&conn, table)? {
            return Ok(Vec::new());
        }
        let disputing = match trouble {
            Trouble::Disputed => "(SELECT MIN(worker) FROM claims c WHERE c.stage = t.stage AND c.trial = t.trial)",
            Trouble::Failed | Trouble::GivenUp => "f.worker",
        };
        let sql = format!(
            "SELECT t.stage, t.trial, COALESCE(f.attempt, 0), COALESCE({disputing}, ''), COALESCE(f.error, '') \
             FROM (SELECT DISTINCT stage, trial FROM {table} WHERE (stage, trial) > (?1, ?2) \
             ORDER BY stage, trial LIMIT ?3) t \
             LEFT JOIN failures f ON f.stage = t.stage AND f.trial = t.trial AND f.attempt = \
             (SELECT MAX(attempt) FROM failures g WHERE g.stage = t.stage AND g.trial = t.trial) \
             ORDER BY t.stage, t.trial"
        );
        conn.prepare(&sql)?
            .query_map(params![stage, trial, limit], |row| {
                Ok(Troubled {
                    stage: row.get(0)?,
                    trial: row.get::<_, i64>(1)?.unsigned_abs(),
                    attempts: row.get(2)?,
                    worker: row.get(3)?,
                    error: row.get(4)?,
                })
            })?
            .collect()
    };
    read().map_err(|error| Error::database(&directory.join(DATABASE), error))
}

/// An attempt of a trial that failed on a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedOn {
    /// Stage of the trial.
    pub stage: u32,
    /// The trial.
    pub trial: u64,
    /// Why it failed.
    pub error: String,
    /// When: RFC 3339, UTC.
    pub at: String,
}

/// The newest attempts that failed on `worker` in the run in `directory`, at most `limit`.
///
/// # Errors
/// There is no run, or its database cannot be read.
pub fn failed_by(directory: &Path, worker: &str, limit: u32) -> Result<Vec<FailedOn>, Error> {
    let conn = connect_to_read(directory)?;
    let read = || -> rusqlite::Result<Vec<FailedOn>> {
        conn.prepare(
            "SELECT stage, trial, error, at FROM failures WHERE worker = ?1 ORDER BY at DESC, stage, trial LIMIT ?2",
        )?
        .query_map(params![worker, limit], |row| {
            Ok(FailedOn {
                stage: row.get(0)?,
                trial: row.get::<_, i64>(1)?.unsigned_abs(),
                error: row.get(2)?,
                at: row.get(3)?,
            })
        })?
        .collect()
    };
    read().map_err(|error| Error::database(&directory.join(DATABASE), error))
}
