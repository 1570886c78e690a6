//! A learning that is another one with more rounds.

use super::Learning;

impl Learning {
    /// What may grow, for people.
    pub(crate) const GROWS: &str = "a learning grows by `rounds` and `final.games`: the next network follows from everything \
                                    else";

    /// This learning with as much of `longer` as a longer one may have.
    pub(crate) fn lengthened(&self, longer: &Self) -> Self {
        Learning {
            rounds: self.rounds.max(longer.rounds),
            final_games: self.final_games.max(longer.final_games),
            ..self.clone()
        }
    }
}
