//! Runs: what the edges of a quiet position are worth opening as.
//!
//! A position is quiet if no box has exactly one free edge. Its boxes with two free edges join the edges between them to runs;
//! each end of a run is a box with more free edges, a joint, or lies outside of the board. A run whose ends both lie outside is
//! a loose chain, one without ends a loop: neither touches the rest of the position, so that only their numbers by length
//! matter, and [`Loose`] keeps them. All else is the core.

use super::super::board::Edges;

/// Boxes by the number of their free edges.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Degrees {
    pub(in super::super) one: u64,
    pub(in super::super) two: u64,
    /// Three or four.
    pub(in super::super) more: u64,
}

impl Degrees {
    /// Of the `boxes` of a board.
    #[inline(always)]
    pub(in super::super) fn of(free: Edges, boxes: u64) -> Self {
        let (top, bottom) = (free.horizontal & boxes, free.horizontal >> 8 & boxes);
        let (left, right) = (free.vertical & boxes, free.vertical >> 1 & boxes);
        let (either, both) = (top ^ bottom, top & bottom);
        let (side, sides) = (left ^ right, left & right);
        let odd = either ^ side;
        Degrees {
            one: odd & !(both | sides),
            two: (either & side) | ((both ^ sides) & !odd),
            more: (both & sides) | (odd & (both | sides)),
        }
    }
}

/// Sides of a box.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Top,
    Bottom,
    Left,
    Right,
}

/// A run of edges.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub(super) edges: Edges,
    /// Boxes that whoever does not open it can take.
    pub(super) boxes: u8,
    pub(super) is_loop: bool,
}

/// Loose chains and loops, as numbers by length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub(super) struct Loose(u64);

/// The longest chain and loop that [`Loose`] can count, and how many of one length, by its fields of three bits.
const CHAIN_MAX: u32 = 16;
const LOOP_MAX: u32 = 12;
const COUNT_MAX: u64 = 7;
/// Where loops begin in the word.
const LOOPS: u32 = 3 * CHAIN_MAX;

impl Loose {
    #[inline(always)]
    fn chain_field(boxes: u32) -> Option<u32> {
        (boxes <= CHAIN_MAX).then(|| 3 * (boxes - 1))
    }

    #[inline(always)]
    fn loop_field(boxes: u32) -> Option<u32> {
        (boxes <= LOOP_MAX).then(|| LOOPS + 3 * (boxes / 2 - 2))
    }

    /// Counts one more of a field; not if the field is full.
    #[inline(always)]
    fn add(&mut self, field: Option<u32>) -> bool {
        let Some(field) = field.filter(|&field| self.0 >> field & COUNT_MAX < COUNT_MAX) else { return false };
        self.0 += 1 << field;
        true
    }

    pub(super) fn code(self) -> u64 {
        self.0
    }

    /// The shortest chain with `from` to `to` boxes, and the rest without it.
    #[inline(always)]
    pub(super) fn shortest_chain(self, from: u32, to: u32) -> Option<(u32, Loose)> {
        let fields = self.0 & ((1 << LOOPS) - 1) & !0 << (3 * (from - 1)) & !(!0 << (3 * to.min(CHAIN_MAX)));
        (fields != 0).then(|| {
            let place = fields.trailing_zeros() / 3;
            (place + 1, Loose(self.0 - (1 << (3 * place))))
        })
    }

    /// The shortest loop, and the rest without it.
    #[inline(always)]
    pub(super) fn shortest_loop(self) -> Option<(u32, Loose)> {
        let fields = self.0 >> LOOPS;
        (fields != 0).then(|| {
            let place = fields.trailing_zeros() / 3;
            (2 * place + 4, Loose(self.0 - (1 << (LOOPS + 3 * place))))
        })
    }
}

/// Takes the loose chains and loops out of `core`, and counts them in `loose`; gives the other runs with boxes to `add`, and
/// those that `loose` cannot count. What is left are single edges between joints, or from one to the outside: they are the
/// result.
#[inline(always)]
pub(super) fn split(core: &mut Edges, loose: &mut Loose, boxes: u64, mut add: impl FnMut(Run)) -> Edges {
    let degrees = Degrees::of(*core, boxes);
    let mut left = degrees.two;
    while left != 0 {
        let traced = trace(*core, &degrees, left.trailing_zeros());
        left &= !traced.boxes;
        let mut run = Run { edges: traced.edges, boxes: traced.boxes.count_ones() as u8, is_loop: false };
        let is_counted = match traced.ends {
            Ends::None => {
                run.is_loop = true;
                loose.add(Loose::loop_field(run.boxes.into()))
            }
            Ends::Outside => loose.add(Loose::chain_field(run.boxes.into())),
            Ends::Joint => false,
            Ends::SameJoint(joint) => {
                run = with_stem(*core, &degrees, run, joint);
                false
            }
        };
        if is_counted {
            *core = minus(*core, run.edges);
        } else {
            add(run);
        }
    }
    let two = degrees.two;
    Edges { horizontal: core.horizontal & !(two | two << 8), vertical: core.vertical & !(two | two << 1) }
}

/// `edges` without those of `others`.
#[inline(always)]
pub(super) fn minus(edges: Edges, others: Edges) -> Edges {
    Edges { horizontal: edges.horizontal & !others.horizontal, vertical: edges.vertical & !others.vertical }
}

/// What a run ends at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    /// Nothing: it is a loop.
    None,
    /// The outside, twice.
    Outside,
    /// A joint on one side at least, and not the same of three free edges on both.
    Joint,
    /// Twice the same joint of three free edges, the place of which is given.
    SameJoint(u32),
}

/// The run through a box with two free edges.
struct Traced {
    edges: Edges,
    boxes: u64,
    ends: Ends,
}

/// A walk along a run.
struct Walk {
    free: Edges,
    two: u64,
    more: u64,
    edges: Edges,
    boxes: u64,
}

impl Walk {
    /// Goes out of the box at `place` by a side with a free edge, on through boxes with two, to the box at the end; `None` at
    /// the outside.
    fn leave(&mut self, mut place: u32, mut side: Side) -> Option<u32> {
        loop {
            let (from, next) = match side {
                Side::Top => {
                    self.edges.horizontal |= 1 << place;
                    (Side::Bottom, place.wrapping_sub(8))
                }
                Side::Bottom => {
                    self.edges.horizontal |= 1 << (place + 8);
                    (Side::Top, place + 8)
                }
                Side::Left => {
                    self.edges.vertical |= 1 << place;
                    (Side::Right, place.wrapping_sub(1))
                }
                Side::Right => {
                    self.edges.vertical |= 1 << (place + 1);
                    (Side::Left, place + 1)
                }
            };
            // Beyond the board, and beyond the word, are no boxes.
            let bit = 1u64.checked_shl(next).unwrap_or(0);
            if self.two & bit == 0 {
                return (self.more & bit != 0).then_some(next);
            }
            if self.boxes & bit != 0 {
                return Some(next);
            }
            self.boxes |= bit;
            (place, side) = (next, self.other_side(next, from));
        }
    }

    /// A side of a box with a free edge, other than `from`.
    fn other_side(&self, place: u32, from: Side) -> Side {
        let is_free = |side| match side {
            Side::Top => self.free.horizontal >> place & 1 == 1,
            Side::Bottom => self.free.horizontal >> (place + 8) & 1 == 1,
            Side::Left => self.free.vertical >> place & 1 == 1,
            Side::Right => self.free.vertical >> (place + 1) & 1 == 1,
        };
        let sides = [Side::Top, Side::Bottom, Side::Left];
        sides.into_iter().find(|&side| side != from && is_free(side)).unwrap_or(Side::Right)
    }
}

/// The run through the box at `place`, which has two free edges.
fn trace(free: Edges, degrees: &Degrees, place: u32) -> Traced {
    let mut walk = Walk { free, two: degrees.two, more: degrees.more, edges: Edges::NONE, boxes: 1 << place };
    // The first free side in order, then the other.
    let last = walk.other_side(place, Side::Right);
    let first_end = walk.leave(place, last);
    if first_end == Some(place) {
        return Traced { edges: walk.edges, boxes: walk.boxes, ends: Ends::None };
    }
    let other = walk.other_side(place, last);
    let second_end = walk.leave(place, other);
    let is_three = |joint: u32| {
        let all = free.horizontal & free.horizontal >> 8 & free.vertical & free.vertical >> 1;
        all >> joint & 1 == 0
    };
    let ends = match (first_end, second_end) {
        (None, None) => Ends::Outside,
        (Some(one), Some(other)) if one == other && is_three(one) => Ends::SameJoint(one),
        _ => Ends::Joint,
    };
    Traced { edges: walk.edges, boxes: walk.boxes, ends }
}

/// A run from a joint of three free edges back to it, with the joint and the run from its third edge: when the run is taken,
/// the joint is left with one edge and taken on.
fn with_stem(free: Edges, degrees: &Degrees, run: Run, joint: u32) -> Run {
    let rest = minus(free, run.edges);
    let mut walk = Walk { free: rest, two: degrees.two, more: degrees.more, edges: Edges::NONE, boxes: 1 << joint };
    let side = [Side::Top, Side::Bottom, Side::Left].into_iter().find(|&side| {
        let bits = match side {
            Side::Top => rest.horizontal >> joint,
            Side::Bottom => rest.horizontal >> (joint + 8),
            _ => rest.vertical >> joint,
        };
        bits & 1 == 1
    });
    walk.leave(joint, side.unwrap_or(Side::Right));
    let edges = Edges {
        horizontal: run.edges.horizontal | walk.edges.horizontal,
        vertical: run.edges.vertical | walk.edges.vertical,
    };
    Run { edges, boxes: run.boxes + walk.boxes.count_ones() as u8, is_loop: false }
}

/// A run from a box with one free edge to its other end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walked {
    pub(super) edges: Edges,
    /// Its boxes with at most two free edges, both ends among them.
    pub(super) boxes: u64,
    /// The only edge of the box it begins at.
    first: Edges,
    /// Whether the other end is a box with one free edge, too.
    is_open_twice: bool,
}

impl Walked {
    /// Number of boxes.
    pub(super) fn count(&self) -> u8 {
        self.boxes.count_ones() as u8
    }

    /// Boxes that can be left to the other side: 2 of the end of a chain, 4 of that of a loop; 0 if it is neither yet.
    pub(super) fn left(&self) -> u8 {
        match (self.is_open_twice, self.count()) {
            (false, 2) => 2,
            (true, 4) => 4,
            _ => 0,
        }
    }

    /// The first edge, and the boxes that it completes.
    pub(super) fn first(&self) -> (Edges, u8) {
        (self.first, if self.is_open_twice && self.count() == 2 { 2 } else { 1 })
    }
}

/// The run from the box at `place`, which has one free edge.
pub(super) fn walk_from_end(free: Edges, degrees: &Degrees, place: u32) -> Walked {
    let more = degrees.one | degrees.more;
    let mut walk = Walk { free, two: degrees.two, more, edges: Edges::NONE, boxes: 1 << place };
    let side = walk.other_side(place, Side::Right);
    let end = walk.leave(place, side).filter(|&end| degrees.one >> end & 1 == 1);
    if let Some(end) = end {
        walk.boxes |= 1 << end;
    }
    let first = match side {
        Side::Top => Edges { horizontal: 1 << place, vertical: 0 },
        Side::Bottom => Edges { horizontal: 1 << (place + 8), vertical: 0 },
        Side::Left => Edges { horizontal: 0, vertical: 1 << place },
        Side::Right => Edges { horizontal: 0, vertical: 1 << (place + 1) },
    };
    Walked { edges: walk.edges, boxes: walk.boxes, first, is_open_twice: end.is_some() }
}

/// The free edges that boxes with two free edges join, in a position with boxes to take or without.
pub(in super::super) struct Joined {
    pub(in super::super) edges: Edges,
    /// The boxes with two free edges.
    pub(in super::super) boxes: u64,
    /// How many of its ends are boxes with one free edge; `None`: it has no ends.
    pub(in super::super) open_ends: Option<u32>,
}

/// What the box at `place`, which has two free edges, joins.
pub(in super::super) fn joined(free: Edges, degrees: &Degrees, place: u32) -> Joined {
    let more = degrees.one | degrees.more;
    let mut walk = Walk { free, two: degrees.two, more, edges: Edges::NONE, boxes: 1 << place };
    let side = walk.other_side(place, Side::Right);
    let end = walk.leave(place, side);
    if end == Some(place) {
        return Joined { edges: walk.edges, boxes: walk.boxes, open_ends: None };
    }
    let other = walk.other_side(place, side);
    let ends = [end, walk.leave(place, other)];
    let open = ends.into_iter().flatten().filter(|&end| degrees.one >> end & 1 == 1).count();
    Joined { edges: walk.edges, boxes: walk.boxes, open_ends: Some(open as u32) }
}
