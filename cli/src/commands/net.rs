//! `redqueen net`: the networks of a run of kind `learning`, or what a file of a network holds.

use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap_complete::ArgValueCompleter;
use coordinator::store::{self, Folded};
use nets::Net;
use record::{
    facts::{Kind, LearningFacts, LearningPhase},
    folds::{GateFold, TrainedNet, TrainingFold},
};
use serde_json::{Value, json};

use super::Command;
use crate::{
    completion,
    error::CliError,
    output::{Output, path_json},
    run_argument::run_directory,
};

/// Show the networks of a run of kind `learning` and save one; or check the file of a network.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The directory of a run, or a file (safetensors).
    #[arg(add = ArgValueCompleter::new(completion::directories))]
    target: PathBuf,
    /// The round whose network is saved, from 0; if not given, the network that plays now.
    #[arg(long, value_name = "N")]
    round: Option<u32>,
    /// Its name in the experiment; the first if not given.
    #[arg(long, value_name = "NAME", requires = "round")]
    name: Option<String>,
    /// Where the network goes; nowhere if not given.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl Command for Args {
    fn run(self, output: &Output) -> Result<ExitCode, CliError> {
        if self.target.is_file() {
            return self.check(output);
        }
        let directory = run_directory(&self.target)?;
        let stages = store::folded(&directory)?;
        if stages.first().and_then(|first| first.stage.kind()) != Some(Kind::Learning) {
            return Err(CliError::usage("this run is not a learning: it has no networks")
                .hint("name the directory of a run of kind `learning`, or a file of a network"));
        }
        let trained = trained(&stages)?;
        let wanted = self.wanted(&stages, &trained)?;
        let saved = match (&self.out, &wanted) {
            (Some(path), Some(hash)) => {
                save(&store::artifact(&directory, hash)?, path)?;
                Some(path)
            }
            (Some(_), None) => return Err(CliError::failed("no network is trained yet")),
            (None, _) => None,
        };
        let text = || {
            let mut lines: Vec<String> = trained.iter().map(Round::line).collect();
            lines.extend(wanted.as_ref().map(|hash| format!("network {hash}")));
            lines.extend(saved.map(|path| format!("saved as {}", path.display())));
            lines.join("\n")
        };
        output.result(text, || {
            let rounds: Vec<Value> = trained.iter().map(Round::json).collect();
            json!({ "rounds": rounds, "net": wanted, "file": saved.map(path_json) })
        });
        Ok(ExitCode::SUCCESS)
    }
}

/// The training and the gate of a round.
struct Round {
    round: u32,
    nets: Vec<TrainedNet>,
    /// Whether the first network was accepted; `None` without a gate, or before it.
    accepted: Option<bool>,
    /// Its shares in the gate, by opponent.
    shares: Vec<(String, f64)>,
}

impl Round {
    fn line(&self) -> String {
        let nets = self.nets.iter().map(|net| {
            let last = net.epochs.last();
            let loss = last.map_or(f64::NAN, |epoch| epoch.held_out.unwrap_or(epoch.loss));
            let right =
                last.and_then(|epoch| epoch.right).map_or_else(String::new, |right| format!(", {right:.3} right"));
            format!("{} {} ({} positions, loss {loss:.4}{right})", net.name, &net.hash[..12], net.positions)
        });
        let shares: Vec<String> =
            self.shares.iter().map(|(opponent, share)| format!("{opponent} {share:.3}")).collect();
        let gate = match self.accepted {
            Some(true) => format!("; accepted: {}", shares.join(", ")),
            Some(false) => format!("; not accepted: {}", shares.join(", ")),
            None => String::new(),
        };
        format!("round {}: {}{gate}", self.round, nets.collect::<Vec<_>>().join("; "))
    }

    fn json(&self) -> Value {
        let shares: serde_json::Map<String, Value> =
            self.shares.iter().map(|(opponent, share)| (opponent.clone(), json!(share))).collect();
        json!({ "round": self.round, "nets": self.nets, "accepted": self.accepted, "shares": shares })
    }
}

/// The closed trainings of a run.
fn trained(stages: &[Folded]) -> Result<Vec<Round>, CliError> {
    let mut rounds: Vec<Round> = Vec::new();
    for Folded { stage, fold } in stages {
        let facts: LearningFacts = stage.facts()?;
        let Some(fold) = fold else { continue };
        let unreadable = |error: serde_json::Error| {
            CliError::failed(format!("the summary of stage {} cannot be read: {error}", stage.index))
        };
        match facts.phase {
            LearningPhase::Training => {
                let fold: TrainingFold = serde_json::from_value(fold.clone()).map_err(unreadable)?;
                rounds.push(Round { round: facts.round, nets: fold.nets, accepted: None, shares: Vec::new() });
            }
            LearningPhase::Gate(_) => {
                let fold: GateFold = serde_json::from_value(fold.clone()).map_err(unreadable)?;
                if let Some(round) = rounds.last_mut() {
                    round.accepted = Some(fold.accepted);
                    let share = |score: &record::folds::PairScore| Some((score.opponent.clone(), score.share()?));
                    round.shares = fold.scores.iter().filter_map(share).collect();
                }
            }
            LearningPhase::Test(_) | LearningPhase::SelfPlay(_) | LearningPhase::Final(_) => {}
        }
    }
    Ok(rounds)
}

impl Args {
    /// Hash of the network that is asked for; `None` if none is trained yet.
    fn wanted(&self, stages: &[Folded], trained: &[Round]) -> Result<Option<String>, CliError> {
        let Some(number) = self.round else { return playing(stages, trained) };
        let round = trained.iter().find(|round| round.round == number).ok_or_else(|| {
            CliError::usage(format!("no network was trained in round {number}"))
                .hint(format!("rounds that are closed: {}", trained.len()))
        })?;
        let found = match &self.name {
            Some(name) => round.nets.iter().find(|net| net.name == *name),
            None => round.nets.first(),
        };
        let found = found.ok_or_else(|| {
            let names: Vec<&str> = round.nets.iter().map(|net| net.name.as_str()).collect();
            CliError::usage("no network of that round has this name").hint(format!("they are: {}", names.join(", ")))
        })?;
        Ok(Some(found.hash.clone()))
    }

    /// Shows what a file holds.
    fn check(&self, output: &Output) -> Result<ExitCode, CliError> {
        let bytes = fs::read(&self.target)
            .map_err(|error| CliError::usage(format!("cannot read `{}`: {error}", self.target.display())))?;
        let net = Net::read(&bytes).map_err(|error| {
            CliError::failed(format!("`{}` is not a usable network: {error}", self.target.display()))
        })?;
        let (architecture, hash) = (net.architecture(), experiments::plan::Artifact::hash_of(&bytes));
        if let Some(path) = &self.out {
            save(&net.write(), path)?;
        }
        output.result(
            || format!("{architecture}\n{} weights, BLAKE3 {hash}", architecture.weights()),
            || json!({ "architecture": architecture.to_string(), "weights": architecture.weights(), "hash": hash }),
        );
        Ok(ExitCode::SUCCESS)
    }
}

/// Hash of the network that plays behind the last closed stage.
fn playing(stages: &[Folded], trained: &[Round]) -> Result<Option<String>, CliError> {
    let Some(last) = stages.last() else { return Ok(None) };
    let facts: LearningFacts = last.stage.facts()?;
    let accepted = trained.last().filter(|round| round.accepted == Some(true) && round.round == facts.round);
    Ok(accepted.and_then(|round| round.nets.first()).map(|net| net.hash.clone()).or(facts.playing))
}

fn save(bytes: &[u8], path: &Path) -> Result<(), CliError> {
    fs::write(path, bytes).map_err(|error| CliError::failed(format!("cannot write `{}`: {error}", path.display())))
}
