//! The rows of games, in the order of their columns.

use players::GameRecord;
use record::{Row, Value};

use super::games::Unit;
use crate::{own_columns, turn_figures::TurnFigures};

/// The row of a game between the players `seats`: columns of [`record::columns::match_shape`], then the game's own, then
/// `figures` of both players.
pub(super) fn match_row(
    unit: Unit,
    seats: [u32; 2],
    record: &GameRecord,
    turn_times: bool,
    figures: &TurnFigures,
) -> Row {
    let mut row = vec![Value::count(unit.pair), Value::count(unit.unit)];
    row.extend(seats.map(|player| Value::Int(player.into())));
    row.extend(game_values(record));
    if turn_times {
        row.extend(record.turns.iter().map(|turns| Value::Text(turns_text(turns))));
    }
    row.extend(record.columns.iter().map(own_columns::value));
    for (player, by_turn) in seats.into_iter().zip(&record.figures) {
        row.extend(figures.values(player as usize, by_turn));
    }
    row
}

/// What a game gave: the columns that rows of all games have.
pub(crate) fn game_values(record: &GameRecord) -> [Value; 10] {
    [
        Value::Real(record.points[0]),
        Value::Int(record.score_difference),
        Value::Int(record.plies.into()),
        Value::bits(record.moves_hash),
        Value::Int(record.decisions[0].into()),
        Value::Int(record.decisions[1].into()),
        Value::count(record.iterations[0]),
        Value::count(record.iterations[1]),
        Value::count(record.micros[0]),
        Value::count(record.micros[1]),
    ]
}

/// `ply:µs` of each decision, between blanks.
fn turns_text(turns: &[(u32, u64)]) -> String {
    turns.iter().map(|(ply, micros)| format!("{ply}:{micros}")).collect::<Vec<_>>().join(" ")
}
