//! What a match grid will cost: a cell is a pair.

use super::{
    Forecast,
    cells::{Cells, Spent, sum},
};
use crate::{
    Experiment,
    kinds::{DECISIONS, GridPlan, ITERATIONS, MatchGrid},
};

pub(super) fn forecast(
    experiment: &Experiment,
    grid: &MatchGrid,
    clock: &dyn Fn() -> f64,
    seconds: f64,
) -> Result<Forecast, String> {
    let games = GridPlan::new(experiment, grid).games();
    let players = |pair| grid.pairing.pair(pair).map(|player| &grid.players[player as usize]);
    // Each player decides at every other ply.
    let decisions = f64::from(grid.game.facts().plies_max) / 2.0;
    let specs = |pair| players(pair).map(|(_, spec)| spec).to_vec();
    let mut cells = Cells::new(grid.pairing.count(), games.per_pair(), decisions, specs);
    cells.sample(clock, seconds, |pair, round| {
        let row = games.play(pair * games.per_pair() + round, None)?;
        Ok(Spent { playouts: sum(&row, ITERATIONS), decisions: sum(&row, DECISIONS) / 2.0 })
    })?;
    Ok(cells.forecast(|pair| players(pair).map(|(name, _)| name.clone())))
}
