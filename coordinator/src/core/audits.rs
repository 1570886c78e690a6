//! Trials that are run twice, on two workers, because a machine that computes wrongly says nothing of it.
//!
//! A sample of what is stored is audited: another worker runs it, too, and both must agree (DESIGN 4, trust). Where
//! they do not, the trial is disputed until a third worker agrees with one side; whoever stands alone then is
//! distrusted.

use std::{collections::BTreeMap, ops::Range};

use super::input::Repeat;
use crate::{ids::StageKey, ranges::RangeSet};

/// Most audits that may wait: memory does not follow the size of a stage. What comes on top is not audited.
const WAITING_MAX: u64 = 50_000;
/// A stage is sampled by single trials up to so many, by blocks beyond.
const BLOCKS_MIN: u64 = 20_000;
/// Most trials of a block.
const BLOCK_MAX: u64 = 64;

#[derive(Debug)]
struct Dispute {
    /// Workers that have given a result of the trial.
    parties: Vec<String>,
    /// Somebody runs it.
    held: bool,
}

/// What a second result showed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Finding {
    /// Nothing yet: they are equal, or it is not known who is right.
    Nothing,
    /// These workers are wrong, as those say.
    Wrong { workers: Vec<String>, agreed: Vec<String> },
}

/// The checks of a run's open stage.
#[derive(Debug, Default)]
pub(super) struct Audits {
    /// A block is of the sample if its hash is below this; 0 for none.
    below: u64,
    salt: u64,
    /// Neighbours that are sampled together.
    block: u64,
    /// By whose result is stored: trials that somebody else is to run. No set is empty.
    waiting: BTreeMap<String, RangeSet>,
    /// How many they are.
    waiting_len: u64,
    /// Trials that somebody runs, and whose result is stored.
    held: BTreeMap<u64, String>,
    disputes: BTreeMap<u64, Dispute>,
    /// Trials of the sample that were given up.
    pub(super) skipped: u64,
}

impl Audits {
    /// Audits a share of a stage's trials, from 0 to 1.
    pub(super) fn new(share: f64, stage: StageKey, trials: u64) -> Self {
        // Scattered trials cost messages and searches; where there are very many, whole blocks are as good a sample.
        let block = (trials / BLOCKS_MIN).clamp(1, BLOCK_MAX);
        // Casting saturates: a share of 1 takes every block.
        let below = (share * 2f64.powi(64)) as u64;
        let run = u64::from_le_bytes(stage.run.0[..8].try_into().expect("an id has 16 bytes"));
        Audits { below, salt: mix(run ^ u64::from(stage.stage)), block, ..Audits::default() }
    }

    /// Takes up disputes that are older than this coordinator.
    pub(super) fn reopen(&mut self, disputes: BTreeMap<u64, Vec<String>>) {
        // A dispute is check enough: two workers must not hold one trial for two reasons.
        disputes.keys().for_each(|&trial| self.unqueue(trial..trial + 1));
        let dispute = |parties| Dispute { parties, held: false };
        self.disputes.extend(disputes.into_iter().map(|(trial, parties)| (trial, dispute(parties))));
    }

    /// Trials were stored for the first time, by `worker`: some of them are to be checked.
    pub(super) fn stored(&mut self, trials: &RangeSet, worker: &str) {
        if self.below == 0 {
            return;
        }
        let mut room = WAITING_MAX.saturating_sub(self.waiting_len);
        for range in trials.iter() {
            let mut start = range.start;
            while start < range.end {
                let number = start / self.block;
                let piece = start..range.end.min((number + 1).saturating_mul(self.block));
                start = piece.end;
                if mix(number ^ self.salt) > self.below {
                    continue;
                }
                let count = piece.end - piece.start;
                if room < count {
                    self.skipped += count;
                    continue;
                }
                room -= count;
                self.wait(worker, piece);
            }
        }
    }

    /// These wait for somebody else than `by`.
    fn wait(&mut self, by: &str, trials: Range<u64>) {
        if let Some(set) = self.waiting.get_mut(by) {
            self.waiting_len += set.insert(trials);
        } else {
            self.waiting_len += trials.end - trials.start;
            self.waiting.insert(by.to_owned(), std::iter::once(trials).collect());
        }
    }

    /// These wait no longer, whoever's they are.
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

    /// Takes up to `count` checks that `worker` can make.
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

    /// Whether `worker` could make one of the checks that wait.
    pub(super) fn any_for(&self, worker: &str) -> bool {
        self.waiting.keys().any(|by| by != worker)
            || self.disputes.values().any(|d| !d.held && !d.parties.iter().any(|party| party == worker))
    }

    /// Whether somebody runs this trial to check it.
    pub(super) fn is_held(&self, trial: u64) -> bool {
        self.held.contains_key(&trial) || self.disputes.get(&trial).is_some_and(|dispute| dispute.held)
    }

    /// Whether a result of `worker` would check this trial.
    pub(super) fn may_run(&self, trial: u64, worker: &str) -> bool {
        self.held.get(&trial).is_none_or(|by| by != worker)
            && self.disputes.get(&trial).is_none_or(|d| !d.parties.iter().any(|party| party == worker))
    }

    /// Nobody runs these any more; takes the checks out of `trials`.
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

    /// A check failed: its worker could not run the trial. An audit is given up; a dispute needs somebody else.
    pub(super) fn failed(&mut self, trial: u64, worker: &str) {
        if self.held.remove(&trial).is_some() {
            self.skipped += 1;
        }
        if let Some(dispute) = self.disputes.get_mut(&trial) {
            dispute.parties.push(worker.to_owned());
            dispute.held = false;
        }
    }

    /// These are not stored any more.
    pub(super) fn forget(&mut self, trials: &RangeSet) {
        for range in trials.iter() {
            self.unqueue(range.clone());
            self.held.retain(|trial, _| !range.contains(trial));
            self.disputes.retain(|trial, _| !range.contains(trial));
        }
    }

    /// Learns from a second result, by `worker`.
    pub(super) fn learn(&mut self, repeat: Repeat, worker: &str) -> Finding {
        let Repeat { trial, stored_by, equal, agrees_with } = repeat;
        let by = stored_by.clone();
        let own = stored_by == worker;
        let alone = |name: String| Finding::Wrong { workers: vec![name], agreed: Vec::new() };
        if own {
            // The same batch twice; or a worker that contradicts itself.
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
                    // It has said something else before.
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

    /// A trial, whose stored result is `by`'s, needs no further check.
    fn settled(&mut self, trial: u64, by: &str, finding: Finding) -> Finding {
        // Mostly it was held; else its result came from somebody who was not asked.
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

    /// Whether nothing is left to be checked.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.held.is_empty() && self.disputes.is_empty()
    }

    /// Whether one waits that nobody makes yet.
    pub(super) fn any_waits(&self) -> bool {
        !self.waiting.is_empty() || self.disputes.values().any(|dispute| !dispute.held)
    }

    /// Gives up waiting audits that no worker is there for.
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

    /// A dispute that nobody runs, with its parties.
    pub(super) fn open_dispute(&self) -> Option<(u64, &[String])> {
        self.disputes.iter().find(|(_, d)| !d.held).map(|(&trial, d)| (trial, d.parties.as_slice()))
    }

    /// Trials that wait to be checked or are being checked.
    pub(super) fn len(&self) -> u64 {
        self.waiting_len + (self.held.len() + self.disputes.len()) as u64
    }
}

/// A hash of a number (SplitMix64's finaliser, Steele et al. 2014). Decides who is checked, no result.
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
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
            // However they come in.
            audits.stored(&std::iter::once(0..trials / 3 + 1).collect(), "a");
            audits.stored(&std::iter::once(trials / 3 + 1..trials).collect(), "b");
            let sampled = audits.len() + audits.skipped;
            assert!((low..=high).contains(&sampled), "{share} of {trials}: {sampled}");
            assert!(audits.len() <= WAITING_MAX);
        }
    }

    #[test]
    fn a_check_is_for_somebody_else() {
        let mut audits = Audits::new(1.0, STAGE, 10);
        audits.stored(&all(10), "a");
        assert!(!audits.any_for("a") && audits.take("a", 100).is_empty());
        let mut taken = audits.take("b", 4);
        assert_eq!(taken.len(), 4);
        assert!(taken.iter().flatten().all(|trial| audits.is_held(trial) && !audits.may_run(trial, "a")));
        audits.give_back(&mut taken);
        assert!(taken.is_empty(), "what is a check waits as a check");
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
    fn whoever_contradicts_itself_is_wrong() {
        let mut audits = Audits::new(0.0, STAGE, 10);
        assert_eq!(audits.learn(repeat(7, "a", false, &[]), "a"), wrong(&["a"], &[]));
        assert_eq!(audits.learn(repeat(7, "a", false, &[]), "b"), Finding::Nothing);
        assert_eq!(audits.learn(repeat(7, "a", true, &[]), "b"), wrong(&["b"], &[]));
        // Three opinions settle nothing.
        assert_eq!(audits.learn(repeat(8, "a", false, &[]), "b"), Finding::Nothing);
        assert_eq!(audits.learn(repeat(8, "a", false, &[]), "c"), Finding::Nothing);
        assert!(audits.take("c", 1).is_empty() && audits.any_for("d"));
    }
}
