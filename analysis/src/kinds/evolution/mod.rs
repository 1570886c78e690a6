//! A run of many stages: generations of a population, and benchmarks between them.
//!
//! The results of a generation are in its stage's fold, as the plan saw them when it bred the next one; its games are read
//! only for their cost.

mod courses;
mod figures;
mod outcomes;
mod read;
pub(crate) mod report;
mod tables;
mod words;

use record::facts::{GameFacts, Header};
use serde::Deserialize;

use crate::kinds::{
    grid::Grid,
    workers::{self, Played, Workers},
};

pub(crate) use read::read;

/// Facts that every stage of such a run has (docs/run-directory.md).
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Facts {
    #[serde(flatten)]
    pub(crate) header: Header,
    #[serde(flatten)]
    pub(crate) game: GameFacts,
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

    /// Whether the run has ended: its last benchmark is closed or, without one, all of its generations.
    pub(crate) fn is_finished(&self) -> bool {
        let bred = self.generations.len() as u64;
        self.last_benchmark().is_some() || self.facts.generations.is_some_and(|asked| bred >= u64::from(asked))
    }

    /// What workers did in all stages.
    pub(crate) fn workers(&self) -> Workers {
        workers::together(
            self.generations.iter().map(|g| &g.played.workers).chain(self.benchmarks.iter().map(|b| &b.workers)),
        )
    }
}
