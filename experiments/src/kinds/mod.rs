//! Kinds of experiment: what each reads from a file, and its plan.

mod coevolution;
mod match_grid;
mod synthetic;
mod tuning;

pub(crate) use coevolution::Coevolution;
pub use coevolution::{Individual, Population, PopulationError};
pub(crate) use match_grid::{DECISIONS, Games, GridPlan, ITERATIONS, MatchGrid};
pub(crate) use synthetic::Synthetic;
pub(crate) use tuning::Tuning;

use crate::{Experiment, plan::Plan, reader::Reader};

/// Every kind and the keys that belong to it.
const KINDS: [(&str, &[&str]); 4] = [
    ("coevolution", &["game", "players", "champion", "coevolution"]),
    ("match-grid", &["game", "players", "champion", "match-grid"]),
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
    /// Trials that only cost time.
    Synthetic(Synthetic),
    /// Parameters of a player found by playing with them.
    Tuning(Box<Tuning>),
}

impl Kind {
    /// Reads the kind and what belongs to it.
    pub(crate) fn read(reader: &mut Reader<'_>, scale: f64) -> Option<Self> {
        let names = KINDS.map(|(name, _)| (name, name));
        let hint = format!("`{}`", KINDS.map(|(name, _)| name).join("`, `"));
        let entry = reader.required("kind", &hint);
        let Some(kind) = entry.and_then(|entry| reader.sink.choice(&entry.node, "kind", "kind", &names)) else {
            // Without a kind nobody can say which of these belong.
            for key in KINDS.iter().flat_map(|(_, keys)| *keys) {
                reader.optional(key);
            }
            return None;
        };
        let own = KINDS.iter().find(|(name, _)| *name == kind).map_or(&[][..], |(_, keys)| keys);
        let mut told: Vec<&str> = Vec::new();
        for &key in KINDS.iter().flat_map(|(_, keys)| *keys).filter(|key| !own.contains(key)) {
            if !told.contains(&key) {
                reader.without_effect(key, &format!("the kind is `{kind}`"));
                told.push(key);
            }
        }
        match kind {
            "coevolution" => Coevolution::read(reader).map(|setup| Kind::Coevolution(Box::new(setup))),
            "match-grid" => MatchGrid::read(reader, scale).map(Kind::MatchGrid),
            "tuning" => Tuning::read(reader).map(|setup| Kind::Tuning(Box::new(setup))),
            _ => Synthetic::read(reader).map(Kind::Synthetic),
        }
    }

    pub(crate) fn name(&self) -> &'static str {
        match self {
            Kind::Coevolution(_) => "coevolution",
            Kind::MatchGrid(_) => "match-grid",
            Kind::Synthetic(_) => "synthetic",
            Kind::Tuning(_) => "tuning",
        }
    }

    /// Appends what belongs to the kind, as TOML.
    pub(crate) fn write(&self, text: &mut String) {
        match self {
            Kind::Coevolution(setup) => setup.write(text),
            Kind::MatchGrid(grid) => grid.write(text),
            Kind::Synthetic(synthetic) => synthetic.write(text),
            Kind::Tuning(setup) => setup.write(text),
        }
    }

    pub(crate) fn reproducible(&self) -> bool {
        match self {
            Kind::Coevolution(setup) => setup.reproducible(),
            Kind::MatchGrid(grid) => grid.reproducible(),
            Kind::Synthetic(_) => true,
            Kind::Tuning(setup) => setup.reproducible(),
        }
    }

    pub(crate) fn trial_count(&self, scale: f64) -> u64 {
        match self {
            Kind::Coevolution(setup) => setup.generation_trials(scale),
            Kind::MatchGrid(grid) => grid.trial_count(scale),
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
        Kind::Synthetic(synthetic) => Box::new(synthetic::SyntheticPlan::new(experiment, synthetic)),
        Kind::Tuning(setup) => Box::new(tuning::TuningPlan::new(experiment, setup)),
    }
}
