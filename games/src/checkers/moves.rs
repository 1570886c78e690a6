//! A move, and the moves of a position.

use std::num::NonZeroU64;

use super::{
    Rules,
    board::{Board, OFFSETS, number, of_number, shift},
    jumps::{LongChains, PieceMoves},
};
use crate::{Moves, Seat, bits};

/// A step, or a chain of jumps: where it begins and ends and what it takes off the board.
///
/// Two ways to jump over the same pieces to the same end are one move under the project's rules and two in English
/// draughts, which a number distinguishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move(NonZeroU64);

impl Move {
    const FROM: u32 = 36;
    const TO: u32 = 42;
    const ROUTE: u32 = 48;

    /// Bits of the squares left and reached, the captured set, and the number of the way among equals.
    pub(super) fn new(from: u32, to: u32, captured: u64, route: u32) -> Self {
        let packed =
            captured | u64::from(from) << Self::FROM | u64::from(to) << Self::TO | u64::from(route) << Self::ROUTE;
        // Only a chain can end where it began, and it has captured something.
        Move(NonZeroU64::new(packed).expect("a move moves or takes"))
    }

    #[inline]
    pub(super) fn from(self) -> u32 {
        (self.0.get() >> Self::FROM & 63) as u32
    }

    #[inline]
    pub(super) fn to(self) -> u32 {
        (self.0.get() >> Self::TO & 63) as u32
    }

    #[inline]
    pub(super) fn captured(self) -> u64 {
        self.0.get() & ((1 << Self::FROM) - 1)
    }

    #[inline]
    pub(super) fn route(self) -> u32 {
        (self.0.get() >> Self::ROUTE) as u32
    }

    /// Numbers of the squares left and reached, from 1 to 32.
    pub fn squares(self) -> [u32; 2] {
        [number(self.from()), number(self.to())]
    }

    /// How many pieces it takes.
    pub fn captures(self) -> u32 {
        self.captured().count_ones()
    }
}

/// Legal moves of a position in the order of the project's program: by starting square, row by row from the top, then by
/// direction (up-left, up-right, down-left, down-right), a chain before its extensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveSet(Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    /// No piece can jump twice, which is the usual case: bit `4 * square + direction` of 128 is a move, a jump if a piece
    /// of `others` stands there.
    Single { set: [u64; 2], others: u64 },
    /// With chains.
    List(Vec<Move>),
}

impl MoveSet {
    pub(super) const NONE: MoveSet = MoveSet(Kind::Single { set: [0; 2], others: 0 });

    /// The moves of `seat`, without regard to caps and draws.
    pub(super) fn of(board: &Board, rules: Rules, seat: Seat) -> Self {
        let jumps = board.jumps(seat);
        let jumpers = jumps[0] | jumps[1] | jumps[2] | jumps[3];
        let forced = rules == Rules::English && jumpers != 0;
        if jumpers != 0 && board.goers(seat, &jumps) != [0; 4] {
            let mut list = Vec::new();
            let mut own = if forced { jumpers } else { board.pieces[seat] };
            let mut of_piece = PieceMoves::new();
            while own != 0 {
                of_piece.fill(board, rules, seat, bits::pop_lowest(&mut own), forced);
                list.extend_from_slice(of_piece.as_slice());
            }
            return MoveSet(Kind::List(list));
        }
        let steps = if forced { [0; 4] } else { board.steps(seat) };
        let mut set = [0; 2];
        for d in 0..4 {
            let mut from = steps[d] | jumps[d];
            while from != 0 {
                let place = 4 * (number(bits::pop_lowest(&mut from)) - 1) + d as u32;
                set[place as usize / 64] |= 1 << (place % 64);
            }
        }
        MoveSet(Kind::Single { set, others: board.pieces[1 - seat] })
    }

    /// Number of moves in [`MoveSet::of`].
    #[inline]
    pub(super) fn count(board: &Board, rules: Rules, seat: Seat) -> u32 {
        let count = |sets: [u64; 4]| sets.iter().map(|set| set.count_ones()).sum::<u32>();
        let jumps = board.jumps(seat);
        if jumps == [0; 4] {
            return count(board.steps(seat));
        }
        let goers = board.goers(seat, &jumps);
        let long = if goers == [0; 4] { 0 } else { LongChains::of(board, rules, seat, &goers).len };
        match rules {
            // Captures are compulsory, and chains are finished.
            Rules::English => count(std::array::from_fn(|d| jumps[d] & !goers[d])) + long,
            Rules::Project | Rules::Code => count(jumps) + count(board.steps(seat)) + long,
        }
    }

    /// The move at a place in a set of single steps and jumps.
    fn decode(place: u32, others: u64) -> Move {
        let (from, offset) = (of_number(place / 4 + 1), OFFSETS[place as usize % 4]);
        let next = shift(1 << from, offset);
        let captured = next & others;
        let to = if captured == 0 { next } else { shift(next, offset) };
        Move::new(from, to.trailing_zeros(), captured, 0)
    }

    /// Place of the move `index` in such a set.
    fn place(set: &[u64; 2], index: usize) -> u32 {
        let low = set[0].count_ones();
        match (index as u32).checked_sub(low) {
            None => bits::nth_set(set[0], index as u32),
            Some(rest) => 64 + bits::nth_set(set[1], rest),
        }
    }
}

impl Moves<Move> for MoveSet {
    #[inline]
    fn len(&self) -> usize {
        match &self.0 {
            Kind::Single { set, .. } => (set[0].count_ones() + set[1].count_ones()) as usize,
            Kind::List(list) => list.len(),
        }
    }

    #[inline]
    fn get(&self, index: usize) -> Move {
        match &self.0 {
            Kind::Single { set, others } => MoveSet::decode(MoveSet::place(set, index), *others),
            Kind::List(list) => list[index],
        }
    }

    #[inline]
    fn take(&mut self, index: usize) -> Move {
        match &mut self.0 {
            Kind::Single { set, others } => {
                let place = MoveSet::place(set, index);
                set[place as usize / 64] &= !(1 << (place % 64));
                MoveSet::decode(place, *others)
            }
            Kind::List(list) => list.remove(index),
        }
    }

    fn heap_bytes(&self) -> usize {
        match &self.0 {
            Kind::Single { .. } => 0,
            Kind::List(list) => list.capacity() * size_of::<Move>(),
        }
    }
}
