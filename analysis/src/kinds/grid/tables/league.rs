//! A league of the players.

use crate::{
    Cell, Table,
    kinds::grid::{
        Grid,
        league::{Points, matches, standings},
    },
};

/// A row a player, the one with most points first.
pub(crate) fn league(grid: &Grid) -> Table {
    let mut table = Table::new(
        "league",
        format!("{}: league points", grid.meta.header.experiment),
        &[
            ("player", "player"),
            ("points", "points"),
            ("margins", &format!("sum of mean margins ({})", grid.meta.game.score_unit)),
            ("margins_error", "its error"),
            ("wins", "matches won"),
            ("draws", "drawn"),
            ("losses", "lost"),
            ("bonus_wins", "bonus for clear wins"),
            ("bonus_losses", "bonus for close losses"),
        ],
    );
    for standing in standings(&matches(grid)) {
        let Points { points, wins, draws, losses, bonus_wins, bonus_losses } = standing.total;
        let mut row = vec![Cell::text(&standing.player), Cell::Count(points)];
        row.extend([standing.margins.value, standing.margins.variance.sqrt()].map(|value| Cell::real(value, 2)));
        row.extend([wins, draws, losses, bonus_wins, bonus_losses].map(Cell::Count));
        table.push(row);
    }
    table.notes.push(
        "A match is all games of two players with the same of them in the first seat; who wins more of its games wins it. 4 points \
         for a match won, 2 for one drawn; 1 more for a winner of at least three times the games that it lost, and 1 for a \
         loser of at most 1.5 times the games that it won, if it won any (SIEA-MCTS thesis, table 6.5). Equal points stand by \
         the sum over matches of the mean margin."
            .to_owned(),
    );
    table
}
