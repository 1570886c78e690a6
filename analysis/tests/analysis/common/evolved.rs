//! A run directory of a coevolution, written without the coordinator.

use std::path::Path;

use serde_json::{Value, json};

use super::{
    database::insert_stage,
    stored::{Game, database, insert_games, match_shape, shape},
};

/// A coevolution, stage by stage.
pub(crate) struct Evolution {
    pub(crate) seed: u64,
    /// How many generations the experiment asks for.
    pub(crate) generations: u64,
    pub(crate) paper: Option<&'static str>,
    /// Text of `resolved.toml`.
    pub(crate) resolved: Option<String>,
    stages: Vec<Stage>,
}

struct Stage {
    spec: Value,
    fold: Value,
    games: Games,
}

enum Games {
    /// As many games of a generation.
    Generation(i64),
    Match(Vec<Game>),
}

/// What a population is like: points, nodes, levels, share of introns of each individual.
pub(crate) type Individual = (f64, u64, u64, f64);

/// A contestant with its games against one opponent: name, individual, role, opponent, score differences of units.
pub(crate) type Entry<'a> = (&'a str, u64, &'a str, &'a str, Vec<[i64; 2]>);

impl Evolution {
    pub(crate) fn new(seed: u64, generations: u64) -> Self {
        Evolution { seed, generations, paper: None, resolved: None, stages: Vec::new() }
    }

    fn spec(&self, name: &str, trials: usize, shape: &Value, labels: &Value, generation: u64, meta: Value) -> Value {
        let mut all = json!({
            "kind": "coevolution", "experiment": "evolved", "title": "Evolved", "game": "reversi",
            "paper": self.paper, "reproducible": true, "seed": self.seed, "scale": 1.0,
            "generations": self.generations, "generation": generation, "score_unit": "discs",
        });
        let Value::Object(meta) = meta else { panic!("meta is an object") };
        all.as_object_mut().expect("an object").extend(meta);
        json!({
            "index": self.stages.len(), "name": name, "trials": trials, "shape": shape, "labels": labels, "meta": all,
            "artifacts": ["p"], "ahead": 0,
        })
    }

    /// Adds a generation in which each individual plays `2 * rounds` games.
    pub(crate) fn generation(&mut self, rounds: usize, distinct: u64, individuals: &[Individual]) {
        let number = self.stages.iter().filter(|stage| matches!(stage.games, Games::Generation(_))).count() as u64;
        let trials = rounds * individuals.len();
        let meta =
            json!({ "phase": "generation", "individuals": individuals.len(), "population": format!("p{}", self.seed) });
        let shape = shape("generation", &[("round", "int"), ("first", "int"), ("second", "int")]);
        let of = |part: &dyn Fn(&Individual) -> Value| individuals.iter().map(part).collect::<Vec<_>>();
        let best = (0..individuals.len()).rev().max_by(|&a, &b| individuals[a].0.total_cmp(&individuals[b].0));
        let fold = json!({
            "fitness": of(&|i| json!(i.0)), "games": of(&|_| json!(2 * rounds)), "size": of(&|i| json!(i.1)),
            "depth": of(&|i| json!(i.2)), "introns": of(&|i| json!(i.3)), "best": best, "distinct": distinct,
            "headline": "a line",
        });
        let spec = self.spec(&format!("generation {number}"), trials, &shape, &json!({}), number, meta);
        self.stages.push(Stage { spec, fold, games: Games::Generation(trials as i64) });
    }

    /// Adds a benchmark of the last generation.
    pub(crate) fn benchmark(&mut self, last: bool, entries: &[Entry<'_>]) {
        let generations = self.stages.iter().filter(|stage| matches!(stage.games, Games::Generation(_))).count() as u64;
        let name = if last { "final benchmark".to_owned() } else { format!("benchmark {}", generations - 1) };
        let mut players: Vec<&str> = Vec::new();
        let (mut games, mut contestants, mut specs) = (Vec::new(), Vec::new(), serde_json::Map::new());
        for (pair, (contestant, individual, role, opponent, units)) in entries.iter().enumerate() {
            for player in [contestant, opponent] {
                if !players.contains(player) {
                    players.push(player);
                }
            }
            if !specs.contains_key(*contestant) {
                contestants.push(json!({ "name": contestant, "individual": individual, "role": role }));
            }
            let tree = "Plus(Mobility(), 5)";
            specs.insert((*contestant).to_owned(), json!(format!("evomcts:playouts=100,c=0.7,tree=\"{tree}\"")));
            let playouts = opponent.trim_start_matches("mcts-");
            specs.insert((*opponent).to_owned(), json!(format!("mcts:playouts={playouts},c=0.7")));
            let place = |name: &str| players.iter().position(|player| *player == name).expect("a player") as i64;
            let [a, b] = [place(contestant), place(opponent)];
            for differences in units {
                for (seats, score_difference) in [[a, b], [b, a]].into_iter().zip(*differences) {
                    let trial = games.len() as i64;
                    games.push(Game {
                        trial,
                        pair: pair as i64,
                        seats,
                        first_points: (score_difference.signum() + 1) as f64 / 2.0,
                        score_difference,
                        hash: trial * 7_919,
                        us: [600, 280],
                        turns: None,
                    });
                }
            }
        }
        let pairs: Vec<_> = entries.iter().map(|entry| json!([entry.0, entry.3])).collect();
        let meta = json!({
            "phase": "benchmark", "games_per_pair": 2, "opening_plies": 0, "specs": specs, "pairs": pairs,
            "final": last, "contestants": contestants, "population": "p", "ranking": [0], "next": null,
        });
        let labels = json!({ "players": players });
        let spec = self.spec(&name, games.len(), &match_shape(), &labels, generations - 1, meta);
        self.stages.push(Stage { spec, fold: json!({ "headline": "a line" }), games: Games::Match(games) });
    }

    /// Writes `directory/redqueen.sqlite`, and `resolved.toml` if there is one.
    pub(crate) fn write(&self, directory: &Path) {
        let conn = database(directory);
        for (stage, index) in self.stages.iter().zip(0..) {
            insert_stage(&conn, &stage.spec, true, Some(&stage.fold));
            match &stage.games {
                Games::Match(games) => insert_games(&conn, index, games),
                // 50 and 51 plies in turn, 3.6 seconds each.
                Games::Generation(games) => {
                    for trial in 0..*games {
                        conn.execute(
                            "INSERT INTO results_generation VALUES (?1, ?2, 1, 3600000, 0, 0, 1, 1.0, 4, 50 + ?2 % 2, ?2, \
                             25, 24, 2500, 2400, 500, 480)",
                            (index, trial),
                        )
                        .expect("a row");
                    }
                }
            }
        }
        if let Some(text) = &self.resolved {
            std::fs::write(directory.join("resolved.toml"), text).expect("written");
        }
    }
}
