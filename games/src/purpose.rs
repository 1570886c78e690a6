//! What seeds are for: the one list of the purposes that [`crate::Seed::derive`] is given.
//!
//! Two streams are different because their purposes are. A text that changes changes results.

/// Random plies before the players take over, and nature.
pub const OPENING: &str = "opening";
/// The first player of a pair, whatever its seat.
pub const PLAYER_A: &str = "player a";
/// The second player of a pair.
pub const PLAYER_B: &str = "player b";
/// The first seat, where players are not those of a pair.
pub const FIRST: &str = "first";
/// The second seat.
pub const SECOND: &str = "second";
/// Nature in a trial of a study.
pub const NATURE: &str = "nature";
/// The agent in a trial of a study.
pub const PLAYER: &str = "player";
/// The player of a self-test's trial without an opponent.
pub const ALONE: &str = "alone";
/// Who meets whom in a round of a generation.
pub const OPPONENTS: &str = "opponents";
/// Individuals that a benchmark draws besides the best.
pub const SAMPLES: &str = "samples";
/// An individual of the first population.
pub const INITIAL_INDIVIDUAL: &str = "initial individual";
/// The population after a generation.
pub const BREEDING: &str = "breeding";
/// Candidates of a generation of a tuning.
pub const TUNING_CANDIDATES: &str = "tuning: candidates";
/// Candidates that try whether a tuning's parameters go together.
pub const TUNING_PROBES: &str = "tuning: probes";
/// A synthetic trial.
pub const SYNTHETIC: &str = "synthetic";
/// The opening of a game that is played for a forecast.
pub const COSTS_OPENING: &str = "costs: opening";
/// The first seat of such a game.
pub const COSTS_FIRST: &str = "costs: first";
/// The second seat of such a game.
pub const COSTS_SECOND: &str = "costs: second";

/// The first weights of a network.
pub const WEIGHTS: &str = "network: weights";
/// Rows that a training holds out, and the order of the others.
pub const TRAINING: &str = "network: training";

/// A stream of the games between the players of a pair.
pub fn in_pair(first: &str, second: &str, purpose: &str) -> String {
    format!("{first} v {second}: {purpose}")
}

/// A stream of the trials of a problem of a study.
pub fn in_problem(problem: &str, purpose: &str) -> String {
    format!("{problem}: {purpose}")
}

/// A stream of a game that gives positions to train on.
pub fn in_self_play(purpose: &str) -> String {
    format!("self-play: {purpose}")
}

/// A stream of a game that gives positions to test nets on.
pub fn in_test(purpose: &str) -> String {
    format!("test positions: {purpose}")
}

/// The weights that a net begins with.
pub const NET_WEIGHTS: &str = "net: weights";
/// The order of positions in the training of a net.
pub const NET_TRAINING: &str = "net: training";

/// A stream of a game that measures fitness.
pub fn in_fitness_game(purpose: &str) -> String {
    format!("fitness game: {purpose}")
}

/// The exploration constant of a game that draws it: a part of the opening's seed, or of nature's in a study.
pub const EXPLORATION_CONSTANT: &str = "exploration constant";

/// Choices among equally good moves of a solved ending: a part of the player's seed.
pub const ENDINGS: &str = "endings";

/// The player of a stage of a `staged` player, from 0: a part of its seed.
pub fn stage(place: usize) -> String {
    format!("stage {place}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As version 0.1.0 has them in nine files: runs that it began are resumed to its digests.
    #[test]
    fn purposes_are_what_they_were() {
        assert_eq!(
            [OPENING, PLAYER_A, PLAYER_B, FIRST, SECOND],
            ["opening", "player a", "player b", "first", "second"]
        );
        assert_eq!([NATURE, PLAYER, ALONE, OPPONENTS, SAMPLES], ["nature", "player", "alone", "opponents", "samples"]);
        assert_eq!([INITIAL_INDIVIDUAL, BREEDING, SYNTHETIC], ["initial individual", "breeding", "synthetic"]);
        assert_eq!([TUNING_CANDIDATES, TUNING_PROBES], ["tuning: candidates", "tuning: probes"]);
        assert_eq!([COSTS_OPENING, COSTS_FIRST, COSTS_SECOND], ["costs: opening", "costs: first", "costs: second"]);
        assert_eq!(in_pair("x", "y", PLAYER_A), "x v y: player a");
        assert_eq!(in_problem("f1", NATURE), "f1: nature");
        assert_eq!(in_fitness_game(OPENING), "fitness game: opening");
        assert_eq!(stage(2), "stage 2");
    }
}
