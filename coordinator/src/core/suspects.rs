//! Suspects: trials that two workers held when they died, one of which may have killed them.
//!
//! Suspects run in groups, and their worker runs nothing else. A group that is delivered is cleared; one whose worker
//! dies too is halved, until a single trial is left. So innocent trials cost a lease or two, and a culprit among n
//! costs about log2(n) workers before a failure is counted for it.
//!
//! A group whose worker was lost waits until it is known whether the worker has died: if it returns, it says what it
//! still runs.

use crate::{ids::ProcessId, ranges::RangeSet};

/// Suspects that run together, alone on their worker.
#[derive(Debug)]
struct Group {
    trials: RangeSet,
    /// An absent process that ran them: they are not leased before it has returned or counts as dead.
    away: Option<ProcessId>,
}

impl Group {
    /// Whether it can be run, unless it is a single trial that is to be avoided.
    fn is_free(&self, avoided: impl Fn(u64) -> bool) -> bool {
        let single = self.trials.iter().next().filter(|_| self.trials.len() == 1).map(|range| range.start);
        self.away.is_none() && !single.is_some_and(avoided)
    }
}

#[derive(Debug, Default)]
pub(super) struct Suspects {
    /// Trials that a worker held when it died.
    lost_once: RangeSet,
    /// The suspects: trials that two workers held when they died.
    all: RangeSet,
    /// Suspects that no worker runs; disjoint.
    groups: Vec<Group>,
}

impl Suspects {
    /// Whether no group can be run now.
    pub(super) fn is_empty(&self) -> bool {
        self.groups.iter().all(|group| group.away.is_some())
    }

    /// Whether all of these are suspects.
    pub(super) fn are(&self, trials: &RangeSet) -> bool {
        !self.all.is_empty() && self.all.common(trials).len() == trials.len()
    }

    /// Notes that a worker died while it held these and may have run them. Returns the new suspects.
    pub(super) fn died_with(&mut self, trials: &RangeSet) -> RangeSet {
        let mut fresh = self.lost_once.common(trials);
        fresh.remove_all(&self.all);
        self.all.insert_all(&fresh);
        self.lost_once.insert_all(trials);
        fresh
    }

    /// Withdraws the suspicion of these, since a worker that counted as dead has returned. Returns those that waited as
    /// suspects and are no longer suspects.
    pub(super) fn acquit(&mut self, trials: &RangeSet) -> RangeSet {
        let cleared = self.all.extract_all(trials);
        let mut once = trials.clone();
        once.remove_all(&cleared);
        self.lost_once.remove_all(&once);
        let mut waited = RangeSet::new();
        for group in &mut self.groups {
            waited.insert_all(&group.trials.extract_all(&cleared));
        }
        self.drop_empty();
        waited
    }

    /// Splits a group into two halves.
    pub(super) fn split(&mut self, mut trials: RangeSet) {
        let half = trials.take(trials.len() / 2);
        self.push(half);
        self.push(trials);
    }

    /// Makes those of `trials` that are still suspects wait for an absent process that ran them.
    pub(super) fn keep_for(&mut self, process: ProcessId, trials: &RangeSet) {
        let trials = self.all.common(trials);
        if !trials.is_empty() {
            self.groups.push(Group { trials, away: Some(process) });
        }
    }

    /// Notes that a process has returned: other workers may run the group that waited for it.
    pub(super) fn back(&mut self, process: ProcessId) {
        self.groups.iter_mut().filter(|group| group.away == Some(process)).for_each(|group| group.away = None);
    }

    /// Removes the group that waits for a process that counts as dead.
    pub(super) fn left_by(&mut self, process: ProcessId) -> Option<RangeSet> {
        let at = self.groups.iter().position(|group| group.away == Some(process))?;
        Some(self.groups.remove(at).trials)
    }

    /// Makes `trials` wait as a group.
    pub(super) fn push(&mut self, trials: RangeSet) {
        if !trials.is_empty() {
            self.groups.push(Group { trials, away: None });
        }
    }

    fn drop_empty(&mut self) {
        self.groups.retain(|group| !group.trials.is_empty());
    }

    /// Whether [`Suspects::take`] has a group to give.
    pub(super) fn any_for(&self, avoided: impl Fn(u64) -> bool) -> bool {
        self.groups.iter().any(|group| group.is_free(&avoided))
    }

    /// Takes the next group, or `most` of it; a single trial only if it is not to be `avoided`.
    pub(super) fn take(&mut self, most: u64, avoided: impl Fn(u64) -> bool) -> Option<RangeSet> {
        let at = self.groups.iter().position(|group| group.is_free(&avoided))?;
        let taken = self.groups[at].trials.take(most);
        self.drop_empty();
        Some(taken)
    }

    /// Takes the suspects out of `trials`, which are no longer held, and makes them wait as a group.
    pub(super) fn put_back(&mut self, trials: &mut RangeSet) {
        if self.all.is_empty() {
            return;
        }
        let mut group = trials.extract_all(&self.all);
        for waiting in &self.groups {
            group.remove_all(&waiting.trials);
        }
        self.push(group);
    }

    /// Removes trials from the waiting groups.
    pub(super) fn unqueue(&mut self, trials: &RangeSet) {
        self.groups.iter_mut().for_each(|group| group.trials.remove_all(trials));
        self.drop_empty();
    }

    /// Removes trials that are stored or quarantined.
    pub(super) fn settle(&mut self, trials: &RangeSet) {
        self.unqueue(trials);
        for set in [&mut self.all, &mut self.lost_once] {
            if !set.is_empty() {
                set.remove_all(trials);
            }
        }
    }

    /// The suspects that no worker runs.
    pub(super) fn waiting(&self) -> RangeSet {
        let mut waiting = RangeSet::new();
        self.groups.iter().for_each(|group| waiting.insert_all(&group.trials));
        waiting
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(range: std::ops::Range<u64>) -> RangeSet {
        std::iter::once(range).collect()
    }

    #[test]
    fn groups_are_halved_until_one_is_left() {
        let mut suspects = Suspects::default();
        assert_eq!((suspects.died_with(&set(0..8)), suspects.died_with(&set(4..12))), (RangeSet::new(), set(4..8)));
        let mut back = set(2..10);
        suspects.put_back(&mut back);
        assert_eq!((back, suspects.waiting()), ([2..4, 8..10].into_iter().collect(), set(4..8)));
        // The culprit is 6.
        let mut deaths = 0;
        while let Some(group) = suspects.take(100, |_| false) {
            if !group.contains(6) {
                suspects.settle(&group);
            } else if group.len() == 1 {
                break;
            } else {
                deaths += 1;
                suspects.split(group);
            }
        }
        assert_eq!(deaths, 2);
    }

    #[test]
    fn a_group_waits_for_an_absent_process_and_is_cleared_if_it_returns() {
        let process = ProcessId([1; 16]);
        let mut suspects = Suspects::default();
        suspects.died_with(&set(0..4));
        suspects.died_with(&set(0..4));
        suspects.keep_for(process, &set(0..6));
        assert!(suspects.is_empty() && suspects.take(9, |_| false).is_none());
        suspects.back(process);
        assert_eq!(suspects.take(2, |_| false), Some(set(0..2)));
        suspects.keep_for(process, &set(0..2));
        assert_eq!(suspects.left_by(process), Some(set(0..2)));
        // One of the two processes had not died.
        assert_eq!(suspects.acquit(&set(2..6)), set(2..4));
        assert!(suspects.waiting().is_empty() && suspects.are(&set(0..2)) && !suspects.are(&set(1..3)));
        assert_eq!(suspects.died_with(&set(2..3)), set(2..3), "the other death still counts");
    }

    #[test]
    fn a_single_suspect_is_left_to_other_workers() {
        let mut suspects = Suspects::default();
        suspects.split(set(0..2));
        assert_eq!(suspects.take(9, |trial| trial == 0), Some(set(1..2)));
        assert_eq!(suspects.take(9, |trial| trial == 0), None);
        assert_eq!(suspects.take(9, |_| false), Some(set(0..1)));
        suspects.split(set(0..10));
        assert_eq!(suspects.take(2, |_| true), Some(set(0..2)), "no more than a lease holds");
        suspects.unqueue(&set(0..9));
        assert_eq!(suspects.waiting(), set(9..10));
    }
}
