//! What a run is, as far as tables go.

pub(crate) mod evolution;
pub(crate) mod grid;
pub(crate) mod study;
pub(crate) mod tuning;
pub(crate) mod workers;

use std::path::Path;

use crate::{
    Error,
    data::{Exported, Place, closed_stages},
    kinds::{evolution::Evolution, grid::Grid, study::Study, tuning::Tuning},
};

/// What a run is.
pub(crate) enum Subject {
    /// One stage of games between pairs.
    Grid(Grid),
    /// Stages that follow from one another.
    Evolution(Evolution),
    /// Generations of candidates, and a test of the one that led.
    Tuning(Box<Tuning>),
    /// Agents on problems.
    Study(Study),
}

/// The stage of a run of one: no such run has a second, which its tables would leave out.
fn only(stages: &[Exported]) -> Result<&Exported, Error> {
    match stages {
        [one] => Ok(one),
        [_, second, ..] => Err(second.contract(&format!("its run has one stage, and {} are closed", stages.len()))),
        [] => unreachable!("a run is read when a stage is closed"),
    }
}

impl Subject {
    /// Exports what is closed of a run and reads it.
    ///
    /// # Errors
    /// Nothing is closed, the kind has no tables, or a file cannot be read or written.
    pub(crate) fn read(run: &Path, place: Place<'_>) -> Result<Self, Error> {
        Subject::of(&closed_stages(run, place)?)
    }

    /// Reads the stages of a run.
    ///
    /// # Errors
    /// The kind has no tables, or a file cannot be read.
    pub(crate) fn of(stages: &[Exported]) -> Result<Self, Error> {
        let shape = |i: usize| stages[i].spec.shape.name.as_str();
        let kind = stages[0].spec.meta["kind"].as_str().unwrap_or("unknown");
        match kind {
            "match-grid" => grid::read(only(stages)?).map(Subject::Grid),
            tuning::KIND => tuning::read(stages).map(|tuning| Subject::Tuning(Box::new(tuning))),
            _ if shape(0) == study::SHAPE => study::read(only(stages)?).map(Subject::Study),
            // By shape, not by kind: benchmarks read the same, whatever comes between them.
            _ if (0..stages.len()).all(|i| [evolution::SHAPE, grid::SHAPE].contains(&shape(i))) => {
                evolution::read(stages).map(Subject::Evolution)
            }
            _ => Err(Error::NothingToTabulate { kind: kind.to_owned() }),
        }
    }

    /// The experiment's name.
    pub(crate) fn experiment(&self) -> &str {
        match self {
            Subject::Grid(grid) => &grid.meta.experiment,
            Subject::Evolution(evolution) => &evolution.facts.experiment,
            Subject::Tuning(tuning) => &tuning.facts.experiment,
            Subject::Study(study) => &study.meta.experiment,
        }
    }

    /// The paper's table that it names.
    pub(crate) fn paper(&self) -> Option<&str> {
        match self {
            Subject::Grid(grid) => grid.meta.paper.as_deref(),
            Subject::Evolution(evolution) => evolution.facts.paper.as_deref(),
            Subject::Tuning(tuning) => tuning.facts.paper.as_deref(),
            Subject::Study(study) => study.meta.paper.as_deref(),
        }
    }

    /// Whether the same spec and seed give the same results everywhere.
    pub(crate) fn is_reproducible(&self) -> bool {
        match self {
            Subject::Grid(grid) => grid.meta.reproducible,
            Subject::Evolution(evolution) => evolution.facts.reproducible,
            Subject::Tuning(tuning) => tuning.facts.reproducible,
            Subject::Study(study) => study.meta.reproducible,
        }
    }

    /// Whether nothing is to come.
    pub(crate) fn is_finished(&self) -> bool {
        match self {
            Subject::Grid(_) | Subject::Study(_) => true,
            Subject::Evolution(evolution) => evolution.is_finished(),
            Subject::Tuning(tuning) => tuning.is_finished(),
        }
    }

    /// Closed generations, where it has such.
    pub(crate) fn generations(&self) -> Option<u64> {
        match self {
            Subject::Grid(_) | Subject::Study(_) => None,
            Subject::Evolution(evolution) => Some(evolution.generations.len() as u64),
            Subject::Tuning(tuning) => Some(tuning.generations.len() as u64),
        }
    }

    /// The grid whose scores count: all of a match grid, the final benchmark of an evolution, the final stage of a
    /// tuning.
    pub(crate) fn grid(&self) -> Option<&Grid> {
        match self {
            Subject::Grid(grid) => Some(grid),
            Subject::Evolution(evolution) => evolution.last_benchmark(),
            Subject::Tuning(tuning) => tuning.last_grid(),
            Subject::Study(_) => None,
        }
    }
}
