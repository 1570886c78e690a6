//! What the program QDab sees in a position (Zhuang, Li, Peters and Zhang, CIG 2015): categories of edges, and counts of chains.
//!
//! Boxes are nodes, free edges links; boxes with two free edges join their links to runs. A run ends at a box with one free edge,
//! which can be taken, or at one with three or four, or at the outside. docs/papers/dots-and-boxes.md says how the categories
//! were read from the program.

use super::{
    DotsAndBoxes, Move, MoveSet,
    board::{Edges, Size},
    solver::runs::{Degrees, joined},
};
use crate::Seat;

/// The free edges of a position by what drawing them means: 0 takes a box and loses nothing; 1 gives away two boxes at most;
/// 2 takes the rest of a chain or loop, or leaves it; 3 gives a long chain or a loop away.
#[derive(Clone, Copy, Debug)]
pub struct Categories {
    all: [Edges; Self::COUNT],
    distinct: [Edges; Self::COUNT],
}

impl Categories {
    /// Number of categories.
    pub const COUNT: usize = 4;

    /// All edges of a category.
    #[inline]
    pub fn all(&self, category: usize) -> MoveSet {
        MoveSet(self.all[category])
    }

    /// Edges of a category, one of those of a run that mean the same; of a box in the corner with both outer edges free one of
    /// the two.
    #[inline]
    pub fn distinct(&self, category: usize) -> MoveSet {
        MoveSet(self.distinct[category])
    }

    /// The category of a free edge; `None` of a drawn one.
    pub fn of(&self, edge: Move) -> Option<usize> {
        self.all.iter().position(|set| set.has(edge))
    }

    #[inline(always)]
    fn add(&mut self, category: usize, all: Edges, distinct: Edges) {
        self.all[category] = or(self.all[category], all);
        self.distinct[category] = or(self.distinct[category], distinct);
    }
}

/// Chains and loops of a position by their lengths, and the other inputs of QDab's network before they are scaled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct ChainCounts {
    /// Free edges at the outside.
    pub outer_edges: u32,
    /// Boxes with 1, 2, 3 and 4 free edges.
    pub boxes: [u32; 4],
    /// Runs between boxes with three or more free edges or the outside, with 0 to 9 boxes between, and with 10 or more.
    pub chains: [u32; 11],
    /// Loops of 4, 6, 8 and 10 boxes, and of 12 or more.
    pub loops: [u32; 5],
    /// Opened chains of which two boxes are left.
    pub opened_chains: u32,
    /// Runs of four boxes that are open at both ends.
    pub opened_loops: u32,
    /// Completed boxes of the side to move, and of the other.
    pub completed: [u32; 2],
}

impl ChainCounts {
    /// All 25 in the order of the program's network.
    pub fn numbers(&self) -> [u32; 25] {
        let mut numbers = [0; 25];
        let parts: [&[u32]; 7] = [
            &[self.outer_edges],
            &self.boxes,
            &self.chains,
            &self.loops,
            &[self.opened_chains],
            &[self.opened_loops],
            &self.completed,
        ];
        numbers.iter_mut().zip(parts.iter().copied().flatten()).for_each(|(number, &of_part)| *number = of_part);
        numbers
    }
}

#[inline(always)]
fn or(one: Edges, other: Edges) -> Edges {
    Edges { horizontal: one.horizontal | other.horizontal, vertical: one.vertical | other.vertical }
}

#[inline(always)]
fn and(one: Edges, other: Edges) -> Edges {
    Edges { horizontal: one.horizontal & other.horizontal, vertical: one.vertical & other.vertical }
}

#[inline(always)]
fn first(edges: Edges) -> Edges {
    edges.iter().next().map_or(Edges::NONE, Edges::of)
}

impl DotsAndBoxes {
    /// The categories of the free edges.
    pub fn categories(&self) -> Categories {
        let free = self.free;
        let degrees = Degrees::of(free, self.size.boxes());
        let mut found = Categories { all: [Edges::NONE; 4], distinct: [Edges::NONE; 4] };
        let mut left = degrees.two;
        while left != 0 {
            let run = joined(free, &degrees, left.trailing_zeros());
            left &= !run.boxes;
            let inner = run.boxes.count_ones();
            // Edges between two boxes of the run: the middle one, where it has two.
            let middle = and(run.edges, between(run.boxes));
            let one = first(run.edges);
            match (run.open_ends, inner) {
                (Some(0), 1) => found.add(1, run.edges, one),
                (Some(0), 2) => {
                    let ends = minus(run.edges, middle);
                    found.add(1, middle, middle);
                    found.add(3, ends, first(ends));
                }
                (None | Some(0), _) => found.add(3, run.edges, one),
                (Some(1), 1) => found.add(2, run.edges, run.edges),
                (Some(1), _) => found.add(0, run.edges, one_that_completes(self, run.edges)),
                (_, 2) => found.add(2, run.edges, or(middle, first(minus(run.edges, middle)))),
                (_, _) => found.add(0, run.edges, one_that_completes(self, run.edges)),
            }
        }
        // Edges at no box with two free ones: they take a box, or are safe.
        let singles = minus(free, around(degrees.two));
        let taking = and(singles, around(degrees.one));
        found.add(0, taking, taking);
        let safe = minus(singles, taking);
        found.add(1, safe, minus(safe, second_in_corners(safe, self.size)));
        found
    }

    /// Chains and loops by their lengths.
    pub fn chain_counts(&self) -> ChainCounts {
        let (free, boxes) = (self.free, self.size.boxes());
        let degrees = Degrees::of(free, boxes);
        let mut counts = ChainCounts::default();
        let outer = self.size.outer_edges();
        counts.outer_edges = and(free, outer).len();
        let all_four = free.horizontal & free.horizontal >> 8 & free.vertical & free.vertical >> 1 & boxes;
        counts.boxes = [degrees.one, degrees.two, degrees.more & !all_four, all_four].map(u64::count_ones);
        let mut left = degrees.two;
        while left != 0 {
            let run = joined(free, &degrees, left.trailing_zeros());
            left &= !run.boxes;
            let inner = run.boxes.count_ones();
            match (run.open_ends, inner) {
                (None, _) => counts.loops[(inner as usize / 2 - 2).min(4)] += 1,
                (Some(0), _) => counts.chains[(inner as usize).min(10)] += 1,
                (Some(1), 1) => counts.opened_chains += 1,
                (Some(2), 2) => counts.opened_loops += 1,
                _ => {}
            }
        }
        counts.chains[0] += minus(free, or(around(degrees.two), around(degrees.one))).len();
        let completed = self.completed();
        let mover: Seat = self.seat();
        counts.completed = [completed[mover], completed[1 - mover]];
        counts
    }
}

/// The edges of some boxes.
#[inline(always)]
fn around(boxes: u64) -> Edges {
    Edges { horizontal: boxes | boxes << 8, vertical: boxes | boxes << 1 }
}

/// The vertical outer edge of each corner box that has both outer edges in a set.
fn second_in_corners(edges: Edges, size: Size) -> Edges {
    let (rows, columns) = (u32::from(size.rows), u32::from(size.columns));
    let mut second = Edges::NONE;
    for (line, row) in [(0, 0), (rows, rows - 1)] {
        for (column, side) in [(0, 0), (columns - 1, columns)] {
            let both = edges.horizontal >> (8 * line + column) & edges.vertical >> (8 * row + side) & 1;
            second.vertical |= both << (8 * row + side);
        }
    }
    second
}

/// The edges between two of some boxes.
#[inline(always)]
fn between(boxes: u64) -> Edges {
    Edges { horizontal: boxes & boxes << 8, vertical: boxes & boxes << 1 }
}

#[inline(always)]
fn minus(edges: Edges, others: Edges) -> Edges {
    Edges { horizontal: edges.horizontal & !others.horizontal, vertical: edges.vertical & !others.vertical }
}

/// An edge of a run that completes a box, or the first of the run.
fn one_that_completes(game: &DotsAndBoxes, edges: Edges) -> Edges {
    edges.iter().find(|&edge| game.completes(edge) > 0).map_or(first(edges), Edges::of)
}
