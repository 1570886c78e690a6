//! A move, and the moves of a position.

use std::num::NonZeroU16;

use super::{
    Boop,
    board::{self, LARGE, SMALL},
    graduation::{Choice, Choices},
};
use crate::{Moves, bits};

/// A piece placed on a square, and the pieces that graduate then, if any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move(NonZeroU16);

impl Move {
    /// The axis of a move without graduation.
    const NONE: u16 = 7;

    #[inline(always)]
    pub(super) fn new(size: usize, square: u32, choice: Option<Choice>) -> Self {
        let (axis, start) = choice.map_or((Self::NONE, 0), |choice| (choice.axis as u16, choice.start as u16));
        let bits = square as u16 | (size as u16) << 6 | axis << 7 | start << 10;
        // Bits of squares are above 0.
        Move(NonZeroU16::new(bits).unwrap_or(NonZeroU16::MIN))
    }

    /// [`SMALL`] or [`LARGE`].
    #[inline(always)]
    pub(super) fn size(self) -> usize {
        usize::from(self.0.get() >> 6 & 1)
    }

    /// The bit of the square.
    #[inline(always)]
    pub(super) fn square(self) -> u32 {
        u32::from(self.0.get() & 63)
    }

    #[inline(always)]
    pub(super) fn choice(self) -> Option<Choice> {
        let axis = self.0.get() >> 7 & 7;
        (axis != Self::NONE).then(|| Choice { axis: axis.into(), start: u32::from(self.0.get() >> 10) })
    }

    /// Whether the placed piece is large.
    pub fn is_large(self) -> bool {
        self.size() == LARGE
    }

    /// Whether pieces graduate.
    pub fn graduates(self) -> bool {
        self.choice().is_some()
    }
}

/// Moves of a position: placements without graduation, small pieces before large ones, by square; then those with,
/// small before large, by square, then by the axis of a line and its start, single pieces last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveSet {
    /// By size, the squares of placements without graduation.
    plain: [u64; 2],
    /// Most positions have none.
    graduating: Vec<Move>,
}

impl MoveSet {
    pub(super) const NONE: MoveSet = MoveSet { plain: [0; 2], graduating: Vec::new() };

    /// Moves of a position whose game is not over.
    pub(super) fn of(game: &Boop) -> Self {
        let mut moves = Self::NONE;
        game.placements(|size, square, board, seat| {
            let choices = game.choices(board, seat);
            if choices.is_empty() {
                moves.plain[size] |= 1 << square;
            } else {
                moves.graduating.extend(choices.iter().map(|choice| Move::new(size, square, Some(choice))));
            }
        });
        moves
    }

    #[inline]
    fn counts(&self) -> [usize; 2] {
        self.plain.map(|set| set.count_ones() as usize)
    }
}

impl Moves<Move> for MoveSet {
    #[inline]
    fn len(&self) -> usize {
        let [small, large] = self.counts();
        small + large + self.graduating.len()
    }

    #[inline]
    fn get(&self, index: usize) -> Move {
        let [small, large] = self.counts();
        let plain = |size: usize, k: usize| Move::new(size, bits::nth_set(self.plain[size], k as u32), None);
        if index < small {
            plain(SMALL, index)
        } else if index < small + large {
            plain(LARGE, index - small)
        } else {
            self.graduating[index - small - large]
        }
    }

    fn take(&mut self, index: usize) -> Move {
        let [small, large] = self.counts();
        if index >= small + large {
            return self.graduating.remove(index - small - large);
        }
        let taken = self.get(index);
        self.plain[taken.size()] &= !(1 << taken.square());
        taken
    }

    fn heap_bytes(&self) -> usize {
        self.graduating.capacity() * size_of::<Move>()
    }
}

impl Boop {
    /// Calls `each` for every placement of the side to move, small pieces before large ones, by square: with the size,
    /// the square, the board after pushes, and the side.
    #[inline(always)]
    pub(super) fn placements(&self, mut each: impl FnMut(usize, u32, &board::Board, usize)) {
        let (seat, free) = (self.seat(), self.board.free());
        let pool = self.board.pool(seat);
        for size in [SMALL, LARGE].into_iter().filter(|&size| pool[size] > 0) {
            for square in board::squares(free) {
                let mut board = self.board;
                board.place(seat, size, square);
                each(size, square, &board, seat);
            }
        }
    }

    /// What may graduate after a placement that led to `board`: nothing if it wins.
    #[inline(always)]
    pub(super) fn choices(&self, board: &board::Board, seat: usize) -> Choices {
        if board.has_won(seat) { Choices::NONE } else { Choices::offered(board, seat, self.rules.graduation) }
    }
}
