//! Going on with a run for longer: which experiments are another one made longer, and where what is stored of the
//! shorter one stands in the longer one.
//!
//! Streams are named after what a trial is (its pair and unit, its problem and run, its generation), never after how
//! much there is in all. So a longer experiment plays the games of the shorter one and others besides, and only the
//! numbers of the trials change: those of a pair are consecutive.

use std::fmt;

use record::{
    Stage,
    facts::{self, EvolutionFacts, EvolutionPhase, LearningFacts, LearningPhase, PairFacts, TuningFacts, TuningPhase},
};

use crate::{Difference, Experiment, growth::Growth, kinds::Kind};

/// Why an experiment is not another one made longer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotLonger {
    /// What differs beyond what may grow, or has become less.
    pub differences: Vec<Difference>,
    /// What may grow in an experiment of its kind, for people.
    pub grows: &'static str,
}

impl fmt::Display for NotLonger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, difference) in self.differences.iter().enumerate() {
            write!(f, "{}{difference}", if at == 0 { "" } else { "; " })?;
        }
        write!(f, ". A run cannot be made shorter, and {}", self.grows)
    }
}

impl Experiment {
    /// Whether this is `shorter` made longer, or is the same: the trials of `shorter` are among its own, with the same
    /// results.
    ///
    /// # Errors
    /// What differs otherwise.
    pub fn lengthens(&self, shorter: &Experiment) -> Result<(), NotLonger> {
        let (kind, scale) = shorter.kind.lengthened(&self.kind, [shorter.scale, self.scale]);
        let lengthened = Experiment { kind, scale, ..shorter.clone() };
        if lengthened.hash() == self.hash() {
            return Ok(());
        }
        // Reported with the values that stand, not with those that were taken over.
        let mut differences = self.results_differences(shorter);
        let beyond = self.results_differences(&lengthened);
        differences.retain(|difference| beyond.iter().any(|other| other.key == difference.key));
        Err(NotLonger { differences, grows: self.kind.grows() })
    }
}

/// Where a stored stage of a run stands once its experiment is a longer one.
#[derive(Debug)]
pub enum Place {
    /// It is the same stage.
    Same,
    /// Its trials are among those of the longer stage.
    Longer(Growth),
    /// It ended the shorter run and has no place in the longer one, which goes on there.
    End,
    /// It is not a stage of such a run.
    Other,
}

/// Where `stored`, a stage of the run of `shorter`, stands in that of `longer`, which has `stage` in its place. All
/// stages before it are the same.
pub fn place(shorter: &Experiment, longer: &Experiment, stored: &Stage, stage: &Stage) -> Place {
    let same_facts = || chosen(stored) == chosen(stage);
    let same_end = stored.index == stage.index && stored.name == stage.name && stored.artifacts == stage.artifacts;
    if same_end && stored.shape == stage.shape && same_facts() {
        if stored.trials == stage.trials && stored.labels == stage.labels {
            return Place::Same;
        }
        if let Some(growth) = growth(shorter, longer, [stored, stage]) {
            return Place::Longer(growth);
        }
    }
    if ends(stored) { Place::End } else { Place::Other }
}

/// What the plan chose for a stage after the games before it: the ranking of a benchmark, the winner of a tuning.
fn chosen(stage: &Stage) -> (Option<Vec<usize>>, Option<facts::Candidate>) {
    let ranking = match stage.facts() {
        Ok(EvolutionFacts { phase: EvolutionPhase::Benchmark(benchmark), .. }) => Some(benchmark.ranking),
        _ => None,
    };
    let winner = match stage.facts() {
        Ok(TuningFacts { phase: TuningPhase::Final { winner }, .. }) => Some(winner),
        _ => None,
    };
    (ranking, winner)
}

/// Whether a stage is there because nothing follows.
fn ends(stage: &Stage) -> bool {
    let is_last = |facts: EvolutionFacts| match facts.phase {
        EvolutionPhase::Benchmark(benchmark) => benchmark.last,
        EvolutionPhase::Generation(_) => false,
    };
    let is_final = |facts: TuningFacts| matches!(facts.phase, TuningPhase::Final { .. });
    let is_learned = |facts: LearningFacts| matches!(facts.phase, LearningPhase::Final(_));
    stage.facts().is_ok_and(is_last) || stage.facts().is_ok_and(is_final) || stage.facts().is_ok_and(is_learned)
}

fn growth(shorter: &Experiment, longer: &Experiment, stages: [&Stage; 2]) -> Option<Growth> {
    let scales = [shorter.scale, longer.scale];
    match (&shorter.kind, &longer.kind) {
        (Kind::MatchGrid(old), Kind::MatchGrid(new)) => old.growth(new, scales),
        (Kind::Study(old), Kind::Study(new)) => old.growth(new, scales),
        (Kind::Synthetic(_), Kind::Synthetic(_)) => Some(Growth::of_cells(stages.map(|stage| stage.trials))),
        // The grid that ends a run, with more games between the same pairs.
        (Kind::Coevolution(_) | Kind::Learning(_) | Kind::Tuning(_), _) if stages.iter().all(|stage| ends(stage)) => {
            let games = |stage: &Stage| stage.facts().ok().map(|facts: PairFacts| facts.games_per_pair);
            let [old, new] = stages.map(|stage| games(stage).filter(|games| *games > 0));
            let same = stages[0].labels == stages[1].labels && old? <= new?;
            same.then(|| Growth::of_cells([old.unwrap_or(1), new.unwrap_or(1)]))
        }
        (
            Kind::Coevolution(_)
            | Kind::Learning(_)
            | Kind::MatchGrid(_)
            | Kind::Study(_)
            | Kind::Synthetic(_)
            | Kind::Tuning(_),
            _,
        ) => None,
    }
}
