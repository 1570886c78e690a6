//! `redqueen champion`: the best individual of an evolution and its ancestors, or the winner of a tuning.

mod tuning;

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap_complete::ArgValueCompleter;
use coordinator::store;
use experiments::{
    Population,
    champion::{Champion, Lineage},
    lineage::{Ancestor, Evolution, Generation},
};
use gp::{Tree, Type};
use record::{
    facts::{Contestant, EvolutionFacts, EvolutionPhase, Kind},
    folds::{BenchmarkFold, GenerationFold, PairScore},
};
use serde_json::{Value, json};

use super::Command;
use crate::{
    completion,
    error::CliError,
    output::{Output, path_json, plain::quoted},
    run_argument::run_directory,
    state,
};

/// Generations of ancestors that a drawing goes back, unless told otherwise.
const DRAWN: u32 = 12;

/// Show the champion of an evolution, save it as a player and draw its ancestors; or show the winner of a tuning.
#[derive(clap::Args)]
pub(in crate::commands) struct Args {
    /// The directory of a run.
    #[arg(add = ArgValueCompleter::new(completion::directories))]
    run: PathBuf,
    /// The generation, from 0; the last closed one if not given.
    #[arg(long, value_name = "N")]
    generation: Option<u32>,
    /// Index of an individual of the generation; the fittest if not given.
    #[arg(long, value_name = "I", requires = "generation")]
    individual: Option<u32>,
    /// Where the champion's file goes; RUN/champion.toml if not given.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Significant digits of numbers in its mathematics.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=17))]
    digits: u32,
    /// Show its line of parents, back to the first generation.
    #[arg(long)]
    lineage: bool,
    /// Write a drawing of its ancestors for Graphviz.
    #[arg(long, value_name = "FILE")]
    dot: Option<PathBuf>,
    /// Generations that the drawing goes back.
    #[arg(long, value_name = "N", default_value_t = DRAWN, requires = "dot")]
    back: u32,
    /// Write its whole generation, for `coevolution.initial` of another experiment.
    #[arg(long, value_name = "FILE")]
    population: Option<PathBuf>,
}

impl Command for Args {
    fn run(self, output: &Output) -> Result<ExitCode, CliError> {
        let directory = run_directory(&self.run)?;
        let summary = store::summary(&directory)?;
        let stages = store::folded(&directory)?;
        state::note(&json!(summary.state), output);
        if tuning::is_tuning(&stages) {
            tuning::show(&self, &summary, &stages, output)?;
            return Ok(ExitCode::SUCCESS);
        }
        let evolution = evolution(&directory, &stages)?;
        let champion = find(&evolution, &self)?;
        let game = &evolution.generations()[0].population.game;
        let spec = game.parse().map_err(|_| CliError::failed(format!("the run's game `{game}` is not known here")))?;
        let language = players::evomcts::language(&spec)
            .ok_or_else(|| CliError::failed(format!("{game} has no evolved functions")))?;
        let tree = Tree::parse(&champion.tree, Type::Float, &language)
            .map_err(|error| CliError::failed(format!("the champion is not a tree of {game}: {error}")))?;
        let games = evolution.generations()[champion.generation as usize].games;
        let first: EvolutionFacts = stages[0].stage.facts()?;
        let searches = match &first.phase {
            EvolutionPhase::Generation(individuals) => individuals.player.as_str(),
            EvolutionPhase::Benchmark(_) => return Err(CliError::failed("the run does not begin with a generation")),
        };
        let player: players::PlayerSpec = format!("{searches},tree=Zero")
            .parse()
            .map_err(|_| CliError::failed("the run's player is not known here"))?;
        let (candidates, view) = player.guiding().unwrap_or((4, "mover"));
        let lineage = Lineage {
            experiment: summary.name.clone(),
            seed: first.header.seed.unwrap_or_default(),
            run: summary.id.clone(),
            generation: champion.generation,
            individual: champion.individual,
            fitness: champion.fitness.unwrap_or_default(),
            games,
        };
        let file = Champion::new(&spec, &champion.tree, candidates, view, Some(lineage));
        let path = self.out.clone().unwrap_or_else(|| directory.join("champion.toml"));
        let path = match fs::write(&path, file.to_toml()) {
            Ok(()) => Some(path),
            // The run may be another account's, or on a disk that is only read: its champion is shown all the same.
            Err(error) if self.out.is_none() && is_forbidden(&error) => {
                output.note(&format!("warning: no file was written: cannot write `{}`: {error}", path.display()));
                output.note("  hint: name another place with --out FILE");
                None
            }
            Err(error) => return Err(unwritable(&path, &error)),
        };
        if let Some(dot) = &self.dot {
            write(dot, evolution.dot(champion.generation, champion.individual, self.back).as_bytes())?;
        }
        if let Some(path) = &self.population {
            let population = &evolution.generations()[champion.generation as usize].population;
            write(path, &population.to_artifact().data)?;
        }
        let simple = gp::simplify(&tree, &language);
        let digits = self.digits as usize;
        let line = evolution.line(champion.generation, champion.individual);
        let scores = scores(&stages, &champion)?;
        let text = || {
            let points = champion.fitness.map_or_else(String::new, |points| format!(": {points} of {games} points"));
            let mut lines = vec![format!(
                "{} of {}: individual {} of generation {}{points}",
                if self.individual.is_some() { "individual" } else { "champion" },
                summary.name,
                champion.individual,
                champion.generation
            )];
            for (benchmark, score) in &scores {
                lines.push(format!("  {benchmark}: {score}"));
            }
            lines.push(format!(
                "size     {} nodes, {} of them introns; depth {}",
                tree.size(),
                tree.introns(&language),
                tree.depth(&language)
            ));
            lines.push(format!("made by  {}", champion.made));
            lines.push(format!("hash     {}", file.hash()));
            lines.push(format!("tree     {}", champion.tree));
            lines.push(format!("maths    {}", simple.to_text(digits)));
            lines.push(format!("LaTeX    {}", simple.to_latex(digits)));
            if let Some(path) = &path {
                let spec = format!("evomcts:champion={}", path.display());
                lines.push(format!("file     {} (play it: {})", path.display(), quoted(spec)));
            }
            if self.lineage {
                lines.push(String::new());
                lines.push(lineage_table(&line, &evolution));
            }
            lines.join("\n")
        };
        output.result(text, || {
            let benchmark = |(name, score): &(String, String)| json!({ "benchmark": name, "score": score });
            json!({
                "experiment": summary.name, "run": summary.id, "state": summary.state, "game": game,
                "generation": champion.generation, "individual": champion.individual,
                "fitness": champion.fitness, "games": games, "made": champion.made,
                "size": tree.size(), "introns": tree.introns(&language), "depth": tree.depth(&language),
                "hash": file.hash(), "tree": champion.tree,
                "maths": simple.to_text(digits), "latex": simple.to_latex(digits), "file": path.as_ref().map(path_json),
                "benchmarks": scores.iter().map(benchmark).collect::<Vec<_>>(),
                "lineage": line.iter().map(|ancestor| ancestor_json(ancestor, &evolution)).collect::<Vec<_>>(),
            })
        });
        Ok(ExitCode::SUCCESS)
    }
}

/// The generations of a run of kind `coevolution`.
fn evolution(directory: &Path, stages: &[store::Folded]) -> Result<Evolution, CliError> {
    let mut generations = Vec::new();
    for store::Folded { stage, fold } in stages {
        let kind = stage.kind();
        if kind != Some(Kind::Coevolution) {
            let kind = kind.map_or("of another version's kind", Kind::name);
            return Err(CliError::usage(format!(
                "this run is a {kind}: only a coevolution has champions, and a tuning a winner"
            )));
        }
        let facts: EvolutionFacts = stage.facts()?;
        let EvolutionPhase::Generation(individuals) = facts.phase else { continue };
        let hash = &facts.population;
        let population = Population::parse(&store::artifact(directory, hash)?)
            .map_err(|error| CliError::failed(format!("artifact {hash} {error}")))?;
        let fold = fold.as_ref().map(|fold| stage.fold::<GenerationFold>(fold)).transpose()?;
        let (fitness, games) = (fold.map(|fold| fold.fitness), 2 * individuals.games_as_first);
        generations.push(Generation { population, fitness, games: u32::try_from(games).unwrap_or(u32::MAX) });
    }
    Ok(Evolution::new(generations))
}

fn find(evolution: &Evolution, args: &Args) -> Result<Ancestor, CliError> {
    let found = match (args.generation, args.individual) {
        (Some(generation), Some(individual)) => evolution.ancestor(generation, individual),
        (generation, _) => evolution.champion(generation),
    };
    found.ok_or_else(|| {
        let closed = evolution.generations().iter().filter(|generation| generation.fitness.is_some()).count();
        match (closed, args.individual) {
            (0, _) => CliError::usage("no generation is closed yet: wait for the first"),
            (closed, None) => CliError::usage(format!("generations 0 to {} are closed", closed - 1)),
            (_, Some(_)) => CliError::usage(format!(
                "there are generations 0 to {} with individuals 0 to {}",
                evolution.generations().len() - 1,
                evolution.generations()[0].population.individuals.len() - 1
            )),
        }
    })
}

/// Benchmarks that an individual played, with its scores.
fn scores(stages: &[store::Folded], champion: &Ancestor) -> Result<Vec<(String, String)>, CliError> {
    let mut scores = Vec::new();
    for store::Folded { stage, fold } in stages {
        let facts: EvolutionFacts = stage.facts()?;
        let EvolutionPhase::Benchmark(benchmark) = facts.phase else { continue };
        let Some(fold) = fold.as_ref().filter(|_| facts.generation == champion.generation) else { continue };
        let fold: BenchmarkFold = stage.fold(fold)?;
        let plays = |contestant: &&Contestant| contestant.individual == champion.individual as usize;
        let name = benchmark.contestants.iter().find(plays).map(|contestant| &contestant.name);
        let shares: Vec<String> = fold
            .scores
            .iter()
            .filter(|score| name == Some(&score.contestant))
            .filter_map(|score| {
                let (share, PairScore { opponent, games, .. }) = (score.share()?, score);
                Some(format!("{:.1} of 1,000 v {opponent} ({games} games)", 1000.0 * share))
            })
            .collect();
        if !shares.is_empty() {
            scores.push((stage.name.clone(), shares.join(", ")));
        }
    }
    Ok(scores)
}

/// Whom an individual was crossed with, and how fit that one was.
fn mate(ancestor: &Ancestor, evolution: &Evolution) -> Option<Ancestor> {
    evolution.ancestor(ancestor.generation.checked_sub(1)?, *ancestor.parents.get(1)?)
}

fn lineage_table(line: &[Ancestor], evolution: &Evolution) -> String {
    let points = |fitness: Option<f64>| fitness.map_or_else(|| "–".to_owned(), |points| points.to_string());
    let mut text = String::from(
        "| generation | individual | points | made by | crossed with (points) |\n| ---: | ---: | ---: | --- | --- |\n",
    );
    for ancestor in line {
        let mate = mate(ancestor, evolution)
            .map_or_else(|| "–".to_owned(), |mate| format!("{} ({})", mate.individual, points(mate.fitness)));
        text.push_str(&format!(
            "| {} | {} | {} | {} | {mate} |\n",
            ancestor.generation,
            ancestor.individual,
            points(ancestor.fitness),
            ancestor.made
        ));
    }
    text
}

fn ancestor_json(ancestor: &Ancestor, evolution: &Evolution) -> Value {
    let mate = mate(ancestor, evolution).map(|mate| json!({ "individual": mate.individual, "fitness": mate.fitness }));
    json!({
        "generation": ancestor.generation, "individual": ancestor.individual, "fitness": ancestor.fitness,
        "made": ancestor.made, "crossed_with": mate, "tree": ancestor.tree,
    })
}

fn write(path: &Path, data: &[u8]) -> Result<(), CliError> {
    fs::write(path, data).map_err(|error| unwritable(path, &error))
}

fn unwritable(path: &Path, error: &io::Error) -> CliError {
    CliError::failed(format!("cannot write `{}`: {error}", path.display()))
}

fn is_forbidden(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}
