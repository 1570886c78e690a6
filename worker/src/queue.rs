//! Leased trials that wait for an executor thread.

use std::{
    collections::{BTreeMap, VecDeque},
    ops::Range,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use experiments::{plan::Executor, value::Shape};
use redqueen_wire as wire;

/// A stage as a key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct StageKey {
    pub(crate) run: Vec<u8>,
    pub(crate) stage: u32,
}

impl StageKey {
    pub(crate) fn from_wire(stage: Option<wire::StageRef>) -> Option<Self> {
        stage.map(|stage| StageKey { run: stage.run, stage: stage.stage })
    }

    pub(crate) fn to_wire(&self) -> wire::StageRef {
        wire::StageRef { run: self.run.clone(), stage: self.stage }
    }
}

/// What runs the trials of a stage.
pub(crate) struct Job {
    pub(crate) stage: StageKey,
    pub(crate) shape: Shape,
    pub(crate) executor: Box<dyn Executor>,
}

/// Some trials of one stage, for one thread.
pub(crate) struct Portion {
    pub(crate) job: Arc<Job>,
    pub(crate) trials: Range<u64>,
}

/// Stages whose plan is kept; the oldest goes first.
const JOBS_MAX: usize = 8;

#[derive(Default)]
struct State {
    /// Leased ranges in order of arrival.
    waiting: VecDeque<(StageKey, Range<u64>)>,
    /// Known stages, the newest last.
    jobs: VecDeque<Arc<Job>>,
    /// By thread: since when its trial runs.
    running: BTreeMap<usize, Instant>,
    closed: bool,
}

/// Shared by the session and the executor threads.
#[derive(Default)]
pub(crate) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, State> {
        // No code that can panic runs under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in leased ranges; true if the stage's plan is not known yet.
    pub(crate) fn lease(&self, stage: &StageKey, ranges: impl Iterator<Item = Range<u64>>) -> bool {
        let mut state = self.lock();
        for range in ranges.filter(|range| !range.is_empty()) {
            state.waiting.push_back((stage.clone(), range));
        }
        self.changed.notify_all();
        !state.jobs.iter().any(|job| job.stage == *stage)
    }

    /// Takes in a stage's plan.
    pub(crate) fn know(&self, job: Job) {
        let mut state = self.lock();
        if state.jobs.iter().any(|known| known.stage == job.stage) {
            return;
        }
        if state.jobs.len() == JOBS_MAX {
            state.jobs.pop_front();
        }
        state.jobs.push_back(Arc::new(job));
        self.changed.notify_all();
    }

    /// Drops what waits of a stage; gives it.
    pub(crate) fn forget(&self, stage: &StageKey) -> Vec<Range<u64>> {
        let mut dropped = Vec::new();
        self.lock().waiting.retain(|(key, range)| {
            let gone = key == stage;
            if gone {
                dropped.push(range.clone());
            }
            !gone
        });
        dropped
    }

    /// Drops everything that waits; gives it.
    pub(crate) fn clear(&self) -> Vec<(StageKey, Range<u64>)> {
        self.lock().waiting.drain(..).collect()
    }

    /// Waits for work: up to `count` trials for thread `thread`, which then counts as running. `None` when closed.
    pub(crate) fn take(&self, thread: usize, count: u64) -> Option<Portion> {
        let mut state = self.lock();
        state.running.remove(&thread);
        loop {
            if state.closed {
                return None;
            }
            if let Some(portion) = state.next(count.max(1)) {
                return Some(portion);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Notes that a trial begins on `thread`.
    pub(crate) fn begin(&self, thread: usize, at: Instant) {
        self.lock().running.insert(thread, at);
    }

    /// Trials running, trials waiting, start of the oldest running one.
    pub(crate) fn load(&self) -> (u32, u64, Option<Instant>) {
        let state = self.lock();
        let waiting = state.waiting.iter().map(|(_, range)| range.end - range.start).sum();
        (state.running.len() as u32, waiting, state.running.values().min().copied())
    }

    /// Whether no thread runs a trial.
    pub(crate) fn is_idle(&self) -> bool {
        self.lock().running.is_empty()
    }

    /// Sends the threads home.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }
}

impl State {
    fn next(&mut self, count: u64) -> Option<Portion> {
        // A stage whose plan is still on its way does not hold up the others.
        let jobs = &self.jobs;
        let (index, job) = self.waiting.iter().enumerate().find_map(|(index, (stage, _))| {
            jobs.iter().find(|job| job.stage == *stage).map(|job| (index, Arc::clone(job)))
        })?;
        let range = &mut self.waiting[index].1;
        let end = range.end.min(range.start.saturating_add(count));
        let trials = range.start..end;
        range.start = end;
        if range.is_empty() {
            self.waiting.remove(index);
        }
        Some(Portion { job, trials })
    }
}
