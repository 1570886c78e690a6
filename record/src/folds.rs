//! Folds: what the rows of a closed stage come to (docs/run-directory.md).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::facts::Candidate;

/// The fold of a coevolution's generation. Lists have a value an individual.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GenerationFold {
    /// Points, as if every game had a result.
    pub fitness: Vec<f64>,
    /// Games with a result.
    #[serde(default)]
    pub games: Vec<u64>,
    /// Nodes of its tree.
    pub size: Vec<u64>,
    /// Levels of its tree; 1 for a single node.
    pub depth: Vec<u32>,
    /// Share of nodes that cannot change the tree's value.
    pub introns: Vec<f64>,
    /// Place of the individual with the highest fitness.
    pub best: usize,
    /// Number of different trees.
    pub distinct: u64,
    /// The same in a line, for people.
    #[serde(default)]
    pub headline: String,
}

/// The fold of a benchmark.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BenchmarkFold {
    /// Scores by pair.
    pub scores: Vec<PairScore>,
    /// The same in a line, for people.
    #[serde(default)]
    pub headline: String,
}

/// Points of a pair's first player.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairScore {
    /// The first player of the pair.
    pub contestant: String,
    /// The second.
    pub opponent: String,
    /// Games with a result.
    pub games: u64,
    /// Points of the contestant in them.
    pub points: f64,
}

impl PairScore {
    /// The contestant's share of the points; `None` without games.
    pub fn share(&self) -> Option<f64> {
        (self.games > 0).then(|| self.points / self.games as f64)
    }
}

/// The fold of a tuning's generation. Lists have a value a candidate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TuningFold {
    /// Points in this generation.
    pub points: Vec<f64>,
    /// Games in this generation with a result.
    pub games: Vec<u64>,
    /// Share of the points in all games so far.
    #[serde(default)]
    pub shares: Vec<f64>,
    /// Place of the candidate of this generation with the highest lower bound of its share.
    #[serde(default)]
    pub best: usize,
    /// Its values, by parameter.
    #[serde(default)]
    pub best_values: BTreeMap<String, Json>,
    /// The candidate that leads after this generation, its games of this generation included.
    pub leader: Candidate,
    /// The generation after which it first led.
    pub leads_since: u32,
    /// The same in a line, for people.
    #[serde(default)]
    pub headline: String,
}

/// The fold of the stage that ends a tuning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FinalFold {
    /// Scores by pair.
    pub scores: Vec<PairScore>,
    /// The winner's values, by parameter.
    #[serde(default)]
    pub winner_values: BTreeMap<String, Json>,
    /// The same in a line, for people.
    #[serde(default)]
    pub headline: String,
}
