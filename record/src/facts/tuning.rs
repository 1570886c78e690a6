//! Facts of a tuning's stages.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::{GameFacts, Header, PairFacts};

/// Name of the leading candidate in the final stage.
pub const WINNER: &str = "winner";
/// Name of the player as it was in the final stage.
pub const DEFAULTS: &str = "defaults";

/// Facts of a generation of candidates, or of the stage that tests the winner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TuningFacts {
    /// What all kinds have.
    #[serde(flatten)]
    pub header: Header,
    /// What is played.
    #[serde(flatten)]
    pub game: GameFacts,
    /// Who meets whom.
    #[serde(flatten)]
    pub pairs: PairFacts,
    /// Name of the search.
    pub algorithm: String,
    /// Generations that the budget allows; the search may end before.
    pub generations: u32,
    /// The generation that the stage belongs to, from 0.
    pub generation: u32,
    /// The player that is tuned, as a spec.
    pub player: String,
    /// Its parameters that are tuned.
    pub parameters: Vec<Parameter>,
    /// The player's own values, by parameter; null where it has none.
    pub defaults: BTreeMap<String, Json>,
    /// What the stage is.
    #[serde(flatten)]
    pub phase: TuningPhase,
}

/// What a stage of a tuning is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "phase", rename_all = "kebab-case")]
pub enum TuningPhase {
    /// Games of candidates against the opponents.
    Generation {
        /// Candidates, with their games before this generation.
        candidates: Vec<Candidate>,
        /// Hash of what the search knows, among the artifacts.
        state: String,
    },
    /// Games of the winner and the defaults against the opponents and one another.
    Final {
        /// The candidate that led at the end.
        winner: Candidate,
    },
}

/// A parameter that is tuned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// Its name in the player's spec.
    pub name: String,
    /// What values it may have.
    #[serde(flatten)]
    pub domain: Domain,
}

/// What values a parameter may have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Domain {
    /// Whole numbers.
    Integer {
        /// The least.
        min: i64,
        /// The greatest.
        max: i64,
        /// `linear` or `log`.
        #[serde(default)]
        scale: Option<String>,
    },
    /// Real numbers.
    Real {
        /// The least.
        min: f64,
        /// The greatest.
        max: f64,
        /// `linear` or `log`.
        #[serde(default)]
        scale: Option<String>,
    },
    /// One of some values.
    Category {
        /// The values.
        values: Vec<Json>,
    },
}

/// Values that were tried, and their games so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// Its name among the players.
    pub name: String,
    /// Its number in the run.
    pub id: u64,
    /// By parameter.
    pub values: BTreeMap<String, Json>,
    /// Games in the search so far.
    pub games: u64,
    /// Points in them.
    pub points: f64,
    /// Numbers of the candidates that it was made from.
    pub parents: Vec<u64>,
    /// What made it, in order.
    pub made: Vec<String>,
}

impl Candidate {
    /// Its share of the points; `None` without games.
    pub fn share(&self) -> Option<f64> {
        (self.games > 0).then(|| self.points / self.games as f64)
    }
}
