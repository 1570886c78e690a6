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

use super::{
    super::{
        Move, Symmetry,
        board::{Edges, Size},
    },
    runs::{self, Loose, Run, minus},
    table::{Key, Known, Table},
};

/// A quiet position.
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
    /// How often opening a run was tried, and how often it proved a bound: by whether an odd number of edges was free, and by the
    /// run's first edge.
    history: [[Tried; INDICES]; 2],
    /// Openings of the positions on the way to the present one, the present one's last.
    openings: Vec<Opening>,
    pub(super) nodes: u64,
}

/// Edges and loose runs.
const INDICES: usize = 131;
const SHORT_CHAIN: u8 = 128;
const LONG_CHAIN: u8 = 129;
const LOOP: u8 = 130;

/// How an opening fared so far.
#[derive(Clone, Copy)]
struct Tried {
    tries: u64,
    proofs: u64,
}

impl Tried {
    /// The share of proofs, in 2^20ths.
    #[inline(always)]
    fn share(self) -> u32 {
        ((self.proofs << 20) / self.tries) as u32
    }
}

/// A move of a quiet position.
#[derive(Clone, Copy)]
struct Opening {
    edges: Edges,
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
            history: [[Tried { tries: 1, proofs: 0 }; INDICES]; 2],
            openings: Vec::new(),
            nodes: 0,
        }
    }

    /// One of several positions of equal value: a corner box has two edges at the outside, and which of the two is free does
    /// not matter (Barker and Korf 2012, "corner symmetry"); nor does the side that the board is seen from.
    #[inline(always)]
    fn canonical(&self, core: Edges) -> Edges {
        let core = with_free_corners(core, self.size);
        if !self.is_symmetric {
            return core;
        }
        let symmetries = if self.size.rows == self.size.columns { &Symmetry::ALL[1..] } else { &Symmetry::ALL[1..4] };
        let images = symmetries.iter().map(|symmetry| with_free_corners(symmetry.edges(self.size, core), self.size));
        images.fold(core, Edges::min)
    }

    /// Whether the value of a quiet position for the side to move is at least `bound`.
    pub(super) fn at_least(&mut self, position: Quiet, bound: i32) -> bool {
        let open = i32::from(position.open);
        // All values are even, or all odd, as the number of open boxes is.
        let bound = bound + ((bound ^ open) & 1);
        if bound <= -open {
            return true;
        }
        if bound > open {
            return false;
        }
        let from = self.openings.len();
        let rest = self.open(position);
        let key = Key { core: rest.core, loose: rest.loose.code() };
        let mut known = Known { least: -open as i8, greatest: open as i8, best: u8::MAX };
        if let Some(entry) = self.table.find(&key) {
            known = entry;
        }
        if i32::from(known.least) >= bound || i32::from(known.greatest) < bound {
            self.openings.truncate(from);
            return i32::from(known.least) >= bound;
        }
        self.nodes += 1;
        let parity = (rest.core.len() & 1) as usize;
        for opening in &mut self.openings[from..] {
            let share = self.history[parity][usize::from(opening.index)].share();
            opening.score = opening.score.saturating_add(if opening.place == known.best { u32::MAX } else { share });
        }
        let to = self.openings.len();
        let mut proved = None;
        for place in from..to {
            // The best of the rest: most positions are decided by their first openings, so that sorting all does not pay.
            let rank = |&at: &usize| (self.openings[at].score, u8::MAX - self.openings[at].place);
            let best = (place..to).max_by_key(rank).unwrap_or(place);
            self.openings.swap(place, best);
            let opening = self.openings[place];
            let is_proved = self.opening_is_at_least(&rest, &opening, bound);
            let tried = &mut self.history[parity][usize::from(opening.index)];
            tried.tries += 1;
            if is_proved {
                tried.proofs += 1;
                proved = Some(opening);
                break;
            }
        }
        self.openings.truncate(from);
        if let Some(opening) = proved {
            known.least = bound as i8;
            known.best = opening.place;
        } else {
            known.greatest = (bound - 2) as i8;
        }
        self.table.keep(key, known);
        proved.is_some()
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

    /// Adds the openings of a position, which it gives with its loose chains and loops out of the core.
    #[inline(always)]
    fn open(&mut self, position: Quiet) -> Quiet {
        let Quiet { core, mut loose, open } = position;
        let mut core = self.canonical(core);
        let from = self.openings.len();
        let openings = &mut self.openings;
        let mut add = |index: u8, run: Run, score: u32| {
            let left = if run.is_loop {
                4
            } else if run.boxes > 2 {
                2
            } else {
                0
            };
            let place = (openings.len() - from) as u8;
            openings.push(Opening { edges: run.edges, score, boxes: run.boxes, left, index, place });
        };
        let singles = runs::split(&mut core, &mut loose, self.boxes, |run| {
            add(first(run.edges), run, (20 - u32::from(run.boxes.min(20))) << 20);
        });
        for edge in singles.iter() {
            add(edge.index() as u8, Run { edges: Edges::of(edge), boxes: 0, is_loop: false }, 1 << 29);
        }
        let loose_run = |boxes: u32, is_loop: bool| Run { edges: Edges::NONE, boxes: boxes as u8, is_loop };
        if let Some((boxes, _)) = loose.shortest_chain(1, 2) {
            add(SHORT_CHAIN, loose_run(boxes, false), 20 << 20);
        }
        if let Some((boxes, _)) = loose.shortest_chain(3, u32::MAX) {
            add(LONG_CHAIN, loose_run(boxes, false), 10 << 20);
        }
        if let Some((boxes, _)) = loose.shortest_loop() {
            add(LOOP, loose_run(boxes, true), 10 << 20);
        }
        Quiet { core, loose, open }
    }

    /// Whether an opening at `position` is worth at least `bound` to the side that opens.
    #[inline(always)]
    fn opening_is_at_least(&mut self, position: &Quiet, opening: &Opening, bound: i32) -> bool {
        let loose = position.loose;
        let loose = match opening.index {
            SHORT_CHAIN => loose.shortest_chain(1, 2).map_or(loose, |(_, rest)| rest),
            LONG_CHAIN => loose.shortest_chain(3, u32::MAX).map_or(loose, |(_, rest)| rest),
            LOOP => loose.shortest_loop().map_or(loose, |(_, rest)| rest),
            _ => loose,
        };
        let rest = Quiet { core: minus(position.core, opening.edges), loose, open: position.open - opening.boxes };
        let (boxes, left) = (i32::from(opening.boxes), i32::from(opening.left));
        if left == 0 {
            // -(boxes + v) >= bound
            return !self.at_least(rest, 1 - bound - boxes);
        }
        // -(boxes - left + |left + v|) >= bound
        let most = left - boxes - bound;
        most >= 0 && !self.at_least(rest, most - left + 1) && self.at_least(rest, -most - left)
    }
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
