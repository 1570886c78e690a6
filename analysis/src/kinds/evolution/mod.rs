//! A run of many stages: generations of a population, and benchmarks between them.
//!
//! What a generation comes to stands in its stage's fold, as the plan that bred the next one saw it; its games are read
//! for what they cost alone.

pub(crate) mod figures;
pub(crate) mod tables;

use serde::Deserialize;

use crate::{
    Error,
    data::Exported,
    kinds::grid::{self, Grid, Played, Workers},
};

/// The shape of a generation's stage.
pub(crate) const SHAPE: &str = "generation";

/// Facts that every stage of such a run has (docs/run-directory.md).
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Facts {
    pub(crate) experiment: String,
    pub(crate) game: String,
    pub(crate) paper: Option<String>,
    pub(crate) reproducible: bool,
    /// How many the experiment asks for.
    pub(crate) generations: Option<u32>,
}

/// One generation's population and its games.
#[derive(Clone, Debug)]
pub(crate) struct Generation {
    /// From 0.
    pub(crate) number: u32,
    /// Points by individual, of [`Generation::of`].
    pub(crate) fitness: Vec<f64>,
    /// Games of an individual.
    pub(crate) of: f64,
    /// Nodes by individual.
    pub(crate) size: Vec<f64>,
    /// Levels by individual; 1 for a single node.
    pub(crate) depth: Vec<f64>,
    /// Share of nodes that cannot matter, by individual.
    pub(crate) introns: Vec<f64>,
    /// The individual with the highest fitness that counts as the best.
    pub(crate) best: usize,
    /// Different trees.
    pub(crate) distinct: u64,
    pub(crate) played: Played,
}

impl Generation {
    pub(crate) fn individuals(&self) -> usize {
        self.fitness.len()
    }

    /// Points of the best individual.
    pub(crate) fn best_fitness(&self) -> f64 {
        self.fitness[self.best]
    }

    /// The same as a share of its games.
    pub(crate) fn best_share(&self) -> f64 {
        self.best_fitness() / self.of
    }

    /// Share of trees that are different.
    pub(crate) fn distinct_share(&self) -> f64 {
        self.distinct as f64 / self.individuals() as f64
    }
}

/// Such a run, as far as its stages are closed.
#[derive(Clone, Debug)]
pub(crate) struct Evolution {
    pub(crate) facts: Facts,
    /// By number.
    pub(crate) generations: Vec<Generation>,
    /// In the order of their stages.
    pub(crate) benchmarks: Vec<Grid>,
}

impl Evolution {
    /// The benchmark that ends the run.
    pub(crate) fn last_benchmark(&self) -> Option<&Grid> {
        self.benchmarks.iter().find(|grid| grid.meta.last)
    }

    /// Whether nothing is to come: the last benchmark is closed, or there is none and all generations are.
    pub(crate) fn is_finished(&self) -> bool {
        let bred = self.generations.len() as u64;
        self.last_benchmark().is_some() || self.facts.generations.is_some_and(|asked| bred >= u64::from(asked))
    }

    /// What workers did in all stages.
    pub(crate) fn workers(&self) -> Workers {
        grid::together(
            self.generations.iter().map(|g| &g.played.workers).chain(self.benchmarks.iter().map(|b| &b.workers)),
        )
    }
}

/// What a generation's plan wrote of it.
#[derive(Deserialize)]
struct Fold {
    fitness: Vec<f64>,
    size: Vec<f64>,
    depth: Vec<f64>,
    introns: Vec<f64>,
    best: usize,
    distinct: u64,
}

/// Reads stages of the shapes `generation` and `match`.
pub(crate) fn read(stages: &[Exported]) -> Result<Evolution, Error> {
    let facts = stages[0].meta()?;
    let (mut generations, mut benchmarks) = (Vec::new(), Vec::new());
    for stage in stages {
        match stage.spec.shape.name.as_str() {
            SHAPE => generations.push(generation(stage)?),
            _ => benchmarks.push(grid::read(stage)?),
        }
    }
    Ok(Evolution { facts, generations, benchmarks })
}

fn generation(stage: &Exported) -> Result<Generation, Error> {
    let Fold { fitness, size, depth, introns, best, distinct } = stage.fold()?;
    let individuals = fitness.len();
    if best >= individuals || [size.len(), depth.len(), introns.len()] != [individuals; 3] {
        return Err(stage.contract("its fold has lists of different lengths, or a best outside of them"));
    }
    Ok(Generation {
        number: stage.fact("generation")?,
        fitness,
        // Everybody sits first as often as second, and a game has one of each.
        of: 2.0 * stage.spec.trials as f64 / individuals as f64,
        size,
        depth,
        introns,
        best,
        distinct,
        played: Played::of(stage)?,
    })
}
