//! The database of one run, as its writer has it.

mod renew;

use std::{
    collections::BTreeMap,
    path::PathBuf,
    time::{Duration, Instant},
};

use experiments::{
    Experiment,
    plan::{Closing, Next, Plan},
};
use record::Stage;
use rusqlite::{Connection, Transaction, TransactionBehavior, params};
use serde_json::json;

use super::{
    Blobs, DATABASE, Error, RunDirectory,
    commits::Commits,
    database::{self, Open},
    facts,
    load::{self, Loaded, headline, open_stage, view},
    ours::Ours,
    owner::FencedVfs,
    retry::{self, Refused},
    slow::Slow,
    stored::{self, Closed, StoredArtifacts, store_artifacts},
    time,
    writing::Writing,
};
use crate::{
    core::{OpenRun, RunState, StageView},
    ids::RunId,
};

/// How long a transaction waits for another holder of the database before the thread turns to other runs.
const BUSY: Duration = Duration::from_millis(200);

/// A run that only this process writes.
pub struct RunStore {
    experiment: Experiment,
    plan: Box<dyn Plan>,
    id: RunId,
    // Dropped in this order: the database is closed before others may have the run.
    conn: Connection,
    _files: Option<FencedVfs>,
    _ours: Ours,
    directory: RunDirectory,
    commits: Commits,
    slow: Slow,
    /// The open stage, or the last one.
    stage: Stage,
    workers: BTreeMap<String, i64>,
    any_quarantined: bool,
    /// Result of the last closed stage, in a line.
    headline: String,
    state: RunState,
}

impl RunStore {
    /// Opens the run in `directory`: creates its database if there is none yet, and migrates one of an older format.
    ///
    /// # Errors
    /// The directory or its database is damaged or cannot be used.
    pub fn open(mut directory: RunDirectory) -> Result<(Self, OpenRun), Error> {
        let path = directory.path().join(DATABASE);
        let experiment = directory.experiment()?;
        let plan = experiments::plan(&experiment);
        if !path.exists() {
            let first = experiments::plan(&directory.whole_experiment()?).first_stage();
            database::make(&directory, |conn| load::begin(conn, &experiment, &first))?;
        }
        let Open { mut conn, files, ours } = database::open(&directory)?;
        say_how(&directory);
        let resolved = database::resolved_of(&conn, directory.path())?;
        let changes = std::mem::take(&mut directory.changes);
        let read = |conn: &mut Connection| {
            load::migrate(conn, &resolved)?;
            let (commits, lost) = Commits::open(conn, directory.path())?;
            let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
            if lost > 0 {
                tracing::warn!(
                    "`{}` lacks its last {lost} commits: its log was truncated or lost, or it is an older \
                     copy; the trials in them run again",
                    path.display()
                );
                super::events::insert(&tx, "commits-lost", &json!({ "commits": lost }))?;
            }
            facts::change(&tx, &experiment, &changes)?;
            let loaded = load::load(&tx, experiment.audit())?;
            tx.commit()?;
            conn.busy_timeout(BUSY)?;
            Ok((commits, loaded))
        };
        let (commits, loaded) = read(&mut conn)
            .map_err(|error| directory.may_write().err().unwrap_or_else(|| Error::database(&path, error)))?;
        let Loaded { open, stage, workers, headline } = loaded;
        let any_quarantined = !open.quarantined.is_empty();
        let (id, state) = (open.run, open.state);
        let store = RunStore {
            experiment,
            plan,
            id,
            conn,
            _files: files,
            _ours: ours,
            directory,
            commits,
            slow: Slow::default(),
            stage,
            workers,
            any_quarantined,
            headline,
            state,
        };
        Ok((store, open))
    }

    /// The run's id.
    pub fn id(&self) -> RunId {
        self.id
    }

    /// The state of the run.
    pub(super) fn state(&self) -> RunState {
        self.state
    }

    /// Its directory.
    pub fn directory(&self) -> &RunDirectory {
        &self.directory
    }

    /// Its experiment.
    pub fn experiment(&self) -> &Experiment {
        &self.experiment
    }

    /// Number of commits so far, as readers of the database see it.
    pub(super) fn commits(&self) -> u64 {
        self.commits.number()
    }

    /// The open stage, or the last one.
    pub fn stage(&self) -> &Stage {
        &self.stage
    }

    /// Result of the last closed stage, in a line; empty before.
    pub fn headline(&self) -> &str {
        &self.headline
    }

    /// The artifacts of the open stage, by hash.
    ///
    /// # Errors
    /// The database cannot be read, or an artifact is missing or does not have its hash.
    pub fn artifacts(&self) -> Result<Blobs, Error> {
        stored::artifacts_of(&self.conn, &self.stage).map_err(|error| self.database_error(error))
    }

    /// Makes a cancelled run go on; returns it, and the artifacts of its open stage.
    ///
    /// # Errors
    /// The database is damaged, which is not checked while a run has ended, or cannot be written.
    pub fn take_up(&mut self) -> Result<(OpenRun, Blobs), Error> {
        let path = self.database();
        database::look_through(&self.conn, &path)?;
        let database = |error| Error::database(&path, error);
        self.transaction(|writing| writing.set_state(RunState::Running)).map_err(database)?;
        let audit = self.experiment.audit();
        let tx = begin(&mut self.conn).map_err(database)?;
        let loaded = load::load(&tx, audit).map_err(database)?;
        drop(tx);
        self.stage = loaded.stage;
        Ok((loaded.open, self.artifacts()?))
    }

    /// Makes quarantined trials run again: those of the open stage, or of the first stage of a failed run that has
    /// some, which is reopened. Later stages follow from results without those trials: they are dropped if
    /// `discard_later`, and otherwise a reason to refuse. Returns the run then, and the artifacts of its open stage.
    ///
    /// # Errors
    /// The database cannot be written.
    pub fn retry(&mut self, discard_later: bool) -> Result<Result<(OpenRun, Blobs), Refused>, Error> {
        let path = self.database();
        let (directory, audit) = (self.directory.path(), self.experiment.audit());
        let mut work = || -> rusqlite::Result<Result<(Loaded, Blobs), Refused>> {
            let tx = begin(&mut self.conn)?;
            let loaded = match retry::retry(&tx, directory, discard_later)? {
                Ok(()) => load::load(&tx, audit)?,
                Err(refused) => return Ok(Err(refused)),
            };
            let artifacts = stored::artifacts_of(&tx, &loaded.stage)?;
            self.commits.count(&tx)?;
            tx.commit()?;
            self.commits.made();
            Ok(Ok((loaded, artifacts)))
        };
        let retried = work().map_err(|error| Error::database(&path, error))?;
        Ok(retried.map(|(Loaded { open, stage, workers, headline }, artifacts)| {
            (self.stage, self.workers, self.headline) = (stage, workers, headline);
            self.any_quarantined = !open.quarantined.is_empty();
            self.state = open.state;
            (open, artifacts)
        }))
    }

    /// Why the run cannot be written, if its lease is why: a refused write looks like one that failed.
    pub(super) fn shut_out(&self) -> Option<Error> {
        self.directory.may_write().err()
    }

    pub(super) fn database(&self) -> PathBuf {
        self.directory.path().join(DATABASE)
    }

    pub(super) fn database_error(&self, error: rusqlite::Error) -> Error {
        Error::database(&self.database(), error)
    }

    /// Runs `work` in one transaction that is durable when this returns.
    pub(super) fn transaction<T>(
        &mut self,
        work: impl FnOnce(&mut Writing<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        let tx = begin(&mut self.conn)?;
        let mut writing = Writing {
            tx: &tx,
            stage: &self.stage,
            workers: self.workers.clone(),
            any_quarantined: self.any_quarantined,
            reproducible: self.experiment.reproducible(),
            state: self.state,
        };
        let value = work(&mut writing)?;
        let (workers, any_quarantined, state) = (writing.workers, writing.any_quarantined, writing.state);
        self.commits.count(&tx)?;
        let begun = Instant::now();
        tx.commit()?;
        let took = begun.elapsed();
        self.commits.made();
        // Only now: a transaction that was rolled back has added no worker.
        self.workers = workers;
        self.any_quarantined = any_quarantined;
        self.state = state;
        if let Some(median) = self.slow.note(took) {
            tracing::warn!(
                "commits to `{}` take {} ms at the median: its file system is slow to make writes durable, and results \
                 wait for it; a run on a local disk does not",
                self.database().display(),
                median.as_millis()
            );
        }
        Ok(value)
    }

    /// Closes the open stage and stores what follows, in one transaction. Returns the next stage with its artifacts, or
    /// how the run ended.
    ///
    /// # Errors
    /// The database, or the plan.
    pub(super) fn close_stage(&mut self) -> Result<Result<(StageView, Blobs), RunState>, Error> {
        let path = self.database();
        let database = |error| Error::database(&path, error);
        let tx = begin(&mut self.conn).map_err(database)?;
        let mut rows = Closed { conn: &tx, stage: &self.stage };
        let closing = self.plan.after(&self.stage, &mut rows, &StoredArtifacts(&tx));
        let Closing { fold, next } = closing.map_err(|error| Error::plan(self.directory.path(), &path, error))?;
        let (now, line) = (time::now(), headline(&fold));
        let write = || -> rusqlite::Result<Result<(StageView, Blobs), RunState>> {
            tx.execute(
                "UPDATE stages SET state = 'closed', closed_at = ?2, fold = ?3 WHERE stage = ?1",
                params![self.stage.index, now, fold.to_string()],
            )?;
            let detail = json!({ "stage": self.stage.index, "name": self.stage.name, "headline": line });
            super::events::insert(&tx, "stage-closed", &detail)?;
            self.commits.count(&tx)?;
            match &next {
                Next::Stage(opening) => {
                    store_artifacts(&tx, &opening.artifacts)?;
                    open_stage(&tx, &opening.stage)?;
                    Ok(Ok((view(&opening.stage), stored::artifacts_of(&tx, &opening.stage)?)))
                }
                Next::Finished(artifacts) => {
                    store_artifacts(&tx, artifacts)?;
                    let quarantined: bool =
                        tx.query_row("SELECT EXISTS (SELECT 1 FROM quarantined)", [], |r| r.get(0))?;
                    let state = if quarantined { RunState::Failed } else { RunState::Finished };
                    tx.execute("UPDATE run SET state = ?1, ended_at = ?2", params![state.name(), now])?;
                    super::events::insert(&tx, state.name(), &json!({}))?;
                    Ok(Err(state))
                }
            }
        };
        let outcome = write().map_err(database)?;
        tx.commit().map_err(database)?;
        self.commits.made();
        self.headline = line;
        if let Err(state) = outcome {
            self.state = state;
        }
        if let Next::Stage(opening) = next {
            self.stage = opening.stage;
            self.any_quarantined = false;
        }
        Ok(outcome)
    }
}

/// Says what follows from the kind of the run's file system.
fn say_how(directory: &RunDirectory) {
    let (path, name) = (directory.path().display(), directory.file_system());
    if directory.is_shared() {
        tracing::info!("`{path}` is on {name}, which machines may share: rollback journal, one owner by a lease");
    } else {
        tracing::debug!("`{path}` is on {name}: write-ahead log, one owner by a lock");
    }
}

/// Begins a transaction that may write; it waits for other holders now, when nothing is lost yet.
fn begin(conn: &mut Connection) -> rusqlite::Result<Transaction<'_>> {
    conn.transaction_with_behavior(TransactionBehavior::Immediate)
}
