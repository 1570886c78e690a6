//! Going on with a run for longer: its stages as those of a longer experiment.
//!
//! The longer plan is followed from its first stage over what is stored. As long as it asks for the stage that is
//! there, that stays; where the run ended and the longer one does not, the stage that ended it is dropped or gets the
//! trials that it lacks, and is open. All of it is one transaction: a run is the old one or the longer one, whatever
//! happens.

use std::path::Path;

use experiments::{
    Experiment, Growth, Place,
    plan::{Closing, Next, Opening, Plan},
};
use record::{Stage, Value};
use rusqlite::{Transaction, params, types::ToSql};

use super::{
    Error,
    error::unreadable,
    load::open_stage,
    retry::{drop_artifacts, drop_exported, drop_stages},
    schema,
    stored::{Closed, StoredArtifacts, read_value, store_artifacts},
};

/// Rows that are moved at once.
const CHUNK: usize = 4_096;

/// What became of the stored stages of a run that was made longer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Grown {
    /// Whether a stage is open: there is more to do.
    pub(super) open: bool,
    /// Stages that have no place in the longer run, and their stored trials.
    pub(super) dropped_stages: usize,
    pub(super) dropped_trials: u64,
}

/// A run that is made longer.
pub(super) struct Longer<'a> {
    pub(super) tx: &'a Transaction<'a>,
    pub(super) database: &'a Path,
    pub(super) directory: &'a Path,
    pub(super) shorter: &'a Experiment,
    pub(super) longer: &'a Experiment,
    pub(super) plan: &'a dyn Plan,
}

impl Longer<'_> {
    /// Makes the stored stages those of the longer experiment.
    pub(super) fn regrow(&self) -> Result<Grown, Error> {
        let stored = self.stages()?;
        let mut grown = Grown::default();
        let mut next = Some(self.plan.first_stage());
        for (at, (stage, closed)) in stored.iter().enumerate() {
            let Some(Opening { stage: now, artifacts }) = next.take() else { break };
            match experiments::place(self.shorter, self.longer, stage, &now) {
                Place::Same => {
                    self.read(|| self.describe(&now, *closed))?;
                    if !closed {
                        grown.open = true;
                        break;
                    }
                    next = self.after(&now)?;
                }
                Place::Longer(growth) => {
                    self.read(|| {
                        move_trials(self.tx, stage, &growth)?;
                        self.describe(&now, false)
                    })?;
                    drop_exported(self.directory, stage);
                    self.drop_from(&stored[at + 1..], &mut grown)?;
                    grown.open = true;
                    break;
                }
                Place::End => {
                    self.drop_from(&stored[at..], &mut grown)?;
                    next = Some(Opening { stage: now, artifacts });
                    break;
                }
                Place::Other => {
                    return Err(Error::OtherStage {
                        path: self.directory.to_owned(),
                        stage: stage.index,
                        name: stage.name.clone(),
                    });
                }
            }
        }
        if let Some(opening) = next.take().filter(|_| !grown.open) {
            self.read(|| {
                store_artifacts(self.tx, &opening.artifacts)?;
                open_stage(self.tx, &opening.stage)
            })?;
            grown.open = true;
        }
        self.read(|| drop_artifacts(self.tx, &super::read::stages(self.tx)?))?;
        Ok(grown)
    }

    fn read<T>(&self, work: impl FnOnce() -> rusqlite::Result<T>) -> Result<T, Error> {
        work().map_err(|error| Error::database(self.database, error))
    }

    /// The stored stages, and whether each is closed.
    fn stages(&self) -> Result<Vec<(Stage, bool)>, Error> {
        self.read(|| {
            let closed: Vec<bool> = self
                .tx
                .prepare("SELECT state = 'closed' FROM stages ORDER BY stage")?
                .query_map([], |row| row.get(0))?
                .collect::<rusqlite::Result<_>>()?;
            Ok(super::read::stages(self.tx)?.into_iter().zip(closed).collect())
        })
    }

    /// Writes down what a stored stage is now.
    fn describe(&self, stage: &Stage, closed: bool) -> rusqlite::Result<()> {
        let spec = serde_json::to_string(stage).map_err(unreadable)?;
        self.tx.execute(
            "UPDATE stages SET name = ?2, trials = ?3, spec = ?4 WHERE stage = ?1",
            params![stage.index, stage.name, stage.trials as i64, spec],
        )?;
        if !closed {
            let sql = "UPDATE stages SET state = 'open', closed_at = NULL, fold = NULL WHERE stage = ?1";
            self.tx.execute(sql, [stage.index])?;
        }
        Ok(())
    }

    /// What follows a closed stage in the longer run; nothing at its end.
    fn after(&self, stage: &Stage) -> Result<Option<Opening>, Error> {
        let closing = self.plan.after(stage, &mut Closed { conn: self.tx, stage }, &StoredArtifacts(self.tx));
        let Closing { fold, next } = closing.map_err(|error| Error::plan(self.directory, self.database, error))?;
        let sql = "UPDATE stages SET fold = ?2 WHERE stage = ?1";
        self.read(|| self.tx.execute(sql, params![stage.index, fold.to_string()]))?;
        Ok(match next {
            Next::Stage(opening) => Some(*opening),
            Next::Finished(_) => None,
        })
    }

    fn drop_from(&self, stages: &[(Stage, bool)], grown: &mut Grown) -> Result<(), Error> {
        let stages: Vec<Stage> = stages.iter().map(|(stage, _)| stage.clone()).collect();
        grown.dropped_stages += stages.len();
        grown.dropped_trials += self.read(|| drop_stages(self.tx, &stages))?;
        stages.iter().for_each(|stage| drop_exported(self.directory, stage));
        Ok(())
    }
}

/// Puts what is stored of a stage where it stands in the longer one.
fn move_trials(tx: &Transaction<'_>, stage: &Stage, growth: &Growth) -> rusqlite::Result<()> {
    // Results that are in doubt run again: the rows that were claimed for them are of the shorter stage.
    let table = schema::results_table(&stage.shape);
    let doubted = "(SELECT trial FROM claims WHERE stage = ?1)";
    tx.execute(&format!("DELETE FROM \"{table}\" WHERE stage = ?1 AND trial IN {doubted}"), [stage.index])?;
    tx.execute("DELETE FROM claims WHERE stage = ?1", [stage.index])?;
    if !growth.moves(stage.trials) {
        return Ok(());
    }
    // From the last on: every trial stands where it stood or behind, so its place is free by then.
    let mut above = None;
    while let Some(first) = move_rows(tx, stage, growth, above)? {
        above = Some(first);
    }
    for (table, key) in [("failures", "trial, attempt"), ("quarantined", "trial")] {
        let trials = tx
            .prepare(&format!("SELECT DISTINCT trial FROM {table} WHERE stage = ?1 ORDER BY {key} DESC"))?
            .query_map([stage.index], |row| row.get(0))?
            .collect::<rusqlite::Result<Vec<i64>>>()?;
        let mut update = tx.prepare(&format!("UPDATE {table} SET trial = ?3 WHERE stage = ?1 AND trial = ?2"))?;
        for trial in trials {
            update.execute(params![stage.index, trial, growth.trial(trial.cast_unsigned()).cast_signed()])?;
        }
    }
    Ok(())
}

/// Moves the last rows below trial `above`; gives the first of them.
fn move_rows(
    tx: &Transaction<'_>,
    stage: &Stage,
    growth: &Growth,
    above: Option<i64>,
) -> rusqlite::Result<Option<i64>> {
    let table = schema::results_table(&stage.shape);
    let above = above.unwrap_or(i64::MAX);
    let mut select = tx.prepare_cached(&format!(
        "SELECT * FROM \"{table}\" WHERE stage = ?1 AND trial < ?2 ORDER BY trial DESC LIMIT {CHUNK}"
    ))?;
    let read = |row: &rusqlite::Row<'_>| {
        let columns = stage.shape.columns.iter().enumerate();
        let values = columns.map(|(c, column)| read_value(row, 4 + c, column.kind)).collect::<rusqlite::Result<_>>()?;
        Ok((row.get(1)?, [row.get(2)?, row.get(3)?], values))
    };
    let rows: Vec<(i64, [i64; 2], Vec<Value>)> =
        select.query_map(params![stage.index, above], read)?.collect::<rusqlite::Result<_>>()?;
    let Some(&(first, ..)) = rows.last() else { return Ok(None) };
    tx.prepare_cached(&format!("DELETE FROM \"{table}\" WHERE stage = ?1 AND trial >= ?2 AND trial < ?3"))?
        .execute(params![stage.index, first, above])?;
    let mut insert = tx.prepare_cached(&schema::insert_result(&stage.shape))?;
    for (trial, [worker, elapsed_us], mut values) in rows {
        growth.row(&mut values);
        insert.raw_bind_parameter(1, stage.index)?;
        insert.raw_bind_parameter(2, growth.trial(trial.cast_unsigned()).cast_signed())?;
        insert.raw_bind_parameter(3, worker)?;
        insert.raw_bind_parameter(4, elapsed_us)?;
        for (c, value) in values.iter().enumerate() {
            let value: &dyn ToSql = match value {
                Value::Int(value) => value,
                Value::Real(value) => value,
                Value::Text(value) => value,
            };
            insert.raw_bind_parameter(5 + c, value)?;
        }
        if insert.raw_execute()? == 0 {
            return Err(unreadable(format!("two results of stage {} stand in one place", stage.index)));
        }
    }
    Ok(Some(first))
}
