//! Reading a run's directory, beside its writer if there is one.

use std::{collections::BTreeMap, path::Path};

use experiments::plan::Executor;
use record::Stage;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::{
    DATABASE, Error, connect_to_read,
    directory::is_held,
    error::unreadable,
    read_experiment, schema,
    stored::{self, StoredArtifacts},
};
use crate::{core::RunState, ids::RunId};

/// Summary of a run, from its database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// 32 hexadecimal digits.
    pub id: String,
    /// Name of the experiment.
    pub name: String,
    /// `running`, `paused`, `finished`, `failed` or `cancelled`; `interrupted` if it should run and no process has it.
    pub state: String,
    /// Version of redqueen that made the run.
    pub version: String,
    /// False where a player has a time budget.
    pub reproducible: bool,
    /// Index of the open or last stage.
    pub stage: u32,
    /// Its name.
    pub stage_name: String,
    /// Its trials.
    pub trials: u64,
    /// Stored trials of the stage.
    pub stored: u64,
    /// Quarantined trials of the stage.
    pub quarantined: u64,
    /// Stored trials of all stages.
    pub stored_in_all: u64,
}

/// A quarantined trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Its stage.
    pub stage: u32,
    /// Its index.
    pub trial: u64,
    /// The error of its last attempt.
    pub error: String,
    /// The worker of the last attempt.
    pub worker: String,
}

/// Summary of the run in `directory`.
///
/// # Errors
/// There is no run, or its database cannot be read.
pub fn summary(directory: &Path) -> Result<Summary, Error> {
    let conn = connect_to_read(directory)?;
    let summary = summarise(&conn).map_err(|error| Error::database(&directory.join(DATABASE), error))?;
    Ok(Summary { state: present(directory, summary.state), ..summary })
}

/// State of the run in `directory`, as [`Summary`] has it.
///
/// # Errors
/// There is no run, or its database cannot be read.
pub fn state(directory: &Path) -> Result<String, Error> {
    let conn = connect_to_read(directory)?;
    let state = conn.query_row("SELECT state FROM run", [], |row| row.get(0));
    state.map(|state| present(directory, state)).map_err(|error| Error::database(&directory.join(DATABASE), error))
}

/// The present state: a process that was killed leaves `running` in the database.
pub(super) fn present(directory: &Path, stored: String) -> String {
    let left = stored == RunState::Running.name() && !is_held(directory);
    if left { "interrupted".to_owned() } else { stored }
}

fn summarise(conn: &Connection) -> rusqlite::Result<Summary> {
    let stages = stages(conn)?;
    let last = stages.last().ok_or(rusqlite::Error::QueryReturnedNoRows)?;
    let count = |stage: &Stage| -> rusqlite::Result<u64> {
        let sql = format!("SELECT COUNT(*) FROM \"{}\" WHERE stage = ?1", schema::results_table(&stage.shape));
        conn.query_row(&sql, [stage.index], |row| row.get::<_, i64>(0)).map(|n| n as u64)
    };
    let mut stored_in_all = 0;
    for stage in &stages {
        stored_in_all += count(stage)?;
    }
    let quarantined: i64 =
        conn.query_row("SELECT COUNT(*) FROM quarantined WHERE stage = ?1", [last.index], |row| row.get(0))?;
    let stored = count(last)?;
    let summary = conn.query_row("SELECT id, name, state, version, reproducible FROM run", [], |row| {
        Ok(Summary {
            id: row.get(0)?,
            name: row.get(1)?,
            state: row.get(2)?,
            version: row.get(3)?,
            reproducible: row.get(4)?,
            stage: last.index,
            stage_name: last.name.clone(),
            trials: last.trials,
            stored,
            quarantined: quarantined as u64,
            stored_in_all,
        })
    })?;
    match RunId::from_hex(&summary.id) {
        Some(_) => Ok(summary),
        None => Err(unreadable(format!("`{}` is not the id of a run", summary.id))),
    }
}

/// The share of a worker in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Share {
    /// Its name.
    pub worker: String,
    /// Trials whose result it delivered.
    pub trials: u64,
    /// Seconds that its executors spent on them.
    pub secs: f64,
}

/// The shares of the workers in the run in `directory`, the largest first.
///
/// # Errors
/// There is no run, or its database cannot be read.
pub fn shares(directory: &Path) -> Result<Vec<Share>, Error> {
    let conn = connect_to_read(directory)?;
    let read = || -> rusqlite::Result<Vec<Share>> {
        let mut tables: Vec<String> = stages(&conn)?.iter().map(|stage| schema::results_table(&stage.shape)).collect();
        tables.sort();
        tables.dedup();
        let mut shares: BTreeMap<String, (u64, i64)> = BTreeMap::new();
        for table in tables {
            let sql = format!(
                "SELECT name, COUNT(*), SUM(elapsed_us) FROM \"{table}\" JOIN workers USING (worker) GROUP BY worker"
            );
            let mut statement = conn.prepare(&sql)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let share = shares.entry(row.get(0)?).or_default();
                share.0 += row.get::<_, i64>(1)?.unsigned_abs();
                share.1 += row.get::<_, i64>(2)?;
            }
        }
        let share = |(worker, (trials, us))| Share { worker, trials, secs: us as f64 * 1e-6 };
        let mut shares: Vec<Share> = shares.into_iter().map(share).collect();
        shares.sort_by(|a, b| b.trials.cmp(&a.trials).then_with(|| a.worker.cmp(&b.worker)));
        Ok(shares)
    };
    read().map_err(|error| Error::database(&directory.join(DATABASE), error))
}

/// When things happened in a run: RFC 3339, UTC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Times {
    /// When the run was made.
    pub created: String,
    /// When it ended, if it has.
    pub ended: Option<String>,
    /// When each stage was closed, in order; `None` of the open one.
    pub closed: Vec<Option<String>>,
}

/// When things happened in the run in `directory`.
///
/// # Errors
/// There is no run, or its database cannot be read.
pub fn times(directory: &Path) -> Result<Times, Error> {
    let conn = connect_to_read(directory)?;
    let read = || -> rusqlite::Result<Times> {
        let (created, ended) =
            conn.query_row("SELECT created_at, ended_at FROM run", [], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let mut stages = conn.prepare("SELECT closed_at FROM stages ORDER BY stage")?;
        let closed = stages.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
        Ok(Times { created, ended, closed })
    };
    read().map_err(|error| Error::database(&directory.join(DATABASE), error))
}

/// The quarantined trials of the run in `directory`.
///
/// # Errors
/// There is no run, or its database cannot be read.
pub fn failures(directory: &Path) -> Result<Vec<Failure>, Error> {
    let conn = connect_to_read(directory)?;
    let read = || -> rusqlite::Result<Vec<Failure>> {
        conn.prepare(
            "SELECT q.stage, q.trial, f.error, f.worker FROM quarantined q \
             JOIN failures f ON f.stage = q.stage AND f.trial = q.trial \
             WHERE f.attempt = (SELECT MAX(attempt) FROM failures g WHERE g.stage = f.stage AND g.trial = f.trial) \
             ORDER BY q.stage, q.trial",
        )?
        .query_map([], |row| {
            Ok(Failure {
                stage: row.get(0)?,
                trial: row.get::<_, i64>(1)? as u64,
                error: row.get(2)?,
                worker: row.get(3)?,
            })
        })?
        .collect()
    };
    read().map_err(|error| Error::database(&directory.join(DATABASE), error))
}

/// Stage `index` of the run in `directory`, if the run has come so far.
///
/// # Errors
/// There is no run, or its database cannot be read.
pub fn stage(directory: &Path, index: u32) -> Result<Option<Stage>, Error> {
    let conn = connect_to_read(directory)?;
    let spec = conn.query_row("SELECT spec FROM stages WHERE stage = ?1", [index], |row| {
        let spec: String = row.get(0)?;
        serde_json::from_str(&spec).map_err(unreadable)
    });
    spec.optional().map_err(|error| Error::database(&directory.join(DATABASE), error))
}

/// A stage and an executor that runs its trials again.
pub struct Rerun {
    /// The stage.
    pub stage: Stage,
    /// What runs its trials.
    pub executor: Box<dyn Executor>,
}

/// An executor for the trials of stage `index` of the run in `directory`; `None` if the run has not reached it.
///
/// # Errors
/// There is no run, its database cannot be read, or this version cannot run the stage.
pub fn rerun(directory: &Path, index: u32) -> Result<Option<Rerun>, Error> {
    let experiment = read_experiment(directory)?;
    let Some(stage) = stage(directory, index)? else { return Ok(None) };
    let conn = connect_to_read(directory)?;
    let executor = experiments::plan(&experiment)
        .executor(&stage, &StoredArtifacts(&conn))
        .map_err(|error| Error::plan(directory, &directory.join(DATABASE), error))?;
    Ok(Some(Rerun { stage, executor }))
}

/// An artifact of the run in `directory`.
///
/// # Errors
/// There is no run or no such artifact, or the database cannot be read.
pub fn artifact(directory: &Path, hash: &str) -> Result<Vec<u8>, Error> {
    let conn = connect_to_read(directory)?;
    stored::artifact(&conn, hash).map_err(|error| Error::database(&directory.join(DATABASE), error))
}

/// A stage and its fold.
#[derive(Clone, Debug, PartialEq)]
pub struct Folded {
    /// The stage.
    pub stage: Stage,
    /// Its fold; `None` while it is open.
    pub fold: Option<serde_json::Value>,
}

/// Every stage of the run in `directory` so far, in order, with its fold.
///
/// # Errors
/// There is no run, or its database cannot be read.
pub fn folded(directory: &Path) -> Result<Vec<Folded>, Error> {
    let conn = connect_to_read(directory)?;
    let read = || -> rusqlite::Result<Vec<Folded>> {
        let folds: Vec<Option<String>> = conn
            .prepare("SELECT fold FROM stages ORDER BY stage")?
            .query_map([], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        let fold = |fold: Option<String>| fold.and_then(|fold| serde_json::from_str(&fold).ok());
        Ok(stages(&conn)?.into_iter().zip(folds).map(|(stage, text)| Folded { stage, fold: fold(text) }).collect())
    };
    read().map_err(|error| Error::database(&directory.join(DATABASE), error))
}

/// Checks that a closed stage has all its rows, since a damaged table can end early without an error of SQLite.
pub(super) fn check_closed(conn: &Connection, stage: &Stage, rows: u64) -> rusqlite::Result<()> {
    let quarantined: Option<i64> = conn
        .query_row(
            "SELECT (SELECT COUNT(*) FROM quarantined WHERE stage = ?1) FROM stages \
             WHERE stage = ?1 AND state = 'closed'",
            params![stage.index],
            |row| row.get(0),
        )
        .optional()?;
    match quarantined {
        Some(quarantined) if rows.saturating_add(quarantined as u64) < stage.trials || rows > stage.trials => {
            Err(unreadable(format!(
                "stage {} is closed with {rows} of {} trials, {quarantined} quarantined",
                stage.index, stage.trials
            )))
        }
        _ => Ok(()),
    }
}

/// Every stage so far, in order.
pub(super) fn stages(conn: &Connection) -> rusqlite::Result<Vec<Stage>> {
    conn.prepare("SELECT spec FROM stages ORDER BY stage")?
        .query_map([], |row| {
            let spec: String = row.get(0)?;
            serde_json::from_str(&spec).map_err(unreadable)
        })?
        .collect()
}
