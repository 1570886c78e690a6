//! What the game itself counts, by player and seat.

use crate::{
    Cell, Table,
    kinds::{
        grid::{Grid, PairGames, SEATS, Side, tables::ByPair},
        own::head,
    },
};

/// A row a player, opponent and seat: its margin, and the numbers that the game declares.
pub(crate) fn own(grid: &Grid) -> ByPair {
    let columns = grid.own.by_seat().numbers;
    let mut heads = vec![
        ("player".to_owned(), "player".to_owned()),
        ("opponent".to_owned(), "opponent".to_owned()),
        ("seat".to_owned(), "seat".to_owned()),
        ("games".to_owned(), "games".to_owned()),
        ("margin".to_owned(), format!("margin ({})", grid.meta.game.score_unit)),
    ];
    heads.extend(columns.iter().map(|(name, _)| (name.clone(), head(name))));
    let spreads: Vec<&str> = ["margin"].into_iter().chain(columns.iter().map(|(name, _)| name.as_str())).collect();
    let heads: Vec<(&str, &str)> = heads.iter().map(|(key, head)| (key.as_str(), head.as_str())).collect();
    let mut table = Table::new("own", format!("{}: what the game counts", grid.meta.header.experiment), &heads)
        .of_kind("grid-own")
        .spreads(&spreads);
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
    let mut heads = ["player", "opponent", "seat", "turn"].map(|key| (key.to_owned(), key.to_owned())).to_vec();
    heads.extend(columns.iter().map(|(name, _)| (name.clone(), head(name))));
    let spreads: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
    let heads: Vec<(&str, &str)> = heads.iter().map(|(key, head)| (key.as_str(), head.as_str())).collect();
    let title = format!("{}: what the game counts, turn by turn", grid.meta.header.experiment);
    let mut table = Table::new("own-by-turn", title, &heads).of_kind("grid-own-by-turn").spreads(&spreads);
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
