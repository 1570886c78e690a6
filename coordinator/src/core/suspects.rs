//! Trials that were in the hands of workers that died, once too often: perhaps it was one of them that ended the
//! workers.
//!
//! They run in groups with nothing beside them. A group that comes home is innocent; one whose worker dies, too, is
//! halved, until a trial is left that ends its worker alone. So many innocent trials cost a lease or two, and a
//! culprit among n costs about log2(n) workers before anything is held against it.

use crate::ranges::RangeSet;

#[derive(Debug, Default)]
pub(super) struct Suspects {
    /// In the hands of a worker that died.
    lost_once: RangeSet,
    /// In the hands of two.
    all: RangeSet,
    /// Those that nobody runs; disjoint.
    groups: Vec<RangeSet>,
}

impl Suspects {
    /// Whether no group waits to be run.
    pub(super) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// A worker died with these in its hands, or about to be. Returns how many are suspects now and were not.
    pub(super) fn died_with(&mut self, trials: &RangeSet) -> u64 {
        let before = self.all.len();
        for range in trials.iter() {
            self.all.insert_all(&self.lost_once.overlap(range.clone()));
            self.lost_once.insert(range);
        }
        self.all.len() - before
    }

    /// A worker died with these in its hands and nothing else: they wait in two halves.
    pub(super) fn split(&mut self, mut trials: RangeSet) {
        let half = trials.take(trials.len() / 2);
        self.groups.extend([half, trials].into_iter().filter(|group| !group.is_empty()));
    }

    /// Takes the next group, or `most` of it; a single trial only if it is not to be `avoided`.
    pub(super) fn take(&mut self, most: u64, avoided: impl Fn(u64) -> bool) -> Option<RangeSet> {
        let single = |group: &RangeSet| group.iter().next().filter(|_| group.len() == 1).map(|range| range.start);
        let at = self.groups.iter().position(|group| !single(group).is_some_and(&avoided))?;
        let taken = self.groups[at].take(most);
        if self.groups[at].is_empty() {
            self.groups.remove(at);
        }
        Some(taken)
    }

    /// Takes the suspects out of `trials`, which nobody holds any more; those that do not wait yet wait as a group.
    pub(super) fn put_back(&mut self, trials: &mut RangeSet) {
        if self.all.is_empty() {
            return;
        }
        let mut group = RangeSet::new();
        for range in self.all.iter() {
            group.insert_all(&trials.extract(range));
        }
        for waiting in &self.groups {
            group.remove_all(waiting);
        }
        if !group.is_empty() {
            self.groups.push(group);
        }
    }

    /// These need not be run, for now at least.
    pub(super) fn unqueue(&mut self, trials: &RangeSet) {
        self.groups.iter_mut().for_each(|group| group.remove_all(trials));
        self.groups.retain(|group| !group.is_empty());
    }

    /// These are stored or given up.
    pub(super) fn settle(&mut self, trials: &RangeSet) {
        self.unqueue(trials);
        for set in [&mut self.all, &mut self.lost_once] {
            if !set.is_empty() {
                set.remove_all(trials);
            }
        }
    }

    /// Those that nobody runs.
    pub(super) fn waiting(&self) -> RangeSet {
        let mut waiting = RangeSet::new();
        self.groups.iter().for_each(|group| waiting.insert_all(group));
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
        assert_eq!((suspects.died_with(&set(0..8)), suspects.died_with(&set(4..12))), (0, 4));
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
    fn a_single_one_is_left_to_others() {
        let mut suspects = Suspects::default();
        suspects.split(set(0..2));
        assert_eq!(suspects.take(9, |trial| trial == 0), Some(set(1..2)));
        assert_eq!(suspects.take(9, |trial| trial == 0), None);
        assert_eq!(suspects.take(9, |_| false), Some(set(0..1)));
        suspects.split(set(0..10));
        assert_eq!(suspects.take(2, |_| true), Some(set(0..2)), "no more than a lease takes");
        suspects.unqueue(&set(0..9));
        assert_eq!(suspects.waiting(), set(9..10));
    }
}
