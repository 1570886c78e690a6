//! Samples of numbers that are compared with one another, wherever they come from: a study's runs, a table in a file.

pub(crate) mod compared;
mod file;
mod report;

use std::collections::HashMap;

use crate::statistics::{moments::Moments, quantile::median};

pub use compared::{By, Comparison, Letters, Words, compare, groups, needs_blocks, plain, summary, title};
pub use file::{Columns, Decimal, Described, Missing, Reading, Skipped, describe, read};
pub use report::{Request, report};

/// The numbers of one group.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// The group.
    pub name: String,
    /// Its numbers.
    pub values: Vec<f64>,
    /// Block of each number, ascending: numbers of one block belong together over samples, as runs
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

    /// The median; `None` without values or with a NaN.
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

/// A family without the values that have no partner: those of blocks that no other sample has. One of a single sample
/// has nothing to be paired with and is as it was.
pub(crate) fn partnered(family: &Family) -> Family {
    with_blocks(family, 2)
}

/// A family without the values of blocks that a sample lacks.
pub(crate) fn complete(family: &Family) -> Family {
    with_blocks(family, family.samples.len())
}

/// A family with the values of blocks that so many samples have.
fn with_blocks(family: &Family, least: usize) -> Family {
    if family.samples.len() < 2 {
        return family.clone();
    }
    let mut counts: HashMap<u64, usize> = HashMap::new();
    family.samples.iter().flat_map(|sample| &sample.blocks).for_each(|block| *counts.entry(*block).or_default() += 1);
    let with = |sample: &Sample| {
        let rows = sample.values.iter().zip(&sample.blocks).filter(|(_, block)| counts[block] >= least);
        let (values, blocks) = rows.map(|(value, block)| (*value, *block)).unzip();
        Sample { name: sample.name.clone(), values, blocks }
    };
    Family { name: family.name.clone(), samples: family.samples.iter().map(with).collect() }
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

    #[test]
    fn values_without_a_partner_are_left_out() {
        let sample = |blocks: &[u64]| Sample {
            name: String::new(),
            values: blocks.iter().map(|block| *block as f64).collect(),
            blocks: blocks.to_vec(),
        };
        let family = |samples: &[&[u64]]| Family {
            name: String::new(),
            samples: samples.iter().map(|blocks| sample(blocks)).collect(),
        };
        let all = family(&[&[0, 1, 2, 5], &[1, 2, 3], &[2, 3, 4]]);
        assert_eq!(partnered(&all), family(&[&[1, 2], &[1, 2, 3], &[2, 3]]));
        assert_eq!(complete(&all), family(&[&[2], &[2], &[2]]));
        assert_eq!(partnered(&family(&[&[1, 2]])), family(&[&[1, 2]]));
    }
}
