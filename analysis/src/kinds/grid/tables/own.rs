//! What the game itself counts, by player and seat.

use crate::{
    Cell, Table,
    kinds::{
        grid::{Grid, PairGames, SeatGames, tables::ByPair},
        own::head,
    },
};

/// The names of the seats, in their order.
const SEATS: [&str; 2] = ["first", "second"];

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
            let mut row = side.head();
            row.push(Cell::Count(side.games.games()));
            let margins = side.games.margins.moments();
            row.push(Cell::spread(Some(if side.seat == 0 { margins } else { margins.scaled(-1.0) }), 2));
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
                let mut row = side.head();
                row.push(Cell::Count(turn as u64 + 1));
                row.extend(columns.iter().map(|(_, places)| side.games.own.turn(places[side.seat], turn)));
                rows.push(row);
            }
        }
        rows
    })
}

/// A player of a pair in one of the seats.
struct Side<'a> {
    player: &'a str,
    opponent: &'a str,
    seat: usize,
    games: &'a SeatGames,
}

impl Side<'_> {
    fn head(&self) -> Vec<Cell> {
        vec![Cell::text(self.player), Cell::text(self.opponent), Cell::text(SEATS[self.seat])]
    }
}

/// The sides of a pair that have games: both players, each first in the first seat.
fn sides(pair: &PairGames) -> Vec<Side<'_>> {
    let [with_a, with_b] = &pair.seats;
    let side = |is_a: bool, seat: usize| {
        let (player, opponent) = if is_a { (&pair.a, &pair.b) } else { (&pair.b, &pair.a) };
        let games = if is_a == (seat == 0) { with_a } else { with_b };
        Side { player, opponent, seat, games }
    };
    let all = [side(true, 0), side(true, 1), side(false, 0), side(false, 1)];
    all.into_iter().filter(|side| side.games.games() > 0).collect()
}
