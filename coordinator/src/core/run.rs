//! One run: where each trial of its open stage is.

use std::collections::BTreeMap;

use super::{Now, OpenRun, RunState, STRIKES, StageView, audits::Audits, pace::Pace, share::Share, suspects::Suspects};
use crate::{
    ids::{ProcessId, RunId, SessionId, StageKey},
    ranges::RangeSet,
};

/// What the core knows of a run.
#[derive(Debug)]
pub(super) struct Run {
    id: RunId,
    pub(super) state: RunState,
    pub(super) stage: StageView,
    /// Durable trials.
    pub(super) stored: RangeSet,
    /// Quarantined trials.
    pub(super) quarantined: RangeSet,
    /// Trials that were never leased.
    waiting: RangeSet,
    /// Trials that were leased and came back; leased before `waiting`.
    lost: RangeSet,
    pub(super) suspects: Suspects,
    failures: BTreeMap<u64, u32>,
    /// The worker at which each trial failed last, so that another one runs it next.
    shunned: BTreeMap<u64, String>,
    /// Trials that two workers hold because a copy was leased.
    pub(super) copied: RangeSet,
    /// Trials that more than one worker may hold; no others are held twice. Stored ones remain, since they may be
    /// retracted while they are held.
    pub(super) shared: RangeSet,
    /// When leases to copy are searched for next: a search costs more the larger the fleet.
    pub(super) next_copies: Now,
    audit: f64,
    pub(super) audits: Audits,
    /// Number of retractions on their way through the store.
    pub(super) retracting: u32,
    /// Why the store cannot write the run, if it cannot.
    pub(super) trouble: Option<String>,
    pub(super) pace: Pace,
    pub(super) share: Share,
    /// Whether it had trials to lease after the last input.
    pub(super) has_trials: bool,
    /// A session that gets no other trials before it has run suspects.
    pub(super) reserved: Option<SessionId>,
    /// The closing transaction is under way.
    pub(super) closing: bool,
}

impl Run {
    pub(super) fn new(open: OpenRun) -> Self {
        let key = StageKey { run: open.run, stage: open.stage.index };
        let mut audits = Audits::new(open.audit, key, open.stage.trials);
        let stored = open.all_stored();
        for (worker, trials) in &open.stored {
            // Which of these were audited is not stored, so some are audited again.
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
            share: Share::new(open.quota),
            has_trials: false,
            reserved: None,
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

    /// Enters the next stage.
    pub(super) fn enter(&mut self, stage: StageView) {
        let pace = std::mem::take(&mut self.pace).next_stage();
        let (trouble, share) = (self.trouble.take(), std::mem::take(&mut self.share));
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
            quota: share.quota,
        };
        *self = Run { pace, trouble, share, ..Run::new(open) };
    }

    /// Drops what is of no use once the run has ended. One that goes on is opened anew.
    pub(super) fn retire(&mut self) {
        (self.pace, self.audits, self.suspects) = (Pace::default(), Audits::default(), Suspects::default());
        for set in [&mut self.waiting, &mut self.lost, &mut self.copied, &mut self.shared] {
            *set = RangeSet::new();
        }
        self.failures.clear();
        self.shunned.clear();
        self.stage.shape.columns = Vec::new();
    }

    /// Whether results of `stage` are still accepted.
    pub(super) fn accepts(&self, stage: StageKey) -> bool {
        self.key() == stage && !self.closing && !self.state.is_ended()
    }

    /// Whether `trial` is stored or quarantined.
    pub(super) fn has(&self, trial: u64) -> bool {
        self.stored.contains(trial) || self.quarantined.contains(trial)
    }

    /// Whether a result of `trial` is still needed.
    pub(super) fn needs(&self, trial: u64) -> bool {
        !self.has(trial) || self.audits.is_held(trial)
    }

    /// Whether every trial is stored or quarantined and the stage may be closed.
    pub(super) fn is_complete(&self) -> bool {
        self.state == RunState::Running
            && !self.closing
            && self.retracting == 0
            && self.stored.len() + self.quarantined.len() == self.stage.trials
    }

    /// Number of waiting trials, not counting suspects.
    pub(super) fn waiting(&self) -> u64 {
        self.waiting.len() + self.lost.len()
    }

    /// Whether its trials may be leased.
    pub(super) fn is_served(&self) -> bool {
        self.state == RunState::Running && !self.closing && self.trouble.is_none()
    }

    /// Takes up to `count` trials to lease, lost ones first, but no lost one that failed last at worker `avoid`.
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

    /// Whether a group of suspects waits that a worker may run, unless it is a single one that failed last at `avoid`.
    pub(super) fn has_suspects_for(&self, avoid: Option<&str>) -> bool {
        let shunned = &self.shunned;
        self.suspects.any_for(|trial| avoid.is_some() && shunned.get(&trial).map(String::as_str) == avoid)
    }

    /// Takes a group of suspects to lease, but not a single one that failed last at worker `avoid`.
    pub(super) fn take_suspects(&mut self, most: u64, avoid: Option<&str>) -> Option<RangeSet> {
        let shunned = &self.shunned;
        self.suspects.take(most, |trial| avoid.is_some() && shunned.get(&trial).map(String::as_str) == avoid)
    }

    /// Removes trials whose result has arrived from the queues, where they may wait after a session was lost.
    pub(super) fn received(&mut self, trials: &RangeSet) {
        self.unqueue(trials);
        // As long as the stage is open, a late result counts more than failures elsewhere.
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

    /// Notes that the results of `worker` for `trials` are durable.
    pub(super) fn stored(&mut self, now: Now, trials: &RangeSet, worker: &str) {
        // They may have returned to a queue while on their way to the store.
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

    /// Notes that `trials` are no longer stored; those that are not held `elsewhere` wait again.
    pub(super) fn retracted(&mut self, trials: &RangeSet, elsewhere: &RangeSet) {
        self.retracting = self.retracting.saturating_sub(1);
        self.stored.remove_all(trials);
        // Perhaps more than once: by audits and copies.
        self.shared.insert_all(elsewhere);
        self.audits.forget(trials);
        self.put_back(trials.clone(), elsewhere);
    }

    /// Makes trials of a session that are not held `elsewhere` wait again, in front, as far as they are needed.
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

    /// Notes that a worker died while it held these and may have run them. Returns the number of new suspects.
    pub(super) fn died_with(&mut self, trials: &RangeSet) -> u64 {
        let mut trials = trials.clone();
        trials.remove_all(&self.stored);
        let fresh = self.suspects.died_with(&trials);
        let mut queued = self.waiting.extract_all(&fresh);
        queued.insert_all(&self.lost.extract_all(&fresh));
        self.suspects.put_back(&mut queued);
        fresh.len()
    }

    /// Withdraws the suspicion of trials whose worker had not died.
    pub(super) fn acquit(&mut self, trials: &RangeSet) {
        let waited = self.suspects.acquit(trials);
        self.lost.insert_all(&waited);
    }

    /// Makes suspects that are not held `elsewhere` wait for the absent process that ran them.
    pub(super) fn keep_suspects(&mut self, process: ProcessId, trials: &RangeSet, elsewhere: &RangeSet) {
        let mut trials = trials.clone();
        for set in [&self.stored, &self.quarantined, elsewhere] {
            trials.remove_all(set);
        }
        self.suspects.keep_for(process, &trials);
    }

    /// Removes trials that a worker turned out to hold from the queues; returns those that did not wait there.
    pub(super) fn claim(&mut self, trials: &RangeSet) -> RangeSet {
        let mut elsewhere = trials.clone();
        for queue in [&mut self.waiting, &mut self.lost] {
            elsewhere.remove_all(&queue.extract_all(trials));
        }
        elsewhere.remove_all(&self.suspects.waiting());
        self.suspects.unqueue(trials);
        elsewhere
    }

    /// Counts a failure of a trial at `worker`; returns the number of its failures.
    pub(super) fn strike(&mut self, trial: u64, worker: &str) -> u32 {
        self.shunned.insert(trial, worker.to_owned());
        let failures = self.failures.entry(trial).or_insert(0);
        *failures += 1;
        *failures
    }

    /// Withdraws a failure of a trial; true if that ends its quarantine, so that it waits again.
    pub(super) fn unstrike(&mut self, trial: u64) -> bool {
        let Some(failures) = self.failures.get_mut(&trial) else { return false };
        *failures = failures.saturating_sub(1);
        let returned = *failures < STRIKES && self.quarantined.remove(trial..trial + 1) > 0;
        if returned {
            self.lost.insert(trial..trial + 1);
        }
        returned
    }

    /// Quarantines a trial.
    pub(super) fn quarantine(&mut self, trial: u64) {
        let one: RangeSet = std::iter::once(trial..trial + 1).collect();
        self.unqueue(&one);
        self.suspects.settle(&one);
        self.shunned.remove(&trial);
        self.quarantined.insert_all(&one);
    }

    /// Checks the invariant, given the trials that are held and those that are on their way to the store.
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
