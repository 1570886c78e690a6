//! What a search of limited depth spends, and where it must stop.

use std::time::{Duration, Instant};

use crate::budget::Budget;

/// Deepest search where the budget is nodes or time.
const DEEPEST: u32 = 200;

/// Nodes between two looks at the clock.
const CLOCK_EVERY: u64 = 1_024;

/// What a search may cost besides its depth.
#[derive(Clone, Copy, Debug)]
enum Limit {
    Depth,
    Nodes(u64),
    Until(Instant, Duration),
}

/// The limit was reached: what was being searched has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spent;

/// What one decision may cost, and what it has cost so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    limit: Limit,
    depth: u32,
    nodes: u64,
}

impl Effort {
    /// Nothing spent of a budget of depth, nodes or time; a budget of time begins now.
    #[expect(clippy::disallowed_methods, reason = "a time budget needs the clock; it marks its run not reproducible")]
    pub(crate) fn new(budget: Budget) -> Self {
        let (limit, depth) = match budget {
            Budget::Depth(depth) => (Limit::Depth, depth),
            Budget::Nodes(nodes) => (Limit::Nodes(nodes), DEEPEST),
            Budget::Time(time) => (Limit::Until(Instant::now(), time), DEEPEST),
            Budget::Playouts(_) => unreachable!("a search of limited depth has no playouts"),
        };
        Effort { limit, depth, nodes: 0 }
    }

    /// Deepest search that the budget allows.
    pub(crate) fn depth(&self) -> u32 {
        self.depth
    }

    /// Positions looked at.
    pub(crate) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Counts a position whose value is taken whatever is left.
    #[inline]
    pub(crate) fn count(&mut self) {
        self.nodes += 1;
    }

    /// Counts a position to be searched.
    ///
    /// # Errors
    /// The budget does not allow it.
    #[inline]
    pub(crate) fn node(&mut self) -> Result<(), Spent> {
        self.nodes += 1;
        let spent = match self.limit {
            Limit::Depth => false,
            Limit::Nodes(most) => self.nodes > most,
            Limit::Until(start, limit) => self.nodes.is_multiple_of(CLOCK_EVERY) && start.elapsed() >= limit,
        };
        if spent { Err(Spent) } else { Ok(()) }
    }
}
