//! Facts of stages of shape `match`: match grids, benchmarks, tunings.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{GameFacts, Header, TurnFigure};

/// Facts of a match grid's stage; the part of any stage of shape `match` that says who met whom.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GridFacts {
    /// What all kinds have.
    #[serde(flatten)]
    pub header: Header,
    /// What is played.
    #[serde(flatten)]
    pub game: GameFacts,
    /// Who plays it.
    #[serde(flatten)]
    pub pairs: PairFacts,
    /// Figures of decisions that rows hold by turn, where the file asks for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turn_figures: Vec<TurnFigure>,
}

/// Who meets whom, and how often.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairFacts {
    /// Games of each pair.
    pub games_per_pair: u64,
    /// Random plies at the start of a game.
    #[serde(default)]
    pub opening_plies: u32,
    /// Specs of the players, by name.
    #[serde(default)]
    pub specs: BTreeMap<String, String>,
    /// The pairs, in the order of their indices.
    #[serde(flatten)]
    pub pairs: Pairs,
    /// Where the first player of every pair sits; `None` says on both sides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<Seat>,
}

impl PairFacts {
    /// Where the first player of every pair sits.
    pub fn seat(&self) -> Seat {
        self.seat.unwrap_or(Seat::Both)
    }
}

/// Where the first player of a pair sits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Seat {
    /// On both sides: the two games of a unit have the same luck and swap seats.
    Both,
    /// Always first; a unit is one game.
    First,
    /// Always second; a unit is one game.
    Second,
}

impl Seat {
    /// Every seat by its name in files.
    pub const ALL: [(&'static str, Seat); 3] = [("both", Seat::Both), ("first", Seat::First), ("second", Seat::Second)];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Seat::Both => "both",
            Seat::First => "first",
            Seat::Second => "second",
        }
    }

    /// Games of a unit.
    pub fn unit(self) -> u64 {
        if self == Seat::Both { 2 } else { 1 }
    }

    /// Whether the first player of the pair sits second in the game of this trial.
    pub fn is_swapped(self, trial: u64) -> bool {
        match self {
            Seat::Both => trial % 2 == 1,
            Seat::First => false,
            Seat::Second => true,
        }
    }
}

/// The pairs of a stage. Players are named.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, try_from = "Given")]
pub enum Pairs {
    /// As a file lists them; version 0.1.0 listed the pairs of every grid.
    Listed {
        /// Both names of each pair.
        pairs: Vec<[String; 2]>,
    },
    /// By a rule, which takes no more room than the players do.
    Rule {
        /// The rule.
        pairing: Rule,
    },
}

/// Pairs as facts hold them. Read key by key, so that an error names what is wrong, which untagged variants do not.
#[derive(Deserialize)]
struct Given {
    pairs: Option<Vec<[String; 2]>>,
    pairing: Option<Rule>,
}

impl TryFrom<Given> for Pairs {
    type Error = &'static str;

    fn try_from(given: Given) -> Result<Self, Self::Error> {
        match given {
            Given { pairs: Some(pairs), .. } => Ok(Pairs::Listed { pairs }),
            Given { pairing: Some(pairing), .. } => Ok(Pairs::Rule { pairing }),
            Given { pairs: None, pairing: None } => {
                Err("neither `pairs` nor a `pairing` is given, so who met whom is not known")
            }
        }
    }
}

/// Which players meet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "rule", rename_all = "kebab-case")]
pub enum Rule {
    /// Each player in the stage's list of labels against each one behind it: (0, 1), (0, 2), …, (1, 2), ….
    RoundRobin,
    /// Each champion against each of the others: pair `i` is `champions[i / against.len()]` and
    /// `against[i % against.len()]`.
    Gauntlet {
        /// First players of the pairs.
        champions: Vec<String>,
        /// Second players.
        against: Vec<String>,
    },
}
