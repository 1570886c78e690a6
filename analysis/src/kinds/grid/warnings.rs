//! What a reader must know before the tables of a grid.

use super::{Grid, PairGames};
use crate::kinds::warnings::{NOT_REPRODUCIBLE, missing};

/// Fewer different games than this share make intervals narrower than they should be.
const DISTINCT_MIN: f64 = 0.9;
/// More warnings of one kind than this are one.
const REPETITIONS_MAX: usize = 20;

impl Grid {
    /// What a reader must know before the tables.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if !self.meta.header.reproducible {
            warnings.push(NOT_REPRODUCIBLE.to_owned());
        }
        let consequence = "Units that miss a game are left out of intervals over units and of tests over units.";
        warnings.extend(missing(self.games(), self.trials, "games", consequence));
        warnings.extend(self.repetitions());
        warnings
    }

    /// A warning for each pair whose games are often the same; one for all together where they are many.
    pub(crate) fn repetitions(&self) -> Vec<String> {
        let often = |pair: &&PairGames| (pair.distinct as f64) < DISTINCT_MIN * pair.games as f64;
        let found = self.pairs.iter().filter(often).count();
        if found > REPETITIONS_MAX {
            return vec![format!(
                "{found} of {} pairs have repeated games (column `distinct` of table `pairs`): intervals that count them \
                 are too narrow. Random opening plies make games differ.",
                self.pairs.len()
            )];
        }
        let one = |pair: &PairGames| {
            format!(
                "only {} of the {} games of {} v {} differ: the rest are repetitions, and intervals that count them are \
                 too narrow. Random opening plies make games differ.",
                pair.distinct, pair.games, pair.a, pair.b
            )
        };
        self.pairs.iter().filter(often).map(one).collect()
    }
}
