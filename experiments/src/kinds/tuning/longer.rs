//! A tuning that is another one with more generations.
//!
//! No algorithm asks how many generations there are in all: the next candidates follow from those before. So a longer
//! search begins with the generations of a shorter one, and only its end is another.

use super::Tuning;

impl Tuning {
    /// What may grow, for people.
    pub(crate) const GROWS: &str = "a tuning grows by `generations`, `max-games`, `stop-after` and `final.games`: the \
                                    next candidates follow from everything else";

    /// This tuning with as much of `longer` as a longer one may have.
    pub(crate) fn lengthened(&self, longer: &Self) -> Self {
        let mut setup = self.clone();
        setup.generations = self.generations.max(longer.generations);
        setup.final_games = self.final_games.max(longer.final_games);
        // Without a rule nothing ends a search before its last generation.
        if self.stop_after > 0 && (longer.stop_after == 0 || longer.stop_after > self.stop_after) {
            setup.stop_after = longer.stop_after;
        }
        setup.max_games = self.max_games.and_then(|most| longer.max_games.map(|longer| longer.max(most)));
        setup
    }
}
