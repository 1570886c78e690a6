//! Retrying quarantined trials.

use std::{collections::BTreeSet, fs, io, path::Path};

use record::{
    Stage,
    files::{RESULTS, stage_file, stage_name},
};
use rusqlite::{Transaction, params};
use serde_json::json;

use super::{error::unreadable, events, read::stages, schema};
use crate::core::RunState;
use experiments::plan::Artifact;

/// Why no trial is retried.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Every trial has its result.
    #[error("no trial of the run's open stage is quarantined")]
    Nothing,
    /// The run ended without quarantined trials.
    #[error("the run is {}: there is nothing to retry", .0.name())]
    Ended(RunState),
    /// Later stages would be dropped, which the caller did not allow.
    #[error(
        "{stages} later stages with {trials} stored trials follow from stage {stage}, which lacks a trial; they would \
         have to be run again"
    )]
    Later {
        /// The stage that would be reopened.
        stage: u32,
        /// How many stages follow it.
        stages: usize,
        /// How many trials of those are stored.
        trials: u64,
    },
}

/// Makes quarantined trials wait again and a failed run go on.
pub(super) fn retry(
    tx: &Transaction<'_>,
    directory: &Path,
    discard_later: bool,
) -> rusqlite::Result<Result<(), Refused>> {
    let state: String = tx.query_row("SELECT state FROM run", [], |row| row.get(0))?;
    let state = RunState::from_name(&state).ok_or_else(|| unreadable(format!("`{state}` is not a state of a run")))?;
    let first = match state {
        RunState::Running | RunState::Paused => {
            "SELECT MIN(stage) FROM quarantined WHERE stage = (SELECT MAX(stage) FROM stages)"
        }
        RunState::Failed => "SELECT MIN(stage) FROM quarantined",
        RunState::Finished | RunState::Cancelled => return Ok(Err(Refused::Ended(state))),
    };
    let Some(first) = tx.query_row(first, [], |row| row.get::<_, Option<u32>>(0))? else {
        return Ok(Err(Refused::Nothing));
    };
    let (kept, later): (Vec<Stage>, Vec<Stage>) = stages(tx)?.into_iter().partition(|stage| stage.index <= first);
    let mut trials = 0;
    for stage in &later {
        let sql = format!("SELECT COUNT(*) FROM \"{}\" WHERE stage = ?1", schema::results_table(&stage.shape));
        trials += tx.query_row(&sql, [stage.index], |row| row.get::<_, i64>(0))?.unsigned_abs();
    }
    if !later.is_empty() && !discard_later {
        return Ok(Err(Refused::Later { stage: first, stages: later.len(), trials }));
    }
    drop_stages(tx, &later)?;
    drop_artifacts(tx, &kept)?;
    tx.execute(
        "DELETE FROM failures WHERE stage = ?1 AND trial IN (SELECT trial FROM quarantined WHERE stage = ?1)",
        [first],
    )?;
    let waiting = tx.execute("DELETE FROM quarantined WHERE stage = ?1", [first])?;
    tx.execute("UPDATE stages SET state = 'open', closed_at = NULL, fold = NULL WHERE stage = ?1", [first])?;
    tx.execute("UPDATE run SET state = ?1, ended_at = NULL", [RunState::Running.name()])?;
    let detail = json!({
        "stage": first, "trials": waiting, "discarded_stages": later.len(), "discarded_trials": trials,
    });
    events::insert(tx, "retried", &detail)?;
    for stage in kept.last().into_iter().chain(&later) {
        drop_exported(directory, stage);
    }
    Ok(Ok(()))
}

/// Drops stages and everything stored of them; returns the number of dropped results.
pub(super) fn drop_stages(tx: &Transaction<'_>, stages: &[Stage]) -> rusqlite::Result<u64> {
    let mut results = 0;
    for stage in stages {
        let sql = format!("DELETE FROM \"{}\" WHERE stage = ?1", schema::results_table(&stage.shape));
        results += tx.execute(&sql, [stage.index])? as u64;
        for table in ["failures", "quarantined", "claims", "stages"] {
            tx.execute(&format!("DELETE FROM {table} WHERE stage = ?1"), [stage.index])?;
        }
    }
    Ok(results)
}

/// Drops artifacts that no remaining stage names, among its own or in its facts, but for the experiment's own files: later stages
/// may need those.
pub(super) fn drop_artifacts(tx: &Transaction<'_>, kept: &[Stage]) -> rusqlite::Result<()> {
    let own: BTreeSet<&String> = kept.iter().flat_map(|stage| &stage.artifacts).collect();
    let facts: Vec<String> = kept.iter().map(|stage| stage.meta.to_string()).collect();
    let named = |hash: &String| own.contains(hash) || facts.iter().any(|facts| facts.contains(hash.as_str()));
    let hashes = tx
        .prepare("SELECT hash FROM artifacts WHERE kind != ?1")?
        .query_map([Artifact::FILE], |row| row.get(0))?
        .collect::<rusqlite::Result<Vec<String>>>()?;
    let mut delete = tx.prepare("DELETE FROM artifacts WHERE hash = ?1")?;
    hashes.iter().filter(|hash| !named(hash)).try_for_each(|hash| delete.execute(params![hash]).map(drop))
}

/// Removes the exported file of a stage that was reopened or dropped, in its shape's folder and where version 0.1.0 had it.
/// This precedes the commit: a crash in between leaves a file to be exported again, not a file without results.
pub(super) fn drop_exported(directory: &Path, stage: &Stage) {
    let results = directory.join(RESULTS);
    for path in [results.join(stage_file(&stage.shape.name, stage.index)), results.join(stage_name(stage.index))] {
        if let Err(error) = fs::remove_file(&path)
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!("cannot remove `{}`: {error}; it is out of date", path.display());
        }
    }
}
