//! `redqueen status`: how a run stands, from a coordinator or from its directory.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap_complete::ArgValueCompleter;
use coordinator::{
    FileSystem,
    store::{self, Failure, Share, Summary},
};
use redqueen_wire::RunRequest;
use serde_json::{Value, json};

use super::Command;
use crate::{
    completion,
    connection::{CoordinatorArgs, block_on},
    error::CliError,
    output::{Output, path_json, plain::quoted, thousands},
    run_argument::{id, run_directory},
    status,
};

/// Workers that the text for a directory lists at most.
const SHARES_MAX: usize = 16;

/// Show the status of a run.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Id of a coordinator's run, or its first digits; or the directory of a run.
    #[arg(add = ArgValueCompleter::new(completion::run))]
    run: PathBuf,
    #[command(flatten)]
    coordinator: CoordinatorArgs,
}

impl Command for Args {
    fn run(self, output: &Output) -> Result<ExitCode, CliError> {
        // No id is the name of a directory, so a directory that holds no run is an error, not an id.
        if self.run.is_dir() {
            let stored = Stored::read(run_directory(&self.run)?)?;
            output.result(|| stored.to_text(), || stored.to_json());
            return Ok(ExitCode::SUCCESS);
        }
        let request = RunRequest { run: id(&self.run) };
        let ask = self.coordinator.ask(async |mut client| client.status(request.clone()).await);
        let status = block_on(ask)?;
        output.result(|| status::to_text(&status), || status::to_json(&status));
        Ok(ExitCode::SUCCESS)
    }
}

/// What the directory of a run says of it.
struct Stored {
    directory: PathBuf,
    summary: Summary,
    failures: Vec<Failure>,
    shares: Vec<Share>,
    /// What the stage that was closed last says in a line; empty where no stage has.
    headline: String,
}

impl Stored {
    fn read(directory: PathBuf) -> Result<Self, CliError> {
        let stages = store::folded(&directory)?;
        let last = stages.iter().rev().find_map(|stage| stage.fold.as_ref());
        Ok(Stored {
            headline: last.and_then(|fold| fold["headline"].as_str()).unwrap_or_default().to_owned(),
            summary: store::summary(&directory)?,
            failures: store::failures(&directory)?,
            shares: store::shares(&directory)?,
            directory,
        })
    }

    fn to_text(&self) -> String {
        let summary = &self.summary;
        let mut text = format!(
            "{} ({}): {}, stage {} ({}), {}/{} trials stored, {} quarantined{}",
            summary.name,
            status::short(&summary.id),
            summary.state,
            summary.stage,
            summary.stage_name,
            thousands(summary.stored),
            thousands(summary.trials),
            summary.quarantined,
            if summary.reproducible { "" } else { ", not reproducible" },
        );
        if !self.headline.is_empty() {
            text.push_str(&format!("\n  {}", self.headline));
        }
        match summary.state.as_str() {
            "cancelled" => text.push_str("\n  cancelled; `redqueen run FILE --resume-cancelled` takes it up again"),
            "interrupted" => text.push_str("\n  no process has it open; `redqueen run FILE` goes on with it"),
            _ => {}
        }
        // Players with time budgets play as well as their machine is fast.
        for share in self.shares.iter().take(SHARES_MAX) {
            let each = 1e3 * share.secs / share.trials.max(1) as f64;
            let trials = thousands(share.trials);
            text.push_str(&format!("\n  {trials:>11} trials by `{}`, {each:.3} ms each", share.worker));
        }
        if self.shares.len() > SHARES_MAX {
            text.push_str(&format!("\n  and by {} more workers", self.shares.len() - SHARES_MAX));
        }
        for Failure { stage, trial, error, .. } in &self.failures {
            text.push_str(&format!(
                "\n  trial {trial} of stage {stage}: {error}\n    {}",
                replay(&self.directory, *stage, *trial)
            ));
        }
        text
    }

    fn to_json(&self) -> Value {
        let summary = &self.summary;
        let failure = |f: &Failure| json!({ "stage": f.stage, "trial": f.trial, "error": f.error, "worker": f.worker });
        let share = |s: &Share| json!({ "worker": s.worker, "trials": s.trials, "secs": s.secs });
        json!({
            "run": summary.id, "name": summary.name, "state": summary.state, "version": summary.version,
            "stage": summary.stage, "stage_name": summary.stage_name, "trials": summary.trials,
            "stored": summary.stored, "quarantined": summary.quarantined, "stored_in_all": summary.stored_in_all,
            "reproducible": summary.reproducible, "directory": path_json(&self.directory),
            "failures": self.failures.iter().map(failure).collect::<Vec<_>>(), "headline": self.headline,
            "shares": self.shares.iter().map(share).collect::<Vec<_>>(),
            "file_system": FileSystem::of(&self.directory).name(),
        })
    }
}

/// The command that runs a trial again, for a shell.
fn replay(directory: &Path, stage: u32, trial: u64) -> String {
    format!("redqueen replay {} {stage} {trial}", quoted(directory))
}
