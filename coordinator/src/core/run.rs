//! What the core knows of one run: where each trial of its open stage is.

use std::collections::BTreeMap;

use experiments::value::Shape;

use super::{Now, OpenRun, lease::Pace};
use crate::{
    ids::{RunId, StageKey},
    ranges::RangeSet,
    rows::Rows,
};

/// State of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunState {
    /// Its trials are leased.
    Running,
    /// Nothing is leased; results that arrive are kept.
    Paused,
    /// Every stage is closed.
    Finished,
    /// As finished, but some trial was given up.
    Failed,
    /// Ended by a person.
    Cancelled,
}

impl RunState {
    /// As the database and `--json` name it.
    pub fn name(self) -> &'static str {
        match self {
            RunState::Running => "running",
            RunState::Paused => "paused",
            RunState::Finished => "finished",
            RunState::Failed => "failed",
            RunState::Cancelled => "cancelled",
        }
    }

    /// The state of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        [RunState::Running, RunState::Paused, RunState::Finished, RunState::Failed, RunState::Cancelled]
            .into_iter()
            .find(|state| state.name() == name)
    }

    /// Whether nothing more will happen.
    pub fn is_ended(self) -> bool {
        !matches!(self, RunState::Running | RunState::Paused)
    }
}

/// As much of a stage as scheduling needs.
#[derive(Clone, Debug, PartialEq)]
pub struct StageView {
    /// Index in the run, from 0.
    pub index: u32,
    /// For people.
    pub name: String,
    /// Number of trials.
    pub trials: u64,
    /// Trials that later stages are expected to have.
    pub ahead: u64,
    /// Of its rows.
    pub shape: Shape,
}

impl StageView {
    /// Why `rows` cannot be of this stage, if they cannot.
    pub(super) fn misfit(&self, rows: &Rows) -> Option<String> {
        if let Some(trial) = rows.trials.iter().find(|&&trial| trial >= self.trials) {
            return Some(format!("trial {trial} of {}", self.trials));
        }
        rows.check(&self.shape).err().map(|error| error.to_string())
    }
}

#[derive(Debug)]
pub(super) struct Run {
    id: RunId,
    pub(super) state: RunState,
    pub(super) stage: StageView,
    /// Durable.
    pub(super) stored: RangeSet,
    /// Given up.
    pub(super) quarantined: RangeSet,
    /// Never leased, or handed back in order.
    waiting: RangeSet,
    /// Leased once and lost; served before `waiting`.
    lost: RangeSet,
    failures: BTreeMap<u64, u32>,
    pub(super) pace: Pace,
    /// The closing transaction is under way.
    pub(super) closing: bool,
}

impl Run {
    pub(super) fn new(open: OpenRun) -> Self {
        let mut run = Run {
            id: open.run,
            state: open.state,
            waiting: RangeSet::new(),
            lost: RangeSet::new(),
            stored: open.stored,
            quarantined: open.quarantined,
            failures: open.failures,
            pace: Pace::default(),
            closing: false,
            stage: open.stage,
        };
        run.waiting.insert(0..run.stage.trials);
        run.waiting.remove_all(&run.stored);
        run.waiting.remove_all(&run.quarantined);
        run
    }

    pub(super) fn key(&self) -> StageKey {
        StageKey { run: self.id, stage: self.stage.index }
    }

    /// Goes on to the next stage.
    pub(super) fn enter(&mut self, stage: StageView) {
        self.waiting = std::iter::once(0..stage.trials).collect();
        self.lost = RangeSet::new();
        self.stored = RangeSet::new();
        self.quarantined = RangeSet::new();
        self.failures.clear();
        self.pace.next_stage();
        self.closing = false;
        self.stage = stage;
    }

    /// Whether results of `stage` still count.
    pub(super) fn accepts(&self, stage: StageKey) -> bool {
        self.key() == stage && !self.closing && !self.state.is_ended()
    }

    /// Whether `trial` needs no further attempt.
    pub(super) fn has(&self, trial: u64) -> bool {
        self.stored.contains(trial) || self.quarantined.contains(trial)
    }

    pub(super) fn ready_to_close(&self) -> bool {
        self.state == RunState::Running
            && !self.closing
            && self.stored.len() + self.quarantined.len() == self.stage.trials
    }

    pub(super) fn waiting(&self) -> u64 {
        self.waiting.len() + self.lost.len()
    }

    /// Takes up to `count` trials to lease, lost ones first.
    pub(super) fn take(&mut self, count: u64) -> RangeSet {
        let mut taken = self.lost.take(count);
        if taken.len() < count {
            taken.insert_all(&self.waiting.take(count - taken.len()));
        }
        taken
    }

    /// Takes trials whose result has arrived off the queues (they may wait there after a session was lost).
    pub(super) fn received(&mut self, trials: &RangeSet) {
        self.waiting.remove_all(trials);
        self.lost.remove_all(trials);
        // A late result beats the verdict on a trial that failed elsewhere, as long as the stage is open.
        self.quarantined.remove_all(trials);
    }

    pub(super) fn stored(&mut self, now: Now, trials: &RangeSet) {
        let before = self.stored.len();
        self.stored.insert_all(trials);
        // They may have come back to a queue while on their way to the store.
        self.waiting.remove_all(trials);
        self.lost.remove_all(trials);
        self.pace.stored(now, self.stored.len() - before);
    }

    /// Puts trials to the front, but for those that need no further attempt.
    pub(super) fn lost(&mut self, stage: StageKey, trials: &RangeSet) {
        if self.key() != stage {
            return;
        }
        let mut trials = trials.clone();
        trials.remove_all(&self.stored);
        trials.remove_all(&self.quarantined);
        trials.remove_all(&self.waiting);
        self.lost.insert_all(&trials);
    }

    /// Counts a failure; returns how many there were.
    pub(super) fn strike(&mut self, trial: u64) -> u32 {
        let failures = self.failures.entry(trial).or_insert(0);
        *failures += 1;
        *failures
    }

    pub(super) fn quarantine(&mut self, trial: u64) {
        let one = trial..trial + 1;
        self.waiting.remove(one.clone());
        self.lost.remove(one.clone());
        self.quarantined.insert(one);
    }

    pub(super) fn check(&self, id: RunId, held: &RangeSet, committing: &RangeSet) {
        let mut all = self.stored.clone();
        for set in [&self.quarantined, &self.waiting, &self.lost, held, committing] {
            all.insert_all(set);
        }
        let whole: RangeSet = std::iter::once(0..self.stage.trials).collect();
        if !self.state.is_ended() {
            assert_eq!(all, whole, "run {id}: a trial of stage {} is nowhere", self.stage.index);
        }
        for (name, set) in [("stored", &self.stored), ("given up", &self.quarantined)] {
            for range in set.iter() {
                for queue in [&self.waiting, &self.lost] {
                    assert!(range.clone().all(|t| !queue.contains(t)), "run {id}: a {name} trial of {range:?} waits");
                }
            }
        }
    }
}
