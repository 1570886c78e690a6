//! Kind `match-grid`: players against players, pair by pair.
//!
//! Trial `t` is game `t % 2` of unit `t / 2`; the units of a pair are consecutive. Where players keep their seats
//! (`seat`), a unit is one game. The two games of a unit share
//! their opening and every random stream, and swap seats: streams belong to the first and second *player of the
//! pair*, not to seats, so each player meets the other with the same luck from either side.

mod longer;
mod pairing;
mod plan;
mod read;
mod scores;
mod seating;

use games::GameSpec;
use players::PlayerSpec;

use crate::experiment::quoted;
pub(crate) use pairing::Pairing;
pub(crate) use plan::{DECISIONS, Games, GridPlan, ITERATIONS, game_shape, match_stage, record_values};
pub(crate) use scores::Scores;
pub(crate) use seating::Seating;

/// Games of a unit: each player sits first once.
pub(crate) const UNIT: u64 = 2;

/// What a match grid says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MatchGrid {
    pub(crate) game: GameSpec,
    /// Name and spec, in the order of the file.
    pub(crate) players: Vec<(String, PlayerSpec)>,
    pub(crate) pairing: Pairing,
    /// As the file has it, before the scale.
    games_per_pair: u64,
    pub(crate) opening_plies: u32,
    /// Where the first player of a pair sits: in a grid's file on both sides.
    pub(crate) seating: Seating,
    /// Whether rows have the time of every decision.
    pub(crate) turn_times: bool,
}

impl MatchGrid {
    /// A grid that is part of another experiment, which says how many games a pair has.
    pub(crate) fn new(
        game: GameSpec,
        players: Vec<(String, PlayerSpec)>,
        pairing: Pairing,
        opening_plies: u32,
    ) -> Self {
        let (games_per_pair, seating, turn_times) = (UNIT, Seating::Both, false);
        MatchGrid { game, players, pairing, games_per_pair, opening_plies, seating, turn_times }
    }

    /// The same with another seating.
    pub(crate) fn seated(self, seating: Seating) -> Self {
        MatchGrid { seating, ..self }
    }

    /// Games of a pair at a scale: whole units, at least one.
    pub(crate) fn games_per_pair(&self, scale: f64) -> u64 {
        self.seating.scaled(self.games_per_pair, scale)
    }

    pub(crate) fn trial_count(&self, scale: f64) -> u64 {
        self.pairing.count().saturating_mul(self.games_per_pair(scale))
    }

    /// Names of its pairs, in order. For grids that are part of another experiment, which are small.
    pub(crate) fn pair_names(&self) -> Vec<[String; 2]> {
        let names = |pair| self.pairing.pair(pair).map(|player| self.players[player as usize].0.clone());
        (0..self.pairing.count()).map(names).collect()
    }

    pub(crate) fn reproducible(&self) -> bool {
        self.pairing.players().iter().all(|&player| self.players[player as usize].1.reproducible())
    }

    /// Names of the players that are in no pair.
    pub(crate) fn idle(&self) -> Vec<&str> {
        let playing = self.pairing.players();
        let idle = |i: &usize| u32::try_from(*i).is_ok_and(|player| playing.binary_search(&player).is_err());
        (0..self.players.len()).filter(idle).map(|i| self.players[i].0.as_str()).collect()
    }

    pub(crate) fn write(&self, text: &mut String) {
        text.push_str(&format!("game = {}\n\n[players]\n", quoted(&self.game.to_string())));
        for (name, spec) in &self.players {
            text.push_str(&format!("{name} = {}\n", quoted(&spec.to_string())));
        }
        text.push_str("\n[match-grid]\n");
        let names = |players: &[u32]| {
            let quoted: Vec<String> = players.iter().map(|&p| quoted(&self.players[p as usize].0)).collect();
            format!("[{}]", quoted.join(", "))
        };
        match &self.pairing {
            Pairing::Listed(pairs) => {
                text.push_str("pairing = \"listed\"\npairs = [\n");
                for pair in pairs {
                    text.push_str(&format!("    {},\n", names(pair)));
                }
                text.push_str("]\n");
            }
            Pairing::RoundRobin { .. } => text.push_str("pairing = \"round-robin\"\n"),
            Pairing::Gauntlet { champions, against } => text.push_str(&format!(
                "pairing = \"gauntlet\"\nchampions = {}\nagainst = {}\n",
                names(champions),
                names(against)
            )),
        }
        text.push_str(&format!("seat = {}\n", quoted(self.seating.name())));
        text.push_str(&format!("games-per-pair = {}\nopening-plies = {}\n", self.games_per_pair, self.opening_plies));
        text.push_str(&format!("turn-times = {}\n", self.turn_times));
    }
}
