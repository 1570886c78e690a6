//! The pair of a grid that a printed row is about.

use record::facts::Role;

use super::{Grid, PairGames};
use crate::papers::covers;

impl Grid {
    /// The pair of two players and whether it stands the other way round: by these names; else by names or specs, if
    /// they fit one pair only. Of a benchmark's contestants the best alone counts, as the champion.
    pub(crate) fn find(&self, names: [&str; 2], specs: [&str; 2]) -> Option<(&PairGames, bool)> {
        let champion =
            |pair: &&PairGames| self.contestant(&pair.a).is_none_or(|contestant| contestant.role == Role::Best);
        let pairs: Vec<&PairGames> = self.pairs.iter().filter(champion).collect();
        let named = |name: &str, i: usize| name == names[i];
        if let Some(found) = pairs.iter().find_map(|pair| ordered(pair, named)) {
            return Some(found);
        }
        let fits = |name: &str, i: usize| self.meta.pairs.specs.get(name).is_some_and(|spec| covers(spec, specs[i]));
        let mut found = pairs.iter().filter_map(|pair| ordered(pair, |name, i| named(name, i) || fits(name, i)));
        found.next().filter(|_| found.next().is_none())
    }
}

/// The pair, and whether it stands the other way round, if its players are the first and the second by `is`.
fn ordered(pair: &PairGames, is: impl Fn(&str, usize) -> bool) -> Option<(&PairGames, bool)> {
    let straight = (is(&pair.a, 0) && is(&pair.b, 1)).then_some((pair, false));
    straight.or_else(|| (is(&pair.b, 0) && is(&pair.a, 1)).then_some((pair, true)))
}
