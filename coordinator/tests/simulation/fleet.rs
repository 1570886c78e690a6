//! Fake workers: queue, threads and outbox; some slow, some frozen, one with wrong results.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use coordinator::ranges::RangeSet;

use crate::{chance::Chance, disk::truth};

/// Microseconds.
pub(crate) type Time = u64;

/// Rows at which an outbox is full.
const OUTBOX_ROWS: usize = 24;
/// Time after which an unacknowledged batch is sent again.
const RESEND: Time = 10_000_000;

/// A trial: stage and index.
pub(crate) type Trial = (u32, u64);

#[derive(Clone, Debug)]
pub(crate) struct Batch {
    pub(crate) stage: u32,
    /// (trial, value, microseconds)
    pub(crate) rows: Vec<(u64, i64, u64)>,
    sent_at: Option<Time>,
}

/// A worker: its name, and the process that has it now.
pub(crate) struct FakeWorker {
    pub(crate) name: String,
    pub(crate) threads: usize,
    /// How many times slower than others.
    slowness: u64,
    /// One result in so many is wrong; none for 0.
    lies_once_in: u64,
    /// Number of the process; messages and deadlines of earlier ones are ignored.
    pub(crate) life: u64,
    pub(crate) up: bool,
    /// Whether it never returns.
    pub(crate) gone: bool,
    pub(crate) leaving: bool,
    /// Until when it is frozen.
    pub(crate) frozen_until: Time,
    pub(crate) connection: Option<u64>,
    pub(crate) welcomed: bool,
    queue: VecDeque<Trial>,
    pub(crate) running: Vec<Option<(Trial, Time)>>,
    gathering: BTreeMap<u32, Vec<(u64, i64, u64)>>,
    pub(crate) batches: BTreeMap<u64, Batch>,
    last_batch: u64,
    /// Failures that are not sent yet.
    pub(crate) failures: Vec<Trial>,
}

/// Outcome of a trial on a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Value(i64),
    Fails,
    Kills,
}

impl FakeWorker {
    pub(crate) fn new(name: String, threads: usize, slowness: u64, lies_once_in: u64) -> Self {
        FakeWorker {
            name,
            threads,
            slowness,
            lies_once_in,
            life: 0,
            up: false,
            gone: false,
            leaving: false,
            frozen_until: 0,
            connection: None,
            welcomed: false,
            queue: VecDeque::new(),
            running: Vec::new(),
            gathering: BTreeMap::new(),
            batches: BTreeMap::new(),
            last_batch: 0,
            failures: Vec::new(),
        }
    }

    /// Starts a new process.
    pub(crate) fn start(&mut self) {
        let fresh = FakeWorker::new(self.name.clone(), self.threads, self.slowness, self.lies_once_in);
        *self = FakeWorker { life: self.life + 1, up: true, running: vec![None; self.threads], ..fresh };
    }

    /// Ends the process.
    pub(crate) fn die(&mut self) {
        self.life += 1;
        self.up = false;
        self.connection = None;
        self.welcomed = false;
        self.running.clear();
        self.frozen_until = 0;
    }

    /// Begins a new session, which voids earlier leases; returns the trials that it runs or keeps results of.
    pub(crate) fn reconnect(&mut self) -> BTreeMap<u32, RangeSet> {
        self.queue.clear();
        let mut held: BTreeMap<u32, RangeSet> = BTreeMap::new();
        let running = self.running.iter().flatten().map(|(trial, _)| *trial);
        let batches = self.batches.values().map(|batch| (batch.stage, &batch.rows));
        let rows = self.gathering.iter().map(|(&stage, rows)| (stage, rows)).chain(batches);
        let rows = rows.flat_map(|(stage, rows)| rows.iter().map(move |row| (stage, row.0)));
        for (stage, trial) in running.chain(rows).chain(self.failures.iter().copied()) {
            held.entry(stage).or_default().insert(trial..trial + 1);
        }
        held
    }

    /// Drops those of `trials` that wait.
    pub(crate) fn withdraw(&mut self, stage: u32, trials: &RangeSet) {
        self.queue.retain(|trial| trial.0 != stage || !trials.contains(trial.1));
    }

    /// Notes the Welcome: every batch is sent again.
    pub(crate) fn welcome(&mut self) {
        self.welcomed = true;
        self.batches.values_mut().for_each(|batch| batch.sent_at = None);
    }

    pub(crate) fn lease(&mut self, stage: u32, trials: impl Iterator<Item = u64>) {
        self.queue.extend(trials.map(|trial| (stage, trial)));
    }

    pub(crate) fn forget(&mut self, stage: u32) {
        self.queue.retain(|trial| trial.0 != stage);
    }

    /// Removes and returns all waiting trials, to be handed back.
    pub(crate) fn hand_back(&mut self) -> BTreeMap<u32, Vec<u64>> {
        let mut back: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
        for (stage, trial) in self.queue.drain(..) {
            back.entry(stage).or_default().push(trial);
        }
        back
    }

    fn outbox_rows(&self) -> usize {
        let gathered: usize = self.gathering.values().map(Vec::len).sum();
        gathered + self.batches.values().map(|batch| batch.rows.len()).sum::<usize>()
    }

    /// Makes idle threads take trials; returns (thread, microseconds) of each that begins.
    pub(crate) fn begin(&mut self, now: Time, chance: &mut Chance) -> Vec<(usize, Time)> {
        let mut begun = Vec::new();
        for thread in 0..self.running.len() {
            if self.running[thread].is_some() || self.outbox_rows() >= OUTBOX_ROWS {
                continue;
            }
            let Some(trial) = self.queue.pop_front() else { break };
            self.running[thread] = Some((trial, now));
            let tail = if chance.once_in(40) { 20 } else { 1 };
            begun.push((thread, chance.between(5_000, 100_000) * self.slowness * tail));
        }
        begun
    }

    /// Ends the trial on a thread.
    pub(crate) fn outcome(&mut self, thread: usize, fate: Fate, now: Time, chance: &mut Chance) -> Option<Trial> {
        let ((stage, trial), since) = self.running[thread].take()?;
        if let Fate::Value(value) = fate {
            let value = if chance.once_in(self.lies_once_in) { value ^ 1 } else { value };
            self.gathering.entry(stage).or_default().push((trial, value, now - since));
        }
        Some((stage, trial))
    }

    /// The batches that are to be sent now, by number.
    pub(crate) fn take_due(&mut self, now: Time) -> Vec<(u64, Batch)> {
        for (stage, rows) in std::mem::take(&mut self.gathering) {
            self.last_batch += 1;
            self.batches.insert(self.last_batch, Batch { stage, rows, sent_at: None });
        }
        let due = |batch: &Batch| batch.sent_at.is_none_or(|at| at + RESEND <= now);
        let mut sent = Vec::new();
        for (&number, batch) in self.batches.iter_mut().filter(|(_, batch)| due(batch)) {
            batch.sent_at = Some(now);
            sent.push((number, batch.clone()));
        }
        sent
    }

    /// (age of the oldest running trial, rows kept, stages of which it has something to run or to deliver)
    pub(crate) fn beat(&self, now: Time) -> (Time, u64, BTreeSet<u32>) {
        let running = || self.running.iter().flatten();
        let oldest = running().map(|(_, since)| now - since).max();
        let rows = (self.outbox_rows() + self.failures.len()) as u64;
        let trials = running().map(|(trial, _)| trial).chain(&self.queue).chain(&self.failures).map(|trial| trial.0);
        let kept = self.gathering.keys().copied().chain(self.batches.values().map(|batch| batch.stage));
        (oldest.unwrap_or(0), rows, trials.chain(kept).collect())
    }

    /// Whether a leaving process may end.
    pub(crate) fn is_done(&self) -> bool {
        self.running.iter().all(Option::is_none) && self.outbox_rows() == 0
    }
}

/// Outcome of a trial, the same on every worker.
pub(crate) fn fate(salt: u64, trial: u64, fails: bool, kills: bool) -> Fate {
    match (fails, kills) {
        (true, _) => Fate::Fails,
        (_, true) => Fate::Kills,
        _ => Fate::Value(truth(salt, trial)),
    }
}
