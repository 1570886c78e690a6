//! The board: where pieces stand, and where they may step or jump.
//!
//! The 32 dark squares lie in a word with an unused bit after every second row. So a step is the same shift from every
//! square (4 or 5 down, 4 or 5 up), and a step over the edge ends on an unused bit.
//!
//! ```text
//!    0   1   2   3
//!  4   5   6   7         8 is unused
//!    9  10  11  12
//! 13  14  15  16        17 is unused
//!   18  19  20  21
//! 22  23  24  25        26 is unused
//!   27  28  29  30
//! 31  32  33  34
//! ```

use crate::Seat;

/// The bits that are squares.
pub(super) const SQUARES: u64 = ((1 << 35) - 1) & !(1 << 8 | 1 << 17 | 1 << 26);

/// The row where a man of each seat is crowned.
pub(super) const CROWNING: [u64; 2] = [0xf << 31, 0xf];

/// The row where each seat begins, its back row.
pub(super) const BACK: [u64; 2] = [CROWNING[1], CROWNING[0]];

/// Directions in the order of the project's program: up-left, up-right, down-left, down-right.
pub(super) const OFFSETS: [i32; 4] = [-5, -4, 4, 5];

/// Directions of the men of each seat: White moves down, Red up.
pub(super) const FORWARD: [[usize; 2]; 2] = [[2, 3], [0, 1]];

/// Squares by number, from 1 row by row as in PDN, and the numbers by bit.
pub(super) fn of_number(number: u32) -> u32 {
    (number - 1) + (number - 1) / 8
}

/// The number, from 1 to 32, of a square's bit.
pub(super) fn number(square: u32) -> u32 {
    square - square / 9 + 1
}

/// Row, from 0 on top, of a square's bit.
pub(super) fn row(square: u32) -> u32 {
    (number(square) - 1) / 4
}

/// A set moved by an offset. What leaves the board ends on unused bits, which the caller must mask out.
#[inline(always)]
pub(super) const fn shift(set: u64, by: i32) -> u64 {
    if by >= 0 { set << by } else { set >> -by }
}

/// All pieces, and which of them are kings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Board {
    /// By seat.
    pub(super) pieces: [u64; 2],
    pub(super) kings: u64,
}

impl Board {
    /// Twelve men on three rows each.
    pub(super) const START: Board = Board { pieces: [SQUARES & ((1 << 13) - 1), SQUARES & !((1 << 22) - 1)], kings: 0 };

    #[inline(always)]
    pub(super) fn empty(&self) -> u64 {
        SQUARES & !(self.pieces[0] | self.pieces[1])
    }

    /// Pieces of `seat` that may go in direction `d` if there is room.
    #[inline(always)]
    fn movers(&self, seat: Seat, d: usize) -> u64 {
        let own = self.pieces[seat];
        if FORWARD[seat].contains(&d) { own } else { own & self.kings }
    }

    /// By direction, the pieces of `seat` that can step.
    #[inline(always)]
    pub(super) fn steps(&self, seat: Seat) -> [u64; 4] {
        let empty = self.empty();
        std::array::from_fn(|d| self.movers(seat, d) & shift(empty, -OFFSETS[d]))
    }

    /// By direction, the pieces of `seat` that can jump.
    #[inline(always)]
    pub(super) fn jumps(&self, seat: Seat) -> [u64; 4] {
        let (empty, other) = (self.empty(), self.pieces[1 - seat]);
        let over = |d: usize| shift(other, -OFFSETS[d]) & shift(empty, -2 * OFFSETS[d]);
        std::array::from_fn(|d| self.movers(seat, d) & over(d))
    }

    /// By direction, those among `jumps`, the pieces that can jump, that may then jump again.
    ///
    /// A second jump leads neither back over the piece just taken nor to the square that the piece came from, so the board
    /// before the first jump is enough to tell.
    #[inline(always)]
    pub(super) fn goers(&self, seat: Seat, jumps: &[u64; 4]) -> [u64; 4] {
        let (empty, other) = (self.empty(), self.pieces[1 - seat]);
        let over = |d: usize| shift(other, -OFFSETS[d]) & shift(empty, -2 * OFFSETS[d]);
        let any = |[left, right]: [usize; 2]| over(left) | over(right);
        let (forward, back) = (any(FORWARD[seat]), any(FORWARD[1 - seat]));
        std::array::from_fn(|d| {
            let from = |landed: u64| jumps[d] & shift(landed, -2 * OFFSETS[d]);
            from(forward) | from(back) & self.kings
        })
    }

    /// Moves a piece of `seat` and takes what it captured. One square each in `from` and `to`, which may be the same.
    #[inline(always)]
    pub(super) fn play(&mut self, seat: Seat, from: u64, to: u64, captured: u64) {
        let is_king = self.kings & from != 0;
        self.pieces[seat] = self.pieces[seat] & !from | to;
        self.pieces[1 - seat] &= !captured;
        self.kings &= !(from | captured);
        self.kings |= if is_king { to } else { to & CROWNING[seat] };
    }
}

/// The same squares among all 64, bit `8 * row + column`.
#[inline]
pub(super) fn on_all_squares(set: u64) -> u64 {
    const EVEN_ROWS: u64 = 0x00ff_00ff_00ff_00ff;
    // Drop the unused bits, then put a gap after every bit.
    let packed = set & 0xff | set >> 1 & 0xff00 | set >> 2 & 0xff_0000 | set >> 3 & 0xff00_0000;
    let spread =
        [(16, EVEN_32), (8, EVEN_ROWS), (4, 0x0f0f_0f0f_0f0f_0f0f), (2, 0x3333_3333_3333_3333), (1, EVEN_BITS)]
            .iter()
            .fold(packed, |set, (by, mask)| (set | set << by) & mask);
    // Rows from the top begin in turn with a light and a dark square.
    (spread & EVEN_ROWS) << 1 | spread & !EVEN_ROWS
}
const EVEN_32: u64 = 0x0000_ffff_0000_ffff;
const EVEN_BITS: u64 = 0x5555_5555_5555_5555;
