//! Samples of numbers that are compared with one another, wherever they come from: a study's runs, a table in a file.

mod file;
mod report;

use crate::statistics::{moments::Moments, quantile::median};

pub use crate::tables::compared::{By, Comparison, Letters, Words, all_pairs, compare, groups, summary};
pub use file::{Columns, Decimal, Described, Missing, Reading, Skipped, describe, read};
pub use report::{Request, report};

/// The numbers of one group.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// The group.
    pub name: String,
    /// Its numbers.
    pub values: Vec<f64>,
    /// Of each number the block that it is of, ascending: numbers of one block belong together over samples, as runs
    /// with the same seed do. Empty where numbers have no partners.
    pub blocks: Vec<u64>,
}

/// Samples that are compared among themselves: the groups on one problem. Adjustments go by it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Family {
    /// What they have in common, as the problem; empty where there is only one family.
    pub name: String,
    /// In the order of their rows.
    pub samples: Vec<Sample>,
}

impl Sample {
    /// Size, mean and spread.
    pub fn moments(&self) -> Moments {
        Moments::of(&self.values)
    }

    /// The middle value; `None` without values or with one that is no number.
    pub fn median(&self) -> Option<f64> {
        median(&self.values)
    }
}

/// The values of blocks that all of these samples have, in the order of the blocks; `[samples, blocks]`.
pub(crate) fn paired(samples: &[&Sample]) -> Vec<Vec<f64>> {
    let Some((first, others)) = samples.split_first() else { return Vec::new() };
    let shared = |block: &&u64| others.iter().all(|sample| sample.blocks.binary_search(block).is_ok());
    let blocks: Vec<u64> = first.blocks.iter().filter(shared).copied().collect();
    let values = |sample: &&Sample| {
        let of = |block: &u64| sample.blocks.binary_search(block).ok().map(|place| sample.values[place]);
        blocks.iter().filter_map(of).collect()
    };
    samples.iter().map(values).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_of_shared_blocks() {
        let sample = |values: &[f64], blocks: &[u64]| Sample {
            name: String::new(),
            values: values.to_vec(),
            blocks: blocks.to_vec(),
        };
        let (a, b) = (sample(&[1.0, 2.0, 3.0], &[0, 4, 7]), sample(&[5.0, 6.0], &[4, 9]));
        assert_eq!(paired(&[&a, &b]), [[2.0], [5.0]]);
        assert_eq!(paired(&[]), Vec::<Vec<f64>>::new());
    }
}
