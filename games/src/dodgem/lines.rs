//! How a side's cars move, as shifts of sets of squares.
//!
//! A car has one step forward, and two squares that are neighbours sideways have at most one step between them: from the
//! one with a car to the one without. So a step is its lower square and whether it leads sideways, and playing it toggles
//! the squares it touches. All steps of a position are a set of 64 bits that two dozen instructions find; sides and sizes
//! differ in constants only.

use crate::Seat;

/// First bit of the steps sideways in a set of steps; those forward are below.
pub(super) const SIDEWAYS: u32 = 32;

/// Constants of a side on a board.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lines {
    /// Distance of a step forward: right for Black, down for White.
    forward: u32,
    /// Distance of a step sideways: along the column for Black, along the row for White.
    sideways: u32,
    /// Squares from which a step forward leaves the board.
    last: u32,
    /// Squares with a neighbour at the distance of a step sideways.
    paired: u32,
    /// Squares by the number of steps that a car there needs to leave the board: `[b]` are those whose number has bit b.
    steps: [u32; 3],
}

impl Lines {
    /// The constants of `seat` on `size` x `size` squares, `size` from 3 to 5.
    pub(super) const fn new(size: u32, seat: Seat) -> Self {
        let black = seat == 0;
        let (forward, sideways) = if black { (1, size) } else { (size, 1) };
        let mut lines = Lines { forward, sideways, last: 0, paired: 0, steps: [0; 3] };
        let mut square = 0;
        while square < size * size {
            let (row, column) = (square / size, square % size);
            let (along, across) = if black { (column, row) } else { (row, column) };
            lines.last |= ((along == size - 1) as u32) << square;
            lines.paired |= ((across < size - 1) as u32) << square;
            let mut bit = 0;
            while bit < 3 {
                lines.steps[bit as usize] |= (((size - along) >> bit) & 1) << square;
                bit += 1;
            }
            square += 1;
        }
        lines
    }

    /// Legal steps of a side with cars `own` against `other`: bit s forward from square s, bit 32 + s between square s
    /// and its neighbour sideways.
    #[inline(always)]
    pub(super) const fn moves(&self, own: u32, other: u32) -> u64 {
        let forward = own & (!((own | other) >> self.forward) | self.last);
        let sideways = (own ^ (own >> self.sideways)) & !(other | (other >> self.sideways)) & self.paired;
        forward as u64 | (sideways as u64) << SIDEWAYS
    }

    /// The cars `own` after the step of the single bit `step`.
    #[inline(always)]
    pub(super) const fn play(&self, own: u32, step: u64) -> u32 {
        let (forward, sideways) = (step as u32, (step >> SIDEWAYS) as u32);
        own ^ (forward | (forward & !self.last) << self.forward) ^ (sideways | sideways << self.sideways)
    }

    /// Steps forward that `cars` need to leave the board, together (docs/papers/evomcts.md, "Dodgem").
    #[inline(always)]
    pub(super) const fn steps(&self, cars: u32) -> u32 {
        let [ones, twos, fours] = self.steps;
        (cars & ones).count_ones() + 2 * (cars & twos).count_ones() + 4 * (cars & fours).count_ones()
    }

    /// The cars at the start.
    pub(super) const fn start(size: u32, seat: Seat) -> u32 {
        // Black: the left column under the corner; White: the top row right of it.
        let mut cars = 0;
        let mut place = 1;
        while place < size {
            cars |= 1 << (if seat == 0 { place * size } else { place });
            place += 1;
        }
        cars
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Steps of a car at (row, column) by the words of the rules; `None` is off the board.
    fn slow(size: u32, seat: Seat, own: u32, other: u32) -> Vec<(u32, Option<u32>)> {
        let n = size as i32;
        let directions = if seat == 0 { [(0, 1), (-1, 0), (1, 0)] } else { [(1, 0), (0, -1), (0, 1)] };
        let mut steps = Vec::new();
        for square in (0..size * size).filter(|square| own >> square & 1 == 1) {
            for (index, (down, right)) in directions.into_iter().enumerate() {
                let (row, column) = ((square / size) as i32 + down, (square % size) as i32 + right);
                if (0..n).contains(&row) && (0..n).contains(&column) {
                    let to = (row * n + column) as u32;
                    if (own | other) >> to & 1 == 0 {
                        steps.push((square, Some(to)));
                    }
                } else if index == 0 {
                    steps.push((square, None));
                }
            }
        }
        steps
    }

    proptest! {
        #[test]
        fn agrees_with_walking_car_by_car(a in any::<u32>(), b in any::<u32>(), thin in any::<u32>()) {
            for size in 3..=5 {
                let board = (1 << (size * size)) - 1;
                for (own, other) in [(a & !b, b), (a & thin, b & thin), (a & thin, b)] {
                    let (own, other) = (own & board, other & board & !own);
                    for seat in 0..2 {
                        let lines = Lines::new(size, seat);
                        let mut found = Vec::new();
                        let mut moves = lines.moves(own, other);
                        while moves != 0 {
                            let after = lines.play(own, moves & moves.wrapping_neg());
                            moves &= moves - 1;
                            found.push(after);
                        }
                        let walked = slow(size, seat, own, other).into_iter();
                        let mut wanted: Vec<u32> =
                            walked.map(|(from, to)| own & !(1 << from) | to.map_or(0, |to| 1 << to)).collect();
                        found.sort_unstable();
                        wanted.sort_unstable();
                        prop_assert_eq!(found, wanted, "size {} seat {} {:x} {:x}", size, seat, own, other);
                        let needed = (0..size * size).filter(|square| own >> square & 1 == 1);
                        let along = |square: u32| if seat == 0 { square % size } else { square / size };
                        prop_assert_eq!(lines.steps(own), needed.map(|square| size - along(square)).sum::<u32>());
                    }
                }
            }
        }
    }
}
