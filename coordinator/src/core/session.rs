//! What the core knows of one connected worker.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use super::{Counts, Now, counts::Served, sessions::Held};
use crate::{
    ids::{ProcessId, StageKey},
    ranges::RangeSet,
};

/// A worker as it introduced itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worker {
    /// Name for people, and to tell machines apart; several workers may share it.
    pub name: String,
    /// Identity of the process.
    pub process: ProcessId,
    /// Executor threads, at least 1.
    pub threads: u32,
    /// Where it runs.
    pub place: Arc<Place>,
}

/// Where a worker runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Name of the machine; empty if unknown.
    pub host: String,
    /// The job that gave its cores; empty if there is none.
    pub allocation: String,
    /// How often that job has begun anew under its name.
    pub restart: u32,
    /// How long it stays after Hello; `None` if its job has no end.
    pub stays: Option<Duration>,
    /// Its version of redqueen, as it says itself.
    pub build: String,
    /// The machine.
    pub machine: Machine,
}

/// The machine of a worker, for people. What is unknown is empty or 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// Model of its processor.
    pub cpu: String,
    /// Processors that the worker may use.
    pub cores: u32,
    /// Memory of the machine, bytes.
    pub memory: u64,
}

/// What a heartbeat says of the load of a worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// Trials that run.
    pub running: u32,
    /// Leased trials that wait for a thread.
    pub queued: u64,
    /// Age of the oldest running trial.
    pub oldest: Duration,
    /// Unacknowledged results.
    pub outbox: u64,
}

/// Trials that were leased at one time.
#[derive(Debug)]
pub(super) struct Grant {
    pub(super) since: Now,
    /// The trials whose result has not arrived.
    pub(super) trials: RangeSet,
}

/// What the core knows of a session.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) worker: Worker,
    /// When it was opened.
    pub(super) joined: Now,
    /// When a message last came from it.
    pub(super) heard: Now,
    /// When it last got or finished trials.
    pub(super) worked: Now,
    /// When the worker will leave, if it has told.
    pub(super) until: Option<Now>,
    /// Executor time of all finished trials of the process: at its last heartbeat, or by the results of this session if those
    /// are more.
    executed: Duration,
    /// Executor time of the results of this session.
    delivered: Duration,
    /// Its load, at its last heartbeat.
    pub(super) load: Load,
    /// What became of the trials that it got.
    pub(super) served: Served,
    /// When its running trials began, as far as results show; at most one for each thread.
    began: Vec<Now>,
    /// Grants by stage, the oldest first.
    held: BTreeMap<StageKey, Vec<Grant>>,
    /// Most of its threads that may run trials of a stage at once, where that is not all of them.
    threads_max: BTreeMap<StageKey, u32>,
    /// Whether it runs suspects, and nothing else until they are done.
    pub(super) alone: bool,
    /// Whether it has sent a heartbeat or a result: otherwise its death says nothing about its trials.
    pub(super) works: bool,
    /// Whether it has handed trials back or was told to leave, and gets no more.
    pub(super) leaving: bool,
}

impl Session {
    pub(super) fn new(worker: Worker, now: Now, counts: Counts) -> Self {
        let until = worker.place.stays.map(|stays| now.saturating_add(stays));
        Session {
            worker,
            joined: now,
            heard: now,
            worked: now,
            until,
            executed: Duration::ZERO,
            delivered: Duration::ZERO,
            load: Load::default(),
            served: Served::of(counts),
            began: Vec::new(),
            held: BTreeMap::new(),
            threads_max: BTreeMap::new(),
            alone: false,
            works: false,
            leaving: false,
        }
    }

    /// How long it will still stay; `None` without an end.
    pub(super) fn stays(&self, now: Now) -> Option<Duration> {
        self.until.map(|until| until.saturating_sub(now))
    }

    /// Notes what a heartbeat says of the executor time of all finished trials.
    pub(super) fn has_executed(&mut self, time: Duration) {
        self.executed = self.executed.max(time);
    }

    /// Executor time of all finished trials of the process, as far as known.
    pub(super) fn executed(&self) -> Duration {
        self.executed.max(self.delivered)
    }

    /// Notes results of trials that took these microseconds: their threads have begun others.
    pub(super) fn finished(&mut self, now: Now, elapsed_us: &[u64]) {
        self.worked = now;
        let sum = elapsed_us.iter().fold(0u64, |sum, &us| sum.saturating_add(us));
        self.delivered = self.delivered.saturating_add(Duration::from_micros(sum));
        self.served.delivered(now, elapsed_us.len() as u64);
        let threads = usize::try_from(self.worker.threads).unwrap_or(usize::MAX);
        let last = elapsed_us.iter().rev().take(threads);
        let count = last.len();
        for &micros in last {
            let began = now.saturating_sub(Duration::from_micros(micros));
            let nearest = (0..self.began.len()).min_by_key(|&thread| self.began[thread].abs_diff(began));
            // While some threads have had no result yet, a result may be of one of those.
            if let Some(thread) = nearest.filter(|_| self.began.len() + count > threads) {
                self.began.swap_remove(thread);
            }
        }
        self.began.resize((self.began.len() + count).min(threads), now);
    }

    /// Ages of its running trials of a stage, in seconds, as far as known.
    pub(super) fn ages(&self, now: Now, stage: StageKey) -> Vec<f64> {
        let Some(given) = self.grants(stage).first().map(|grant| grant.since) else { return Vec::new() };
        let running = self.count(stage).min(self.worker.threads.into());
        let mut began = self.began.clone();
        began.sort_unstable();
        // Threads without a result yet run the trials that were leased first.
        let silent = u64::from(self.worker.threads).saturating_sub(began.len() as u64);
        let silent = std::iter::repeat_n(given, usize::try_from(silent).unwrap_or(0));
        let all = silent.chain(began).map(|began| now.saturating_sub(began.max(given)).as_secs_f64());
        all.take(usize::try_from(running).unwrap_or(usize::MAX)).collect()
    }

    /// Gives it trials of a stage, of which at most `threads` of its threads run some at once.
    pub(super) fn give(&mut self, now: Now, stage: StageKey, trials: RangeSet, threads: u32) {
        self.worked = now;
        if threads < self.worker.threads {
            self.threads_max.insert(stage, threads);
        } else {
            self.threads_max.remove(&stage);
        }
        self.held.entry(stage).or_default().push(Grant { since: now, trials });
    }

    /// Takes `trials` from the session; returns those that it held.
    pub(super) fn release(&mut self, stage: StageKey, trials: &RangeSet) -> RangeSet {
        let mut released = RangeSet::new();
        let Some(grants) = self.held.get_mut(&stage) else { return released };
        for grant in grants.iter_mut() {
            released.insert_all(&grant.trials.extract_all(trials));
        }
        grants.retain(|grant| !grant.trials.is_empty());
        if grants.is_empty() {
            self.held.remove(&stage);
            self.threads_max.remove(&stage);
        }
        self.alone &= !self.is_idle();
        released
    }

    /// Takes all trials of a stage from the session and returns them.
    pub(super) fn release_stage(&mut self, stage: StageKey) -> RangeSet {
        let held = self.trials(stage);
        self.held.remove(&stage);
        self.threads_max.remove(&stage);
        self.alone &= !self.is_idle();
        held
    }

    /// Number of leases that it holds.
    pub(super) fn leases(&self) -> u64 {
        self.held.values().map(|grants| grants.len() as u64).sum()
    }

    /// Whether it holds no trials.
    pub(super) fn is_idle(&self) -> bool {
        self.held.is_empty()
    }

    /// What it holds of a stage.
    pub(super) fn held(&self, stage: StageKey) -> Held {
        let trials = self.count(stage);
        let threads = self.threads_max.get(&stage).copied().unwrap_or(self.worker.threads);
        Held { trials, threads: trials.min(threads.into()) }
    }

    /// Stages of which it holds trials.
    pub(super) fn stages(&self) -> Vec<StageKey> {
        self.held.keys().copied().collect()
    }

    /// Stages of which it holds trials, and how many.
    pub(super) fn holds(&self) -> Vec<(StageKey, u64)> {
        self.held.keys().map(|&stage| (stage, self.count(stage))).collect()
    }

    /// Its grants of a stage, the oldest first.
    pub(super) fn grants(&self, stage: StageKey) -> &[Grant] {
        self.held.get(&stage).map_or(&[], Vec::as_slice)
    }

    /// Number of trials of a stage that it holds.
    pub(super) fn count(&self, stage: StageKey) -> u64 {
        self.grants(stage).iter().map(|grant| grant.trials.len()).sum()
    }

    /// The trials of a stage that it holds.
    pub(super) fn trials(&self, stage: StageKey) -> RangeSet {
        let mut all = RangeSet::new();
        self.grants(stage).iter().for_each(|grant| all.insert_all(&grant.trials));
        all
    }

    /// Its first `count` trials of a stage, in the order in which it runs them.
    pub(super) fn front(&self, stage: StageKey, count: u64) -> RangeSet {
        let mut front = RangeSet::new();
        for grant in self.grants(stage) {
            front.insert_all(&grant.trials.clone().take(count.saturating_sub(front.len())));
        }
        front
    }
}
