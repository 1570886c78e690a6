//! Reading a run from its database.

use std::{collections::BTreeMap, ops::Range};

use experiments::{Experiment, plan::Opening};
use record::Stage;
use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params};
use serde_json::json;

use super::{error::unreadable, events, quota, schema, stored::store_artifacts, time};
use crate::{
    core::{OpenRun, RunState, StageView},
    ids::RunId,
    ranges::RangeSet,
};

/// What a store needs to go on with a run.
pub(super) struct Loaded {
    pub(super) open: OpenRun,
    pub(super) stage: Stage,
    pub(super) workers: BTreeMap<String, i64>,
    pub(super) headline: String,
}

/// Fills the database of a new run.
pub(super) fn begin(conn: &Connection, experiment: &Experiment, first: &Opening) -> rusqlite::Result<()> {
    schema::create(conn)?;
    let version = env!("CARGO_PKG_VERSION");
    conn.execute(
        "INSERT INTO run (id, name, version, experiment_hash, state, reproducible, created_at) \
         VALUES (?, ?, ?, ?, 'running', ?, ?)",
        params![
            id_of(experiment),
            experiment.name(),
            version,
            experiment.hash(),
            experiment.reproducible(),
            time::now()
        ],
    )?;
    store_artifacts(conn, &first.artifacts)?;
    open_stage(conn, &first.stage)?;
    events::insert(conn, "created", &json!({ "version": version }))
}

/// The id of an experiment's run: 16 bytes of a hash.
pub(super) fn id_of(experiment: &Experiment) -> String {
    experiment.id()[..32].to_owned()
}

/// Migrates the database of the run with this resolved text to the present format.
pub(super) fn migrate(conn: &mut Connection, resolved: &str) -> rusqlite::Result<()> {
    let hash = blake3::hash(Experiment::results_of(resolved).as_bytes()).to_hex().to_string();
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if let Some(found) = schema::migrate(&tx, &hash)? {
        tracing::info!("a database of format {found} is of format {} now", schema::FORMAT);
        let detail = json!({ "from": found, "to": schema::FORMAT, "version": env!("CARGO_PKG_VERSION") });
        events::insert(&tx, "migrated", &detail)?;
    }
    tx.commit()
}

/// Reads the run; `audit` is the share of its trials that are audited.
pub(super) fn load(tx: &Transaction<'_>, audit: f64) -> rusqlite::Result<Loaded> {
    let (id, state): (String, String) =
        tx.query_row("SELECT id, state FROM run", [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let run = RunId::from_hex(&id).ok_or_else(|| unreadable(format!("`{id}` is not the id of a run")))?;
    let state = RunState::from_name(&state).ok_or_else(|| unreadable(format!("`{state}` is not a state of a run")))?;
    let spec: String = tx.query_row("SELECT spec FROM stages ORDER BY stage DESC LIMIT 1", [], |row| row.get(0))?;
    let stage: Stage = serde_json::from_str(&spec).map_err(unreadable)?;
    let quarantined = tx
        .prepare("SELECT trial FROM quarantined WHERE stage = ?1")?
        .query_map([stage.index], |row| row.get::<_, i64>(0).map(|trial| one(trial as u64)))?
        .collect::<rusqlite::Result<RangeSet>>()?;
    // The workers of an ended run are not needed, and a coordinator may have hundreds of such runs.
    let audit = if state.is_ended() { 0.0 } else { audit };
    let stored = match state {
        RunState::Finished | RunState::Failed => BTreeMap::from([(String::new(), all_but(&stage, &quarantined))]),
        _ => stored(tx, &stage)?,
    };
    let outside = |set: &RangeSet| set.iter().last().is_some_and(|range| range.end > stage.trials);
    if stored.values().any(outside) || outside(&quarantined) {
        return Err(unreadable(format!("stage {} has {} trials, and one beyond is stored", stage.index, stage.trials)));
    }
    let failures = tx
        .prepare("SELECT trial, MAX(attempt) FROM failures WHERE stage = ?1 GROUP BY trial")?
        .query_map([stage.index], |row| Ok((row.get::<_, i64>(0)? as u64, row.get::<_, u32>(1)?)))?
        .collect::<rusqlite::Result<BTreeMap<u64, u32>>>()?;
    let workers = tx
        .prepare("SELECT name, worker FROM workers")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let fold: Option<String> = tx
        .query_row("SELECT fold FROM stages WHERE fold IS NOT NULL ORDER BY stage DESC LIMIT 1", [], |row| row.get(0))
        .optional()?;
    let headline = fold.and_then(|fold| serde_json::from_str(&fold).ok()).map_or_else(String::new, |f| headline(&f));
    let disputes = disputes(tx, &stage)?;
    let distrusted = tx
        .prepare("SELECT worker FROM distrusted ORDER BY worker")?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let (stage_view, quota) = (view(&stage), quota::read(tx)?);
    let open =
        OpenRun { run, state, stage: stage_view, stored, quarantined, failures, audit, disputes, distrusted, quota };
    Ok(Loaded { open, stage, workers, headline })
}

/// Trials of a closed stage that are stored.
fn all_but(stage: &Stage, quarantined: &RangeSet) -> RangeSet {
    let mut stored: RangeSet = std::iter::once(0..stage.trials).collect();
    stored.remove_all(quarantined);
    stored
}

/// Stored trials of a stage with differing results, and the workers that gave one.
fn disputes(tx: &Transaction<'_>, stage: &Stage) -> rusqlite::Result<BTreeMap<u64, Vec<String>>> {
    let sql = format!(
        "SELECT c.trial, w.name, c.worker FROM claims c JOIN \"{}\" r ON r.stage = c.stage AND r.trial = c.trial \
         JOIN workers w ON w.worker = r.worker WHERE c.stage = ?1 ORDER BY c.trial, c.at, c.worker",
        schema::results_table(&stage.shape)
    );
    let mut statement = tx.prepare(&sql)?;
    let mut rows = statement.query([stage.index])?;
    let mut disputes: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let parties = disputes.entry(row.get::<_, i64>(0)? as u64).or_default();
        if parties.is_empty() {
            parties.push(row.get(1)?);
        }
        parties.push(row.get(2)?);
    }
    Ok(disputes)
}

/// Stored trials of a stage, by the worker that delivered them.
fn stored(tx: &Transaction<'_>, stage: &Stage) -> rusqlite::Result<BTreeMap<String, RangeSet>> {
    let sql = format!(
        "SELECT trial, worker FROM \"{}\" WHERE stage = ?1 ORDER BY trial",
        schema::results_table(&stage.shape)
    );
    let mut statement = tx.prepare(&sql)?;
    let mut rows = statement.query([stage.index])?;
    let mut by = BTreeMap::<i64, RangeSet>::new();
    // Neighbours of one worker are inserted as one range, since a stage may have millions of trials.
    let mut current: Option<(i64, Range<u64>)> = None;
    let mut put = |piece: Option<(i64, Range<u64>)>| {
        if let Some((worker, range)) = piece {
            by.entry(worker).or_default().insert(range);
        }
    };
    while let Some(row) = rows.next()? {
        let (trial, worker) = (row.get::<_, i64>(0)? as u64, row.get::<_, i64>(1)?);
        match &mut current {
            Some((of, range)) if *of == worker && range.end == trial => range.end += 1,
            _ => put(current.replace((worker, one(trial)))),
        }
    }
    put(current);
    let name = |worker| tx.query_row("SELECT name FROM workers WHERE worker = ?1", [worker], |row| row.get(0));
    by.into_iter().map(|(worker, set)| Ok((name(worker)?, set))).collect()
}

/// Adds a stage and makes it the open one.
pub(super) fn open_stage(conn: &Connection, stage: &Stage) -> rusqlite::Result<()> {
    schema::create_results(conn, &stage.shape)?;
    let spec =
        serde_json::to_string(stage).map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
    conn.execute(
        "INSERT INTO stages VALUES (?, ?, ?, ?, ?, 'open', NULL, NULL)",
        params![stage.index, stage.name, stage.trials as i64, stage.shape.name, spec],
    )
    .map(drop)
}

/// What scheduling needs of a stage.
pub(super) fn view(stage: &Stage) -> StageView {
    StageView {
        index: stage.index,
        name: stage.name.clone(),
        trials: stage.trials,
        ahead: stage.ahead,
        shape: stage.shape.clone(),
    }
}

/// The line for people in a fold.
pub(super) fn headline(fold: &serde_json::Value) -> String {
    fold["headline"].as_str().unwrap_or_default().to_owned()
}

fn one(trial: u64) -> Range<u64> {
    trial..trial.saturating_add(1)
}
