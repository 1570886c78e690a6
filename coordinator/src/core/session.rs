//! What the core knows of one connected worker.

use std::{collections::BTreeMap, time::Duration};

use super::Now;
use crate::{
    ids::{ProcessId, StageKey},
    ranges::RangeSet,
};

/// A worker as it introduced itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worker {
    /// For people, and for telling machines apart; several workers may share it.
    pub name: String,
    /// The process.
    pub process: ProcessId,
    /// Executor threads, at least 1.
    pub threads: u32,
}

/// Trials handed over at one time.
#[derive(Debug)]
pub(super) struct Grant {
    pub(super) since: Now,
    /// Whose result has not arrived.
    pub(super) trials: RangeSet,
}

#[derive(Debug)]
pub(super) struct Session {
    pub(super) worker: Worker,
    /// When it last spoke.
    pub(super) heard: Now,
    /// Age of its oldest running trial when it last said so.
    pub(super) oldest: Duration,
    /// Results it keeps until they are acknowledged, when it last said so.
    pub(super) outbox: u64,
    /// When the trials that its threads run began, as far as results tell; at most one a thread.
    began: Vec<Now>,
    /// The oldest grants first.
    held: BTreeMap<StageKey, Vec<Grant>>,
    /// It runs suspects, and nothing else until that has ended.
    pub(super) alone: bool,
    /// It has said or delivered something: only of such a worker a death says something of its trials.
    pub(super) works: bool,
    /// It has handed work back and gets no more.
    pub(super) leaving: bool,
}

impl Session {
    pub(super) fn new(worker: Worker, now: Now) -> Self {
        let (oldest, outbox, held) = (Duration::ZERO, 0, BTreeMap::new());
        let began = Vec::new();
        Session { worker, heard: now, oldest, outbox, began, held, alone: false, works: false, leaving: false }
    }

    /// Results of trials came that took these microseconds: their threads began others.
    pub(super) fn finished(&mut self, now: Now, elapsed_us: &[u64]) {
        let threads = usize::try_from(self.worker.threads).unwrap_or(usize::MAX);
        let last = elapsed_us.iter().rev().take(threads);
        let count = last.len();
        for &micros in last {
            let began = now.saturating_sub(Duration::from_micros(micros));
            let nearest = (0..self.began.len()).min_by_key(|&thread| self.began[thread].abs_diff(began));
            // Threads of which nothing is known are told apart from those that had a result.
            if let Some(thread) = nearest.filter(|_| self.began.len() + count > threads) {
                self.began.swap_remove(thread);
            }
        }
        self.began.resize((self.began.len() + count).min(threads), now);
    }

    /// Seconds that the trials of a stage that it runs have run, as far as that is known.
    pub(super) fn ages(&self, now: Now, stage: StageKey) -> Vec<f64> {
        let Some(given) = self.grants(stage).first().map(|grant| grant.since) else { return Vec::new() };
        let running = self.count(stage).min(self.worker.threads.into());
        let mut began = self.began.clone();
        began.sort_unstable();
        // Threads that have had no result yet run what they were given first.
        let silent = u64::from(self.worker.threads).saturating_sub(began.len() as u64);
        let silent = std::iter::repeat_n(given, usize::try_from(silent).unwrap_or(0));
        let all = silent.chain(began).map(|began| now.saturating_sub(began.max(given)).as_secs_f64());
        all.take(usize::try_from(running).unwrap_or(usize::MAX)).collect()
    }

    pub(super) fn give(&mut self, now: Now, stage: StageKey, trials: RangeSet) {
        self.held.entry(stage).or_default().push(Grant { since: now, trials });
    }

    /// Takes `trials` out of what the session holds; returns those it held.
    pub(super) fn release(&mut self, stage: StageKey, trials: &RangeSet) -> RangeSet {
        let mut released = RangeSet::new();
        let Some(grants) = self.held.get_mut(&stage) else { return released };
        for grant in grants.iter_mut() {
            released.insert_all(&grant.trials.extract_all(trials));
        }
        grants.retain(|grant| !grant.trials.is_empty());
        if grants.is_empty() {
            self.held.remove(&stage);
        }
        self.alone &= !self.is_idle();
        released
    }

    /// Takes everything of a stage out of its hands.
    pub(super) fn release_stage(&mut self, stage: StageKey) -> RangeSet {
        let held = self.trials(stage);
        self.held.remove(&stage);
        self.alone &= !self.is_idle();
        held
    }

    /// How many leases it holds.
    pub(super) fn leases(&self) -> u64 {
        self.held.values().map(|grants| grants.len() as u64).sum()
    }

    /// Whether it holds nothing.
    pub(super) fn is_idle(&self) -> bool {
        self.held.is_empty()
    }

    /// Whether it holds trials of another stage.
    pub(super) fn holds_other_than(&self, stage: StageKey) -> bool {
        self.held.keys().any(|key| *key != stage)
    }

    /// Stages of which it holds trials.
    pub(super) fn stages(&self) -> Vec<StageKey> {
        self.held.keys().copied().collect()
    }

    /// What it was given of a stage, the oldest first.
    pub(super) fn grants(&self, stage: StageKey) -> &[Grant] {
        self.held.get(&stage).map_or(&[], Vec::as_slice)
    }

    /// How many trials of a stage it holds.
    pub(super) fn count(&self, stage: StageKey) -> u64 {
        self.grants(stage).iter().map(|grant| grant.trials.len()).sum()
    }

    /// The trials of a stage that it holds.
    pub(super) fn trials(&self, stage: StageKey) -> RangeSet {
        let mut all = RangeSet::new();
        self.grants(stage).iter().for_each(|grant| all.insert_all(&grant.trials));
        all
    }

    /// The first `count` trials of a stage in the order they are run.
    pub(super) fn front(&self, stage: StageKey, count: u64) -> RangeSet {
        let mut front = RangeSet::new();
        for grant in self.grants(stage) {
            front.insert_all(&grant.trials.clone().take(count.saturating_sub(front.len())));
        }
        front
    }
}
