//! Facts of a coevolution's stages.

use serde::{Deserialize, Serialize};

use super::{GameFacts, Header, PairFacts};

/// Facts of a generation or a benchmark.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvolutionFacts {
    /// What all kinds have.
    #[serde(flatten)]
    pub header: Header,
    /// What is played.
    #[serde(flatten)]
    pub game: GameFacts,
    /// Generations that the experiment asks for; those written before that key have none.
    #[serde(default)]
    pub generations: Option<u32>,
    /// The generation that the stage belongs to, from 0.
    pub generation: u32,
    /// Hash of the generation's population among the artifacts.
    pub population: String,
    /// Microseconds that executors spent before this stage, where a rule of the experiment asks for it: elsewhere
    /// stages of equal runs are equal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spent_us: Option<u64>,
    /// What the stage is.
    #[serde(flatten)]
    pub phase: EvolutionPhase,
}

/// What a stage of a coevolution is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "phase", rename_all = "kebab-case")]
pub enum EvolutionPhase {
    /// Games among the individuals.
    Generation(Individuals),
    /// Games of some individuals against the opponents of the experiment.
    Benchmark(Box<Benchmark>),
}

/// The individuals of a generation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Individuals {
    /// How many there are.
    pub individuals: usize,
    /// Games in which each sits first; it sits second in as many.
    pub games_as_first: u64,
    /// How individuals search: a player's spec without its tree.
    pub player: String,
}

/// A benchmark of a generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Benchmark {
    /// Who meets whom.
    #[serde(flatten)]
    pub pairs: PairFacts,
    /// Whether it ends the run.
    #[serde(rename = "final")]
    pub last: bool,
    /// Individuals that play, by their names among the players.
    pub contestants: Vec<Contestant>,
    /// Places of the generation's individuals by fitness, the best first.
    pub ranking: Vec<usize>,
    /// Hash of the next population; `None` at the end.
    pub next: Option<String>,
}

/// An individual that plays in a benchmark.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contestant {
    /// Its name among the players.
    pub name: String,
    /// Its place in the population.
    pub individual: usize,
    /// Why it plays.
    pub role: Role,
}

/// Why an individual plays in a benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// It has the highest fitness.
    Best,
    /// It is among the best at the end of the run.
    Finalist,
    /// It was drawn.
    Sample,
}

impl Role {
    /// Its name in files and tables.
    pub fn name(self) -> &'static str {
        match self {
            Role::Best => "best",
            Role::Finalist => "finalist",
            Role::Sample => "sample",
        }
    }
}
