//! Alpha-beta with a window of one step, on quiet positions.
//!
//! The side to move in a quiet position opens a run. What follows is known until the next quiet position, which lacks the run:
//! - No box: the turn passes.
//! - One box, or two by the edge between them: the other side takes them and moves. Opening two by an end edge only lets it
//!   choose.
//! - A longer run, n boxes by any edge: the other side takes all but two and then either those as well, and moves, or leaves
//!   them: it gets n - 2 + |2 + v| of a rest that is worth v to the side that moves there.
//! - A loop: n - 4 + |4 + v|, since leaving part of a loop leaves four.
//!
//! Of loose chains with one and two boxes only the shortest is opened, of longer ones and of loops too: with a box more in the
//! run, every value changes by one at most (by two with two more in a loop), as all that is done with values is to add
//! constants, to negate, and to take absolute values and maxima; so the longer run costs at least what the rest may gain.
//!
//! Openings near the middle of the board are tried first (Barker and Korf 2012 order moves so, too), and only those of one
//! distance by how they fared before. What counts is that all positions have one order: if each is answered by the opening that
//! fared best, lines with the same moves in another order end in different positions. Before, a third of all positions of 3x4
//! were searched, and no fewer when exact values told the best opening of each; with this order it is a twentieth.

use super::{
    super::{
        Move, Symmetry,
        board::{Edges, Size},
    },
    runs::{self, Loose, Run, minus},
    table::{Key, Known, Table},
};

/// A quiet position. It is settled if its core has no loose run that [`Loose`] can count, and is the one that stands for all of
/// equal value by symmetry.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quiet {
    pub(super) core: Edges,
    pub(super) loose: Loose,
    /// Open boxes.
    pub(super) open: u8,
}

/// What a search keeps from one question to the next.
pub(super) struct Search {
    size: Size,
    /// All boxes of the board.
    boxes: u64,
    /// Whether images under the board's symmetries are taken for one position. It pays where the question is of a board that
    /// is nearly empty, since only then an image is met.
    pub(super) is_symmetric: bool,
    table: Table,
    /// How early an opening is tried, by its first edge: more for edges nearer to the middle.
    centrality: [u32; EDGES],
    /// How often opening a run was tried, and how often it proved a bound: by whether an odd number of edges was free, and by the
    /// run's first edge.
    history: [[Tried; INDICES]; 2],
    /// Openings of the positions on the way to the present one, the present one's last.
    openings: Vec<Opening>,
    pub(super) nodes: u64,
}

/// Edges, by their indices, and loose runs behind them.
const EDGES: usize = 128;
const INDICES: usize = EDGES + 3;
const SHORT_CHAIN: u8 = 128;
const LONG_CHAIN: u8 = 129;
const LOOP: u8 = 130;

/// Bits of a score below those of [`Search::centrality`]: how an opening fared so far decides between those of one centrality.
const SHARE_BITS: u32 = 20;

/// How much a run of more than two boxes is less early than its first edge: opening it costs boxes.
const LONG_RUN_LATER: u32 = 500;

/// How an opening fared so far.
#[derive(Clone, Copy)]
struct Tried {
    tries: u64,
    proofs: u64,
}

impl Tried {
    /// The share of proofs, less than 1, in parts of 2^[`SHARE_BITS`].
    #[inline(always)]
    fn share(self) -> u32 {
        ((self.proofs << SHARE_BITS) / self.tries) as u32
    }
}

/// A move of a quiet position.
#[derive(Clone, Copy)]
struct Opening {
    /// The position without the run.
    rest: Quiet,
    score: u32,
    boxes: u8,
    /// Boxes that the other side may leave; 0: none.
    left: u8,
    /// The first edge's index, or which loose run it is.
    index: u8,
    /// Its place among the openings of its position before they are ordered.
    place: u8,
}

impl Search {
    pub(super) fn new(size: Size, table_bytes: usize) -> Self {
        Search {
            size,
            boxes: size.boxes(),
            is_symmetric: false,
            table: Table::new(table_bytes),
            centrality: std::array::from_fn(|index| centrality(size, Move::of_index(index as u8))),
            history: [[Tried { tries: 2, proofs: 1 }; INDICES]; 2],
            openings: Vec::new(),
            nodes: 0,
        }
    }

    /// The position that stands for all of equal value: loose runs are counted, a corner box has two edges at the outside, and
    /// which of the two is free does not matter (Barker and Korf 2012, "corner symmetry"); nor does the side that the board is
    /// seen from.
    #[inline(always)]
    fn settled(&self, position: Quiet) -> Quiet {
        let Quiet { mut core, mut loose, open } = position;
        runs::split(&mut core, &mut loose, self.boxes, |_| {});
        core = with_free_corners(core, self.size);
        if self.is_symmetric {
            let symmetries =
                if self.size.rows == self.size.columns { &Symmetry::ALL[1..] } else { &Symmetry::ALL[1..4] };
            let images =
                symmetries.iter().map(|symmetry| with_free_corners(symmetry.edges(self.size, core), self.size));
            core = images.fold(core, Edges::min);
        }
        Quiet { core, loose, open }
    }

    /// Whether the value of a quiet position for the side to move is at least `bound`.
    pub(super) fn at_least(&mut self, position: Quiet, bound: i32) -> bool {
        self.settled_at_least(&self.settled(position), bound)
    }

    fn settled_at_least(&mut self, position: &Quiet, bound: i32) -> bool {
        let open = i32::from(position.open);
        // All values are even, or all odd, as the number of open boxes is.
        let bound = bound + ((bound ^ open) & 1);
        if bound <= -open {
            return true;
        }
        if bound > open {
            return false;
        }
        let key = Key { core: position.core, loose: position.loose.code() };
        let mut known = self.table.find(&key).unwrap_or(Known::nothing(position.open));
        if let Some(answer) = known.at_least(bound) {
            return answer;
        }
        self.nodes += 1;
        let from = self.openings.len();
        let proving = self.proving(position, bound, known.best);
        self.openings.truncate(from);
        match proving {
            Some(place) => (known.least, known.best) = (bound as i8, place),
            None => known.greatest = (bound - 2) as i8,
        }
        self.table.keep(key, known);
        proving.is_some()
    }

    /// The place of an opening that is worth at least `bound`; none if none is. It leaves openings behind.
    #[inline(always)]
    fn proving(&mut self, position: &Quiet, bound: i32, likely: u8) -> Option<u8> {
        let from = self.openings.len();
        self.open(position, likely);
        let parity = (position.core.len() & 1) as usize;
        let to = self.openings.len();
        for place in from..to {
            // The best of the rest: most positions are decided by their first openings, so that sorting all does not pay.
            let rank = |&at: &usize| (self.openings[at].score, u8::MAX - self.openings[at].place);
            let best = (place..to).max_by_key(rank).unwrap_or(place);
            self.openings.swap(place, best);
            let opening = self.openings[place];
            let is_proved = self.opening_is_at_least(&opening, bound);
            let tried = &mut self.history[parity][usize::from(opening.index)];
            tried.tries += 1;
            if is_proved {
                tried.proofs += 1;
                return Some(opening.place);
            }
        }
        None
    }

    /// The value of a quiet position for the side to move, by questions from a guess onwards (Plaat et al. 1996).
    pub(super) fn value(&mut self, position: Quiet, guess: i32) -> i32 {
        let open = i32::from(position.open);
        let mut value = guess.clamp(-open, open);
        value += (value ^ open) & 1;
        if self.at_least(position, value) {
            while value < open && self.at_least(position, value + 2) {
                value += 2;
            }
        } else {
            value -= 2;
            while !self.at_least(position, value) {
                value -= 2;
            }
        }
        value
    }

    /// Adds the openings of a settled position; that of the place `likely` is to be tried first.
    #[inline(always)]
    fn open(&mut self, position: &Quiet, likely: u8) {
        let Quiet { mut core, mut loose, open } = *position;
        let from = self.openings.len();
        let parity = (core.len() & 1) as usize;
        let Search { openings, history, centrality, .. } = self;
        let mut add = |index: u8, run: Run, loose: Loose, early: u32| {
            let left = if run.is_loop {
                4
            } else if run.boxes > 2 {
                2
            } else {
                0
            };
            let place = (openings.len() - from) as u8;
            let share = history[parity][usize::from(index)].share();
            let score = if place == likely { u32::MAX } else { (early << SHARE_BITS) + share };
            let rest = Quiet { core: minus(position.core, run.edges), loose, open: open - run.boxes };
            openings.push(Opening { rest, score, boxes: run.boxes, left, index, place });
        };
        let singles = runs::split(&mut core, &mut loose, self.boxes, |run| {
            let first = first(run.edges);
            let later = if run.boxes > 2 { LONG_RUN_LATER } else { 0 };
            add(first, run, position.loose, centrality[usize::from(first)] - later);
        });
        for edge in singles.iter() {
            let run = Run { edges: Edges::of(edge), boxes: 0, is_loop: false };
            add(edge.index() as u8, run, loose, centrality[edge.index()]);
        }
        let mut add_loose = |index: u8, shortest: Option<(u32, Loose)>| {
            if let Some((boxes, rest)) = shortest {
                add(index, Run { edges: Edges::NONE, boxes: boxes as u8, is_loop: index == LOOP }, rest, 0);
            }
        };
        add_loose(SHORT_CHAIN, loose.shortest_chain(1, 2));
        add_loose(LONG_CHAIN, loose.shortest_chain(3, u32::MAX));
        add_loose(LOOP, loose.shortest_loop());
    }

    /// Whether an opening is worth at least `bound` to the side that opens.
    #[inline(always)]
    fn opening_is_at_least(&mut self, opening: &Opening, bound: i32) -> bool {
        let rest = self.settled(opening.rest);
        let (boxes, left) = (i32::from(opening.boxes), i32::from(opening.left));
        if left == 0 {
            // -(boxes + v) >= bound
            return !self.settled_at_least(&rest, 1 - bound - boxes);
        }
        // -(boxes - left + |left + v|) >= bound
        let most = left - boxes - bound;
        most >= 0 && !self.settled_at_least(&rest, most - left + 1) && self.settled_at_least(&rest, -most - left)
    }
}

/// How early an edge is tried, from 700 to 1,000: by its distance from the middle of the board in rows and columns together, and of
/// two of one distance the one nearer to an axis of the board.
fn centrality(size: Size, edge: Move) -> u32 {
    // In halves of a box.
    let (down, right) = if edge.is_vertical() { (1, 0) } else { (0, 1) };
    let row = (2 * edge.row() + down).abs_diff(size.rows.into());
    let column = (2 * edge.column() + right).abs_diff(size.columns.into());
    1000 - 16 * (row + column) + row.max(column)
}

/// In each corner where one of two outer edges is free, the horizontal one in place of the vertical one.
#[inline(always)]
fn with_free_corners(free: Edges, size: Size) -> Edges {
    let (rows, columns) = (u32::from(size.rows), u32::from(size.columns));
    let Edges { mut horizontal, mut vertical } = free;
    for (row, line) in [(0, 0), (rows - 1, rows)] {
        for (column, side) in [(0, 0), (columns - 1, columns)] {
            let (outer, inner) = (8 * line + column, 8 * row + side);
            let moved = vertical >> inner & !(horizontal >> outer) & 1;
            horizontal |= moved << outer;
            vertical ^= moved << inner;
        }
    }
    Edges { horizontal, vertical }
}

/// Index of the first edge of a run.
#[inline(always)]
fn first(edges: Edges) -> u8 {
    let edge = if edges.horizontal != 0 {
        Move::horizontal(edges.horizontal.trailing_zeros())
    } else {
        Move::vertical(edges.vertical.trailing_zeros())
    };
    edge.index() as u8
}
