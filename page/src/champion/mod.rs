//! The result of a search as one player: the best individual of an evolution with its ancestors, or the winner of a
//! tuning. `redqueen champion`, reports and pages show the same.

mod error;
mod tuned;

use std::path::Path;

use coordinator::store::{self, Folded, Summary};
use experiments::{
    Population,
    champion::{Champion, Lineage},
    lineage::{Ancestor, Evolution, Generation},
};
use games::GameSpec;
use gp::{Expression, PrimitiveSet, Tree, Type};
use record::{
    facts::{Contestant, EvolutionFacts, EvolutionPhase, Kind},
    folds::{BenchmarkFold, GenerationFold, PairScore},
};

pub use error::Error;
pub use tuned::{Tuned, is_tuning};

/// An individual of an evolution, with what it means and where it comes from.
pub struct Evolved {
    /// The individual.
    pub individual: Ancestor,
    /// Games that its fitness counts.
    pub games: u32,
    /// The game's spec.
    pub game: String,
    /// Its function.
    pub tree: Tree,
    /// What the function is written in.
    pub language: PrimitiveSet,
    /// The function as mathematics.
    pub simple: Expression,
    /// Its file, which any experiment or `redqueen play` reads.
    pub file: Champion,
    /// Benchmarks that it played, by the name of their stage, with its scores.
    pub scores: Vec<(String, Vec<PairScore>)>,
    /// Itself and its line of parents, back to the first population.
    pub line: Vec<Ancestor>,
}

/// The generations of the run in `directory`, which is a coevolution with these stages.
///
/// # Errors
/// The run is of another kind, or what it holds cannot be read.
pub fn evolution(directory: &Path, stages: &[Folded]) -> Result<Evolution, Error> {
    let mut generations = Vec::new();
    for Folded { stage, fold } in stages {
        if stage.kind() != Some(Kind::Coevolution) {
            return Err(Error::OtherKind { kind: stage.kind().map_or("of another version's kind", Kind::name) });
        }
        let facts: EvolutionFacts = stage.facts()?;
        let EvolutionPhase::Generation(individuals) = facts.phase else { continue };
        let hash = &facts.population;
        let population = Population::parse(&store::artifact(directory, hash)?)
            .map_err(|error| Error::Population { hash: hash.clone(), reason: error.to_string() })?;
        let fold = fold.as_ref().map(|fold| stage.fold::<GenerationFold>(fold)).transpose()?;
        let (fitness, games) = (fold.map(|fold| fold.fitness), 2 * individuals.games_as_first);
        generations.push(Generation { population, fitness, games: u32::try_from(games).unwrap_or(u32::MAX) });
    }
    Ok(Evolution::new(generations))
}

/// The file of the champion of the run in `directory`; `None` of another kind, or before a generation is closed.
///
/// # Errors
/// What the run holds cannot be read.
pub(crate) fn file(directory: &Path) -> Result<Option<String>, Error> {
    let (summary, stages) = (store::summary(directory)?, store::folded(directory)?);
    let found =
        evolution(directory, &stages).and_then(|evolution| Evolved::find(&evolution, &summary, &stages, None, None));
    match found {
        Ok(found) => Ok(Some(found.file.to_toml())),
        Err(Error::OtherKind { .. } | Error::NothingClosed) => Ok(None),
        Err(error) => Err(error),
    }
}

impl Evolved {
    /// An individual of `evolution`, whose run has these stages: the fittest of a generation, or that of an index; of the
    /// last closed generation if none is named.
    ///
    /// # Errors
    /// There is no such individual, or this version does not know its game or its player.
    pub fn find(
        evolution: &Evolution,
        summary: &Summary,
        stages: &[Folded],
        generation: Option<u32>,
        individual: Option<u32>,
    ) -> Result<Self, Error> {
        let found = match (generation, individual) {
            (Some(generation), Some(individual)) => evolution.ancestor(generation, individual),
            (generation, _) => evolution.champion(generation),
        };
        let found = found.ok_or_else(|| missing(evolution, individual))?;
        let of = &evolution.generations()[found.generation as usize];
        let (game, games) = (evolution.generations()[0].population.game.clone(), of.games);
        let spec: GameSpec = game.parse().map_err(|_| Error::UnknownGame { game: game.clone() })?;
        let language =
            players::evomcts::language(&spec).ok_or_else(|| Error::WithoutFunctions { game: game.clone() })?;
        let tree = Tree::parse(&found.tree, Type::Float, &language)
            .map_err(|error| Error::NotATree { game: game.clone(), reason: error.to_string() })?;
        let first: EvolutionFacts = stages[0].stage.facts()?;
        let EvolutionPhase::Generation(individuals) = &first.phase else { return Err(Error::NoGenerationFirst) };
        let player: players::PlayerSpec =
            format!("{},tree=Zero", individuals.player).parse().map_err(|_| Error::UnknownPlayer)?;
        let (candidates, view) = player.guiding().unwrap_or((4, "mover"));
        let lineage = Lineage {
            experiment: summary.name.clone(),
            seed: first.header.seed.unwrap_or_default(),
            run: summary.id.clone(),
            generation: found.generation,
            individual: found.individual,
            fitness: found.fitness.unwrap_or_default(),
            games,
        };
        Ok(Evolved {
            file: Champion::new(&spec, &found.tree, candidates, view, Some(lineage)),
            simple: gp::simplify(&tree, &language),
            scores: scores(stages, &found)?,
            line: evolution.line(found.generation, found.individual),
            individual: found,
            games,
            game,
            tree,
            language,
        })
    }
}

/// Why an individual was not found.
fn missing(evolution: &Evolution, individual: Option<u32>) -> Error {
    let generations = evolution.generations();
    let closed = generations.iter().filter(|generation| generation.fitness.is_some()).count();
    match (closed, individual) {
        (0, _) => Error::NothingClosed,
        (closed, None) => Error::NoSuchGeneration { last: closed - 1 },
        (_, Some(_)) => Error::NoSuchIndividual {
            generation: generations.len() - 1,
            individual: generations[0].population.individuals.len() - 1,
        },
    }
}

/// Benchmarks that an individual played, with its scores.
fn scores(stages: &[Folded], champion: &Ancestor) -> Result<Vec<(String, Vec<PairScore>)>, Error> {
    let mut scores = Vec::new();
    for Folded { stage, fold } in stages {
        let facts: EvolutionFacts = stage.facts()?;
        let EvolutionPhase::Benchmark(benchmark) = facts.phase else { continue };
        let Some(fold) = fold.as_ref().filter(|_| facts.generation == champion.generation) else { continue };
        let fold: BenchmarkFold = stage.fold(fold)?;
        let plays = |contestant: &&Contestant| contestant.individual == champion.individual as usize;
        let Some(contestant) = benchmark.contestants.iter().find(plays) else { continue };
        let own = |score: &PairScore| score.contestant == contestant.name && score.games > 0;
        let found: Vec<PairScore> = fold.scores.into_iter().filter(own).collect();
        if !found.is_empty() {
            scores.push((stage.name.clone(), found));
        }
    }
    Ok(scores)
}

/// Whom an individual was crossed with.
pub fn mate(ancestor: &Ancestor, evolution: &Evolution) -> Option<Ancestor> {
    evolution.ancestor(ancestor.generation.checked_sub(1)?, *ancestor.parents.get(1)?)
}
