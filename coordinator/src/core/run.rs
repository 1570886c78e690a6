//! What the core knows of one run: where each trial of its open stage is.

use std::collections::BTreeMap;

use super::{Now, OpenRun, RunState, STRIKES, StageView, audits::Audits, pace::Pace, suspects::Suspects};
use crate::{
    ids::{ProcessId, RunId, StageKey},
    ranges::RangeSet,
};

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
    pub(super) suspects: Suspects,
    failures: BTreeMap<u64, u32>,
    /// By trial: who failed last at it, so that somebody else tries next.
    shunned: BTreeMap<u64, String>,
    /// Trials of which a copy was leased and that two workers hold.
    pub(super) copied: RangeSet,
    /// Trials that more than one worker may hold; no others are held twice. Stored ones stay: should they be retracted,
    /// they are held still.
    pub(super) shared: RangeSet,
    /// When idle workers are next given copies: looking through all leases costs more the larger the fleet.
    pub(super) next_copies: Now,
    audit: f64,
    pub(super) audits: Audits,
    /// Retractions on their way through the store.
    pub(super) retracting: u32,
    /// Why the store cannot write.
    pub(super) trouble: Option<String>,
    pub(super) pace: Pace,
    /// The closing transaction is under way.
    pub(super) closing: bool,
}

impl Run {
    pub(super) fn new(open: OpenRun) -> Self {
        let key = StageKey { run: open.run, stage: open.stage.index };
        let mut audits = Audits::new(open.audit, key, open.stage.trials);
        let stored = open.all_stored();
        for (worker, trials) in &open.stored {
            // What was to be checked before is not known any more: some of it is checked again.
            audits.stored(trials, worker);
        }
        audits.reopen(open.disputes);
        let mut run = Run {
            id: open.run,
            state: open.state,
            waiting: std::iter::once(0..open.stage.trials).collect(),
            lost: RangeSet::new(),
            suspects: Suspects::default(),
            stored,
            quarantined: open.quarantined,
            failures: open.failures,
            shunned: BTreeMap::new(),
            copied: RangeSet::new(),
            shared: RangeSet::new(),
            next_copies: Now::ZERO,
            audit: open.audit,
            audits,
            retracting: 0,
            trouble: None,
            pace: Pace::default(),
            closing: false,
            stage: open.stage,
        };
        run.waiting.remove_all(&run.stored);
        run.waiting.remove_all(&run.quarantined);
        run
    }

    pub(super) fn key(&self) -> StageKey {
        StageKey { run: self.id, stage: self.stage.index }
    }

    /// Goes on to the next stage.
    pub(super) fn enter(&mut self, stage: StageView) {
        let pace = std::mem::take(&mut self.pace).next_stage();
        let trouble = self.trouble.take();
        let open = OpenRun {
            run: self.id,
            state: self.state,
            stage,
            stored: BTreeMap::new(),
            quarantined: RangeSet::new(),
            failures: BTreeMap::new(),
            audit: self.audit,
            disputes: BTreeMap::new(),
            distrusted: Vec::new(),
        };
        *self = Run { pace, trouble, ..Run::new(open) };
    }

    /// Whether results of `stage` still count.
    pub(super) fn accepts(&self, stage: StageKey) -> bool {
        self.key() == stage && !self.closing && !self.state.is_ended()
    }

    /// Whether `trial` needs no further attempt.
    pub(super) fn has(&self, trial: u64) -> bool {
        self.stored.contains(trial) || self.quarantined.contains(trial)
    }

    /// Whether a worker that holds `trial` does something that is needed.
    pub(super) fn needs(&self, trial: u64) -> bool {
        !self.has(trial) || self.audits.is_held(trial)
    }

    /// Whether every trial is stored or given up, for good.
    pub(super) fn is_complete(&self) -> bool {
        self.state == RunState::Running
            && !self.closing
            && self.retracting == 0
            && self.stored.len() + self.quarantined.len() == self.stage.trials
    }

    pub(super) fn waiting(&self) -> u64 {
        self.waiting.len() + self.lost.len()
    }

    /// Whether its trials may be leased.
    pub(super) fn is_served(&self) -> bool {
        self.state == RunState::Running && !self.closing && self.trouble.is_none()
    }

    /// Takes up to `count` trials to lease, lost ones first; `avoid` is a worker that somebody could stand in for.
    pub(super) fn take(&mut self, count: u64, avoid: Option<&str>) -> RangeSet {
        let mut avoided = RangeSet::new();
        if let Some(worker) = avoid {
            for (&trial, _) in self.shunned.iter().filter(|(_, failed)| *failed == worker) {
                avoided.insert_all(&self.lost.extract(trial..trial + 1));
            }
        }
        let mut taken = self.lost.take(count);
        self.lost.insert_all(&avoided);
        if taken.len() < count {
            taken.insert_all(&self.waiting.take(count - taken.len()));
        }
        taken
    }

    /// Takes suspects that are to run with nothing beside them; `avoid` is a worker that somebody could stand in for.
    pub(super) fn take_suspects(&mut self, most: u64, avoid: Option<&str>) -> Option<RangeSet> {
        let shunned = &self.shunned;
        self.suspects.take(most, |trial| avoid.is_some() && shunned.get(&trial).map(String::as_str) == avoid)
    }

    /// Takes trials whose result has arrived off the queues (they may wait there after a session was lost).
    pub(super) fn received(&mut self, trials: &RangeSet) {
        self.unqueue(trials);
        // A late result beats the verdict on a trial that failed elsewhere, as long as the stage is open.
        self.quarantined.remove_all(trials);
    }

    fn unqueue(&mut self, trials: &RangeSet) {
        for queue in [&mut self.waiting, &mut self.lost] {
            if !queue.is_empty() {
                queue.remove_all(trials);
            }
        }
        self.suspects.unqueue(trials);
    }

    /// `trials` are durable, by `worker`; `repeats` were before.
    pub(super) fn stored(&mut self, now: Now, trials: &RangeSet, worker: &str) {
        // They may have come back to a queue while on their way to the store.
        self.unqueue(trials);
        self.suspects.settle(trials);
        if !self.shunned.is_empty() {
            self.shunned.retain(|&trial, _| !trials.contains(trial));
        }
        let mut fresh = trials.clone();
        fresh.remove_all(&self.stored);
        self.stored.insert_all(&fresh);
        self.pace.stored(now, fresh.len());
        self.audits.stored(&fresh, worker);
    }

    /// These are not stored any more; those that nobody holds wait again.
    pub(super) fn retracted(&mut self, trials: &RangeSet, elsewhere: &RangeSet) {
        self.retracting = self.retracting.saturating_sub(1);
        self.stored.remove_all(trials);
        // For more than one reason, perhaps: checks and copies.
        self.shared.insert_all(elsewhere);
        self.audits.forget(trials);
        self.put_back(trials.clone(), elsewhere);
    }

    /// A session does not hold these any more, and `elsewhere` is what others hold: puts to the front what is needed.
    pub(super) fn give_back(&mut self, stage: StageKey, trials: &RangeSet, elsewhere: &RangeSet) {
        if self.key() != stage {
            return;
        }
        self.copied.remove_all(trials);
        let mut trials = trials.clone();
        self.audits.give_back(&mut trials);
        self.put_back(trials, elsewhere);
    }

    fn put_back(&mut self, mut trials: RangeSet, elsewhere: &RangeSet) {
        for set in [&self.stored, &self.quarantined, &self.waiting, elsewhere] {
            trials.remove_all(set);
        }
        self.suspects.put_back(&mut trials);
        self.lost.insert_all(&trials);
    }

    /// A worker died with these in its hands, or about to be. Returns how many are suspects now and were not.
    pub(super) fn died_with(&mut self, trials: &RangeSet) -> u64 {
        let mut trials = trials.clone();
        trials.remove_all(&self.stored);
        let fresh = self.suspects.died_with(&trials);
        let mut queued = self.waiting.extract_all(&fresh);
        queued.insert_all(&self.lost.extract_all(&fresh));
        self.suspects.put_back(&mut queued);
        fresh.len()
    }

    /// The worker that died with these had not died after all.
    pub(super) fn acquit(&mut self, trials: &RangeSet) {
        let waited = self.suspects.acquit(trials);
        self.lost.insert_all(&waited);
    }

    /// These suspects wait for a worker that ran them and nothing else, and is away; others hold `elsewhere`.
    pub(super) fn keep_suspects(&mut self, process: ProcessId, trials: &RangeSet, elsewhere: &RangeSet) {
        let mut trials = trials.clone();
        for set in [&self.stored, &self.quarantined, elsewhere] {
            trials.remove_all(set);
        }
        self.suspects.keep_for(process, &trials);
    }

    /// Takes trials that a worker has turned out to hold off the queues; returns those that did not wait there.
    pub(super) fn claim(&mut self, trials: &RangeSet) -> RangeSet {
        let mut elsewhere = trials.clone();
        for queue in [&mut self.waiting, &mut self.lost] {
            elsewhere.remove_all(&queue.extract_all(trials));
        }
        elsewhere.remove_all(&self.suspects.waiting());
        self.suspects.unqueue(trials);
        elsewhere
    }

    /// Counts a failure at `worker`; returns how many there were.
    pub(super) fn strike(&mut self, trial: u64, worker: &str) -> u32 {
        self.shunned.insert(trial, worker.to_owned());
        let failures = self.failures.entry(trial).or_insert(0);
        *failures += 1;
        *failures
    }

    /// Takes a failure back that was none; true if the trial had been given up and is not any more, and then it waits.
    pub(super) fn unstrike(&mut self, trial: u64) -> bool {
        let Some(failures) = self.failures.get_mut(&trial) else { return false };
        *failures = failures.saturating_sub(1);
        let returned = *failures < STRIKES && self.quarantined.remove(trial..trial + 1) > 0;
        if returned {
            self.lost.insert(trial..trial + 1);
        }
        returned
    }

    pub(super) fn quarantine(&mut self, trial: u64) {
        let one: RangeSet = std::iter::once(trial..trial + 1).collect();
        self.unqueue(&one);
        self.suspects.settle(&one);
        self.shunned.remove(&trial);
        self.quarantined.insert_all(&one);
    }

    pub(super) fn check(&self, id: RunId, held: &RangeSet, committing: &RangeSet) {
        let (mut all, suspects) = (self.stored.clone(), self.suspects.waiting());
        for set in [&self.quarantined, &self.waiting, &self.lost, &suspects, held, committing] {
            all.insert_all(set);
        }
        let whole: RangeSet = std::iter::once(0..self.stage.trials).collect();
        if !self.state.is_ended() {
            assert_eq!(all, whole, "run {id}: a trial of stage {} is nowhere", self.stage.index);
        }
        for range in self.quarantined.iter() {
            assert!(self.stored.overlap(range).is_empty(), "run {id}: a trial is stored and quarantined");
        }
        for (name, set) in [("stored", &self.stored), ("quarantined", &self.quarantined)] {
            for range in set.iter() {
                for queue in [&self.waiting, &self.lost, &suspects] {
                    assert!(queue.overlap(range.clone()).is_empty(), "run {id}: a {name} trial of {range:?} waits");
                }
            }
        }
    }
}
