//! Kinds of experiment: what each reads from a file, and its plan.

mod match_grid;
mod synthetic;

pub(crate) use match_grid::{DECISIONS, Games, GridPlan, ITERATIONS, MatchGrid};
pub(crate) use synthetic::{Synthetic, seed as synthetic_seed};

use crate::{Experiment, plan::Plan, reader::Reader};

/// What an experiment does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    /// Players against players.
    MatchGrid(MatchGrid),
    /// Trials that only cost time.
    Synthetic(Synthetic),
}

impl Kind {
    /// Reads the kind and what belongs to it.
    pub(crate) fn read(reader: &mut Reader<'_>, scale: f64) -> Option<Self> {
        let names = [("match-grid", true), ("synthetic", false)];
        let entry = reader.required("kind", "`match-grid` or `synthetic`");
        let Some(grid) = entry.and_then(|entry| reader.sink.choice(&entry.node, "kind", "kind", &names)) else {
            // Without a kind nobody can say which of these belong.
            for key in ["game", "players", "match-grid", "synthetic"] {
                reader.optional(key);
            }
            return None;
        };
        if grid {
            reader.without_effect("synthetic", "the kind is `match-grid`");
            MatchGrid::read(reader, scale).map(Kind::MatchGrid)
        } else {
            for key in ["game", "players", "match-grid"] {
                reader.without_effect(key, "the kind is `synthetic`");
            }
            Synthetic::read(reader).map(Kind::Synthetic)
        }
    }

    pub(crate) fn name(&self) -> &'static str {
        match self {
            Kind::MatchGrid(_) => "match-grid",
            Kind::Synthetic(_) => "synthetic",
        }
    }

    /// Appends what belongs to the kind, as TOML.
    pub(crate) fn write(&self, text: &mut String) {
        match self {
            Kind::MatchGrid(grid) => grid.write(text),
            Kind::Synthetic(synthetic) => synthetic.write(text),
        }
    }

    pub(crate) fn reproducible(&self) -> bool {
        match self {
            Kind::MatchGrid(grid) => grid.reproducible(),
            Kind::Synthetic(_) => true,
        }
    }

    pub(crate) fn trial_count(&self, scale: f64) -> u64 {
        match self {
            Kind::MatchGrid(grid) => grid.trial_count(scale),
            Kind::Synthetic(synthetic) => synthetic.trial_count(scale),
        }
    }
}

/// The state machine of an experiment.
pub fn plan(experiment: &Experiment) -> Box<dyn Plan> {
    match &experiment.kind {
        Kind::MatchGrid(grid) => Box::new(GridPlan::new(experiment, grid)),
        Kind::Synthetic(synthetic) => Box::new(synthetic::SyntheticPlan::new(experiment, synthetic)),
    }
}
