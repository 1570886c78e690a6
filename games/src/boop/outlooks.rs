//! What every move of a position leads to.

use super::{Boop, board::Board, graduation::Choices, rules::Graduation};
use crate::{Game as _, Moves as _, Outlook, Turn};

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

    pub(super) fn look_ahead(&self, outlooks: &mut Vec<Outlook>) {
        let seat = self.seat();
        let moves = self.moves();
        outlooks.clear();
        outlooks.extend((0..moves.len()).map(|index| {
            let mut after = *self;
            after.play(moves.get(index));
            let points = (after.turn() == Turn::Over).then(|| after.points()[seat]);
            Outlook { value: after.evaluate(seat), points }
        }));
    }
}
