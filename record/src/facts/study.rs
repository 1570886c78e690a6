//! Facts of a study's stage.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Header, TurnFigure};

/// Facts of the stage of agents at problems.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StudyFacts {
    /// What all kinds have.
    #[serde(flatten)]
    pub header: Header,
    /// Runs of each agent at each problem, after the scale.
    pub runs: u64,
    /// What a run is: `decision` or `game`.
    pub measure: String,
    /// Bins of histograms of nodes; 0 without them.
    #[serde(default)]
    pub histogram_bins: usize,
    /// The position that decisions start from; `None` for the game's start.
    #[serde(default)]
    pub position: Option<String>,
    /// Games, by the names of the problems.
    #[serde(default)]
    pub problems: BTreeMap<String, String>,
    /// Specs of the agents, by name.
    #[serde(default)]
    pub specs: BTreeMap<String, String>,
    /// Names of the problems, in the order of the file.
    pub problem_order: Vec<String>,
    /// Names of the agents, in the order of the file.
    pub player_order: Vec<String>,
    /// Points `[place, points]` of the problems that search a line, by problem.
    #[serde(default)]
    pub plots: BTreeMap<String, Vec<[f64; 2]>>,
    /// What scores count; `None` where problems differ in it.
    #[serde(default)]
    pub score_unit: Option<String>,
    /// Figures of decisions that rows hold by turn, where the file asks for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turn_figures: Vec<TurnFigure>,
}
