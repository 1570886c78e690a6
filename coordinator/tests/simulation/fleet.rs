//! Worker processes as they behave: queue, threads, outbox; slow ones, frozen ones, and one that lies.

use std::collections::{BTreeMap, VecDeque};

use coordinator::ranges::RangeSet;

use crate::{chance::Chance, disk::truth};

/// Microseconds.
pub(crate) type Time = u64;

/// Rows an outbox takes before its threads wait.
const OUTBOX_ROWS: usize = 24;
/// A batch that is not acknowledged is sent again after this.
const RESEND: Time = 10_000_000;

/// A trial as workers name it: stage and index.
pub(crate) type Trial = (u32, u64);

#[derive(Clone, Debug)]
pub(crate) struct Batch {
    pub(crate) stage: u32,
    /// (trial, value, microseconds)
    pub(crate) rows: Vec<(u64, i64, u64)>,
    sent_at: Option<Time>,
}

/// One worker: a name in the fleet, and the process that has it now.
pub(crate) struct Worker {
    pub(crate) name: String,
    pub(crate) threads: usize,
    /// How many times slower than others.
    slowness: u64,
    /// Once in so many trials its result is wrong.
    lies_once_in: u64,
    /// Number of the process; messages and deadlines of earlier ones mean nothing.
    pub(crate) life: u64,
    pub(crate) up: bool,
    /// It will not come back.
    pub(crate) gone: bool,
    pub(crate) leaving: bool,
    /// Frozen until then.
    pub(crate) frozen_until: Time,
    pub(crate) connection: Option<u64>,
    pub(crate) welcomed: bool,
    queue: VecDeque<Trial>,
    pub(crate) running: Vec<Option<(Trial, Time)>>,
    gathering: BTreeMap<u32, Vec<(u64, i64, u64)>>,
    pub(crate) batches: BTreeMap<u64, Batch>,
    last_batch: u64,
    /// Not sent yet.
    pub(crate) failures: Vec<Trial>,
}

/// What becomes of a trial on a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Value(i64),
    Fails,
    Kills,
}

impl Worker {
    pub(crate) fn new(name: String, threads: usize, slowness: u64, lies_once_in: u64) -> Self {
        Worker {
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

    /// A new process begins.
    pub(crate) fn start(&mut self) {
        let fresh = Worker::new(self.name.clone(), self.threads, self.slowness, self.lies_once_in);
        *self = Worker { life: self.life + 1, up: true, running: vec![None; self.threads], ..fresh };
    }

    /// The process is gone.
    pub(crate) fn die(&mut self) {
        self.life += 1;
        self.up = false;
        self.connection = None;
        self.welcomed = false;
        self.running.clear();
        self.frozen_until = 0;
    }

    /// A new session begins: leases of an earlier one are void. Gives what it runs, or has run and keeps.
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

    /// Drops what waits of these.
    pub(crate) fn withdraw(&mut self, stage: u32, trials: &RangeSet) {
        self.queue.retain(|trial| trial.0 != stage || !trials.contains(trial.1));
    }

    /// The coordinator has taken it: every batch is sent again.
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

    /// Everything that waits, as it is handed back.
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

    /// Idle threads take trials; gives (thread, microseconds) of each that begins.
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

    /// What comes of the trial on a thread.
    pub(crate) fn outcome(&mut self, thread: usize, fate: Fate, now: Time, chance: &mut Chance) -> Option<Trial> {
        let ((stage, trial), since) = self.running[thread].take()?;
        if let Fate::Value(value) = fate {
            let value = if chance.once_in(self.lies_once_in) { value ^ 1 } else { value };
            self.gathering.entry(stage).or_default().push((trial, value, now - since));
        }
        Some((stage, trial))
    }

    /// Batches that are to be sent now.
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

    /// (age of the oldest running trial, rows kept, whether there is nothing to do or to deliver)
    pub(crate) fn beat(&self, now: Time) -> (Time, u64, bool) {
        let oldest = self.running.iter().flatten().map(|(_, since)| now - since).max();
        let rows = (self.outbox_rows() + self.failures.len()) as u64;
        (oldest.unwrap_or(0), rows, oldest.is_none() && rows == 0 && self.queue.is_empty())
    }

    /// Whether a leaving process may end.
    pub(crate) fn is_done(&self) -> bool {
        self.running.iter().all(Option::is_none) && self.outbox_rows() == 0
    }
}

/// What a trial is: the same on every worker.
pub(crate) fn fate(salt: u64, trial: u64, fails: bool, kills: bool) -> Fate {
    match (fails, kills) {
        (true, _) => Fate::Fails,
        (_, true) => Fate::Kills,
        _ => Fate::Value(truth(salt, trial)),
    }
}
