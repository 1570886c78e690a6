//! One trial for people: who plays under which seeds.

use games::{GameSpec, Seed};
use players::{GameSetup, PlayerSpec};

/// A trial for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrialDescription {
    /// (name, canonical spec) by seat; empty where trials have no players.
    pub seats: Vec<(String, String)>,
    /// Game with its options, where there is one.
    pub game: Option<String>,
    /// Random plies before the players take over.
    pub opening_plies: u32,
    /// Random streams the trial draws from: what for, and the seed in hexadecimal.
    pub seeds: Vec<(String, String)>,
}

impl TrialDescription {
    /// Describes a game between two.
    pub(crate) fn of_game(game: &GameSpec, seats: [(&str, &PlayerSpec); 2], setup: &GameSetup) -> Self {
        let [first, second] = setup.player_seeds;
        let mut description =
            TrialDescription::of_seeds(&[("opening", setup.opening_seed), ("first", first), ("second", second)]);
        description.seats = seats.map(|(name, spec)| (name.to_owned(), spec.to_string())).to_vec();
        description.game = Some(game.to_string());
        description.opening_plies = setup.opening_plies;
        description
    }

    /// Describes a trial without players.
    pub(crate) fn of_seeds(seeds: &[(&str, Seed)]) -> Self {
        let seeds = seeds.iter().map(|(stream, seed)| ((*stream).to_owned(), seed.to_string())).collect();
        TrialDescription { seats: Vec::new(), game: None, opening_plies: 0, seeds }
    }
}
