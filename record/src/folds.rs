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

/// The fold of a learning's games that give positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayFold {
    /// Games with a result.
    pub games: u64,
    /// Positions that they gave.
    pub positions: u64,
    /// Plies of all games.
    pub plies: u64,
    /// Points of the first seat in all games.
    pub first_points: f64,
    /// Games whose end was solved and not played.
    pub solved: u64,
    /// The same in a line, for people.
    #[serde(default)]
    pub headline: String,
}

/// The fold of a learning's training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainingFold {
    /// The nets, in the order of the experiment; one whose training failed is missing.
    pub nets: Vec<TrainedNet>,
    /// The same in a line, for people.
    #[serde(default)]
    pub headline: String,
}

/// A net after its training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainedNet {
    /// Its name in the experiment.
    pub name: String,
    /// Its hash among the artifacts.
    pub hash: String,
    /// Positions that it was trained on.
    pub positions: u64,
    /// What each pass through them showed.
    pub epochs: Vec<TrainingEpoch>,
    /// How often it was right on the positions that nets are tested on, by their distance from the end.
    #[serde(default)]
    pub tested: Vec<Tested>,
}

/// A pass through the positions of a training.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainingEpoch {
    /// Mean loss of the positions that were trained on.
    pub loss: f64,
    /// Mean loss of those that were held out.
    pub held_out: Option<f64>,
    /// Share of those held out whose winner the net knew.
    pub right: Option<f64>,
}

/// What a net said of test positions that are as far from the end as one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tested {
    /// How far, in the game's unit (free edges).
    pub distance: u32,
    /// Positions; drawn ones are not among them.
    pub positions: u64,
    /// Those whose winner the net knew.
    pub right: u64,
    /// Those where an output reached 0.9.
    pub sure: u64,
    /// Those of them where it was right.
    pub sure_right: u64,
}

/// The fold of a learning's gate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GateFold {
    /// Scores by pair.
    pub scores: Vec<PairScore>,
    /// Standard error of the new net's share against the old one; `None` where they did not meet.
    pub error: Option<f64>,
    /// Whether the new net plays from now on.
    pub accepted: bool,
    /// The same in a line, for people.
    #[serde(default)]
    pub headline: String,
}

/// The fold of the games that end a learning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LearnedFold {
    /// Scores by pair.
    pub scores: Vec<PairScore>,
    /// Hash of the net among the artifacts.
    pub net: String,
    /// The same in a line, for people.
    #[serde(default)]
    pub headline: String,
}
