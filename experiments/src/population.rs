//! A population of evolved functions: the artifact of a generation.

use std::{fmt, path::Path};

use games::GameSpec;
use gp::{PrimitiveSet, Tree, Type};
use serde::{Deserialize, Serialize};

use crate::artifacts::Artifact;

/// Format of populations that this version reads and writes.
const FORMAT: u32 = 1;
/// Kind of the artifact.
pub(crate) const KIND: &str = "population";

/// A member of a population.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Individual {
    /// Its function, in the language of the game.
    pub tree: String,
    /// Indices in the population before: whom it was copied from, then whom it was crossed with. None in the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parents: Vec<u32>,
    /// What made it, in order: `initial`, `given`, `elite`, `copy`, `one-way` and `two-way` (crossover), `too-deep`
    /// (one that failed), `factor` and `subtree` (mutation).
    pub made: Vec<String>,
}

/// The individuals of a generation. JSON; equal populations have equal bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Population {
    format: u32,
    /// The game's spec.
    pub game: String,
    /// Which generation it is, from 0.
    pub generation: u32,
    /// Its members.
    pub individuals: Vec<Individual>,
}

/// Why a population cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PopulationError(String);

impl fmt::Display for PopulationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PopulationError {}

impl Population {
    pub(crate) fn new(game: &GameSpec, generation: u32, individuals: Vec<Individual>) -> Self {
        Population {
            format: FORMAT,
            game: spec::with_old_names(&game.to_string()).into_owned(),
            generation,
            individuals,
        }
    }

    /// As an artifact, and as a file.
    ///
    /// # Panics
    /// Never: texts and numbers are JSON.
    pub fn to_artifact(&self) -> Artifact {
        let mut data = serde_json::to_vec_pretty(self).expect("texts and numbers are JSON");
        data.push(b'\n');
        Artifact { kind: KIND.to_owned(), data }
    }

    /// Reads what [`Population::to_artifact`] wrote.
    ///
    /// # Errors
    /// It is not a population, or has another format.
    pub fn parse(data: &[u8]) -> Result<Self, PopulationError> {
        let population: Population =
            serde_json::from_slice(data).map_err(|error| PopulationError(format!("is not a population: {error}")))?;
        if population.format != FORMAT {
            let found = population.format;
            return Err(PopulationError(format!("has format {found}, and this version reads format {FORMAT}")));
        }
        Ok(population)
    }

    /// Reads a population's file for `game`; gives its functions.
    ///
    /// # Errors
    /// It cannot be read, is not a population, or is one of another game.
    pub(crate) fn read_trees(path: &Path, game: &GameSpec) -> Result<Vec<String>, PopulationError> {
        let wrong = |reason: String| PopulationError(format!("population `{}` {reason}", path.display()));
        let data = std::fs::read(path).map_err(|error| wrong(format!("cannot be read: {error}")))?;
        let population = Population::parse(&data).map_err(|error| wrong(error.to_string()))?;
        let same = population.game.parse::<GameSpec>().is_ok_and(|own| {
            own.facts().name == game.facts().name
                && players::evomcts::language(&own) == players::evomcts::language(game)
        });
        if !same {
            return Err(wrong(format!("is of {}, and the game here is {game}", population.game)));
        }
        Ok(population.individuals.into_iter().map(|individual| individual.tree).collect())
    }

    /// The same if it has so many individuals.
    pub(crate) fn of_size(self, individuals: usize) -> Result<Self, PopulationError> {
        match self.individuals.len() {
            found if found == individuals => Ok(self),
            found => Err(PopulationError(format!("has {found} individuals instead of {individuals}"))),
        }
    }

    /// Its functions as trees.
    pub(crate) fn trees(&self, language: &PrimitiveSet) -> Result<Vec<Tree>, PopulationError> {
        let parse = |(index, individual): (usize, &Individual)| {
            Tree::parse(&individual.tree, Type::Float, language)
                .map_err(|error| PopulationError(format!("has an individual {index} that is not a tree: {error}")))
        };
        self.individuals.iter().enumerate().map(parse).collect()
    }
}
