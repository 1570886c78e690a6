//! The board: where pieces stand, and what a placed piece pushes.
//!
//! A row of the board is six bits of a word, with two unused bits between rows and 18 below the first. So a step, and
//! a push over two squares, is the same shift from every square, and what leaves the board ends on unused bits or
//! outside of the word.
//!
//! ```text
//! row 6   58 59 60 61 62 63
//! ...
//! row 2   26 27 28 29 30 31
//! row 1   18 19 20 21 22 23
//!          a  b  c  d  e  f
//! ```

use crate::Seat;

/// Rows, and columns.
pub(super) const SIZE: u32 = 6;
/// Pieces of a side, on the board and in its pool.
pub(super) const PIECES: u32 = 8;

/// Sizes of pieces.
pub(super) const SMALL: usize = 0;
pub(super) const LARGE: usize = 1;

/// The bits that are squares.
pub(super) const SQUARES: u64 = 0x3f3f_3f3f_3f3f << 18;
/// The outer squares.
pub(super) const BORDER: u64 = SQUARES & !(0x1e1e_1e1e << 26);
/// The middle four.
pub(super) const CENTRE: u64 = 0x0c0c << 34;

/// From a square to the next in a line: right, up, up to the left, up to the right.
pub(super) const AXES: [u32; 4] = [1, 8, 7, 9];

/// The square of a column and a row, both from 0.
pub(super) const fn square(column: u32, row: u32) -> u32 {
    18 + 8 * row + column
}

/// Column of a square, from 0.
pub(super) const fn column(square: u32) -> u32 {
    (square - 18) % 8
}

/// Row of a square, from 0 at the bottom.
pub(super) const fn row(square: u32) -> u32 {
    (square - 18) / 8
}

/// The squares around one, as bits from the one below to its left: 0 to 2, 8, 10 and 16 to 18.
const AROUND: u64 = 0x07_05_07;

/// Moves the squares that lie two steps from the middle of a square of five by five one step nearer, to where
/// [`AROUND`] has them; drops the others.
#[inline(always)]
const fn nearer(set: u64) -> u64 {
    let set = set & 0x15_0011_0015;
    let set = (set | set >> 1) & 0x13_0013_0013;
    let set = (set | set >> 2) & 0x07_0007_0007;
    set & 0x07 | set >> 8 & 0x0700 | set >> 16 & 0x07_0000
}

/// The opposite of [`nearer`].
#[inline(always)]
const fn farther(set: u64) -> u64 {
    let set = set & 0x07 | (set & 0x0700) << 8 | (set & 0x07_0000) << 16;
    let set = (set | set << 2) & 0x13_0013_0013;
    (set | set << 1) & 0x15_0015_0015
}

/// A set after a piece on a square has pushed some neighbours, as [`AROUND`] has them.
#[inline(always)]
pub(super) const fn after_push(set: u64, square: u32, pushed: u64) -> u64 {
    let moving = set >> (square - 9) & pushed;
    set & !(moving << (square - 9)) | farther(moving) << (square - 18) & SQUARES
}

/// The starts of three squares of the set in a line along an axis.
#[inline(always)]
pub(super) const fn threes(set: u64, axis: u32) -> u64 {
    set & set >> axis & set >> (2 * axis)
}

/// Three squares from a start along an axis.
#[inline(always)]
pub(super) const fn three(start: u64, axis: u32) -> u64 {
    start | start << axis | start << (2 * axis)
}

/// Squares of a set as numbers, in order.
pub(super) fn squares(mut set: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || (set != 0).then(|| crate::bits::pop_lowest(&mut set)))
}

/// What stands on the board, and who owns large pieces. Pools follow: each side has eight pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Board {
    /// `[seat][size]`: squares.
    pub(super) pieces: [[u64; 2]; 2],
    /// By seat, large pieces on the board and in the pool.
    pub(super) large: [u8; 2],
}

impl Board {
    pub(super) const START: Board = Board { pieces: [[0; 2]; 2], large: [0; 2] };

    #[inline(always)]
    pub(super) fn of(&self, seat: Seat) -> u64 {
        let [small, large] = self.pieces[seat];
        small | large
    }

    #[inline(always)]
    pub(super) fn occupied(&self) -> u64 {
        self.of(0) | self.of(1)
    }

    #[inline(always)]
    pub(super) fn free(&self) -> u64 {
        SQUARES & !self.occupied()
    }

    /// Pieces in the pool, small and large.
    #[inline(always)]
    pub(super) fn pool(&self, seat: Seat) -> [u32; 2] {
        let large = u32::from(self.large[seat]);
        let [on_small, on_large] = self.pieces[seat].map(u64::count_ones);
        [PIECES - large - on_small, large - on_large]
    }

    /// Whether nothing is left in the pool.
    #[inline(always)]
    pub(super) fn is_pool_empty(&self, seat: Seat) -> bool {
        self.of(seat).count_ones() == PIECES
    }

    /// What a piece of a size, placed on a free square, pushes, as [`AROUND`] has it: neighbours, but no large ones by
    /// a small piece, with nothing behind them.
    #[inline(always)]
    pub(super) fn pushed(&self, size: usize, square: u32) -> u64 {
        let occupied = self.occupied();
        let yielding = if size == LARGE { occupied } else { self.pieces[0][SMALL] | self.pieces[1][SMALL] };
        yielding >> (square - 9) & AROUND & !nearer(occupied >> (square - 18))
    }

    /// Places a piece from the pool on a free square and pushes its neighbours; those pushed off the board are in
    /// their pools again. Pushed pieces push nothing, and the order of pushes does not matter: squares behind two
    /// neighbours are never the same, and none of them is a neighbour.
    #[inline(always)]
    pub(super) fn place(&mut self, seat: Seat, size: usize, square: u32) {
        let pushed = self.pushed(size, square);
        if pushed != 0 {
            for set in self.pieces.as_flattened_mut() {
                *set = after_push(*set, square, pushed);
            }
        }
        self.pieces[seat][size] |= 1 << square;
    }

    /// Whether a side has three large pieces in a line, or all eight on the board.
    #[inline(always)]
    pub(super) fn has_won(&self, seat: Seat) -> bool {
        let large = self.pieces[seat][LARGE];
        AXES.iter().fold(0, |lines, &axis| lines | threes(large, axis)) != 0 || large.count_ones() == PIECES
    }

    /// Returns the pieces on `removed` to the pool, all of them large.
    #[inline(always)]
    pub(super) fn graduate(&mut self, seat: Seat, removed: u64) {
        self.large[seat] += (self.pieces[seat][SMALL] & removed).count_ones() as u8;
        self.pieces[seat] = self.pieces[seat].map(|set| set & !removed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_lie_where_the_head_says() {
        assert_eq!(SQUARES.count_ones(), 36);
        assert_eq!(SQUARES, (0..36).map(|i| 1u64 << square(i % 6, i / 6)).sum());
        let inner = |i: u32| (1..5).contains(&(i % 6)) && (1..5).contains(&(i / 6));
        assert_eq!(BORDER, (0..36).filter(|&i| !inner(i)).map(|i| 1u64 << square(i % 6, i / 6)).sum());
        assert_eq!(CENTRE, [(2, 2), (3, 2), (2, 3), (3, 3)].map(|(c, r)| 1u64 << square(c, r)).iter().sum());
        for i in 0..36 {
            assert_eq!((column(square(i % 6, i / 6)), row(square(i % 6, i / 6))), (i % 6, i / 6));
        }
    }

    #[test]
    fn the_eight_squares_around_go_out_and_come_back() {
        for set in (0..1u64 << 19).filter(|set| set & !AROUND == 0) {
            assert_eq!(farther(set).count_ones(), set.count_ones());
            assert_eq!(nearer(farther(set)), set);
        }
        // Down and up, one step and two, from the middle at 9 and at 18.
        for (near, far) in [(0, 0), (1, 2), (2, 4), (8, 16), (10, 20), (16, 32), (17, 34), (18, 36)] {
            assert_eq!(farther(1 << near), 1 << far);
            assert_eq!(far - 18, 2 * (near - 9));
        }
    }
}
