//! How a run stands, from the few rows that say so.

use std::path::Path;

use record::Shape;
use rusqlite::{Connection, OptionalExtension as _};
use serde_json::Value;

use super::{
    super::{DATABASE, Error, connect_to_read, error::unreadable, read, schema},
    trials::has,
};
use crate::ids::RunId;

/// A run and its stages, without what is in them.
#[derive(Clone, Debug, PartialEq)]
pub struct Outline {
    /// Its id.
    pub id: RunId,
    /// Name of the experiment.
    pub name: String,
    /// State, as [`super::super::Summary`] has it.
    pub state: String,
    /// Version of redqueen that made the run.
    pub version: String,
    /// False where a player has a time budget.
    pub reproducible: bool,
    /// When it was made: RFC 3339, UTC.
    pub created_at: String,
    /// When it ended, if it has.
    pub ended_at: Option<String>,
    /// Hash of what its results depend on.
    pub experiment_hash: String,
    /// Facts of the first stage: kind, game, title, paper, seed.
    pub facts: Value,
    /// Trials that the stages behind the last one are expected to have.
    pub ahead: u64,
    /// Number of the newest event; 0 if there is none.
    pub newest_event: u64,
    /// Workers whose results are not believed any more.
    pub distrusted: Vec<String>,
    /// Trials of which two results differ.
    pub disputed: u64,
    /// Every stage so far, in order; the last is open unless the run has ended.
    pub stages: Vec<StageOutline>,
}

/// A stage without its trials.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageOutline {
    /// Position in the run, from 0.
    pub index: u32,
    /// Its name, for people.
    pub name: String,
    /// Its trials.
    pub trials: u64,
    /// Name of its shape.
    pub shape: String,
    /// When it was closed, if it is.
    pub closed_at: Option<String>,
    /// What its fold says in a line; empty where there is none.
    pub headline: String,
    /// Its quarantined trials.
    pub quarantined: u64,
}

impl Outline {
    /// Stages that are closed.
    pub fn closed(&self) -> usize {
        self.stages.iter().filter(|stage| stage.closed_at.is_some()).count()
    }
}

/// The outline of the run in `directory`.
///
/// # Errors
/// There is no run, or its database cannot be read.
pub fn outline(directory: &Path) -> Result<Outline, Error> {
    let conn = connect_to_read(directory)?;
    let outline = of(&conn).map_err(|error| Error::database(&directory.join(DATABASE), error))?;
    Ok(Outline { state: read::present(directory, outline.state), ..outline })
}

fn of(conn: &Connection) -> rusqlite::Result<Outline> {
    let stages = conn
        .prepare(
            "SELECT s.stage, s.name, s.trials, s.shape, s.closed_at, json_extract(s.fold, '$.headline'), \
             (SELECT COUNT(*) FROM quarantined q WHERE q.stage = s.stage) FROM stages s ORDER BY s.stage",
        )?
        .query_map([], |row| {
            Ok(StageOutline {
                index: row.get(0)?,
                name: row.get(1)?,
                trials: row.get::<_, i64>(2)?.unsigned_abs(),
                shape: row.get(3)?,
                closed_at: row.get(4)?,
                headline: row.get::<_, Option<String>>(5)?.unwrap_or_default(),
                quarantined: row.get::<_, i64>(6)?.unsigned_abs(),
            })
        })?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    let facts: Option<String> = conn
        .query_row("SELECT json_extract(spec, '$.meta') FROM stages ORDER BY stage LIMIT 1", [], |row| row.get(0))
        .optional()?
        .flatten();
    let ahead: Option<i64> = conn
        .query_row("SELECT json_extract(spec, '$.ahead') FROM stages ORDER BY stage DESC LIMIT 1", [], |row| row.get(0))
        .optional()?
        .flatten();
    let (distrusted, disputed) = doubts(conn)?;
    let newest_event: i64 = conn.query_row("SELECT COALESCE(MAX(event), 0) FROM events", [], |row| row.get(0))?;
    let sql = "SELECT id, name, state, version, reproducible, created_at, ended_at, experiment_hash FROM run";
    conn.query_row(sql, [], |row| {
        let id: String = row.get(0)?;
        Ok(Outline {
            id: RunId::from_hex(&id).ok_or_else(|| unreadable(format!("`{id}` is not the id of a run")))?,
            name: row.get(1)?,
            state: row.get(2)?,
            version: row.get(3)?,
            reproducible: row.get(4)?,
            created_at: row.get(5)?,
            ended_at: row.get(6)?,
            experiment_hash: row.get(7)?,
            facts: facts.as_deref().map(serde_json::from_str).transpose().map_err(unreadable)?.unwrap_or_default(),
            ahead: ahead.unwrap_or_default().unsigned_abs(),
            newest_event: newest_event.unsigned_abs(),
            distrusted,
            disputed,
            stages,
        })
    })
}

/// Workers that are not believed, and trials of which results differ.
fn doubts(conn: &Connection) -> rusqlite::Result<(Vec<String>, u64)> {
    if !has(conn, "claims")? {
        return Ok((Vec::new(), 0));
    }
    let workers = conn
        .prepare("SELECT worker FROM distrusted ORDER BY worker")?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let trials = "SELECT COUNT(*) FROM (SELECT DISTINCT stage, trial FROM claims)";
    Ok((workers, conn.query_row(trials, [], |row| row.get::<_, i64>(0))?.unsigned_abs()))
}

/// Stored trials of a stage of the run in `directory`, counted.
///
/// # Errors
/// There is no run, or its database cannot be read.
pub fn count(directory: &Path, stage: &StageOutline) -> Result<u64, Error> {
    let conn = connect_to_read(directory)?;
    let shape = Shape { name: stage.shape.clone(), columns: Vec::new() };
    let sql = format!("SELECT COUNT(*) FROM \"{}\" WHERE stage = ?1", schema::results_table(&shape));
    let counted = conn.query_row(&sql, [stage.index], |row| row.get::<_, i64>(0));
    counted.map(i64::unsigned_abs).map_err(|error| Error::database(&directory.join(DATABASE), error))
}
