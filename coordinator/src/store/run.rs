//! One run's database.

use std::collections::BTreeMap;

use experiments::{
    Experiment,
    plan::{Artifact, Artifacts, ClosedRows, Closing, Next, Opening, Plan, Stage},
    value::{ColumnType, Row, Shape, Value},
};
use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params, types::ToSql};

use super::{DATABASE, Error, RunDirectory, schema, time};
use crate::{
    core::{OpenRun, RunState, StageView, Worker},
    ids::RunId,
    ranges::RangeSet,
    rows::{Cells, Rows},
};

/// Two workers disagree about a pure trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alarm {
    /// The stage.
    pub stage: u32,
    /// The trial.
    pub trial: u64,
    /// Whose result is stored.
    pub stored_by: String,
    /// Whose result differs.
    pub worker: String,
}

/// A run that this process alone writes.
pub struct RunStore {
    directory: RunDirectory,
    experiment: Experiment,
    plan: Box<dyn Plan>,
    id: RunId,
    conn: Connection,
    /// The open stage, or the last one.
    stage: Stage,
    workers: BTreeMap<String, i64>,
    any_quarantined: bool,
    /// What the last closed stage came to, in a line.
    headline: String,
}

impl RunStore {
    /// Takes up the run in `directory`, making its database if it is not there yet.
    ///
    /// # Errors
    /// The directory or its database cannot be used.
    pub fn open(directory: RunDirectory) -> Result<(Self, OpenRun), Error> {
        let experiment = directory.experiment()?;
        let conn = directory.connect()?;
        let store = {
            let plan = experiments::plan(&experiment);
            let id = RunId::from_hex(&experiment.hash()).expect("a BLAKE3 hash has 64 hexadecimal digits");
            let Opening { stage, artifacts } = plan.first_stage();
            let workers = BTreeMap::new();
            let store = RunStore {
                directory,
                experiment,
                plan,
                id,
                conn,
                stage,
                workers,
                any_quarantined: false,
                headline: String::new(),
            };
            (store, artifacts)
        };
        let (mut store, artifacts) = store;
        let open = store.load(&artifacts).map_err(|error| store.database_error(error))?;
        Ok((store, open))
    }

    /// The run's id.
    pub fn id(&self) -> RunId {
        self.id
    }

    /// Its directory.
    pub fn directory(&self) -> &RunDirectory {
        &self.directory
    }

    /// Its experiment.
    pub fn experiment(&self) -> &Experiment {
        &self.experiment
    }

    /// The open stage, or the last one.
    pub fn stage(&self) -> &Stage {
        &self.stage
    }

    /// What the last closed stage came to, in a line; empty before.
    pub fn headline(&self) -> &str {
        &self.headline
    }

    /// The artifacts of the open stage, by hash.
    ///
    /// # Errors
    /// The database cannot be read, or one is missing or not what its hash says.
    pub fn artifacts(&self) -> Result<BTreeMap<String, Vec<u8>>, Error> {
        let stored = StoredArtifacts(&self.conn);
        let get = |hash: &String| stored.get(hash).map(|data| (hash.clone(), data));
        let artifacts: Result<_, String> = self.stage.artifacts.iter().map(get).collect();
        artifacts.map_err(|reason| Error::Plan { path: self.directory.path().to_owned(), reason })
    }

    pub(super) fn database_error(&self, error: rusqlite::Error) -> Error {
        Error::database(&self.directory.path().join(DATABASE), error)
    }

    /// Reads where the run stands; a new one begins with its first stage and these artifacts.
    fn load(&mut self, artifacts: &[Artifact]) -> rusqlite::Result<OpenRun> {
        let tx = self.conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let format: i64 = tx.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        if format == 0 {
            schema::create(&tx)?;
            tx.execute(
                "INSERT INTO run VALUES (?, ?, ?, ?, 'running', ?, ?, NULL)",
                params![
                    self.id.to_string(),
                    self.experiment.name(),
                    env!("CARGO_PKG_VERSION"),
                    self.experiment.hash(),
                    self.experiment.reproducible(),
                    time::now()
                ],
            )?;
            store_artifacts(&tx, artifacts)?;
            open_stage(&tx, &self.stage)?;
        }
        let state: String = tx.query_row("SELECT state FROM run", [], |row| row.get(0))?;
        let spec: String = tx.query_row("SELECT spec FROM stages ORDER BY stage DESC LIMIT 1", [], |row| row.get(0))?;
        self.stage = serde_json::from_str(&spec).map_err(|error| {
            rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Text, Box::new(error))
        })?;
        let index = self.stage.index;
        let stored = select_ranges(
            &tx,
            &format!(
                "SELECT trial FROM \"{}\" WHERE stage = ?1 ORDER BY trial",
                schema::results_table(&self.stage.shape)
            ),
            index,
        )?;
        let quarantined = select_ranges(&tx, "SELECT trial FROM quarantined WHERE stage = ?1 ORDER BY trial", index)?;
        let failures = tx
            .prepare("SELECT trial, MAX(attempt) FROM failures WHERE stage = ?1 GROUP BY trial")?
            .query_map([index], |row| Ok((row.get::<_, i64>(0)? as u64, row.get::<_, u32>(1)?)))?
            .collect::<rusqlite::Result<BTreeMap<u64, u32>>>()?;
        self.workers = tx
            .prepare("SELECT name, worker FROM workers")?
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<rusqlite::Result<_>>()?;
        let fold: Option<String> = tx
            .query_row("SELECT fold FROM stages WHERE fold IS NOT NULL ORDER BY stage DESC LIMIT 1", [], |row| {
                row.get(0)
            })
            .optional()?;
        tx.commit()?;
        self.headline =
            fold.and_then(|fold| serde_json::from_str(&fold).ok()).map_or_else(String::new, |f| headline(&f));
        self.any_quarantined = !quarantined.is_empty();
        Ok(OpenRun {
            run: self.id,
            state: RunState::from_name(&state).unwrap_or(RunState::Cancelled),
            stage: view(&self.stage),
            stored: BTreeMap::from([(String::new(), stored)]),
            quarantined,
            failures,
            audit: self.experiment.audit(),
            disputes: BTreeMap::new(),
            distrusted: Vec::new(),
        })
    }

    /// Runs `work` in one transaction that is durable when this returns.
    pub(super) fn transaction<T>(
        &mut self,
        work: impl FnOnce(&mut Writing<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        let tx = self.conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut writing = Writing {
            tx: &tx,
            stage: &self.stage,
            workers: self.workers.clone(),
            any_quarantined: self.any_quarantined,
        };
        let value = work(&mut writing)?;
        let (workers, any_quarantined) = (writing.workers, writing.any_quarantined);
        tx.commit()?;
        // Only now: a transaction that was rolled back has named no worker.
        self.workers = workers;
        self.any_quarantined = any_quarantined;
        Ok(value)
    }

    /// Closes the open stage and stores what follows, in one transaction.
    ///
    /// # Errors
    /// The database, or the plan.
    pub(super) fn close_stage(&mut self) -> Result<Result<StageView, RunState>, Error> {
        let path = self.directory.path().join(DATABASE);
        let database = |error| Error::database(&path, error);
        let tx = self.conn.transaction_with_behavior(TransactionBehavior::Immediate).map_err(database)?;
        let Closing { fold, next } = {
            let mut rows = StageRows { conn: &tx, stage: &self.stage };
            self.plan
                .after(&self.stage, &mut rows, &StoredArtifacts(&tx))
                .map_err(|reason| Error::Plan { path: self.directory.path().to_owned(), reason })?
        };
        let now = time::now();
        let write = || -> rusqlite::Result<Result<StageView, RunState>> {
            tx.execute(
                "UPDATE stages SET state = 'closed', closed_at = ?2, fold = ?3 WHERE stage = ?1",
                params![self.stage.index, now, fold.to_string()],
            )?;
            match &next {
                Next::Stage(opening) => {
                    store_artifacts(&tx, &opening.artifacts)?;
                    open_stage(&tx, &opening.stage)?;
                    Ok(Ok(view(&opening.stage)))
                }
                Next::Finished => {
                    let given_up: bool = tx.query_row("SELECT EXISTS (SELECT 1 FROM quarantined)", [], |r| r.get(0))?;
                    let state = if given_up { RunState::Failed } else { RunState::Finished };
                    tx.execute("UPDATE run SET state = ?1, ended_at = ?2", params![state.name(), now])?;
                    Ok(Err(state))
                }
            }
        };
        let outcome = write().map_err(database)?;
        tx.commit().map_err(database)?;
        self.headline = headline(&fold);
        if let Next::Stage(opening) = next {
            self.stage = opening.stage;
            self.any_quarantined = false;
        }
        Ok(outcome)
    }
}

/// An open transaction of a run.
pub(super) struct Writing<'a> {
    tx: &'a Transaction<'a>,
    stage: &'a Stage,
    workers: BTreeMap<String, i64>,
    any_quarantined: bool,
}

impl Writing<'_> {
    /// Stores rows of the open stage; of a trial that is stored already, compares. Returns the differences.
    pub(super) fn store(&mut self, worker: &Worker, rows: &Rows) -> rusqlite::Result<Vec<Alarm>> {
        let worker_id = self.worker(worker)?;
        let stage = self.stage.index;
        let mut insert = self.tx.prepare_cached(&schema::insert_result(&self.stage.shape))?;
        let mut alarms = Vec::new();
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
            if insert.raw_execute()? == 0
                && let Some(stored_by) = self.disagreement(trial, rows, i)?
            {
                alarms.push(Alarm { stage, trial, stored_by, worker: worker.name.clone() });
            }
        }
        if self.any_quarantined {
            let mut delete = self.tx.prepare_cached("DELETE FROM quarantined WHERE stage = ?1 AND trial = ?2")?;
            for &trial in &rows.trials {
                delete.execute(params![stage, trial as i64])?;
            }
        }
        for alarm in &alarms {
            let detail = serde_json::json!({
                "stage": alarm.stage, "trial": alarm.trial, "stored_by": alarm.stored_by, "worker": alarm.worker,
            });
            self.event("alarm", &detail)?;
        }
        Ok(alarms)
    }

    /// Who stored a result of `trial` whose pure columns differ from row `i` of `rows`, if anybody did.
    fn disagreement(&self, trial: u64, rows: &Rows, i: usize) -> rusqlite::Result<Option<String>> {
        let shape = &self.stage.shape;
        let sql = format!(
            "SELECT w.name, r.* FROM \"{}\" r JOIN workers w USING (worker) WHERE r.stage = ?1 AND r.trial = ?2",
            schema::results_table(shape)
        );
        self.tx
            .prepare_cached(&sql)?
            .query_row(params![self.stage.index, trial as i64], |row| {
                for (c, column) in shape.columns.iter().enumerate() {
                    if column.pure && read_value(row, 5 + c, column.kind)? != rows.value(c, i) {
                        return row.get(0).map(Some);
                    }
                }
                Ok(None)
            })
            .optional()
            .map(Option::flatten)
    }

    /// Notes a failure of a trial of the open stage.
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
        if quarantine {
            self.tx.execute(
                "INSERT INTO quarantined VALUES (?, ?) ON CONFLICT DO NOTHING",
                params![stage, trial as i64],
            )?;
            self.any_quarantined = true;
            self.event("quarantined", &serde_json::json!({ "stage": stage, "trial": trial, "error": error }))?;
        }
        Ok(())
    }

    /// Notes the run's state.
    pub(super) fn state(&mut self, state: RunState) -> rusqlite::Result<()> {
        let ended = state.is_ended().then(time::now);
        self.tx.execute("UPDATE run SET state = ?1, ended_at = ?2", params![state.name(), ended])?;
        self.event(state.name(), &serde_json::json!({}))
    }

    /// Whether rows of `stage` may be stored: it is the open one.
    pub(super) fn is_open(&self, stage: u32) -> bool {
        self.stage.index == stage
    }

    fn event(&self, kind: &str, detail: &serde_json::Value) -> rusqlite::Result<()> {
        self.tx
            .execute(
                "INSERT INTO events (at, kind, detail) VALUES (?, ?, ?)",
                params![time::now(), kind, detail.to_string()],
            )
            .map(drop)
    }

    /// The number of a worker; its row on first sight.
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

/// Rows of a stage, read inside its closing transaction.
struct StageRows<'a> {
    conn: &'a Connection,
    stage: &'a Stage,
}

impl ClosedRows for StageRows<'_> {
    fn for_each(&mut self, each: &mut dyn FnMut(u64, &Row)) -> Result<(), String> {
        for_each_row(self.conn, self.stage.index, &self.stage.shape, |trial, row| each(trial, row))
            .map_err(|error| error.to_string())
    }

    fn elapsed_us(&mut self) -> Result<u64, String> {
        let sql = format!(
            "SELECT COALESCE(SUM(elapsed_us), 0) FROM \"{}\" WHERE stage = ?1",
            schema::results_table(&self.stage.shape)
        );
        let sum: i64 =
            self.conn.query_row(&sql, [self.stage.index], |row| row.get(0)).map_err(|error| error.to_string())?;
        Ok(sum.unsigned_abs())
    }
}

/// Artifacts of a run's database.
pub(super) struct StoredArtifacts<'a>(pub(super) &'a Connection);

impl Artifacts for StoredArtifacts<'_> {
    fn get(&self, hash: &str) -> Result<Vec<u8>, String> {
        let data: Option<Vec<u8>> = self
            .0
            .query_row("SELECT data FROM artifacts WHERE hash = ?1", [hash], |row| row.get(0))
            .optional()
            .map_err(|error| error.to_string())?;
        let data = data.ok_or_else(|| format!("artifact {hash} is not in the database"))?;
        if Artifact::hash_of(&data) != hash {
            return Err(format!("artifact {hash} is damaged: its content has another hash"));
        }
        Ok(data)
    }
}

fn store_artifacts(conn: &Connection, artifacts: &[Artifact]) -> rusqlite::Result<()> {
    let mut insert = conn.prepare_cached("INSERT INTO artifacts VALUES (?, ?, ?) ON CONFLICT DO NOTHING")?;
    for artifact in artifacts {
        insert.execute(params![artifact.hash(), artifact.kind, artifact.data])?;
    }
    Ok(())
}

/// A fold's line for people.
fn headline(fold: &serde_json::Value) -> String {
    fold["headline"].as_str().unwrap_or_default().to_owned()
}

/// Calls `each` with every stored row of a stage, by trial.
pub(super) fn for_each_row(
    conn: &Connection,
    stage: u32,
    shape: &Shape,
    mut each: impl FnMut(u64, &Row),
) -> rusqlite::Result<()> {
    let mut statement = conn.prepare(&schema::select_results(shape))?;
    let mut rows = statement.query([stage])?;
    let mut values = Row::new();
    while let Some(row) = rows.next()? {
        values.clear();
        for (c, column) in shape.columns.iter().enumerate() {
            values.push(read_value(row, 1 + c, column.kind)?);
        }
        each(row.get::<_, i64>(0)? as u64, &values);
    }
    Ok(())
}

fn read_value(row: &rusqlite::Row<'_>, index: usize, kind: ColumnType) -> rusqlite::Result<Value> {
    Ok(match kind {
        ColumnType::Int | ColumnType::Label => Value::Int(row.get(index)?),
        ColumnType::Real => Value::Real(row.get(index)?),
        ColumnType::Text => Value::Text(row.get(index)?),
    })
}

fn open_stage(conn: &Connection, stage: &Stage) -> rusqlite::Result<()> {
    schema::create_results(conn, &stage.shape)?;
    let spec =
        serde_json::to_string(stage).map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
    conn.execute(
        "INSERT INTO stages VALUES (?, ?, ?, ?, ?, 'open', NULL, NULL)",
        params![stage.index, stage.name, stage.trials as i64, stage.shape.name, spec],
    )
    .map(drop)
}

fn select_ranges(conn: &Connection, sql: &str, stage: u32) -> rusqlite::Result<RangeSet> {
    let mut statement = conn.prepare(sql)?;
    let mut rows = statement.query([stage])?;
    let mut set = RangeSet::new();
    // Runs of neighbours go in as one range: a stage of millions is read in order.
    let mut current: Option<std::ops::Range<u64>> = None;
    while let Some(row) = rows.next()? {
        let trial = row.get::<_, i64>(0)? as u64;
        match &mut current {
            Some(range) if range.end == trial => range.end += 1,
            _ => {
                set.insert(current.take().unwrap_or(0..0));
                current = Some(trial..trial + 1);
            }
        }
    }
    set.insert(current.unwrap_or(0..0));
    Ok(set)
}

pub(super) fn view(stage: &Stage) -> StageView {
    StageView {
        index: stage.index,
        name: stage.name.clone(),
        trials: stage.trials,
        ahead: stage.ahead,
        shape: stage.shape.clone(),
    }
}
