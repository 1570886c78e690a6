//! Reading a tuning's stages.

use serde_json::Value;

use record::{facts::Candidate, folds::TuningFold};

use super::{Final, Generation, Tuning};
use crate::{
    Error,
    data::Exported,
    kinds::{grid, workers::Played},
};

/// Reads stages of generations and the one that ends them.
pub(crate) fn read(stages: &[Exported]) -> Result<Tuning, Error> {
    let facts = stages[0].meta()?;
    let (mut generations, mut end) = (Vec::new(), None);
    for stage in stages {
        match stage.spec.meta["phase"].as_str() {
            Some("generation") => generations.push(generation(stage)?),
            Some("final") => end = Some(Final { winner: stage.fact("winner")?, grid: grid::read(stage)? }),
            _ => return Err(stage.contract("its phase is neither `generation` nor `final`")),
        }
    }
    Ok(Tuning { facts, generations, end })
}

fn generation(stage: &Exported) -> Result<Generation, Error> {
    let mut candidates: Vec<Candidate> = stage.fact("candidates")?;
    let TuningFold { points, games, leader, leads_since, .. } = stage.fold()?;
    if [points.len(), games.len()] != [candidates.len(); 2] {
        return Err(stage.contract("its fold has lists of other lengths than its candidates"));
    }
    for (candidate, (points, games)) in candidates.iter_mut().zip(points.iter().zip(games)) {
        candidate.points += points;
        candidate.games += games;
    }
    Ok(Generation { number: stage.fact("generation")?, candidates, leader, leads_since, played: Played::of(stage)? })
}

/// A first stage's facts without what is drawn with the seed: who the candidates are.
pub(crate) fn setting(meta: &Value) -> Value {
    let mut meta = meta.clone();
    let drawn = meta["candidates"].take();
    if let Some(facts) = meta.as_object_mut() {
        facts.remove("candidates");
        facts.remove("state");
    }
    if let Some(specs) = meta["specs"].as_object_mut() {
        for candidate in drawn.as_array().into_iter().flatten() {
            specs.remove(candidate["name"].as_str().unwrap_or_default());
        }
    }
    meta
}
