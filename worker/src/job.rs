//! Stages as slots see them, and portions of their trials.

use std::{
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use record::Shape;
use redqueen_wire as wire;

/// Identifies a stage.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct StageKey {
    pub(crate) run: Vec<u8>,
    pub(crate) stage: u32,
}

impl StageKey {
    pub(crate) fn from_wire(stage: Option<wire::StageRef>) -> Option<Self> {
        stage.map(|stage| StageKey { run: stage.run, stage: stage.stage })
    }

    /// Whether this is `stage` or a later one of its run.
    pub(crate) fn is_of_or_behind(&self, stage: &StageKey) -> bool {
        self.run == stage.run && self.stage >= stage.stage
    }

    pub(crate) fn to_wire(&self) -> wire::StageRef {
        wire::StageRef { run: self.run.clone(), stage: self.stage }
    }
}

/// Work in a portion, aimed at: tiny trials must not cost a message each.
const PORTION: Duration = Duration::from_millis(5);
/// Most trials of a portion, whose results leave the process together.
pub(crate) const PORTION_MAX: u64 = 4_096;
/// A process gets a second portion ahead if trials are shorter than this; longer ones are left for other slots.
const SHORT: Duration = Duration::from_millis(10);

/// What the trials of a stage need, and how long they take.
pub(crate) struct Job {
    pub(crate) stage: StageKey,
    pub(crate) shape: Shape,
    /// As in `StagePlan`, like `stage_json`.
    pub(crate) experiment: String,
    pub(crate) stage_json: String,
    pub(crate) artifacts: Vec<Arc<Vec<u8>>>,
    /// Time limit of a trial.
    pub(crate) timeout: Duration,
    /// Nanoseconds that a trial takes, estimated from the portions so far; 0 if unknown.
    each_ns: AtomicU64,
    /// How often the coordinator said to forget the stage.
    forgotten: AtomicU64,
}

impl Job {
    pub(crate) fn new(
        stage: StageKey,
        shape: Shape,
        timeout: Duration,
        (experiment, stage_json): (String, String),
        artifacts: Vec<Arc<Vec<u8>>>,
    ) -> Self {
        let (each_ns, forgotten) = (AtomicU64::new(0), AtomicU64::new(0));
        Job { stage, shape, experiment, stage_json, artifacts, timeout, each_ns, forgotten }
    }

    /// Learns how long trials took. Longer times count at once and shorter ones slowly: too large a portion delays the
    /// end of a stage, too small a one costs a message.
    pub(crate) fn learn(&self, elapsed_us: &[u64]) {
        let sum_ns = elapsed_us.iter().fold(0u64, |sum, us| sum.saturating_add(us.saturating_mul(1_000)));
        let mean = sum_ns / (elapsed_us.len() as u64).max(1);
        let old = self.each_ns.load(Ordering::Relaxed);
        let new = if old == 0 { mean } else { mean.max(old - (old / 4) + mean / 4) };
        // Slots may overwrite each other's values, which is harmless in an estimate.
        self.each_ns.store(new.max(1), Ordering::Relaxed);
    }

    /// Number of trials of a portion.
    pub(crate) fn portion(&self) -> u64 {
        match self.each_ns.load(Ordering::Relaxed) {
            0 => 1,
            each => (PORTION.as_nanos() as u64 / each).clamp(1, PORTION_MAX),
        }
    }

    /// Nanoseconds that so many trials are expected to take; those of a portion while nothing is known.
    pub(crate) fn expected_ns(&self, trials: u64) -> u64 {
        match self.each_ns.load(Ordering::Relaxed) {
            0 => PORTION.as_nanos() as u64,
            each => each.saturating_mul(trials),
        }
    }

    /// Tells slots to drop what they have of the stage.
    pub(crate) fn forget(&self) {
        self.forgotten.fetch_add(1, Ordering::Release);
    }

    /// Whether a process should get a second portion ahead.
    pub(crate) fn is_short(&self) -> bool {
        (1..SHORT.as_nanos() as u64).contains(&self.each_ns.load(Ordering::Relaxed))
    }
}

/// Some trials of one stage, for one slot.
pub(crate) struct Portion {
    pub(crate) job: Arc<Job>,
    pub(crate) trials: Range<u64>,
    /// How often the stage was forgotten before these were taken.
    pub(crate) forgotten: u64,
    /// Whether a process was killed while it ran this single trial, perhaps from outside.
    pub(crate) suspect: bool,
}

impl Portion {
    /// A portion of trials that are leased now.
    pub(crate) fn new(job: Arc<Job>, trials: Range<u64>) -> Self {
        let forgotten = job.forgotten.load(Ordering::Acquire);
        Portion { job, trials, forgotten, suspect: false }
    }

    /// Whether the coordinator has taken these back.
    pub(crate) fn is_forgotten(&self) -> bool {
        self.forgotten != self.job.forgotten.load(Ordering::Acquire)
    }

    /// Number of trials.
    pub(crate) fn count(&self) -> u64 {
        self.trials.end - self.trials.start
    }

    /// Whether it contains `trial` of `job`.
    pub(crate) fn has(&self, job: &Arc<Job>, trial: u64) -> bool {
        Arc::ptr_eq(&self.job, job) && self.trials.contains(&trial)
    }

    /// Other trials of the same lease.
    pub(crate) fn part(&self, trials: Range<u64>) -> Self {
        Portion { job: Arc::clone(&self.job), trials, forgotten: self.forgotten, suspect: false }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use record::{Column, ColumnType};

    use super::*;

    pub(crate) fn stage(stage: u32) -> StageKey {
        StageKey { run: vec![1; 16], stage }
    }

    /// A stage with a column of integers and one of texts.
    pub(crate) fn job(index: u32) -> Job {
        let column = |kind| Column { name: "c".to_owned(), kind, pure: true, labels: None };
        let shape = Shape { name: "s".to_owned(), columns: [ColumnType::Int, ColumnType::Text].map(column).to_vec() };
        Job::new(stage(index), shape, Duration::from_secs(1), (String::new(), String::new()), Vec::new())
    }
}
