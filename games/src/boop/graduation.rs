//! Graduation: which pieces a side may take back as large ones, and what the paper's program prefers.

use super::{
    board::{AXES, BORDER, Board, CENTRE, LARGE, SMALL, SQUARES, three, threes},
    rules::Graduation,
};
use crate::{Seat, bits};

/// The axis of an option that is a single piece.
pub(super) const SINGLE: usize = 4;

/// A graduation option: the axis of a line of three, or [`SINGLE`], and the square where it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) axis: usize,
    pub(super) start: u32,
}

impl Choice {
    /// The squares of the pieces that graduate.
    #[inline(always)]
    pub(super) fn removed(self) -> u64 {
        let start = 1 << self.start;
        if self.axis == SINGLE { start } else { three(start, AXES[self.axis]) }
    }
}

/// Graduation options of a side: by axis, the starts of lines of three that are not all large; then single pieces.
/// Their order is by axis, then by square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Choices([u64; SINGLE + 1]);

impl Choices {
    pub(super) const NONE: Choices = Choices([0; SINGLE + 1]);

    /// All options of a side that has not won.
    #[inline(always)]
    pub(super) fn of(board: &Board, seat: Seat) -> Self {
        let (all, large) = (board.of(seat), board.pieces[seat][LARGE]);
        let lines = AXES.map(|axis| threes(all, axis) & !threes(large, axis));
        let single = if board.is_pool_empty(seat) { all } else { 0 };
        Choices([lines[0], lines[1], lines[2], lines[3], single])
    }

    /// The options that a placement leaves open.
    #[inline(always)]
    pub(super) fn offered(board: &Board, seat: Seat, graduation: Graduation) -> Self {
        let choices = Choices::of(board, seat);
        match graduation {
            Graduation::Any => choices,
            Graduation::Heuristic if choices.count() <= 1 => choices,
            Graduation::Heuristic => choices.best(board, seat),
        }
    }

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().fold(0, |all, set| all | set) == 0
    }

    #[inline(always)]
    pub(super) fn count(&self) -> u32 {
        self.0.iter().map(|set| set.count_ones()).sum()
    }

    /// Option `index`, which must be below the count. `nth_bit` gives the k-th set bit of a set, alone in a word.
    #[inline(always)]
    pub(super) fn nth(&self, mut index: u32, nth_bit: impl Fn(u64, u32) -> u64) -> Choice {
        let mut axis = 0;
        while index >= self.0[axis].count_ones() {
            index -= self.0[axis].count_ones();
            axis += 1;
        }
        Choice { axis, start: nth_bit(self.0[axis], index).trailing_zeros() }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Choice> {
        let mut rest = self.0;
        let mut axis = 0;
        std::iter::from_fn(move || {
            while rest.get(axis)? == &0 {
                axis += 1;
            }
            Some(Choice { axis, start: bits::pop_lowest(&mut rest[axis]) })
        })
    }

    /// The options that the promotion heuristic scores highest.
    #[inline(never)]
    fn best(&self, board: &Board, seat: Seat) -> Self {
        let mut best = Choices::NONE;
        let mut most = i32::MIN;
        for choice in self.iter() {
            let score = promotion(board, seat, choice);
            if score > most {
                (best, most) = (Choices::NONE, score);
            }
            if score == most {
                best.0[choice.axis] |= 1 << choice.start;
            }
        }
        best
    }
}

/// The promotion heuristic, which prefers the border (Richoux, end of section IV; constants of its program, Pobo 0.6.2): the
/// higher, the rather the pieces of the option graduate.
pub(super) fn promotion(board: &Board, seat: Seat, choice: Choice) -> i32 {
    let removed = choice.removed();
    let small = board.pieces[seat][SMALL] & removed;
    if choice.axis != SINGLE {
        let border = match (small == removed, removed & BORDER) {
            (true, border) if border == removed => 10,
            (true, border) if border != 0 => 1,
            _ => 0,
        };
        return small.count_ones() as i32 + border;
    }
    if small == 0 {
        return 0;
    }
    let (own, other) = (board.of(seat), board.of(1 - seat));
    let place = if small & BORDER != 0 {
        2
    } else if small & CENTRE != 0 {
        -2
    } else {
        0
    };
    let steps = |from: u64, by: u32| [from << by & SQUARES, from >> by & SQUARES];
    let beside = AXES.iter().any(|&axis| steps(small, axis).iter().any(|next| next & own != 0));
    let threatened = AXES.iter().any(|&axis| {
        let (next, after) = (steps(small, axis), steps(small, 2 * axis));
        (0..2).any(|way| next[way] & other != 0 && after[way] & other != 0)
    });
    5 + place - 3 * i32::from(beside) - 10 * i32::from(threatened)
}

/// Upper bound of the options of a placement: a line is known by the pair of its outer pieces.
pub(super) const CHOICES_MAX: usize = 8 + 8 * 7 / 2;
