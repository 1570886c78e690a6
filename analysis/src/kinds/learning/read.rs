//! Reading a learning's stages.

use record::{
    facts::{LearningFacts, LearningPhase},
    folds::{GateFold, TrainingFold},
};

use super::{Gate, Learning, Round};
use crate::{
    Error,
    data::Exported,
    kinds::{grid, workers},
};

/// Reads the closed stages.
pub(crate) fn read(stages: &[Exported]) -> Result<Learning, Error> {
    let facts: LearningFacts = stages[0].meta()?;
    let (mut test, mut rounds, mut end) = (None, Vec::<Round>::new(), None);
    for stage in stages {
        let LearningFacts { phase, round, .. } = stage.meta()?;
        let without = || stage.contract("it stands before the games of its round");
        match phase {
            LearningPhase::Test(_) => test = Some(stage.fold()?),
            LearningPhase::SelfPlay(_) => rounds.push(Round {
                number: round,
                play: stage.fold()?,
                trials: stage.spec.trials,
                hours: workers::hours(stage)?,
                nets: Vec::new(),
                training_hours: 0.0,
                gate: None,
            }),
            LearningPhase::Training => {
                let fold: TrainingFold = stage.fold()?;
                let round = rounds.last_mut().ok_or_else(without)?;
                (round.nets, round.training_hours) = (fold.nets, workers::hours(stage)?);
            }
            LearningPhase::Gate(_) => {
                let fold: GateFold = stage.fold()?;
                let gate = Gate { grid: grid::read(stage)?, accepted: fold.accepted };
                rounds.last_mut().ok_or_else(without)?.gate = Some(gate);
            }
            LearningPhase::Final(_) => end = Some(grid::read(stage)?),
        }
    }
    let finished = stages.last().is_some_and(|stage| stage.spec.ahead == 0);
    Ok(Learning { facts, test, rounds, end, finished })
}
