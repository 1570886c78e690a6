//! All moves of one piece, chains of jumps among them.

use super::{
    Rules,
    board::{Board, CROWNING, FORWARD, OFFSETS, shift},
    moves::Move,
};
use crate::{Seat, bits};

/// Upper bound of the moves of a piece: a king that can take nine pieces has 31 chains that differ in their end or in
/// what they take, and with fewer pieces to take it has fewer moves, steps included (a test counts them all). More pieces
/// only block its way.
pub(super) const PIECE_MOVES_MAX: usize = 31;

/// Moves of one piece.
pub(super) struct PieceMoves {
    moves: [Move; PIECE_MOVES_MAX],
    len: usize,
}

impl PieceMoves {
    pub(super) fn new() -> Self {
        PieceMoves { moves: [Move::new(0, 1, 0, 0); PIECE_MOVES_MAX], len: 0 }
    }

    pub(super) fn as_slice(&self) -> &[Move] {
        &self.moves[..self.len]
    }

    fn push(&mut self, chosen: Move) {
        self.moves[self.len] = chosen;
        self.len += 1;
    }

    /// Adds a chain, unless the rules count it as one that is there already.
    fn add(&mut self, rules: Rules, chain: &Chain) {
        let (from, to) = (chain.from(), chain.to());
        let found = Move::new(from, to, chain.removed(rules), 0);
        let known = self.as_slice();
        match rules {
            // Chains that take the same pieces on different ways are one move.
            Rules::Project => {
                if !known.contains(&found) {
                    self.push(found);
                }
            }
            // Every way is a move, as in published perft counts.
            Rules::English => {
                let alike = known.iter().filter(|m| (m.to(), m.captured()) == (to, found.captured())).count();
                self.push(Move::new(from, to, found.captured(), alike as u32));
            }
            // The program has a dictionary by destination: a later chain replaces an earlier one.
            Rules::Code => match known.iter().position(|m| m.to() == to) {
                Some(place) => self.moves[place] = found,
                None => self.push(found),
            },
        }
    }

    /// Fills in the moves of the piece of `seat` on `from`, in the order of the project's program: by direction, each jump
    /// before those that follow it. Only chains if `forced`.
    pub(super) fn fill(&mut self, board: &Board, rules: Rules, seat: Seat, from: u32, forced: bool) {
        self.len = 0;
        let piece = Piece::new(board, rules, seat, from);
        for &d in piece.directions() {
            let next = shift(piece.from, OFFSETS[d]);
            if next & board.empty() == 0 {
                piece.jump(&[d], &Chain::new(from), &mut |chain| self.add(rules, chain));
            } else if !forced {
                self.push(Move::new(from, next.trailing_zeros(), 0, 0));
            }
        }
    }

    /// As [`PieceMoves::fill`], but only chains of two or more jumps that begin in a direction where `goers` has the piece.
    #[inline(always)]
    fn fill_long(&mut self, board: &Board, rules: Rules, seat: Seat, from: u32, goers: &[u64; 4]) {
        self.len = 0;
        let piece = Piece::new(board, rules, seat, from);
        for (d, goers) in goers.iter().enumerate() {
            if goers & piece.from != 0 {
                piece.jump(&[d], &Chain::new(from), &mut |chain| {
                    if chain.jumps > 1 {
                        self.add(rules, chain);
                    }
                });
            }
        }
    }
}

/// Moves of a side with two or more jumps. None of them equals a single jump: even in the program's dictionary, no longer
/// chain of the piece ends on the square of a single jump.
pub(super) struct LongChains<'a> {
    board: &'a Board,
    rules: Rules,
    seat: Seat,
    goers: &'a [u64; 4],
    /// The pieces among `goers`.
    pieces: u64,
    /// Number of moves.
    pub(super) len: u32,
    /// The moves of the last piece.
    last: PieceMoves,
}

impl<'a> LongChains<'a> {
    /// By direction of the first jump, the pieces that may jump again after it.
    #[inline(always)]
    pub(super) fn of(board: &'a Board, rules: Rules, seat: Seat, goers: &'a [u64; 4]) -> Self {
        let pieces = goers[0] | goers[1] | goers[2] | goers[3];
        let mut found = LongChains { board, rules, seat, goers, pieces, len: 0, last: PieceMoves::new() };
        // Built in place: moving it would cost as much as the search.
        found.find();
        found
    }

    #[cold]
    #[inline(never)]
    fn find(&mut self) {
        let mut rest = self.pieces;
        while rest != 0 {
            self.last.fill_long(self.board, self.rules, self.seat, bits::pop_lowest(&mut rest), self.goers);
            self.len += self.last.len as u32;
        }
    }

    /// Number `index` of them, which must be below `len`.
    #[cold]
    #[inline(never)]
    pub(super) fn get(&mut self, index: u32) -> Move {
        let mut index = index as usize;
        let mut rest = self.pieces;
        loop {
            let square = bits::pop_lowest(&mut rest);
            // If there is a single piece, its moves are already there.
            if self.pieces != 1 << square {
                self.last.fill_long(self.board, self.rules, self.seat, square, self.goers);
            }
            match self.last.as_slice().get(index) {
                Some(&chosen) => return chosen,
                None => index -= self.last.len,
            }
        }
    }
}

/// Squares that `chosen` of `seat` touches, first and last included, in one of the chains that are this move.
pub(super) fn path(board: &Board, rules: Rules, seat: Seat, chosen: Move) -> Vec<u32> {
    let piece = Piece::new(board, rules, seat, chosen.from());
    let mut found = vec![chosen.from(), chosen.to()];
    let mut alike = 0;
    piece.jump(piece.directions(), &Chain::new(chosen.from()), &mut |chain| {
        if (chain.to(), chain.removed(rules)) != (chosen.to(), chosen.captured()) {
            return;
        }
        let wanted = match rules {
            Rules::Project => alike == 0,
            Rules::English => alike == chosen.route(),
            Rules::Code => true,
        };
        alike += 1;
        if wanted {
            found = chain.squares().collect();
        }
    });
    found
}

/// An unfinished chain.
#[derive(Clone, Copy)]
struct Chain {
    /// Squares touched, the last in the lowest [`Chain::SQUARE`] bits.
    squares: u64,
    jumps: u32,
    /// The pieces jumped over.
    jumped: u64,
    /// The last two of them.
    last: [u64; 2],
}

impl Chain {
    const SQUARE: u32 = 6;
    const MASK: u64 = (1 << Chain::SQUARE) - 1;

    fn new(from: u32) -> Self {
        Chain { squares: u64::from(from), jumps: 0, jumped: 0, last: [0; 2] }
    }

    /// The chain with one more jump. There are at most nine, so that the squares fit.
    #[inline(always)]
    fn then(&self, over: u64, to: u64) -> Self {
        Chain {
            squares: self.squares << Chain::SQUARE | u64::from(to.trailing_zeros()),
            jumps: self.jumps + 1,
            jumped: self.jumped | over,
            last: [self.last[1], over],
        }
    }

    fn squares(&self) -> impl Iterator<Item = u32> {
        let squares = self.squares;
        (0..=self.jumps).rev().map(move |i| (squares >> (Chain::SQUARE * i) & Chain::MASK) as u32)
    }

    #[inline(always)]
    fn from(&self) -> u32 {
        (self.squares >> (Chain::SQUARE * self.jumps)) as u32
    }

    #[inline(always)]
    fn to(&self) -> u32 {
        (self.squares & Chain::MASK) as u32
    }

    /// The pieces that leave the board if the chain ends here.
    #[inline(always)]
    fn removed(&self, rules: Rules) -> u64 {
        if rules == Rules::Code { self.last[0] | self.last[1] } else { self.jumped }
    }
}

/// A piece about to move.
struct Piece {
    rules: Rules,
    seat: Seat,
    is_king: bool,
    from: u64,
    /// The other side's pieces.
    other: u64,
    /// Empty squares, its own among them: it has left that.
    free: u64,
    /// By direction of a jump, the squares from which another jump may be possible.
    onward: [u64; 4],
}

impl Piece {
    #[inline(always)]
    fn new(board: &Board, rules: Rules, seat: Seat, square: u32) -> Self {
        let from = 1 << square;
        let is_king = board.kings & from != 0;
        let (other, free) = (board.pieces[1 - seat], board.empty() | from);
        let over = |d: usize| shift(other, -OFFSETS[d]) & shift(free, -2 * OFFSETS[d]);
        let [up_left, up_right, down_left, down_right] = [over(0), over(1), over(2), over(3)];
        let (up, down) = (up_left | up_right, down_left | down_right);
        // Straight back is the piece just taken. A man that is crowned has no further square ahead, so its move ends; in
        // the project's program no chain changes its vertical direction.
        let onward = match is_king && rules != Rules::Code {
            true => [up | down_left, up | down_right, down | up_left, down | up_right],
            false => [up, up, down, down],
        };
        Piece { rules, seat, is_king, from, other, free, onward }
    }

    #[inline(always)]
    fn directions(&self) -> &'static [usize] {
        if self.is_king { &[0, 1, 2, 3] } else { &FORWARD[self.seat] }
    }

    /// Extends a chain in all possible `directions`, recursively, and visits every chain that may end where it ends. Gives
    /// whether there was one.
    fn jump(&self, directions: &[usize], chain: &Chain, visit: &mut impl FnMut(&Chain)) -> bool {
        let (code, english) = (self.rules == Rules::Code, self.rules == Rules::English);
        let mut any = false;
        for &d in directions {
            let over = shift(1 << chain.to(), OFFSETS[d]) & self.other & !chain.jumped;
            let mut to = shift(over, OFFSETS[d]) & self.free;
            if code && chain.jumps > 0 && d < 2 {
                // The program's window is one row too short for a later jump that goes up: row 0 is out of reach.
                to &= !CROWNING[1];
            }
            if to == 0 {
                continue;
            }
            any = true;
            let chain = chain.then(over, to);
            if !english {
                visit(&chain);
            }
            let went_on = to & self.onward[d] != 0 && {
                let directions = if code { &FORWARD[usize::from(d < 2)] } else { self.directions() };
                self.jump(directions, &chain, visit)
            };
            if english && !went_on {
                visit(&chain);
            }
        }
        any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkers::board::{SQUARES, number, row};

    /// The most moves of a lone king over every set of pieces that it could jump over, steps included. An independent
    /// count of paths on a grid gives the same 31 and 16.
    #[test]
    fn no_king_has_more_moves_than_there_is_room_for() {
        let mut most = [0; 3];
        let mut of_piece = PieceMoves::new();
        for king in (0..35).filter(|square| SQUARES >> square & 1 == 1) {
            // It jumps over squares in rows of the other parity that are not on an edge.
            let column = |square| (number(square) - 1) % 4 * 2 + u32::from(row(square).is_multiple_of(2));
            let inside = |square: &u32| (1..=6).contains(&row(*square)) && (1..=6).contains(&column(*square));
            let between = (0..35).filter(|square| SQUARES >> square & 1 == 1).filter(inside);
            let between: Vec<u32> = between.filter(|&square| row(square) % 2 != row(king) % 2).collect();
            assert_eq!(between.len(), 9);
            for subset in 0..1 << 9 {
                let other = (0..9).filter(|i| subset >> i & 1 == 1).map(|i: usize| 1 << between[i]).sum();
                let board = Board { pieces: [1 << king, other], kings: 1 << king };
                for rules in Rules::ALL {
                    let jumps = board.jumps(0);
                    of_piece.fill(&board, rules, 0, king, rules == Rules::English && jumps != [0; 4]);
                    most[rules as usize] = most[rules as usize].max(of_piece.as_slice().len());
                }
            }
        }
        assert_eq!([most[Rules::Project as usize], most[Rules::English as usize]], [31, 16]);
        assert!(most.into_iter().max() <= Some(PIECE_MOVES_MAX));
    }
}
