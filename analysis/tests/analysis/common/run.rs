//! A run directory of a match grid, written without the coordinator.

use std::path::Path;

use serde_json::{Value, json};

use super::{
    database::insert_stage,
    stored::{Game, TURNS, database, insert_games, match_shape},
};

/// A match grid of these pairs.
pub(crate) struct Run {
    pub(crate) pairs: Vec<[&'static str; 2]>,
    pub(crate) specs: Vec<(&'static str, &'static str)>,
    pub(crate) games: Vec<Game>,
    /// Games the grid should have.
    pub(crate) trials: usize,
    pub(crate) reproducible: bool,
    pub(crate) closed: bool,
    pub(crate) paper: Option<&'static str>,
    /// Where the first players of pairs sit in every game.
    pub(crate) seat: Option<&'static str>,
    /// The rule that the pairs follow, instead of a list of them.
    pub(crate) pairing: Option<Value>,
}

impl Run {
    pub(crate) fn new(pairs: &[[&'static str; 2]]) -> Self {
        Run {
            pairs: pairs.to_vec(),
            specs: Vec::new(),
            games: Vec::new(),
            trials: 0,
            reproducible: true,
            closed: true,
            paper: None,
            seat: None,
            pairing: None,
        }
    }

    pub(crate) fn players(&self) -> Vec<&'static str> {
        let mut players: Vec<_> = self.pairs.iter().flatten().copied().collect();
        players.sort_unstable();
        players.dedup();
        players
    }

    /// Adds a unit of `pair`: score differences from the first seat's side, with the pair's first player there and with
    /// its second. Positive wins, zero draws.
    pub(crate) fn unit(&mut self, pair: usize, differences: [i64; 2]) {
        let players = self.players();
        let place = |name: &str| players.iter().position(|player| *player == name).expect("a player") as i64;
        let [a, b] = self.pairs[pair].map(place);
        for (seats, score_difference) in [[a, b], [b, a]].into_iter().zip(differences) {
            self.push(pair, seats, score_difference);
        }
    }

    /// Adds a game of `pair` with these seats.
    pub(crate) fn push(&mut self, pair: usize, seats: [i64; 2], score_difference: i64) {
        let trial = self.trials as i64;
        self.games.push(Game {
            trial,
            pair: pair as i64,
            seats,
            first_points: match score_difference.signum() {
                1 => 1.0,
                0 => 0.5,
                _ => 0.0,
            },
            score_difference,
            hash: trial * 7_919,
            us: [600, 280],
            turns: None,
        });
        self.trials += 1;
    }

    /// Writes `directory/redqueen.sqlite`.
    pub(crate) fn write(&self, directory: &Path) {
        let conn = database(directory);
        insert_stage(&conn, &self.spec(), self.closed, Some(&json!({})));
        insert_games(&conn, 0, &self.games);
    }

    fn has_turns(&self) -> bool {
        self.games.iter().any(|game| game.turns.is_some())
    }

    fn spec(&self) -> Value {
        let specs: serde_json::Map<_, _> =
            self.specs.iter().map(|(name, spec)| ((*name).to_owned(), json!(spec))).collect();
        let mut shape = match_shape();
        if self.has_turns() {
            let columns = shape["columns"].as_array_mut().expect("a list");
            columns.extend(TURNS.map(|name| json!({ "name": name, "kind": "text", "pure": false })));
        }
        let mut spec = json!({
            "index": 0, "name": "grid", "trials": self.trials, "shape": shape,
            "labels": { "players": self.players() },
            "meta": {
                "kind": "match-grid", "game": "reversi", "score_unit": "discs", "games_per_pair": 2,
                "opening_plies": 0, "experiment": "test", "paper": self.paper, "reproducible": self.reproducible,
                "scale": 1.0, "specs": specs, "seat": self.seat.unwrap_or("both"),
            }
        });
        match &self.pairing {
            Some(pairing) => spec["meta"]["pairing"] = pairing.clone(),
            None => spec["meta"]["pairs"] = json!(self.pairs),
        }
        spec
    }
}
