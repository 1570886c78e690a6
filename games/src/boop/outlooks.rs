//! What every move of a position leads to: the search of one ply that the paper's agents make again and again.
//!
//! The numbers of the board's lines are made once, and every placement changes those of the lines that it touches. The
//! loop is compiled for each kind of processor; results are the same.

use super::{
    Boop,
    board::{self, Board, LARGE, SMALL},
    graduation::Choices,
    rules::Graduation,
    score::{Lines, WON, content},
};
use crate::{Game as _, Outlook, Seat, processor::Processor};

impl Boop {
    /// The board that is valued: where a move has won, the one after the graduation that would follow it, the first of
    /// those that the promotion heuristic scores highest.
    pub(super) fn valued(&self) -> Board {
        let (mut board, last) = (self.board, 1 - self.seat());
        if self.winner.is_some() && board.has_won(last) {
            let choices = Choices::offered(&board, last, Graduation::Heuristic);
            if let Some(choice) = choices.iter().next() {
                board.graduate(last, choice.removed());
            }
        }
        board
    }

    /// [`Game::outlooks`](crate::Game::outlooks).
    #[inline]
    pub(super) fn look_ahead(&self, outlooks: &mut Vec<Outlook>) {
        // SAFETY: this is the processor at hand.
        unsafe { look_ahead_for(Processor::this(), self, outlooks) }
    }
}

crate::processor::compiled!(look_ahead_for, look_ahead, (game: &Boop, outlooks: &mut Vec<Outlook>) -> ());

#[inline(always)]
fn look_ahead(game: &Boop, outlooks: &mut Vec<Outlook>) {
    outlooks.clear();
    if game.is_over() {
        return;
    }
    let (seat, free) = (game.seat(), game.board.free());
    let pool = game.board.pool(seat);
    let lines = Lines::of(&game.board, seat);
    let is_last_ply = game.plies_left() == 1;
    let mut graduating = [0; 2];
    for size in [SMALL, LARGE].into_iter().filter(|&size| pool[size] > 0) {
        for square in board::squares(free) {
            let (mut board, mut lines) = (game.board, lines);
            place(&mut board, &mut lines, seat, size, square);
            let winner = game.winner_after(&board, seat);
            if board.has_won(seat) {
                // Seldom: as played.
                let mut after = Boop { board, winner, plies: game.plies, ..*game };
                after.plies += 1;
                outlooks.push(Outlook { value: after.evaluate(seat), points: Some(after.points()[seat]) });
                continue;
            }
            if !Choices::of(&board, seat).is_empty() {
                graduating[size] |= 1 << square;
                continue;
            }
            outlooks.push(outlook(&board, &lines, seat, winner, is_last_ply));
        }
    }
    for size in [SMALL, LARGE] {
        for square in board::squares(graduating[size]) {
            let (mut placed, mut placed_lines) = (game.board, lines);
            place(&mut placed, &mut placed_lines, seat, size, square);
            let winner = game.winner_after(&placed, seat);
            for choice in Choices::offered(&placed, seat, game.rules.graduation).iter() {
                let (mut board, mut lines) = (placed, placed_lines);
                for square in board::squares(choice.removed()) {
                    let size = usize::from(board.pieces[seat][LARGE] >> square & 1 == 1);
                    lines.remove(content(size, true), square);
                }
                board.graduate(seat, choice.removed());
                outlooks.push(outlook(&board, &lines, seat, winner, is_last_ply));
            }
        }
    }
}

/// Places a piece as [`Board::place`] does, and keeps the numbers of lines, seen from `seat`, up to date.
#[inline(always)]
fn place(board: &mut Board, lines: &mut Lines, seat: Seat, size: usize, square: u32) {
    let (large, other) = (board.pieces[0][LARGE] | board.pieces[1][LARGE], board.of(1 - seat));
    for way in board::squares(board.pushed(size, square)) {
        let (from, to) = (square - 9 + way, square - 18 + 2 * way);
        lines.shift(content((large >> from & 1) as usize, other >> from & 1 == 0), from, to);
    }
    lines.add(content(size, true), square);
    board.place(seat, size, square);
}

#[inline(always)]
fn outlook(board: &Board, lines: &Lines, seat: Seat, winner: Option<u8>, is_last_ply: bool) -> Outlook {
    let points = match winner {
        Some(winner) => Some(f64::from(u8::from(usize::from(winner) == seat))),
        None => is_last_ply.then_some(0.5),
    };
    Outlook { value: lines.score(board, seat).clamp(-WON, WON).into(), points }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Seed, boop::Rules};

    /// Against what the trait's own loop over played moves gives, tests/games/boop_rules.rs compares the kind at hand.
    #[test]
    fn every_kind_of_processor_sees_the_same() {
        for index in 0..200 {
            let graduation = Graduation::ALL[index as usize % 2];
            let start = Boop::new(Rules { graduation, playout_plies: 10 + index as u16 % 40, ..Rules::default() });
            let mut game = start;
            game.playout(&mut Seed::derive(1, 0, index, "outlooks").rng());
            let mut wanted = Vec::new();
            look_ahead(&game, &mut wanted);
            for processor in Processor::all() {
                let mut found = Vec::new();
                // SAFETY: the processor can run this kind.
                unsafe { look_ahead_for(processor, &game, &mut found) };
                assert_eq!(found, wanted, "{processor:?}");
            }
        }
    }
}
