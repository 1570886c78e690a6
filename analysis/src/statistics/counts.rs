//! A sample of whole numbers as counts.

use std::collections::BTreeMap;

use crate::statistics::moments::Moments;

/// How often each value occurs. A grid of many pairs with two games each has millions of them with one value, which
/// takes no memory of its own.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Counts {
    #[default]
    None,
    One(i64, u64),
    Many(BTreeMap<i64, u64>),
}

impl Counts {
    /// Adds a value that occurs so often more.
    pub(crate) fn add(&mut self, value: i64, times: u64) {
        match self {
            Counts::None => *self = Counts::One(value, times),
            Counts::One(known, count) if *known == value => *count += times,
            Counts::One(known, count) => {
                *self = Counts::Many(BTreeMap::from([(*known, *count), (value, times)]));
            }
            Counts::Many(map) => *map.entry(value).or_default() += times,
        }
    }

    /// Values in ascending order, and how often each occurs.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (i64, u64)> {
        let (one, many) = match self {
            Counts::None => (None, None),
            Counts::One(value, count) => (Some((*value, *count)), None),
            Counts::Many(map) => (None, Some(map.iter().map(|(value, count)| (*value, *count)))),
        };
        one.into_iter().chain(many.into_iter().flatten())
    }

    /// Size of the sample.
    pub(crate) fn total(&self) -> u64 {
        self.iter().map(|(_, count)| count).sum()
    }

    /// The counts of the values with the other sign.
    pub(crate) fn negated(&self) -> Self {
        let mut negated = Counts::None;
        self.iter().for_each(|(value, count)| negated.add(-value, count));
        negated
    }

    /// The counts of both samples together.
    pub(crate) fn with(mut self, other: &Self) -> Self {
        other.iter().for_each(|(value, count)| self.add(value, count));
        self
    }

    /// By value.
    pub(crate) fn to_map(&self) -> BTreeMap<i64, u64> {
        self.iter().collect()
    }

    /// Moments of the sample.
    pub(crate) fn moments(&self) -> Moments {
        let (mut n, mut sum, mut squares) = (0, 0i128, 0i128);
        for (value, count) in self.iter() {
            let (value, times) = (i128::from(value), i128::from(count));
            n += count;
            sum += value * times;
            squares += value * value * times;
        }
        Moments::of_sums(n, sum, squares)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_values_and_many_are_counted_alike() {
        let mut counts = Counts::default();
        for (value, wanted) in [(3, vec![(3, 1)]), (3, vec![(3, 2)]), (-1, vec![(-1, 1), (3, 2)])] {
            counts.add(value, 1);
            assert_eq!(counts.iter().collect::<Vec<_>>(), wanted);
        }
        assert_eq!((counts.total(), counts.moments()), (3, Moments::of_sums(3, 5, 19)));
        assert_eq!(counts.negated().to_map(), BTreeMap::from([(-3, 2), (1, 1)]));
        assert_eq!(counts.clone().with(&counts).total(), 6);
    }
}
