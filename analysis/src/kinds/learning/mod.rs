//! A learning: rounds of games, training and gate, and the games of the network that it ends with.
//!
//! What rounds gave is in the folds of their stages, as the plan saw it; gates and the end are grids.

mod figures;
mod read;
pub(crate) mod report;
mod tables;
mod words;

use record::{
    facts::LearningFacts,
    folds::{PlayFold, TrainedNet},
};

use crate::kinds::grid::{Grid, PairGames};

pub(crate) use read::read;

/// A round, as far as its stages are closed.
#[derive(Clone, Debug)]
pub(crate) struct Round {
    /// From 0.
    pub(crate) number: u32,
    pub(crate) play: PlayFold,
    /// Games that were to be played.
    pub(crate) trials: u64,
    /// Executor hours of the games.
    pub(crate) hours: f64,
    pub(crate) nets: Vec<TrainedNet>,
    /// Executor hours of their training.
    pub(crate) training_hours: f64,
    pub(crate) gate: Option<Gate>,
}

/// The games of a round's new network.
#[derive(Clone, Debug)]
pub(crate) struct Gate {
    pub(crate) grid: Grid,
    pub(crate) accepted: bool,
}

impl Round {
    /// The first network, which plays.
    pub(crate) fn first(&self) -> Option<&TrainedNet> {
        self.nets.first()
    }

    /// The games of the new network against `opponent`.
    pub(crate) fn against(&self, opponent: &str) -> Option<&PairGames> {
        self.gate.as_ref()?.grid.pairs.iter().find(|pair| pair.b == opponent)
    }
}

/// Such a run, as far as its stages are closed.
#[derive(Clone, Debug)]
pub(crate) struct Learning {
    /// Those of the first stage, which every stage has but for where the run stands.
    pub(crate) facts: LearningFacts,
    /// Test positions, if a stage that makes them is closed.
    pub(crate) test: Option<PlayFold>,
    pub(crate) rounds: Vec<Round>,
    /// The games that end it.
    pub(crate) end: Option<Grid>,
    /// Whether all stages are closed.
    pub(crate) finished: bool,
}

impl Learning {
    /// Opponents of gates, in the order in which they appear.
    pub(crate) fn opponents(&self) -> Vec<&str> {
        let mut opponents: Vec<&str> = Vec::new();
        for pair in self.rounds.iter().filter_map(|round| round.gate.as_ref()).flat_map(|gate| &gate.grid.pairs) {
            if !opponents.contains(&pair.b.as_str()) {
                opponents.push(&pair.b);
            }
        }
        opponents
    }
}
