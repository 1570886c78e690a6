//! Which candidates play next: what the algorithms share, and their choice.
//!
//! An algorithm keeps no state of its own: how many candidates a generation has follows from its number, and the rest
//! is the games and points of the candidates. So a run goes on from the artifact of a generation, whatever was killed.

use players::TrialRng;

use super::{
    candidates::Candidate,
    differential::DifferentialEvolution,
    genetic::Genetic,
    halving,
    mutation::Mutation,
    random,
    space::{Space, Values},
};

/// Someone of the next generation.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Member {
    /// A candidate of this generation, by its index, with its games and points so far.
    Stays(usize),
    /// New values.
    New {
        values: Values,
        /// Indices in this generation.
        parents: Vec<usize>,
        /// What made them, in order.
        made: Vec<String>,
    },
}

/// Candidates that are drawn anew.
pub(super) fn fresh(space: &Space, count: usize, draws: &mut TrialRng) -> Vec<Member> {
    let one = |_| Member::New { values: space.draw(draws), parents: Vec::new(), made: vec!["drawn".to_owned()] };
    (0..count).map(one).collect()
}

/// A closed generation.
pub(super) struct Closed<'a> {
    pub(super) generation: u32,
    /// With their games and points in all generations up to this one.
    pub(super) candidates: &'a [Candidate],
    /// Games and points of each in this generation alone.
    pub(super) gained: &'a [(u64, f64)],
}

/// How the next candidates are found.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Algorithm {
    /// Parents that stay, and their children.
    Genetic(Genetic),
    /// The better half goes on with twice the games.
    SuccessiveHalving,
    /// Each against one that is made from three others.
    DifferentialEvolution(DifferentialEvolution),
    /// The best, and others that are drawn anew.
    Random,
}

impl Algorithm {
    /// Its name in files.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Algorithm::Genetic(_) => "genetic",
            Algorithm::SuccessiveHalving => "successive-halving",
            Algorithm::DifferentialEvolution(_) => "differential-evolution",
            Algorithm::Random => "random",
        }
    }

    /// What changes a child, where something does.
    pub(super) fn mutation(&self) -> Option<Mutation> {
        match self {
            Algorithm::Genetic(genetic) => Some(genetic.mutation),
            _ => None,
        }
    }

    /// Candidates of a generation, and how often the games of each are doubled.
    pub(super) fn size(&self, population: usize, generation: u32) -> (usize, u32) {
        match self {
            Algorithm::Genetic(_) | Algorithm::Random => (population, 0),
            Algorithm::SuccessiveHalving => halving::size(population, generation),
            Algorithm::DifferentialEvolution(_) if generation == 0 => (population, 0),
            Algorithm::DifferentialEvolution(_) => (2 * population, 0),
        }
    }

    /// Generations after which sizes repeat, those before generation `.0` left out.
    pub(super) fn period(&self, population: usize) -> (u32, u32) {
        match self {
            Algorithm::Genetic(_) | Algorithm::Random => (0, 1),
            Algorithm::SuccessiveHalving => (0, halving::rungs(population)),
            Algorithm::DifferentialEvolution(_) => (1, 1),
        }
    }

    /// The generation after `closed`.
    pub(super) fn next(
        &self,
        space: &Space,
        population: usize,
        closed: &Closed<'_>,
        draws: &mut TrialRng,
    ) -> Vec<Member> {
        match self {
            Algorithm::Genetic(genetic) => genetic.next(space, population, closed, draws),
            Algorithm::SuccessiveHalving => halving::next(space, population, closed, draws),
            Algorithm::DifferentialEvolution(evolution) => evolution.next(space, population, closed, draws),
            Algorithm::Random => random::next(space, population, closed, draws),
        }
    }
}
