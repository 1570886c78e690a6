//! An open transaction of a run and the writes in it.

use std::collections::BTreeMap;

use record::{Stage, Value};
use rusqlite::{Statement, Transaction, params, types::ToSql};
use serde_json::json;

use super::{events, quota, schema, stored::read_value, time};
use crate::{
    core::{Quota, Repeat, RunState, Worker},
    ranges::RangeSet,
    rows::{Cells, Rows},
};

/// Most different rows of one trial that are kept beside the stored one.
const CLAIMS_MAX: i64 = 16;

/// The transaction.
pub(super) struct Writing<'a> {
    pub(super) tx: &'a Transaction<'a>,
    pub(super) stage: &'a Stage,
    pub(super) workers: BTreeMap<String, i64>,
    pub(super) any_quarantined: bool,
    /// False where results depend on the clock, so that two of one trial may differ.
    pub(super) reproducible: bool,
    pub(super) state: RunState,
}

impl Writing<'_> {
    /// Stores rows of the open stage; compares those of trials that are stored already.
    pub(super) fn store(&mut self, worker: &Worker, rows: &Rows) -> rusqlite::Result<Vec<Repeat>> {
        let worker_id = self.worker(worker)?;
        let stage = self.stage.index;
        let mut insert = self.tx.prepare_cached(&schema::insert_result(&self.stage.shape))?;
        let (mut repeats, mut select) = (Vec::new(), None);
        for (i, &trial) in rows.trials.iter().enumerate() {
            insert.raw_bind_parameter(1, stage)?;
            insert.raw_bind_parameter(2, trial as i64)?;
            insert.raw_bind_parameter(3, worker_id)?;
            insert.raw_bind_parameter(4, rows.elapsed_us[i] as i64)?;
            for (c, cells) in rows.columns.iter().enumerate() {
                let value: &dyn ToSql = match cells {
                    Cells::Ints(v) => &v[i],
                    Cells::Reals(v) => &v[i],
                    Cells::Texts(v) => &v[i],
                };
                insert.raw_bind_parameter(5 + c, value)?;
            }
            if insert.raw_execute()? == 0 {
                let select = match &mut select {
                    Some(select) => select,
                    None => select.insert(self.tx.prepare_cached(&schema::select_result(&self.stage.shape))?),
                };
                repeats.extend(self.compare(select, &worker.name, trial, rows, i)?);
            }
        }
        if self.any_quarantined {
            let mut delete = self.tx.prepare_cached("DELETE FROM quarantined WHERE stage = ?1 AND trial = ?2")?;
            for &trial in &rows.trials {
                delete.execute(params![stage, trial as i64])?;
            }
        }
        Ok(repeats)
    }

    /// Compares row `i` of `rows` with the stored row of its trial, which `select` finds. If they differ, the new row
    /// becomes a claim and an alarm is recorded.
    fn compare(
        &self,
        select: &mut Statement<'_>,
        worker: &str,
        trial: u64,
        rows: &Rows,
        i: usize,
    ) -> rusqlite::Result<Option<Repeat>> {
        let pure = || self.stage.shape.columns.iter().enumerate().filter(|(_, column)| column.pure);
        let mut found = select.query(params![self.stage.index, trial as i64])?;
        let Some(row) = found.next()? else { return Ok(None) };
        let by: i64 = row.get(2)?;
        let by = self.workers.iter().find(|(_, id)| **id == by).map(|(name, _)| name.clone());
        let stored_by = by.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
        let mut equal = true;
        if self.reproducible {
            for (c, column) in pure() {
                equal &= read_value(row, 4 + c, column.kind)? == rows.value(c, i);
            }
        }
        if equal {
            return Ok(Some(Repeat { trial, stored_by, equal, agrees_with: Vec::new() }));
        }
        let stored: Vec<Value> =
            pure().map(|(c, column)| read_value(row, 4 + c, column.kind)).collect::<rusqlite::Result<_>>()?;
        let claimed: Vec<Value> = pure().map(|(c, _)| rows.value(c, i)).collect();
        let agrees_with = self.claim(worker, trial, &stored_by, &stored, &claimed)?;
        Ok(Some(Repeat { trial, stored_by, equal, agrees_with }))
    }

    /// Keeps a row that differs from the stored one; returns the other workers that claimed the same.
    fn claim(
        &self,
        worker: &str,
        trial: u64,
        stored_by: &str,
        stored: &[Value],
        claimed: &[Value],
    ) -> rusqlite::Result<Vec<String>> {
        let stage = self.stage.index;
        let (stored, claimed) = (to_json(stored), to_json(claimed));
        let row = claimed.to_string();
        let agree = self
            .tx
            .prepare_cached(
                "SELECT worker FROM claims WHERE stage = ?1 AND trial = ?2 AND row = ?3 AND worker <> ?4 \
                 ORDER BY at, worker",
            )?
            .query_map(params![stage, trial as i64, row, worker], |row| row.get(0))?
            .collect::<rusqlite::Result<Vec<String>>>()?;
        let new = self
            .tx
            .prepare_cached(
                "INSERT INTO claims SELECT ?1, ?2, ?3, ?4, ?5 \
                 WHERE (SELECT COUNT(*) FROM claims WHERE stage = ?1 AND trial = ?2) < ?6 ON CONFLICT DO NOTHING",
            )?
            .execute(params![stage, trial as i64, worker, row, time::now(), CLAIMS_MAX])?;
        if new > 0 {
            tracing::error!(
                stage, trial, stored_by, worker, %stored, %claimed,
                "two results of one trial differ: one of the machines computes wrongly"
            );
            self.event(
                "alarm",
                &json!({
                    "stage": stage, "trial": trial, "stored_by": stored_by, "worker": worker, "stored": stored,
                    "claimed": claimed,
                }),
            )?;
        }
        Ok(agree)
    }

    /// Deletes the results of `worker` in the open stage and the claims that it made or that concern them; returns
    /// their trials.
    pub(super) fn retract(&mut self, worker: &str, why: &str) -> rusqlite::Result<RangeSet> {
        self.distrust(worker, why)?;
        let Some(&id) = self.workers.get(worker) else { return Ok(RangeSet::new()) };
        let (stage, table) = (self.stage.index, schema::results_table(&self.stage.shape));
        let of = format!("\"{table}\" WHERE stage = ?1 AND worker = ?2");
        let trials = self
            .tx
            .prepare(&format!("SELECT trial FROM {of} ORDER BY trial"))?
            .query_map(params![stage, id], |row| row.get::<_, i64>(0).map(|trial| trial as u64..trial as u64 + 1))?
            .collect::<rusqlite::Result<RangeSet>>()?;
        self.tx.execute(
            &format!("DELETE FROM claims WHERE stage = ?1 AND (worker = ?3 OR trial IN (SELECT trial FROM {of}))"),
            params![stage, id, worker],
        )?;
        self.tx.execute(&format!("DELETE FROM {of}"), params![stage, id])?;
        let detail = json!({ "stage": stage, "worker": worker, "trials": trials.len(), "why": events::short(why) });
        self.event("retracted", &detail)?;
        Ok(trials)
    }

    /// Records that the results of a worker are wrong; deletes nothing.
    pub(super) fn distrust(&self, worker: &str, why: &str) -> rusqlite::Result<RangeSet> {
        let sql = "INSERT INTO distrusted VALUES (?, ?, ?) ON CONFLICT DO NOTHING";
        self.tx.execute(sql, params![worker, time::now(), why])?;
        Ok(RangeSet::new())
    }

    /// Stores a failure of a trial of the open stage.
    pub(super) fn failure(
        &mut self,
        trial: u64,
        attempt: u32,
        worker: &str,
        error: &str,
        quarantine: bool,
    ) -> rusqlite::Result<()> {
        let stage = self.stage.index;
        self.tx.execute(
            "INSERT INTO failures VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            params![stage, trial as i64, attempt, worker, error, time::now()],
        )?;
        let error = events::short(error);
        if quarantine {
            // A result of another worker may have been stored; then it counts.
            let sql = format!(
                "INSERT INTO quarantined SELECT ?1, ?2 \
                 WHERE NOT EXISTS (SELECT 1 FROM \"{}\" WHERE stage = ?1 AND trial = ?2) ON CONFLICT DO NOTHING",
                schema::results_table(&self.stage.shape)
            );
            self.tx.execute(&sql, params![stage, trial as i64])?;
            self.any_quarantined = true;
            self.event("quarantined", &json!({ "stage": stage, "trial": trial, "worker": worker, "error": error }))?;
        }
        Ok(())
    }

    /// Deletes a failure of a trial of the open stage; later ones move up, and the trial is no longer quarantined.
    pub(super) fn acquit(&mut self, trial: u64, attempt: u32) -> rusqlite::Result<()> {
        let stage = self.stage.index;
        let trial = trial as i64;
        let deleted = self.tx.execute(
            "DELETE FROM failures WHERE stage = ? AND trial = ? AND attempt = ?",
            params![stage, trial, attempt],
        )?;
        if deleted > 0 {
            self.tx.execute(
                "UPDATE failures SET attempt = attempt - 1 WHERE stage = ? AND trial = ? AND attempt > ?",
                params![stage, trial, attempt],
            )?;
            self.tx.execute("DELETE FROM quarantined WHERE stage = ? AND trial = ?", params![stage, trial])?;
            self.event("acquitted", &json!({ "stage": stage, "trial": trial }))?;
        }
        Ok(())
    }

    /// Stores the state of the run.
    pub(super) fn set_state(&mut self, state: RunState) -> rusqlite::Result<()> {
        self.state = state;
        let ended = state.is_ended().then(time::now);
        self.tx.execute("UPDATE run SET state = ?1, ended_at = ?2", params![state.name(), ended])?;
        self.event(state.name(), &json!({}))
    }

    /// Stores the priority and the limit of the run.
    pub(super) fn set_quota(&self, quota: Quota) -> rusqlite::Result<()> {
        quota::write(self.tx, quota)
    }

    /// Whether `stage` is the open one, whose rows may be stored.
    pub(super) fn is_open(&self, stage: u32) -> bool {
        self.stage.index == stage
    }

    /// Adds an event.
    pub(super) fn event(&self, kind: &str, detail: &serde_json::Value) -> rusqlite::Result<()> {
        events::insert(self.tx, kind, detail)
    }

    /// The number of a worker, which is added if it is new.
    fn worker(&mut self, worker: &Worker) -> rusqlite::Result<i64> {
        if let Some(&id) = self.workers.get(&worker.name) {
            return Ok(id);
        }
        self.tx.execute(
            "INSERT INTO workers (name, threads, first_seen_at) VALUES (?, ?, ?)",
            params![worker.name, worker.threads, time::now()],
        )?;
        let id = self.tx.last_insert_rowid();
        self.workers.insert(worker.name.clone(), id);
        Ok(id)
    }
}

/// Values as JSON; equal values give equal texts.
fn to_json(values: &[Value]) -> serde_json::Value {
    let value = |value: &Value| match value {
        Value::Int(value) => json!(value),
        // SQLite keeps no sign of zero, JSON knows no infinity.
        Value::Real(value) if *value == 0.0 => json!(0.0),
        Value::Real(value) if value.is_infinite() => json!(value.to_string()),
        Value::Real(value) => json!(value),
        Value::Text(value) => json!(value),
    };
    values.iter().map(value).collect()
}
