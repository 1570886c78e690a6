//! Kinds of experiment: what each reads from a file, and its plan.

mod coevolution;
mod match_grid;
mod study;
mod synthetic;
mod tuning;

pub(crate) use coevolution::Coevolution;
pub(crate) use match_grid::{GridPlan, MatchGrid};
pub(crate) use study::{Study, StudyPlan};
pub(crate) use synthetic::Synthetic;
pub(crate) use tuning::Tuning;

use games::GameSpec;
use players::PlayerSpec;
use record::Question;

use crate::{Experiment, plan::Plan, questions, reader::Reader};

/// Every kind and the keys that belong to it.
const KINDS: [(&str, &[&str]); 5] = [
    ("coevolution", &["game", "players", "champion", "coevolution"]),
    ("match-grid", &["game", "players", "champion", "match-grid"]),
    ("study", &["problems", "players", "champion", "study", "analysis"]),
    ("synthetic", &["synthetic"]),
    ("tuning", &["game", "players", "champion", "tuning"]),
];

/// What an experiment does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    /// Playout functions evolved against one another.
    Coevolution(Box<Coevolution>),
    /// Players against players.
    MatchGrid(MatchGrid),
    /// Agents at problems, each by itself.
    Study(Study),
    /// Trials that only cost time.
    Synthetic(Synthetic),
    /// Parameters of a player found by playing with them.
    Tuning(Box<Tuning>),
}

impl Kind {
    /// Reads the kind and what belongs to it, with the questions that are asked of its results.
    pub(crate) fn read(reader: &mut Reader<'_>, scale: f64) -> Option<(Self, Vec<Question>)> {
        let names = KINDS.map(|(name, _)| (name, name));
        let hint = format!("`{}`", KINDS.map(|(name, _)| name).join("`, `"));
        let entry = reader.required("kind", &hint);
        let Some(kind) = entry.and_then(|entry| reader.sink.choice(&entry.node, "kind", "kind", &names)) else {
            // Without a kind it is not known which of these keys belong.
            for key in KINDS.iter().flat_map(|(_, keys)| *keys) {
                reader.optional(key);
            }
            return None;
        };
        let own = KINDS.iter().find(|(name, _)| *name == kind).map_or(&[][..], |(_, keys)| keys);
        let mut reported: Vec<&str> = Vec::new();
        for &key in KINDS.iter().flat_map(|(_, keys)| *keys).filter(|key| !own.contains(key)) {
            if !reported.contains(&key) {
                reader.without_effect(key, &format!("the kind is `{kind}`"));
                reported.push(key);
            }
        }
        let kind = match kind {
            "coevolution" => Coevolution::read(reader).map(|setup| Kind::Coevolution(Box::new(setup))),
            "match-grid" => MatchGrid::read(reader, scale).map(Kind::MatchGrid),
            "study" => {
                let study = Study::read(reader, scale).map(Kind::Study);
                // Even if the study has faults: those of its questions are reported with them.
                let questions = questions::read(reader);
                return study.zip(questions);
            }
            "tuning" => Tuning::read(reader).map(|setup| Kind::Tuning(Box::new(setup))),
            "synthetic" => Synthetic::read(reader).map(Kind::Synthetic),
            other => unreachable!("`{other}` is in the list of kinds and is not read"),
        };
        kind.map(|kind| (kind, Vec::new()))
    }

    pub(crate) fn name(&self) -> &'static str {
        match self {
            Kind::Coevolution(_) => "coevolution",
            Kind::MatchGrid(_) => "match-grid",
            Kind::Study(_) => "study",
            Kind::Synthetic(_) => "synthetic",
            Kind::Tuning(_) => "tuning",
        }
    }

    /// Appends what belongs to the kind, as TOML.
    pub(crate) fn write(&self, text: &mut String) {
        match self {
            Kind::Coevolution(setup) => setup.write(text),
            Kind::MatchGrid(grid) => grid.write(text),
            Kind::Study(study) => study.write(text),
            Kind::Synthetic(synthetic) => synthetic.write(text),
            Kind::Tuning(setup) => setup.write(text),
        }
    }

    /// Who plays what: each game with each player.
    pub(crate) fn who_plays(&self) -> Vec<(&GameSpec, &PlayerSpec)> {
        match self {
            Kind::Coevolution(setup) => setup.players().map(|player| (&setup.game, player)).collect(),
            Kind::MatchGrid(grid) => {
                let matches = &grid.matches;
                matches.players.iter().map(|(_, player)| (&matches.game, player)).collect()
            }
            Kind::Study(study) => study.who_plays().collect(),
            Kind::Synthetic(_) => Vec::new(),
            Kind::Tuning(setup) => setup.players().map(|player| (&setup.game, player)).collect(),
        }
    }

    /// This with as much of `longer` as a longer experiment may have, and the scale that goes with it.
    pub(crate) fn lengthened(&self, longer: &Self, scales: [f64; 2]) -> (Self, f64) {
        match (self, longer) {
            (Kind::MatchGrid(old), Kind::MatchGrid(new)) => {
                let (grid, scale) = old.lengthened(new, scales);
                (Kind::MatchGrid(grid), scale)
            }
            (Kind::Study(old), Kind::Study(new)) => {
                let (study, scale) = old.lengthened(new, scales);
                (Kind::Study(study), scale)
            }
            (Kind::Synthetic(old), Kind::Synthetic(new)) => {
                let (synthetic, scale) = old.lengthened(new, scales);
                (Kind::Synthetic(synthetic), scale)
            }
            // The scale is how many games a generation has, which the next one follows from.
            (Kind::Coevolution(old), Kind::Coevolution(new)) => {
                (Kind::Coevolution(Box::new(old.lengthened(new))), scales[0])
            }
            (Kind::Tuning(old), Kind::Tuning(new)) => (Kind::Tuning(Box::new(old.lengthened(new))), scales[0]),
            _ => (self.clone(), scales[0]),
        }
    }

    /// What may grow, for people.
    pub(crate) fn grows(&self) -> &'static str {
        match self {
            Kind::Coevolution(_) => Coevolution::GROWS,
            Kind::MatchGrid(_) => MatchGrid::GROWS,
            Kind::Study(_) => Study::GROWS,
            Kind::Synthetic(_) => Synthetic::GROWS,
            Kind::Tuning(_) => Tuning::GROWS,
        }
    }

    pub(crate) fn reproducible(&self) -> bool {
        match self {
            Kind::Coevolution(setup) => setup.reproducible(),
            Kind::MatchGrid(grid) => grid.matches.reproducible(),
            Kind::Study(study) => study.reproducible(),
            Kind::Synthetic(_) => true,
            Kind::Tuning(setup) => setup.reproducible(),
        }
    }

    pub(crate) fn trial_count(&self, scale: f64) -> u64 {
        match self {
            Kind::Coevolution(setup) => setup.generation_trials(scale),
            Kind::MatchGrid(grid) => grid.trial_count(scale),
            Kind::Study(study) => study.trial_count(scale),
            Kind::Synthetic(synthetic) => synthetic.trial_count(scale),
            Kind::Tuning(setup) => setup.generation_trials(0, scale),
        }
    }
}

/// The state machine of an experiment.
pub fn plan(experiment: &Experiment) -> Box<dyn Plan> {
    match &experiment.kind {
        Kind::Coevolution(setup) => Box::new(coevolution::CoevolutionPlan::new(experiment, setup)),
        Kind::MatchGrid(grid) => Box::new(GridPlan::new(experiment, grid)),
        Kind::Study(study) => Box::new(StudyPlan::new(experiment, study)),
        Kind::Synthetic(synthetic) => Box::new(synthetic::SyntheticPlan::new(experiment, synthetic)),
        Kind::Tuning(setup) => Box::new(tuning::TuningPlan::new(experiment, setup)),
    }
}
