//! Audits: trials that two workers run, because a machine that computes wrongly does not report it.
//!
//! A sample of the stored trials is audited: another worker runs them too, and both results must agree
//! (ARCHITECTURE.md, invariant 8). If they differ, the trial is disputed until a third worker agrees with one of them;
//! the workers with the other result are then distrusted.

use std::{collections::BTreeMap, ops::Range};

use super::{input::Repeat, sample::Sample};
use crate::{ids::StageKey, ranges::RangeSet};

/// Most waiting audits, so that memory does not grow with a stage. Further trials are not audited.
const WAITING_MAX: u64 = 50_000;
/// A trial whose results differ.
#[derive(Debug)]
struct Dispute {
    /// Workers that have given a result of the trial.
    parties: Vec<String>,
    /// Whether a worker runs it.
    held: bool,
}

/// What a second result shows.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Finding {
    /// Nothing: the results are equal, or it is not known which is right.
    Nothing,
    /// The results of `workers` are wrong, since those of `agreed` are equal.
    Wrong { workers: Vec<String>, agreed: Vec<String> },
}

/// The audits of a run's open stage.
#[derive(Debug, Default)]
pub(super) struct Audits {
    sample: Sample,
    /// Trials that another worker is to run, by the worker whose result is stored. No set is empty.
    waiting: BTreeMap<String, RangeSet>,
    /// Number of trials in `waiting`.
    waiting_len: u64,
    /// Trials that a worker runs as an audit, and the worker whose result is stored.
    held: BTreeMap<u64, String>,
    disputes: BTreeMap<u64, Dispute>,
    /// Number of trials of the sample that were not audited.
    pub(super) skipped: u64,
}

impl Audits {
    /// Will audit a share of the trials of a stage, from 0 to 1.
    pub(super) fn new(share: f64, stage: StageKey, trials: u64) -> Self {
        Audits { sample: Sample::new(share, stage, trials), ..Audits::default() }
    }

    /// Adds the disputes that are stored.
    pub(super) fn reopen(&mut self, disputes: BTreeMap<u64, Vec<String>>) {
        // A dispute replaces an audit: no trial may be held for two reasons.
        disputes.keys().for_each(|&trial| self.unqueue(trial..trial + 1));
        let dispute = |parties| Dispute { parties, held: false };
        self.disputes.extend(disputes.into_iter().map(|(trial, parties)| (trial, dispute(parties))));
    }

    /// Notes that results of `worker` were stored; those in the sample wait for an audit.
    pub(super) fn stored(&mut self, trials: &RangeSet, worker: &str) {
        let mut room = WAITING_MAX.saturating_sub(self.waiting_len);
        for piece in self.sample.of(trials) {
            let count = piece.end - piece.start;
            if room < count {
                self.skipped += count;
                continue;
            }
            room -= count;
            self.wait(worker, piece);
        }
    }

    /// Makes trials wait for a worker other than `by`.
    fn wait(&mut self, by: &str, trials: Range<u64>) {
        if let Some(set) = self.waiting.get_mut(by) {
            self.waiting_len += set.insert(trials);
        } else {
            self.waiting_len += trials.end - trials.start;
            self.waiting.insert(by.to_owned(), std::iter::once(trials).collect());
        }
    }

    /// Removes trials from the waiting audits.
    fn unqueue(&mut self, trials: Range<u64>) {
        if self.waiting_len == 0 {
            return;
        }
        let mut removed = 0;
        self.waiting.retain(|_, set| {
            removed += set.remove(trials.clone());
            !set.is_empty()
        });
        self.waiting_len -= removed;
    }

    /// Takes up to `count` audits and disputed trials that `worker` may run.
    pub(super) fn take(&mut self, worker: &str, count: u64) -> RangeSet {
        let mut taken = RangeSet::new();
        for (&trial, dispute) in &mut self.disputes {
            if taken.len() < count && !dispute.held && !dispute.parties.iter().any(|party| party == worker) {
                dispute.held = true;
                taken.insert(trial..trial + 1);
            }
        }
        while taken.len() < count {
            let Some(by) = self.waiting.keys().find(|by| *by != worker).cloned() else { break };
            let Some(trials) = self.waiting.get_mut(&by) else { break };
            let some = trials.take(count - taken.len());
            if trials.is_empty() {
                self.waiting.remove(&by);
            }
            self.waiting_len -= some.len();
            self.held.extend(some.iter().flatten().map(|trial| (trial, by.clone())));
            taken.insert_all(&some);
        }
        taken
    }

    /// Whether an audit or dispute waits that `worker` may run.
    pub(super) fn any_for(&self, worker: &str) -> bool {
        self.waiting.keys().any(|by| by != worker)
            || self.disputes.values().any(|d| !d.held && !d.parties.iter().any(|party| party == worker))
    }

    /// Whether a worker runs this trial as an audit or for a dispute.
    pub(super) fn is_held(&self, trial: u64) -> bool {
        self.held.contains_key(&trial) || self.disputes.get(&trial).is_some_and(|dispute| dispute.held)
    }

    /// Whether a result of `worker` would count for an audit or dispute of this trial.
    pub(super) fn may_run(&self, trial: u64, worker: &str) -> bool {
        self.held.get(&trial).is_none_or(|by| by != worker)
            && self.disputes.get(&trial).is_none_or(|d| !d.parties.iter().any(|party| party == worker))
    }

    /// Makes audits and disputes among `trials`, which are no longer held, wait again; takes them out of `trials`.
    pub(super) fn give_back(&mut self, trials: &mut RangeSet) {
        for range in trials.clone().iter() {
            let audits: Vec<u64> = self.held.range(range.clone()).map(|(&trial, _)| trial).collect();
            for trial in audits {
                if let Some(by) = self.held.remove(&trial) {
                    self.wait(&by, trial..trial + 1);
                }
                trials.remove(trial..trial + 1);
            }
            for (&trial, dispute) in self.disputes.range_mut(range) {
                dispute.held = false;
                trials.remove(trial..trial + 1);
            }
        }
    }

    /// Notes that `worker` failed at a trial: an audit is skipped, a dispute needs yet another worker.
    pub(super) fn failed(&mut self, trial: u64, worker: &str) {
        if self.held.remove(&trial).is_some() {
            self.skipped += 1;
        }
        if let Some(dispute) = self.disputes.get_mut(&trial) {
            dispute.parties.push(worker.to_owned());
            dispute.held = false;
        }
    }

    /// Forgets trials that are no longer stored.
    pub(super) fn forget(&mut self, trials: &RangeSet) {
        for range in trials.iter() {
            self.unqueue(range.clone());
            self.held.retain(|trial, _| !range.contains(trial));
            self.disputes.retain(|trial, _| !range.contains(trial));
        }
    }

    /// Learns from a second result of a trial, by `worker`.
    pub(super) fn learn(&mut self, repeat: Repeat, worker: &str) -> Finding {
        let Repeat { trial, stored_by, equal, agrees_with } = repeat;
        let by = stored_by.clone();
        let own = stored_by == worker;
        let alone = |name: String| Finding::Wrong { workers: vec![name], agreed: Vec::new() };
        if own {
            // The same batch sent twice, or a worker that contradicts itself.
            return if equal { Finding::Nothing } else { self.settled(trial, &by, alone(stored_by)) };
        }
        let agreed: Vec<String> = agrees_with.into_iter().filter(|name| name != worker).collect();
        match self.disputes.get_mut(&trial) {
            None if equal => self.settled(trial, &by, Finding::Nothing),
            None if agreed.is_empty() => {
                self.settled(trial, &by, Finding::Nothing);
                let parties = vec![stored_by, worker.to_owned()];
                self.disputes.insert(trial, Dispute { parties, held: false });
                Finding::Nothing
            }
            Some(dispute) if equal => {
                let mut workers = dispute.parties.clone();
                workers.retain(|party| *party != stored_by && party != worker);
                if workers.is_empty() {
                    // The worker gave another result before.
                    return self.settled(trial, &by, alone(worker.to_owned()));
                }
                let agreed = vec![stored_by, worker.to_owned()];
                self.settled(trial, &by, Finding::Wrong { workers, agreed })
            }
            Some(dispute) if agreed.is_empty() => {
                if !dispute.parties.iter().any(|party| party == worker) {
                    dispute.parties.push(worker.to_owned());
                }
                dispute.held = false;
                Finding::Nothing
            }
            _ => {
                let agreed = agreed.into_iter().chain([worker.to_owned()]).collect();
                self.settled(trial, &by, Finding::Wrong { workers: vec![stored_by], agreed })
            }
        }
    }

    /// Ends the audit or dispute of a trial whose stored result is of worker `by`.
    fn settled(&mut self, trial: u64, by: &str, finding: Finding) -> Finding {
        // If it was not held, the result came from a worker that was not asked for it.
        if self.held.remove(&trial).is_none()
            && let Some(waiting) = self.waiting.get_mut(by)
        {
            self.waiting_len -= waiting.remove(trial..trial + 1);
            if waiting.is_empty() {
                self.waiting.remove(by);
            }
        }
        self.disputes.remove(&trial);
        finding
    }

    /// Whether no audit or dispute is left.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.held.is_empty() && self.disputes.is_empty()
    }

    /// Whether an audit or dispute waits for a worker.
    pub(super) fn any_waits(&self) -> bool {
        !self.waiting.is_empty() || self.disputes.values().any(|dispute| !dispute.held)
    }

    /// Skips waiting audits for which there is no worker.
    pub(super) fn drop_hopeless(&mut self, can: impl Fn(&str) -> bool) {
        let mut dropped = 0;
        self.waiting.retain(|by, trials| {
            let possible = can(by);
            if !possible {
                dropped += trials.len();
            }
            possible
        });
        self.skipped += dropped;
        self.waiting_len -= dropped;
    }

    /// A disputed trial that no worker runs, and its parties.
    pub(super) fn open_dispute(&self) -> Option<(u64, &[String])> {
        self.disputes.iter().find(|(_, d)| !d.held).map(|(&trial, d)| (trial, d.parties.as_slice()))
    }

    /// Number of trials that wait for an audit, are audited or are disputed.
    pub(super) fn len(&self) -> u64 {
        self.waiting_len + (self.held.len() + self.disputes.len()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::RunId;

    const STAGE: StageKey = StageKey { run: RunId([3; 16]), stage: 2 };

    fn all(count: u64) -> RangeSet {
        std::iter::once(0..count).collect()
    }

    fn repeat(trial: u64, stored_by: &str, equal: bool, agrees_with: &[&str]) -> Repeat {
        let agrees_with = agrees_with.iter().map(|&name| name.to_owned()).collect();
        Repeat { trial, stored_by: stored_by.to_owned(), equal, agrees_with }
    }

    fn wrong(workers: &[&str], agreed: &[&str]) -> Finding {
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        Finding::Wrong { workers: names(workers), agreed: names(agreed) }
    }

    #[test]
    fn the_sample_has_the_share_it_should() {
        // Single trials, then blocks.
        for (trials, share, low, high) in [
            (20_000, 0.0, 0, 0),
            (20_000, 0.01, 150, 250),
            (20_000, 0.5, 9_500, 10_500),
            (20_000, 1.0, 20_000, 20_000),
            (3_000_000, 0.01, 26_000, 34_000),
            (3_000_000, 1.0, 3_000_000, 3_000_000),
        ] {
            let mut audits = Audits::new(share, STAGE, trials);
            // In whatever pieces they arrive.
            audits.stored(&std::iter::once(0..trials / 3 + 1).collect(), "a");
            audits.stored(&std::iter::once(trials / 3 + 1..trials).collect(), "b");
            let sampled = audits.len() + audits.skipped;
            assert!((low..=high).contains(&sampled), "{share} of {trials}: {sampled}");
            assert!(audits.len() <= WAITING_MAX);
        }
    }

    #[test]
    fn an_audit_is_for_another_worker() {
        let mut audits = Audits::new(1.0, STAGE, 10);
        audits.stored(&all(10), "a");
        assert!(!audits.any_for("a") && audits.take("a", 100).is_empty());
        let mut taken = audits.take("b", 4);
        assert_eq!(taken.len(), 4);
        assert!(taken.iter().flatten().all(|trial| audits.is_held(trial) && !audits.may_run(trial, "a")));
        audits.give_back(&mut taken);
        assert!(taken.is_empty(), "an audit waits as an audit");
        assert_eq!(audits.take("b", 100).len(), 10);
        for trial in 0..10 {
            assert_eq!(audits.learn(repeat(trial, "a", true, &[]), "b"), Finding::Nothing);
        }
        assert!(audits.is_empty());
    }

    #[test]
    fn a_third_worker_settles_a_dispute() {
        // (what c says of it, who is wrong)
        for (equal, agrees_with, finding) in
            [(true, &[][..], wrong(&["b"], &["a", "c"])), (false, &["b"][..], wrong(&["a"], &["b", "c"]))]
        {
            let mut audits = Audits::new(0.0, STAGE, 10);
            assert_eq!(audits.learn(repeat(7, "a", false, &[]), "b"), Finding::Nothing);
            assert!(audits.take("a", 9).is_empty() && audits.take("b", 9).is_empty());
            assert_eq!(audits.open_dispute().map(|(trial, _)| trial), Some(7));
            assert_eq!(audits.take("c", 9).len(), 1);
            // The first two batches come again, as after a lost acknowledgement.
            assert_eq!(audits.learn(repeat(7, "a", true, &[]), "a"), Finding::Nothing);
            assert_eq!(audits.learn(repeat(7, "a", false, &["b"]), "b"), Finding::Nothing);
            audits.take("c", 9);
            assert_eq!(audits.learn(repeat(7, "a", equal, agrees_with), "c"), finding);
            assert!(audits.is_empty());
        }
    }

    #[test]
    fn a_worker_that_contradicts_itself_is_wrong() {
        let mut audits = Audits::new(0.0, STAGE, 10);
        assert_eq!(audits.learn(repeat(7, "a", false, &[]), "a"), wrong(&["a"], &[]));
        assert_eq!(audits.learn(repeat(7, "a", false, &[]), "b"), Finding::Nothing);
        assert_eq!(audits.learn(repeat(7, "a", true, &[]), "b"), wrong(&["b"], &[]));
        // Three different results settle nothing.
        assert_eq!(audits.learn(repeat(8, "a", false, &[]), "b"), Finding::Nothing);
        assert_eq!(audits.learn(repeat(8, "a", false, &[]), "c"), Finding::Nothing);
        assert!(audits.take("c", 1).is_empty() && audits.any_for("d"));
    }
}
