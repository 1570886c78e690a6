//! The result of a tuning: the candidate that leads, as a player's spec.

use coordinator::store::Folded;
use record::{
    facts::{Candidate, Kind, TuningFacts, TuningPhase},
    folds::{FinalFold, PairScore, TuningFold},
};

use super::Error;

/// The candidate that leads a tuning.
pub struct Tuned {
    /// The generation after which it leads.
    pub generation: u32,
    /// The candidate.
    pub leader: Candidate,
    /// As a player's spec.
    pub player: String,
    /// Scores of the final stage, if that is closed and tested this candidate.
    pub scores: Option<Vec<PairScore>>,
}

/// Whether a run with these stages is a tuning.
pub fn is_tuning(stages: &[Folded]) -> bool {
    stages.first().is_some_and(|first| first.stage.kind() == Some(Kind::Tuning))
}

impl Tuned {
    /// The candidate that leads after a closed generation, the last one if none is named.
    ///
    /// # Errors
    /// The generation is not closed, or what a stage holds cannot be read.
    pub fn find(stages: &[Folded], generation: Option<u32>) -> Result<Self, Error> {
        let (generation, leader) = leader(stages, generation)?;
        Ok(Tuned { generation, player: spec_of(stages, &leader.name)?, scores: last_scores(stages, &leader)?, leader })
    }
}

fn leader(stages: &[Folded], generation: Option<u32>) -> Result<(u32, Candidate), Error> {
    let mut closed = Vec::new();
    for Folded { stage, fold } in stages {
        let facts: TuningFacts = stage.facts()?;
        if let (TuningPhase::Generation { .. }, Some(fold)) = (&facts.phase, fold) {
            closed.push((facts.generation, stage.fold::<TuningFold>(fold)?.leader));
        }
    }
    let last = closed.last().map(|(last, _)| *last);
    let wanted = generation.or(last);
    let found = closed.into_iter().find(|(number, _)| Some(*number) == wanted);
    found.ok_or(last.map_or(Error::NothingClosed, |last| Error::NoSuchGeneration { last: last as usize }))
}

/// Scores of the final stage, if it is closed and tested this candidate.
fn last_scores(stages: &[Folded], candidate: &Candidate) -> Result<Option<Vec<PairScore>>, Error> {
    for Folded { stage, fold } in stages {
        let facts: TuningFacts = stage.facts()?;
        if let (TuningPhase::Final { winner }, Some(fold)) = (facts.phase, fold)
            && winner.id == candidate.id
        {
            return Ok(Some(stage.fold::<FinalFold>(fold)?.scores));
        }
    }
    Ok(None)
}

/// The spec of a candidate, from a stage that it played in.
fn spec_of(stages: &[Folded], name: &str) -> Result<String, Error> {
    for Folded { stage, .. } in stages.iter().rev() {
        if let Some(spec) = stage.facts::<TuningFacts>()?.pairs.specs.remove(name) {
            return Ok(spec);
        }
    }
    Err(Error::NoSpec { name: name.to_owned() })
}
