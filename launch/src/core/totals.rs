//! What is known of jobs that have ended or begun.

use std::collections::{BTreeMap, VecDeque};

use super::Costs;
use crate::journal::Ending;

/// Number of starts from which the usual delay is taken.
const DELAYS: usize = 9;

/// Sums over jobs.
#[derive(Debug, Default)]
pub(super) struct Totals {
    costs: Costs,
    ended: BTreeMap<Ending, u32>,
    requeued: u32,
    delays: VecDeque<f64>,
}

impl Totals {
    pub(super) fn end(&mut self, how: Ending, costs: &Costs) {
        self.costs.add(costs);
        *self.ended.entry(how).or_default() += 1;
    }

    pub(super) fn requeue(&mut self, costs: &Costs) {
        self.costs.add(costs);
        self.requeued += 1;
    }

    /// Takes the seconds that a job waited before it first began.
    pub(super) fn began_after(&mut self, secs: f64) {
        self.delays.push_back(secs.max(0.0));
        if self.delays.len() > DELAYS {
            self.delays.pop_front();
        }
    }

    /// The median of the latest delays. Jobs that have waited longer than the median already count with their age, since
    /// those that start say too little of a queue that has become slower.
    pub(super) fn delay(&self, waiting: impl Iterator<Item = f64>) -> Option<f64> {
        let mut delays: Vec<f64> = self.delays.iter().copied().collect();
        let known = median(&mut delays).unwrap_or(0.0);
        delays.extend(waiting.filter(|age| *age > known));
        median(&mut delays)
    }

    pub(super) fn costs(&self) -> &Costs {
        &self.costs
    }

    pub(super) fn ended(&self) -> &BTreeMap<Ending, u32> {
        &self.ended
    }

    pub(super) fn requeued(&self) -> u32 {
        self.requeued
    }
}

/// The median, the lower one of two; `None` without values.
fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len().checked_sub(1)? / 2).copied()
}
