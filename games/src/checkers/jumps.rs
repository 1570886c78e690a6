//! Chains of jumps, and with them all moves of one piece.

use super::{
    Rules,
    board::{Board, CROWNING, FORWARD, OFFSETS, shift},
    moves::Move,
};
use crate::Seat;

/// No piece has more moves: a king that could take nine pieces has 31 chains that differ in their end or in what they
/// take, and a king that can jump has at most three steps (counted by tests/checkers_bounds.py over every set of pieces).
pub(super) const PIECE_MOVES_MAX: usize = 34;

/// No chain is longer: there are nine squares to jump over.
const JUMPS_MAX: usize = 9;

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

    /// Takes up a chain that ends at `to` as the rules tell it from those before.
    fn add_chain(&mut self, rules: Rules, from: u32, to: u32, captured: u64) {
        let chain = Move::new(from, to, captured, 0);
        let known = self.as_slice();
        match rules {
            // By whichever way the same pieces were taken, it is one move.
            Rules::Report => {
                if !known.contains(&chain) {
                    self.push(chain);
                }
            }
            // Every way is a move, as published counts have it.
            Rules::English => {
                let alike = known.iter().filter(|m| (m.to(), m.captured()) == (to, captured)).count();
                self.push(Move::new(from, to, captured, alike as u32));
            }
            // A dictionary by destination: the later chain takes the place of the earlier one.
            Rules::Code => match known.iter().position(|m| m.to() == to) {
                Some(place) => self.moves[place] = chain,
                None => self.push(chain),
            },
        }
    }

    /// Fills in the moves of the piece of `seat` on `from`, in the students' order: by direction, each jump before those
    /// that follow it. Only chains if `forced`.
    pub(super) fn fill(&mut self, board: &Board, rules: Rules, seat: Seat, from: u32, forced: bool) {
        self.len = 0;
        let piece = Piece::new(board, rules, seat, from);
        for &d in piece.directions() {
            let next = shift(piece.from, OFFSETS[d]);
            if next & board.empty() == 0 {
                piece.chains(d, &mut |path, captured| {
                    self.add_chain(rules, from, u32::from(path[path.len() - 1]), captured);
                });
            } else if !forced {
                self.push(Move::new(from, next.trailing_zeros(), 0, 0));
            }
        }
    }
}

/// Squares on which `chosen` of `seat` touches the board, first and last included: of the chains that are this move, one.
pub(super) fn path(board: &Board, rules: Rules, seat: Seat, chosen: Move) -> Vec<u8> {
    let piece = Piece::new(board, rules, seat, chosen.from());
    let mut found = Vec::new();
    let mut alike = 0;
    for &d in piece.directions() {
        piece.chains(d, &mut |path, captured| {
            if u32::from(path[path.len() - 1]) != chosen.to() || captured != chosen.captured() {
                return;
            }
            let wanted = match rules {
                Rules::Report => alike == 0,
                Rules::English => alike == chosen.route(),
                Rules::Code => true,
            };
            alike += 1;
            if wanted {
                found = path.to_vec();
            }
        });
    }
    if found.is_empty() { vec![chosen.from() as u8, chosen.to() as u8] } else { found }
}

/// What is told of a chain: the squares it touches from the first on, and the pieces it removes.
type Visit<'a> = &'a mut dyn FnMut(&[u8], u64);

/// A piece about to move.
struct Piece {
    rules: Rules,
    seat: Seat,
    is_king: bool,
    from: u64,
    /// The other side's pieces.
    other: u64,
    /// Squares to land on: while it jumps, its own has become one.
    free: u64,
}

/// A chain so far.
#[derive(Clone, Copy)]
struct Chain {
    squares: [u8; JUMPS_MAX + 1],
    jumps: usize,
    /// All that was jumped over.
    jumped: u64,
    /// The last of it.
    last: u64,
}

impl Piece {
    fn new(board: &Board, rules: Rules, seat: Seat, square: u32) -> Self {
        let from = 1 << square;
        let is_king = board.kings & from != 0;
        Piece { rules, seat, is_king, from, other: board.pieces[1 - seat], free: board.empty() | from }
    }

    fn directions(&self) -> &'static [usize] {
        if self.is_king { &[0, 1, 2, 3] } else { &FORWARD[self.seat] }
    }

    /// Every chain that begins in direction `d` and may end where it ends.
    fn chains(&self, d: usize, visit: Visit<'_>) {
        let mut squares = [0; JUMPS_MAX + 1];
        squares[0] = self.from.trailing_zeros() as u8;
        self.jump(self.from, d, Chain { squares, jumps: 0, jumped: 0, last: 0 }, visit);
    }

    /// Jumps from `at` in direction `d` if that is possible, and on; gives whether it was.
    fn jump(&self, at: u64, d: usize, mut chain: Chain, visit: Visit<'_>) -> bool {
        let over = shift(at, OFFSETS[d]) & self.other & !chain.jumped;
        let mut to = shift(over, OFFSETS[d]) & self.free;
        let code = self.rules == Rules::Code;
        if code && chain.jumps > 0 && d < 2 {
            // The students' window is a row too short for a jump on that goes up: row 0 stays out of reach.
            to &= !CROWNING[1];
        }
        if to == 0 {
            return false;
        }
        let removed = if code { chain.last | over } else { chain.jumped | over };
        chain.jumps += 1;
        chain.squares[chain.jumps] = to.trailing_zeros() as u8;
        chain.jumped |= over;
        chain.last = over;
        let path = &chain.squares[..=chain.jumps];
        let complete = self.rules == Rules::English;
        if !complete {
            visit(path, removed);
        }
        let mut went_on = false;
        // A man that is crowned ends its move. In the students' program no chain turns round.
        let crowned = !self.is_king && to & CROWNING[self.seat] != 0;
        let directions = if code { &FORWARD[usize::from(d < 2)] } else { self.directions() };
        for &next in directions.iter().filter(|_| !crowned) {
            went_on |= self.jump(to, next, chain, visit);
        }
        if complete && !went_on {
            visit(path, removed);
        }
        true
    }
}
