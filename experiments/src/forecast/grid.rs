//! What a match grid will cost: a cell is a pair.

use super::{
    Forecast,
    cells::{Cells, Spent, sum},
};
use crate::{
    Experiment,
    kinds::{GridPlan, MatchGrid},
    plan::TrialError,
};
use record::columns::{DECISIONS, ITERATIONS, match_shape};

pub(super) fn forecast(
    experiment: &Experiment,
    grid: &MatchGrid,
    clock: &dyn Fn() -> f64,
    seconds: f64,
) -> Result<Forecast, TrialError> {
    let games = GridPlan::new(experiment, grid).games().with_artifacts(&experiment.brought());
    let games = games.map_err(|error| TrialError::Players(error.to_string()))?;
    let matches = &grid.matches;
    let players = |pair| matches.pairing.pair(pair).map(|player| &matches.players[player as usize]);
    // Each player decides at every other ply.
    let decisions = f64::from(matches.game.facts().plies_max) / 2.0;
    let specs = |pair| players(pair).map(|(_, spec)| spec).to_vec();
    let mut cells = Cells::new(matches.pairing.count(), games.per_pair(), decisions, specs);
    let shape = match_shape(false);
    let columns = |names: [&str; 2]| names.map(|name| shape.index(name).expect("a column of the shape"));
    let (iterations, decisions) = (columns(ITERATIONS), columns(DECISIONS));
    cells.sample(clock, seconds, |pair, round| {
        let row = games.play(pair * games.per_pair() + round, None)?;
        Ok(Spent { playouts: sum(&row, iterations), decisions: sum(&row, decisions) / 2.0 })
    })?;
    Ok(cells.forecast(|pair| players(pair).map(|(name, _)| name.clone())))
}
