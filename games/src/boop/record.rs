//! What a game leaves in the columns of its results.

use super::{Boop, Move};
use crate::columns::{ColumnKind, ColumnScope, ColumnValue, GameColumn, Recorder};

/// Columns of the results.
pub(super) const COLUMNS: [GameColumn; 2] = [
    // Moves after which pieces graduated.
    GameColumn { name: "graduations", kind: ColumnKind::Int, scope: ColumnScope::Seat },
    // 1 if the game reached its cap of plies and no one won, else 0.
    GameColumn { name: "unfinished", kind: ColumnKind::Int, scope: ColumnScope::Game },
];

/// Watches a game.
#[derive(Default)]
pub(super) struct Record {
    /// By seat.
    graduations: [i64; 2],
}

impl Recorder<Boop> for Record {
    fn observe(&mut self, before: &Boop, played: Move) {
        self.graduations[before.seat()] += i64::from(played.graduates());
    }

    fn finish(&mut self, end: &Boop) -> Vec<ColumnValue> {
        let [first, second] = self.graduations;
        let unfinished = i64::from(end.winner().is_none());
        [first, second, unfinished].map(ColumnValue::Int).into()
    }
}
