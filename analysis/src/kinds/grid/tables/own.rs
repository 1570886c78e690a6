//! What the game itself counts, by player and seat.

use crate::{
    Cell,
    kinds::{
        grid::{Grid, PairGames, SEATS, Side, tables::ByPair},
        own,
    },
};

/// The first columns.
const PLAYER: (&str, &str) = ("player", "player");
const OPPONENT: (&str, &str) = ("opponent", "opponent");
const SEAT: (&str, &str) = ("seat", "seat");

/// A row a player, opponent and seat: its margin, and the numbers that the game declares.
pub(crate) fn own(grid: &Grid) -> ByPair {
    let columns = grid.own.by_seat().numbers;
    let margin = format!("margin ({})", grid.meta.game.score_unit);
    let heads = [PLAYER, OPPONENT, SEAT, ("games", "games"), ("margin", &margin)];
    let title = format!("{}: what the game counts", grid.meta.header.experiment);
    let names = columns.iter().map(|(name, _)| name.as_str());
    let mut table = own::table("own", "grid-own", title, &heads, names).spreads(&["margin"]);
    table.notes.push("Mean ± sample deviation over the games with the player in that seat.".to_owned());
    ByPair::new(table, move |_, pair| {
        let row = |side: &Side<'_>| {
            let mut row = first_cells(side);
            row.push(Cell::Count(side.games.games()));
            row.push(Cell::spread(Some(side.margins()), 2));
            row.extend(columns.iter().map(|(_, places)| side.games.own.number(places[side.seat])));
            row
        };
        sides(pair).iter().map(row).collect()
    })
}

/// A row a player, opponent, seat and turn: the lists that the game declares.
pub(crate) fn own_by_turn(grid: &Grid) -> ByPair {
    let columns = grid.own.by_seat().lists;
    let heads = [PLAYER, OPPONENT, SEAT, ("turn", "turn")];
    let title = format!("{}: what the game counts, turn by turn", grid.meta.header.experiment);
    let names = columns.iter().map(|(name, _)| name.as_str());
    let mut table = own::table("own-by-turn", "grid-own-by-turn", title, &heads, names);
    let note = "Mean ± sample deviation over the games with the player in that seat that have such a turn.";
    table.notes.push(note.to_owned());
    ByPair::new(table, move |_, pair| {
        let mut rows = Vec::new();
        for side in sides(pair) {
            for turn in 0..side.games.own.turns_max() {
                let mut row = first_cells(&side);
                row.push(Cell::Count(turn as u64 + 1));
                row.extend(columns.iter().map(|(_, places)| side.games.own.turn(places[side.seat], turn)));
                rows.push(row);
            }
        }
        rows
    })
}

/// The first cells of a row.
fn first_cells(side: &Side<'_>) -> Vec<Cell> {
    vec![Cell::text(side.player), Cell::text(side.opponent), Cell::text(SEATS[side.seat])]
}

/// The sides of a pair that have games: both players, each first in the first seat.
fn sides(pair: &PairGames) -> Vec<Side<'_>> {
    let all = [(true, 0), (true, 1), (false, 0), (false, 1)];
    let sides = all.into_iter().map(|(is_a, seat)| Side::of(pair, is_a, seat));
    sides.filter(|side| side.games.games() > 0).collect()
}
