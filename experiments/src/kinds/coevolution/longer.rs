//! An evolution that is another one with more generations.

use super::{Coevolution, Stop};

impl Coevolution {
    /// What may grow, for people.
    pub(crate) const GROWS: &str = "a coevolution grows by `generations`, `benchmark.final-games` and what its rules \
                                    under `stop` allow: the next population follows from everything else";

    /// This evolution with as much of `longer` as a longer one may have.
    pub(crate) fn lengthened(&self, longer: &Self) -> Self {
        let mut setup = self.clone();
        setup.generations = self.generations.max(longer.generations);
        setup.benchmark.final_games = self.benchmark.final_games.max(longer.benchmark.final_games);
        // Without a rule nothing ends a run before its last generation.
        let later = |old: Option<f64>, new: Option<f64>| if new.is_none_or(|new| Some(new) > old) { new } else { old };
        let rule = |old: Option<f64>, new: Option<f64>| old.and_then(|_| later(old, new));
        let (old, new) = (self.stop, longer.stop);
        setup.stop = Stop { score: rule(old.score, new.score), core_hours: rule(old.core_hours, new.core_hours) };
        setup
    }
}
