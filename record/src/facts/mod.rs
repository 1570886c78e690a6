//! Facts that a plan publishes of each stage (docs/run-directory.md): a header that all kinds share, and what is the
//! kind's own. A plan also reads back from them where the run stands.

mod evolution;
mod grid;
mod learning;
mod study;
mod synthetic;
mod tuning;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::{Column, ColumnType, columns::pure};

pub use evolution::{Benchmark, Contestant, EvolutionFacts, EvolutionPhase, Individuals, Role};
pub use grid::{GridFacts, PairFacts, Pairs, Rule, Seat};
pub use learning::{LEARNED, LearningFacts, LearningPhase, NEW, NetFacts, OLD, PlayFacts};
pub use study::StudyFacts;
pub use synthetic::SyntheticFacts;
pub use tuning::{Candidate, DEFAULTS, Domain, Parameter, TuningFacts, TuningPhase, WINNER};

/// A kind of experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Playout functions evolved against one another.
    Coevolution,
    /// Networks trained on positions of games that they play.
    Learning,
    /// Players against players.
    MatchGrid,
    /// Agents at problems, each by itself.
    Study,
    /// Trials that only cost time.
    Synthetic,
    /// Parameters of a player found by playing with them.
    Tuning,
}

impl Kind {
    /// All kinds, in the order of their names.
    pub const ALL: [Kind; 6] =
        [Kind::Coevolution, Kind::Learning, Kind::MatchGrid, Kind::Study, Kind::Synthetic, Kind::Tuning];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Coevolution => "coevolution",
            Kind::Learning => "learning",
            Kind::MatchGrid => "match-grid",
            Kind::Study => "study",
            Kind::Synthetic => "synthetic",
            Kind::Tuning => "tuning",
        }
    }
}

/// Facts that stages of every kind but `synthetic` have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Kind of the experiment.
    pub kind: Kind,
    /// Name of the experiment.
    pub experiment: String,
    /// Its title. Grids of version 0.1.0 have none.
    #[serde(default)]
    pub title: Option<String>,
    /// The paper's table that it names.
    pub paper: Option<String>,
    /// Whether spec and seed alone decide the results.
    pub reproducible: bool,
    /// The run's seed. Grids of version 0.1.0 have none.
    #[serde(default)]
    pub seed: Option<u64>,
    /// Share of the games that are played.
    #[serde(default = "whole")]
    pub scale: f64,
}

fn whole() -> f64 {
    1.0
}

impl Header {
    /// Puts another name, title and paper in place of those that the facts `meta` have; gives whether one is another.
    pub fn rename(meta: &mut Json, experiment: &str, title: &str, paper: Option<&str>) -> bool {
        let values = [("experiment", experiment.into()), ("title", title.into()), ("paper", Json::from(paper))];
        let mut changed = false;
        for (key, value) in values {
            if let Some(had) = meta.get_mut(key).filter(|had| **had != value) {
                *had = value;
                changed = true;
            }
        }
        changed
    }
}

/// A figure that players have of their decisions, and whose values rows hold by turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnFigure {
    /// Its name.
    pub name: String,
    /// The column of `turn:value`; behind `first_` and `second_` where rows are of two seats.
    pub column: String,
    /// What it is, for people.
    pub title: String,
    /// Digits after the point, for people.
    pub digits: u8,
}

impl TurnFigure {
    /// Its column in rows, `prefix` before its name: a list of `turn:value`, between blanks.
    pub fn to_column(&self, prefix: &str) -> Column {
        pure(format!("{prefix}{}", self.column), ColumnType::Text)
    }
}

/// The game of a stage whose trials are games of one game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameFacts {
    /// Its spec.
    pub game: String,
    /// What its score counts: `discs`.
    #[serde(default = "points")]
    pub score_unit: String,
}

fn points() -> String {
    "points".to_owned()
}

/// Facts as a stage holds them.
///
/// # Panics
/// Never: the facts of this module are texts, numbers, lists and maps with text keys.
pub fn to_json(facts: &impl Serialize) -> Json {
    serde_json::to_value(facts).expect("facts are JSON")
}
