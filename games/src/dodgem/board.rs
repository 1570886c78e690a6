//! Squares of a board by its size, and what cars may do on it.

/// Masks of a board.
#[derive(Debug)]
pub(super) struct Board {
    size: u32,
    full: u32,
    pub(super) left: u32,
    right: u32,
    pub(super) top: u32,
    bottom: u32,
    /// By side: squares by the bits of how many forward steps a car there needs to leave.
    weights: [[u32; 3]; 2],
}

/// By size, from 3.
static BOARDS: [Board; 3] = [board(3), board(4), board(5)];

const fn board(size: u32) -> Board {
    let (mut full, mut left, mut right, mut top, mut bottom) = (0, 0, 0, 0, 0);
    let mut weights = [[0; 3]; 2];
    let mut square = 0;
    while square < size * size {
        let (bit, row, column) = (1 << square, square / size, square % size);
        full |= bit;
        left |= if column == 0 { bit } else { 0 };
        right |= if column == size - 1 { bit } else { 0 };
        top |= if row == 0 { bit } else { 0 };
        bottom |= if row == size - 1 { bit } else { 0 };
        let steps = [size - column, size - row];
        let mut side = 0;
        while side < 2 {
            let mut i = 0;
            while i < 3 {
                weights[side][i] |= if steps[side] >> i & 1 == 1 { bit } else { 0 };
                i += 1;
            }
            side += 1;
        }
        square += 1;
    }
    Board { size, full, left, right, top, bottom, weights }
}

/// Cars by what they may do: forward, the two ways sideways, off the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Steps([u32; 4]);

impl Steps {
    pub(super) const fn none() -> Self {
        Steps([0; 4])
    }

    /// How many steps there are.
    #[inline(always)]
    pub(super) fn count(&self) -> u32 {
        let [a, b, c, d] = self.0.map(u32::count_ones);
        a + b + c + d
    }

    /// Square and kind of step `k`, in the order of the kinds, then of squares.
    #[inline(always)]
    pub(super) fn nth(&self, mut k: u32) -> (u32, u8) {
        let mut step = 0;
        // A step beyond the last kind is asked for by nobody.
        while step < 3 && k >= self.0[step].count_ones() {
            k -= self.0[step].count_ones();
            step += 1;
        }
        let mut set = self.0[step];
        for _ in 0..k {
            set &= set.wrapping_sub(1);
        }
        (set.trailing_zeros(), step as u8)
    }

    pub(super) fn remove(&mut self, square: u32, step: u8) {
        self.0[usize::from(step)] &= !(1 << square);
    }
}

impl Board {
    #[inline(always)]
    pub(super) fn of(size: u8) -> &'static Board {
        &BOARDS[usize::from(size) - 3]
    }

    /// What `own` cars of a side may do.
    #[inline(always)]
    pub(super) fn steps(&self, own: u32, other: u32, seat: usize) -> Steps {
        let empty = self.full & !(own | other);
        // Squares with an empty one to the right, to the left, below and above.
        let right = (empty & !self.left) >> 1;
        let left = (empty & !self.right) << 1;
        let below = empty >> self.size;
        let above = empty << self.size;
        Steps(if seat == 0 {
            [own & right, own & above, own & below, own & self.right]
        } else {
            [own & below, own & left, own & right, own & self.bottom]
        })
    }

    /// Where a car goes, as a set; empty if off the board.
    #[inline(always)]
    pub(super) fn target(&self, from: u32, step: u8, seat: usize) -> u32 {
        match (step, seat) {
            (0, 0) | (2, 1) => from << 1,
            (1, 0) => from >> self.size,
            (2, 0) | (0, 1) => from << self.size,
            (1, 1) => from >> 1,
            _ => 0,
        }
    }

    /// Forward steps that a side's cars need to leave.
    #[inline(always)]
    pub(super) fn steps_left(&self, cars: u32, seat: usize) -> u32 {
        let [ones, twos, fours] = self.weights[seat].map(|weight| (cars & weight).count_ones());
        ones + 2 * twos + 4 * fours
    }
}
