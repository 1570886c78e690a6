//! What a game leaves in the columns of its results.

use super::{Carcassonne, Choice, Move, Source};
use crate::{
    Game as _, Turn,
    columns::{ColumnKind, ColumnScope, ColumnValue, GameColumn, Recorder},
};

const fn by_seat(name: &'static str, kind: ColumnKind) -> GameColumn {
    GameColumn { name, kind, scope: ColumnScope::Seat }
}

/// Columns of the results, those of the thesis' tables and figures. A turn begins with a drawn tile; lists have a
/// number for each of the seat's own turns.
pub(super) const COLUMNS: [GameColumn; 13] = [
    by_seat("final_score", ColumnKind::Int),
    by_seat("city_points", ColumnKind::Int),
    by_seat("road_points", ColumnKind::Int),
    by_seat("cloister_points", ColumnKind::Int),
    by_seat("field_points", ColumnKind::Int),
    // In all, and on fields.
    by_seat("meeples_played", ColumnKind::Int),
    by_seat("field_meeples_played", ColumnKind::Int),
    // Final score by meeples played, 0 if none was ("meeples efficiency").
    by_seat("points_per_meeple", ColumnKind::Real),
    // Share of the turns that begin with a meeple in hand.
    by_seat("meeple_availability", ColumnKind::Real),
    // Played up to the end of each turn, in all and on fields.
    by_seat("meeples_by_turn", ColumnKind::List),
    by_seat("field_meeples_by_turn", ColumnKind::List),
    // If the game ended after the turn.
    by_seat("virtual_score_by_turn", ColumnKind::List),
    // Tiles that left the game because they fitted nowhere, or that fitted nowhere at the end.
    GameColumn { name: "discarded_tiles", kind: ColumnKind::Int, scope: ColumnScope::Game },
];

/// What was seen of one seat.
#[derive(Default)]
struct Seen {
    meeples: i64,
    field_meeples: i64,
    available: u32,
    meeples_by_turn: Vec<i64>,
    field_meeples_by_turn: Vec<i64>,
    virtual_score_by_turn: Vec<i64>,
}

/// Watches a game.
pub(super) struct Record {
    players: usize,
    /// Tiles on the board, drawn and left when the watching began.
    tiles: u32,
    seats: [Seen; 2],
}

impl Record {
    pub(super) fn new(from: &Carcassonne) -> Self {
        let tiles = from.tiles() + from.tiles_left() + u32::from(from.drawn().is_some());
        Record { players: from.facts().players, tiles, seats: Default::default() }
    }
}

impl Recorder<Carcassonne> for Record {
    fn observe(&mut self, before: &Carcassonne, played: Move) {
        let (Turn::Player(seat), Choice::Lay { rotation, claim, .. }) = (before.mover(), played.choice()) else {
            return;
        };
        let seen = &mut self.seats[seat];
        seen.available += u32::from(before.hand()[seat] > 0);
        if let Some((source, _)) = claim.and_then(|claim| before.oriented(rotation).segment(claim)) {
            seen.meeples += 1;
            seen.field_meeples += i64::from(source == Source::Field);
        }
        seen.meeples_by_turn.push(seen.meeples);
        seen.field_meeples_by_turn.push(seen.field_meeples);
        let mut after = before.clone();
        after.play(played);
        seen.virtual_score_by_turn.push(after.virtual_scores()[seat].into());
    }

    fn finish(&mut self, end: &Carcassonne) -> Vec<ColumnValue> {
        let (points, scores) = (end.points_by_source(), end.virtual_scores());
        let players = 0..self.players;
        let mut values = Vec::new();
        let mut add = |value: &dyn Fn(usize) -> ColumnValue| values.extend(players.clone().map(value));
        add(&|seat| ColumnValue::Int(scores[seat].into()));
        for source in Source::ALL {
            add(&|seat| ColumnValue::Int(points[seat][source as usize].into()));
        }
        let seats = &self.seats;
        let ratio = |of: f64, by: f64| ColumnValue::Real(if by == 0.0 { 0.0 } else { of / by });
        add(&|seat| ColumnValue::Int(seats[seat].meeples));
        add(&|seat| ColumnValue::Int(seats[seat].field_meeples));
        add(&|seat| ratio(scores[seat].into(), seats[seat].meeples as f64));
        add(&|seat| ratio(seats[seat].available.into(), seats[seat].meeples_by_turn.len() as f64));
        add(&|seat| ColumnValue::List(seats[seat].meeples_by_turn.clone()));
        add(&|seat| ColumnValue::List(seats[seat].field_meeples_by_turn.clone()));
        add(&|seat| ColumnValue::List(seats[seat].virtual_score_by_turn.clone()));
        values.push(ColumnValue::Int((self.tiles - end.tiles()).into()));
        values
    }
}
