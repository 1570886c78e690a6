//! `redqueen champion`: the best individual of an evolution and its ancestors, or the winner of a tuning.

mod tuning;

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap_complete::ArgValueCompleter;
use coordinator::store;
use experiments::lineage::{Ancestor, Evolution};
use page::champion::{self, Evolved, is_tuning, mate};
use record::folds::PairScore;
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
        if is_tuning(&stages) {
            tuning::show(&self, &summary, &stages, output)?;
            return Ok(ExitCode::SUCCESS);
        }
        let evolution = champion::evolution(&directory, &stages)?;
        let found = Evolved::find(&evolution, &summary, &stages, self.generation, self.individual)?;
        let Evolved { individual: champion, games, game, tree, language, simple, file, line, .. } = &found;
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
        let digits = self.digits as usize;
        let scores = scores(&found);
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
                tree.introns(language),
                tree.depth(language)
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
                lines.push(lineage_table(line, &evolution));
            }
            lines.join("\n")
        };
        output.result(text, || {
            let benchmark = |(name, score): &(String, String)| json!({ "benchmark": name, "score": score });
            json!({
                "experiment": summary.name, "run": summary.id, "state": summary.state, "game": game,
                "generation": champion.generation, "individual": champion.individual,
                "fitness": champion.fitness, "games": games, "made": champion.made,
                "size": tree.size(), "introns": tree.introns(language), "depth": tree.depth(language),
                "hash": file.hash(), "tree": champion.tree,
                "maths": simple.to_text(digits), "latex": simple.to_latex(digits), "file": path.as_ref().map(path_json),
                "benchmarks": scores.iter().map(benchmark).collect::<Vec<_>>(),
                "lineage": line.iter().map(|ancestor| ancestor_json(ancestor, &evolution)).collect::<Vec<_>>(),
            })
        });
        Ok(ExitCode::SUCCESS)
    }
}

/// Benchmarks with an individual's scores, for people.
fn scores(champion: &Evolved) -> Vec<(String, String)> {
    let shown = |score: &PairScore| {
        let share = score.share().unwrap_or_default();
        format!("{:.1} of 1,000 v {} ({} games)", 1000.0 * share, score.opponent, score.games)
    };
    let scores = champion.scores.iter();
    scores.map(|(stage, of)| (stage.clone(), of.iter().map(shown).collect::<Vec<_>>().join(", "))).collect()
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
