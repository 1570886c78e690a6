//! Warnings that several kinds give.

use super::{grid::Grid, workers::Played};

pub(crate) const NOT_REPRODUCIBLE: &str =
    "not reproducible: a player has a time budget, so these figures depend on the machines and their load.";

/// A warning that trials have no result, if `found` is less than `trials`; `what` they are, and what follows from it.
pub(super) fn missing(found: u64, trials: u64, what: &str, consequence: &str) -> Option<String> {
    let missing = trials.saturating_sub(found);
    (missing > 0).then(|| {
        format!("{missing} of {trials} {what} have no result (quarantined after repeated failures). {consequence}")
    })
}

/// A run in generations, with grids between or behind them.
pub(super) struct Generations<'a> {
    /// Why its figures are not final, of a run that is under way.
    pub(super) under_way: Option<String>,
    pub(super) reproducible: bool,
    /// Games of each generation.
    pub(super) played: Vec<&'a Played>,
    /// Its grids, each with the name of its stage for people.
    pub(super) grids: Vec<(&'a str, &'a Grid)>,
    /// What follows from games without a result.
    pub(super) consequence: &'static str,
}

impl Generations<'_> {
    /// What a reader must know before the tables.
    pub(super) fn warnings(self) -> Vec<String> {
        let Generations { under_way, reproducible, played, grids, consequence } = self;
        let mut warnings: Vec<String> = under_way.into_iter().collect();
        if !reproducible {
            warnings.push(NOT_REPRODUCIBLE.to_owned());
        }
        let bred = played.iter().map(|played| (played.work().games, played.trials));
        let counts = bred.chain(grids.iter().map(|(_, grid)| (grid.games(), grid.trials)));
        let (games, trials) = counts.fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1));
        warnings.extend(missing(games, trials, "games", consequence));
        for (stage, grid) in grids {
            warnings.extend(grid.repetitions().into_iter().map(|warning| format!("{stage}: {warning}")));
        }
        warnings
    }
}
