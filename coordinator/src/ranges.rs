//! A set of trial indices kept as disjoint half-open ranges.
//!
//! Trials are leased and returned in contiguous pieces, so a million trials are a few ranges, and memory grows with the
//! number of open leases, not with the size of a stage.

use std::{collections::BTreeMap, ops::Range};

/// Set of `u64`, stored as maximal disjoint ranges.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct RangeSet {
    /// start -> end, neither overlapping nor touching.
    ranges: BTreeMap<u64, u64>,
    len: u64,
}

impl RangeSet {
    /// The empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of indices in the set.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether `index` is in the set.
    pub fn contains(&self, index: u64) -> bool {
        self.ranges.range(..=index).next_back().is_some_and(|(_, &end)| index < end)
    }

    /// The ranges, ascending.
    pub fn iter(&self) -> impl Iterator<Item = Range<u64>> + '_ {
        self.ranges.iter().map(|(&start, &end)| start..end)
    }

    /// Adds every index of `range`; returns how many were new.
    pub fn insert(&mut self, range: Range<u64>) -> u64 {
        if range.is_empty() {
            return 0;
        }
        let (mut start, mut end) = (range.start, range.end);
        let mut absorbed = 0;
        // Neighbours that overlap or touch, from the last that starts at or before `end` downwards.
        while let Some((&s, &e)) = self.ranges.range(..=end).next_back() {
            if e < start {
                break;
            }
            self.ranges.remove(&s);
            absorbed += e - s;
            start = start.min(s);
            end = end.max(e);
        }
        self.ranges.insert(start, end);
        let added = (end - start) - absorbed;
        self.len += added;
        added
    }

    /// Takes every index of `range` out; returns how many were in.
    pub fn remove(&mut self, range: Range<u64>) -> u64 {
        self.extract(range).len
    }

    /// Takes every index of `range` out; returns those that were in.
    pub fn extract(&mut self, range: Range<u64>) -> RangeSet {
        let mut extracted = RangeSet::new();
        if range.is_empty() {
            return extracted;
        }
        while let Some((&s, &e)) = self.ranges.range(..range.end).next_back() {
            if e <= range.start {
                break;
            }
            self.ranges.remove(&s);
            if s < range.start {
                self.ranges.insert(s, range.start);
            }
            if e > range.end {
                self.ranges.insert(range.end, e);
            }
            extracted.insert(s.max(range.start)..e.min(range.end));
        }
        self.len -= extracted.len;
        extracted
    }

    /// The indices of `range` that are in the set.
    pub fn overlap(&self, range: Range<u64>) -> RangeSet {
        let mut overlap = RangeSet::new();
        if range.is_empty() {
            return overlap;
        }
        let first = self.ranges.range(..=range.start).next_back().map_or(range.start, |(&start, _)| start);
        for (&s, &e) in self.ranges.range(first..range.end) {
            overlap.insert(s.max(range.start)..e.min(range.end));
        }
        overlap
    }

    /// The indices that are in both sets.
    pub fn common(&self, other: &RangeSet) -> RangeSet {
        let (few, many) = if self.ranges.len() <= other.ranges.len() { (self, other) } else { (other, self) };
        let mut common = RangeSet::new();
        if many.is_empty() {
            return common;
        }
        for range in few.iter() {
            common.insert_all(&many.overlap(range));
        }
        common
    }

    /// Whether any index is in both sets.
    pub fn meets(&self, other: &RangeSet) -> bool {
        let (few, many) = if self.ranges.len() <= other.ranges.len() { (self, other) } else { (other, self) };
        let met = |range: Range<u64>| many.ranges.range(..range.end).next_back().is_some_and(|(_, &e)| e > range.start);
        few.iter().any(met)
    }

    /// Removes all of `other`; returns those that were in the set.
    pub fn extract_all(&mut self, other: &RangeSet) -> RangeSet {
        let common = self.common(other);
        self.remove_all(&common);
        common
    }

    /// Adds all of `other`.
    pub fn insert_all(&mut self, other: &RangeSet) {
        for range in other.iter() {
            self.insert(range);
        }
    }

    /// Removes all of `other`.
    pub fn remove_all(&mut self, other: &RangeSet) {
        if other.ranges.len() <= self.ranges.len() {
            for range in other.iter() {
                self.remove(range);
            }
            return;
        }
        // A few ranges against many.
        for range in self.iter().collect::<Vec<_>>() {
            for common in other.overlap(range).iter() {
                self.remove(common);
            }
        }
    }

    /// Removes up to `count` of the smallest indices and returns them.
    pub fn take(&mut self, count: u64) -> RangeSet {
        let mut taken = RangeSet::new();
        while taken.len < count {
            let Some((start, end)) = self.ranges.pop_first() else { break };
            let cut = end.min(start + (count - taken.len));
            if cut < end {
                self.ranges.insert(cut, end);
            }
            self.len -= cut - start;
            taken.insert(start..cut);
        }
        taken
    }
}

impl FromIterator<Range<u64>> for RangeSet {
    fn from_iter<I: IntoIterator<Item = Range<u64>>>(ranges: I) -> Self {
        let mut set = RangeSet::new();
        for range in ranges {
            set.insert(range);
        }
        set
    }
}

impl std::fmt::Debug for RangeSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Debug)]
    enum Op {
        Insert(Range<u64>),
        Remove(Range<u64>),
        Take(u64),
    }

    fn op() -> impl Strategy<Value = Op> {
        let range = || (0u64..60, 0u64..12).prop_map(|(s, n)| s..s + n);
        prop_oneof![range().prop_map(Op::Insert), range().prop_map(Op::Remove), (0u64..20).prop_map(Op::Take)]
    }

    proptest! {
        #[test]
        fn agrees_with_a_plain_set(ops in prop::collection::vec(op(), 0..60)) {
            let (mut set, mut plain) = (RangeSet::new(), BTreeSet::new());
            for op in ops {
                match op {
                    Op::Insert(r) => {
                        let new = r.clone().filter(|i| plain.insert(*i)).count() as u64;
                        prop_assert_eq!(set.insert(r), new);
                    }
                    Op::Remove(r) => {
                        let old = r.clone().filter(|i| plain.remove(i)).count() as u64;
                        prop_assert_eq!(set.remove(r), old);
                    }
                    Op::Take(n) => {
                        let first: Vec<u64> = plain.iter().copied().take(n as usize).collect();
                        plain.retain(|i| !first.contains(i));
                        prop_assert_eq!(set.take(n).iter().flatten().collect::<Vec<_>>(), first);
                    }
                }
                prop_assert_eq!(set.iter().flatten().collect::<Vec<_>>(), plain.iter().copied().collect::<Vec<_>>());
                prop_assert_eq!(set.len(), plain.len() as u64);
                for i in 0..80 {
                    prop_assert_eq!(set.contains(i), plain.contains(&i));
                }
                // maximal: no two ranges touch
                let ranges: Vec<_> = set.iter().collect();
                prop_assert!(ranges.windows(2).all(|w| w[0].end < w[1].start));
            }
        }

        #[test]
        fn common_indices_are_those_of_plain_sets(
            a in prop::collection::vec((0u64..60, 0u64..12), 0..8),
            b in prop::collection::vec((0u64..60, 0u64..12), 0..8),
        ) {
            let set = |ranges: &[(u64, u64)]| ranges.iter().map(|&(s, n)| s..s + n).collect::<RangeSet>();
            let plain = |set: &RangeSet| set.iter().flatten().collect::<BTreeSet<u64>>();
            let (mut a, b) = (set(&a), set(&b));
            let (one, other) = (plain(&a), plain(&b));
            let wanted: BTreeSet<u64> = one.intersection(&other).copied().collect();
            prop_assert_eq!(plain(&a.common(&b)), wanted.clone());
            prop_assert_eq!(a.meets(&b), !wanted.is_empty());
            prop_assert_eq!(plain(&a.extract_all(&b)), wanted);
            prop_assert_eq!(plain(&a), one.difference(&other).copied().collect::<BTreeSet<u64>>());
        }
    }
}
