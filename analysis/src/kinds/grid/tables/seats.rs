//! What sitting first is worth.

use crate::{
    Cell, Table,
    kinds::grid::{Grid, PairGames, tables::ByPair},
    statistics::{CONFIDENCE, interval},
};

/// A row a pair: the player's share from either seat, and the first seat's share over both players.
pub(crate) fn seats(grid: &Grid) -> ByPair {
    let table = Table::new(
        "seats",
        format!("{}: {} by seat", grid.meta.header.experiment, grid.meta.game.game),
        &[
            ("player", "player"),
            ("opponent", "opponent"),
            ("as_first", "share as first"),
            ("as_first_95", "95 % (Wilson)"),
            ("as_second", "share as second"),
            ("as_second_95", "95 % (Wilson)"),
            ("first_seat", "first seat's share"),
            ("first_seat_95", "95 % (Wilson)"),
            ("first_seat_margin", &format!("first seat's {} ahead", grid.meta.game.score_unit)),
        ],
    );
    ByPair::new(table, |_, pair| vec![row(pair)])
}

fn row(pair: &PairGames) -> Vec<Cell> {
    let share = |points: f64, games: u64| {
        let interval = interval::wilson(points, games, CONFIDENCE);
        [Cell::real((games > 0).then(|| points / games as f64), 4), Cell::interval(interval, 4)]
    };
    let [with_a, with_b] = &pair.seats;
    let from_first = with_a.margins.clone().with(&with_b.margins);
    let mut row = vec![Cell::text(&pair.a), Cell::text(&pair.b)];
    row.extend(share(with_a.points(), with_a.games()));
    row.extend(share(with_b.games() as f64 - with_b.points(), with_b.games()));
    row.extend(share(with_a.points() + with_b.points(), pair.games));
    row.push(Cell::real(from_first.moments().mean(), 2));
    row
}
