//! Results until the coordinator says they are durable.
//!
//! Rows gather in columns by stage, are cut into batches, and a batch is kept until its acknowledgement, over
//! reconnects and restarts of the coordinator. The outbox is bounded: when it is full, executor threads wait,
//! and with them the leases they would have taken.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
};

use experiments::value::{ColumnType, Row, Value};
use redqueen_wire::{self as wire, column::Values};
use tokio::sync::Notify;

use crate::queue::{Job, StageKey};

/// Most rows of a batch.
const BATCH_ROWS: usize = 4_096;
/// Most rows kept, sent and unsent together.
const ROWS_MAX: usize = 65_536;
/// Failures kept unsent; more are dropped, and their trials run again when the session ends.
const FAILURES_MAX: usize = 4_096;

struct Gathering {
    job: Arc<Job>,
    trials: Vec<u64>,
    elapsed_us: Vec<u64>,
    columns: Vec<Values>,
}

#[derive(Default)]
struct State {
    gathering: BTreeMap<StageKey, Gathering>,
    /// Cut and not acknowledged, by number.
    batches: BTreeMap<u64, wire::ResultBatch>,
    /// Number of the last batch given to the present session.
    sent: u64,
    last: u64,
    rows: usize,
    failures: VecDeque<wire::TrialFailed>,
    closed: bool,
}

/// Shared by the executor threads and the session.
#[derive(Default)]
pub(crate) struct Outbox {
    state: Mutex<State>,
    room: Condvar,
    /// Something waits to be sent.
    pub(crate) filled: Notify,
}

impl Outbox {
    fn lock(&self) -> MutexGuard<'_, State> {
        // No code that can panic runs under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes rows of a stage in; waits while there is no room.
    pub(crate) fn put(&self, job: &Arc<Job>, rows: Vec<(u64, u64, Row)>) {
        let mut state = self.lock();
        while state.rows >= ROWS_MAX && !state.closed {
            state = self.room.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.rows += rows.len();
        let gathering = state.gathering.entry(job.stage.clone()).or_insert_with(|| Gathering::new(job));
        for (trial, elapsed_us, row) in rows {
            gathering.push(trial, elapsed_us, row);
        }
        if gathering.trials.len() >= BATCH_ROWS {
            let stage = job.stage.clone();
            state.cut(&stage);
        }
        drop(state);
        self.filled.notify_one();
    }

    /// Takes a failure in.
    pub(crate) fn fail(&self, failure: wire::TrialFailed) {
        let mut state = self.lock();
        if state.failures.len() < FAILURES_MAX {
            state.failures.push_back(failure);
        }
        drop(state);
        self.filled.notify_one();
    }

    /// A new session begins: every batch that is not acknowledged is sent again.
    pub(crate) fn rewind(&self) {
        let mut state = self.lock();
        state.sent = 0;
        // Failures belong to leases of the old session.
        state.failures.clear();
        drop(state);
        self.filled.notify_one();
    }

    /// The next batch to send, cut from whatever has gathered if no whole one waits.
    pub(crate) fn next_batch(&self) -> Option<wire::ResultBatch> {
        let mut state = self.lock();
        let after = state.sent + 1;
        if state.batches.range(after..).next().is_none() {
            let stage = state.gathering.keys().next().cloned()?;
            state.cut(&stage);
        }
        let (&number, batch) = state.batches.range(after..).next()?;
        let batch = batch.clone();
        state.sent = number;
        Some(batch)
    }

    /// Whether a whole batch waits to be sent.
    pub(crate) fn has_batch(&self) -> bool {
        let state = self.lock();
        state.batches.range(state.sent + 1..).next().is_some()
    }

    /// The next failure to send.
    pub(crate) fn next_failure(&self) -> Option<wire::TrialFailed> {
        self.lock().failures.pop_front()
    }

    /// The coordinator has a batch on disk.
    pub(crate) fn acknowledge(&self, number: u64) {
        let mut state = self.lock();
        if let Some(batch) = state.batches.remove(&number) {
            state.rows -= batch.trials.len();
        }
        drop(state);
        self.room.notify_all();
    }

    /// Whether everything is acknowledged.
    pub(crate) fn is_empty(&self) -> bool {
        let state = self.lock();
        state.rows == 0 && state.failures.is_empty()
    }

    /// Lets waiting threads go.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.room.notify_all();
    }
}

impl State {
    /// Makes a batch of what has gathered of a stage.
    fn cut(&mut self, stage: &StageKey) {
        let Some(gathering) = self.gathering.remove(stage) else { return };
        self.last += 1;
        let columns = gathering.columns.into_iter().map(|values| wire::Column { values: Some(values) }).collect();
        let batch = wire::ResultBatch {
            batch: self.last,
            stage: Some(stage.to_wire()),
            trials: gathering.trials,
            elapsed_us: gathering.elapsed_us,
            columns,
        };
        self.batches.insert(self.last, batch);
    }
}

impl Gathering {
    fn new(job: &Arc<Job>) -> Self {
        let columns = job.shape.columns.iter().map(|column| match column.kind {
            ColumnType::Int | ColumnType::Label => Values::Ints(wire::Ints::default()),
            ColumnType::Real => Values::Reals(wire::Reals::default()),
            ColumnType::Text => Values::Texts(wire::Texts::default()),
        });
        Gathering { job: Arc::clone(job), trials: Vec::new(), elapsed_us: Vec::new(), columns: columns.collect() }
    }

    fn push(&mut self, trial: u64, elapsed_us: u64, row: Row) {
        debug_assert_eq!(row.len(), self.job.shape.columns.len(), "a row has the columns of its shape");
        self.trials.push(trial);
        self.elapsed_us.push(elapsed_us);
        for (values, value) in self.columns.iter_mut().zip(row) {
            match (values, value) {
                (Values::Ints(ints), Value::Int(value)) => ints.values.push(value),
                (Values::Reals(reals), Value::Real(value)) => reals.values.push(value),
                (Values::Texts(texts), Value::Text(value)) => texts.values.push(value),
                (values, value) => unreachable!("a plan gave {value:?} for a column of {values:?}"),
            }
        }
    }
}
