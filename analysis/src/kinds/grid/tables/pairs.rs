//! Who beat whom: wins, share of the points, margin, length.

use crate::{
    Cell, Table,
    kinds::grid::{Grid, PairGames, tables::ByPair},
    statistics::{CONFIDENCE, interval},
};

/// A row a pair, from the first player's side.
pub(crate) fn pairs(grid: &Grid) -> ByPair {
    let unit = &grid.meta.game.score_unit;
    let mut table = Table::new(
        "pairs",
        format!("{}: {} by pair", grid.meta.header.experiment, grid.meta.game.game),
        &[
            ("player", "player"),
            ("opponent", "opponent"),
            ("games", "games"),
            ("wins", "wins"),
            ("draws", "draws"),
            ("losses", "losses"),
            ("share", "share"),
            ("wilson_95", "95 % (Wilson)"),
            ("units_95", "95 % (units)"),
            ("margin_mean", &format!("{unit} ahead")),
            ("margin_sd", "sd"),
            ("plies", "plies"),
            ("distinct", "distinct"),
        ],
    );
    table.notes.push(
        "share: the player's share of the points, a draw half. Wilson takes games as independent; units takes the two \
         games with the same luck and swapped seats as one observation (Wilson's interval for as many games as their spread \
         is worth, with Student's quantile). distinct: different games by their moves."
            .to_owned(),
    );
    ByPair::new(table, |_, pair| vec![row(pair)])
}

fn row(pair: &PairGames) -> Vec<Cell> {
    let margin = pair.margin();
    vec![
        Cell::text(&pair.a),
        Cell::text(&pair.b),
        Cell::Count(pair.games),
        Cell::Count(pair.wins),
        Cell::Count(pair.draws),
        Cell::Count(pair.games - pair.wins - pair.draws),
        Cell::real(pair.points() / pair.games as f64, 4),
        Cell::interval(interval::wilson(pair.points(), pair.games, CONFIDENCE), 4),
        Cell::interval(pair.units_interval(), 4),
        Cell::real(margin.mean(), 2),
        Cell::real(margin.deviation(), 2),
        Cell::real(pair.plies as f64 / pair.games as f64, 1),
        Cell::Count(pair.distinct),
    ]
}
