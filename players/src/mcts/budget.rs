//! What a decision may cost, counted down.

use std::time::{Duration, Instant};

use crate::readout::Growth;

/// What a decision may cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Budget {
    /// New playouts, on top of what a kept tree holds.
    Playouts(u64),
    /// Wall-clock time. Not reproducible.
    Time(Duration),
}

/// Iterations between two looks at the clock.
const CLOCK_EVERY: u64 = 16;

/// What is left of a budget, iteration by iteration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meter {
    limit: Limit,
    growth: Growth,
    /// Iterations after which the next third is over.
    third: u64,
}

#[derive(Clone, Copy, Debug)]
enum Limit {
    Iterations(u64),
    Until(Instant, Duration),
}

impl Meter {
    #[expect(clippy::disallowed_methods, reason = "a time budget needs the clock; it marks its run not reproducible")]
    pub(crate) fn new(budget: Budget) -> Self {
        let (limit, third) = match budget {
            Budget::Playouts(count) => (Limit::Iterations(count), count.div_ceil(3)),
            Budget::Time(limit) => (Limit::Until(Instant::now(), limit), u64::MAX),
        };
        Meter { limit, growth: Growth::default(), third }
    }

    /// Whether another iteration may be made, of a tree that has `nodes` now; counts it.
    #[inline(always)]
    pub(crate) fn next(&mut self, nodes: usize) -> bool {
        let done = self.growth.iterations;
        let more = match self.limit {
            Limit::Iterations(count) => done < count,
            Limit::Until(start, limit) => !done.is_multiple_of(CLOCK_EVERY) || done == 0 || start.elapsed() < limit,
        };
        if done == self.third {
            self.mark(nodes);
        }
        self.growth.iterations += u64::from(more);
        more
    }

    #[cold]
    fn mark(&mut self, nodes: usize) {
        let Limit::Iterations(count) = self.limit else { return };
        let first = count.div_ceil(3);
        if self.third == first {
            self.growth.thirds = [nodes, usize::MAX];
            self.third = (2 * count).div_ceil(3).max(first + 1);
        } else {
            self.growth.thirds[1] = nodes;
            self.third = u64::MAX;
        }
    }

    /// What was spent, on a tree that has `nodes` at the end.
    pub(crate) fn growth(&self, nodes: usize) -> Growth {
        let mut growth = self.growth;
        if matches!(self.limit, Limit::Until(..)) {
            // Nobody knows a third of a time before it is over: thirds of the nodes.
            growth.thirds = [nodes.div_ceil(3), (2 * nodes).div_ceil(3)];
        }
        growth
    }
}
