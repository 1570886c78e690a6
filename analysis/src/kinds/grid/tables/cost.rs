//! What decisions took.

use crate::{
    Cell, Table,
    kinds::grid::{Grid, PairGames, tables::ByPair},
};

/// A row a pair: time and iterations of a decision, player and opponent.
pub(crate) fn cost(grid: &Grid) -> ByPair {
    let mut table = Table::new(
        "cost",
        format!("{}: what a decision took", grid.meta.header.experiment),
        &[
            ("player", "player"),
            ("opponent", "opponent"),
            ("player_us", "µs a decision"),
            ("opponent_us", "opponent's µs"),
            ("player_iterations", "iterations a decision"),
            ("opponent_iterations", "opponent's iterations"),
            ("player_decisions", "decisions"),
            ("opponent_decisions", "opponent's decisions"),
        ],
    )
    .measured(&["player_us", "opponent_us"]);
    table.notes.push(
        "Means over decisions that were searched for; forced and opening moves do not count. Times are the workers' and \
         differ from run to run; iterations do not."
            .to_owned(),
    );
    ByPair::new(table, |_, pair| vec![row(pair)])
}

fn row(pair: &PairGames) -> Vec<Cell> {
    let [a, b] = &pair.cost;
    vec![
        Cell::text(&pair.a),
        Cell::text(&pair.b),
        Cell::real(a.per_decision(a.us), 1),
        Cell::real(b.per_decision(b.us), 1),
        Cell::real(a.per_decision(a.iterations), 1),
        Cell::real(b.per_decision(b.iterations), 1),
        Cell::Count(a.decisions),
        Cell::Count(b.decisions),
    ]
}
