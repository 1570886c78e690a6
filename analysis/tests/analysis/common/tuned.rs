//! A run directory of a tuning, written without the coordinator.

use std::{collections::BTreeMap, path::Path};

use serde_json::{Value, json};

use super::{
    database::insert_stage,
    stored::{Game, database, insert_games, match_shape},
};

/// A tuning, stage by stage.
pub(crate) struct Tuning {
    pub(crate) seed: u64,
    /// How many generations the budget allows.
    pub(crate) generations: u64,
    pub(crate) algorithm: &'static str,
    /// Where candidates sit in the search.
    pub(crate) seat: &'static str,
    /// Text of `resolved.toml`.
    pub(crate) resolved: Option<String>,
    stages: Vec<Stage>,
    /// All that ever played, by number, as they are now.
    candidates: BTreeMap<u64, Value>,
}

struct Stage {
    spec: Value,
    fold: Value,
    games: Vec<Game>,
}

/// Who plays in a generation: its number, its values if it is new, its games and points in it.
pub(crate) type Entry = (u64, Option<Value>, u64, f64);

/// The games of a pair of the final stage: player, opponent, score differences of units.
pub(crate) type Pair<'a> = (&'a str, &'a str, Vec<[i64; 2]>);

/// Values of the three parameters.
pub(crate) fn values(c: f64, depth: i64, mode: &str) -> Option<Value> {
    Some(json!({ "c": c, "depth": depth, "mode": mode }))
}

/// Units of 1, 3/4, 1/2, 1/4 and nothing for the first player of a pair, so many of each.
pub(crate) fn units(of: [usize; 5]) -> Vec<[i64; 2]> {
    let unit = [[2, -2], [2, 0], [2, 2], [0, 2], [-2, 2]];
    of.into_iter().zip(unit).flat_map(|(count, unit)| std::iter::repeat_n(unit, count)).collect()
}

impl Tuning {
    pub(crate) fn new(seed: u64, generations: u64) -> Self {
        Tuning {
            seed,
            generations,
            algorithm: "genetic",
            seat: "both",
            resolved: None,
            stages: Vec::new(),
            candidates: BTreeMap::new(),
        }
    }

    fn spec(&self, name: &str, trials: usize, players: &[&str], generation: usize, meta: Value) -> Value {
        let mut all = json!({
            "kind": "tuning", "experiment": "tuned", "title": "Tuned", "game": "reversi", "score_unit": "discs", "paper": null,
            "reproducible": true, "seed": self.seed, "scale": 1.0, "algorithm": self.algorithm, "opening_plies": 0,
            "generations": self.generations, "generation": generation, "player": "mcts:c=0.05,mode=plain",
            "parameters": [
                { "name": "c", "type": "real", "min": 0.01, "max": 10.0, "scale": "log" },
                { "name": "depth", "type": "integer", "min": 2, "max": 4, "scale": "linear" },
                { "name": "mode", "type": "category", "values": ["plain", "odd"] },
            ],
            "defaults": { "c": 0.05, "depth": null, "mode": "plain" },
        });
        let Value::Object(meta) = meta else { panic!("meta is an object") };
        all.as_object_mut().expect("an object").extend(meta);
        json!({
            "index": self.stages.len(), "name": name, "trials": trials, "shape": match_shape(),
            "labels": { "players": players }, "meta": all, "artifacts": ["p"], "ahead": 0,
        })
    }

    /// Adds a generation against one opponent, after which `leader` leads, since generation `since`.
    pub(crate) fn generation(&mut self, entries: &[Entry], leader: u64, since: u64) {
        let number = self.stages.len();
        let (mut before, mut games, mut specs) = (Vec::new(), Vec::new(), serde_json::Map::new());
        for (pair, (id, values, played, points)) in entries.iter().enumerate() {
            let name = format!("candidate-{id:02}");
            let made = if number == 0 { json!(["drawn"]) } else { json!(["uniform", "report of c"]) };
            let parents = if number == 0 { json!([]) } else { json!([0, 1]) };
            let candidate = self.candidates.entry(*id).or_insert_with(|| {
                let values = values.clone().expect("values of a new candidate");
                json!({ "name": name, "id": id, "values": values, "games": 0, "points": 0.0, "parents": parents, "made": made })
            });
            before.push(candidate.clone());
            specs.insert(name, json!(format!("mcts:c={}", candidate["values"]["c"])));
            candidate["games"] = json!(candidate["games"].as_u64().expect("games") + played);
            candidate["points"] = json!(candidate["points"].as_f64().expect("points") + points);
            for game in 0..*played {
                let own = (points - game as f64).clamp(0.0, 1.0);
                let (seats, first_points) = if game % 2 == 0 { ([0, 1], own) } else { ([1, 0], 1.0 - own) };
                games.push(game_of(games.len() as i64, pair as i64, seats, first_points, 0));
            }
        }
        let pairs: Vec<Value> = before.iter().map(|candidate| json!([candidate["name"], "o"])).collect();
        specs.insert("o".to_owned(), json!("mcts:playouts=50"));
        let meta = json!({
            "phase": "generation", "games_per_pair": 2, "specs": specs, "pairs": pairs, "seat": self.seat,
            "state": format!("state-{}", self.seed), "candidates": before,
        });
        let of = |part: &dyn Fn(&Entry) -> Value| entries.iter().map(part).collect::<Vec<_>>();
        let share = |entry: &Entry| {
            let now = &self.candidates[&entry.0];
            json!(now["points"].as_f64().expect("points") / now["games"].as_u64().expect("games").max(1) as f64)
        };
        let fold = json!({
            "points": of(&|entry| json!(entry.3)), "games": of(&|entry| json!(entry.2)), "shares": of(&share), "best": 0,
            "best_values": {}, "leader": self.candidates[&leader], "leads_since": since, "headline": "a line",
        });
        let spec = self.spec(&format!("generation {number}"), games.len(), &["candidate", "o"], number, meta);
        self.stages.push(Stage { spec, fold, games });
    }

    /// Adds the final stage.
    pub(crate) fn end(&mut self, winner: u64, pairs: &[Pair<'_>]) {
        let mut players: Vec<&str> = Vec::new();
        for player in pairs.iter().flat_map(|(player, opponent, _)| [*player, *opponent]) {
            if !players.contains(&player) {
                players.push(player);
            }
        }
        let place = |name: &str| players.iter().position(|player| *player == name).expect("a player") as i64;
        let mut games = Vec::new();
        for (pair, (player, opponent, units)) in pairs.iter().enumerate() {
            let [a, b] = [place(player), place(opponent)];
            for differences in units {
                for (seats, difference) in [[a, b], [b, a]].into_iter().zip(*differences) {
                    let points = (difference.signum() + 1) as f64 / 2.0;
                    games.push(game_of(games.len() as i64, pair as i64, seats, points, difference));
                }
            }
        }
        let named: Vec<Value> = pairs.iter().map(|(player, opponent, _)| json!([player, opponent])).collect();
        let specs = json!({
            "winner": "mcts:playouts=100,c=0.7", "defaults": "mcts:playouts=30,c=0.05", "o": "mcts:playouts=50,c=0.7",
            "p": "mcts:playouts=77,c=0.7",
        });
        let meta = json!({
            "phase": "final", "games_per_pair": 2, "specs": specs, "pairs": named, "seat": "both",
            "winner": self.candidates[&winner],
        });
        let spec = self.spec("final", games.len(), &players, self.stages.len() - 1, meta);
        self.stages.push(Stage { spec, fold: json!({ "headline": "a line" }), games });
    }

    /// Writes `directory/redqueen.sqlite`, and `resolved.toml` if there is one.
    pub(crate) fn write(&self, directory: &Path) {
        let conn = database(directory);
        for (stage, index) in self.stages.iter().zip(0..) {
            insert_stage(&conn, &stage.spec, true, Some(&stage.fold));
            insert_games(&conn, index, &stage.games);
        }
        if let Some(text) = &self.resolved {
            std::fs::write(directory.join("resolved.toml"), text).expect("written");
        }
    }
}

fn game_of(trial: i64, pair: i64, seats: [i64; 2], first_points: f64, score_difference: i64) -> Game {
    let hash = trial * 7_919;
    Game { trial, pair, seats, first_points, score_difference, hash, us: [600, 280], turns: None }
}
