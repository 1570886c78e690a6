//! `redqueen replay`: one trial, run again.

use std::{path::PathBuf, process::ExitCode};

use clap_complete::ArgValueCompleter;
use coordinator::store;
use record::Value;
use serde_json::json;

use super::Command;
use crate::{
    completion,
    error::{CliError, EXIT_FAILED},
    output::Output,
    run_argument::run_directory,
};

/// Run one trial of a run again and show it.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The directory of a run.
    #[arg(add = ArgValueCompleter::new(completion::directories))]
    run: PathBuf,
    /// Index of the stage, from 0.
    stage: u32,
    /// Index of the trial in it, from 0.
    trial: u64,
}

impl Command for Args {
    fn run(self, output: &Output) -> Result<ExitCode, CliError> {
        let directory = run_directory(&self.run)?;
        let store::Rerun { stage, executor } = store::rerun(&directory, self.stage)?
            .ok_or_else(|| CliError::usage(format!("the run has no stage {}", self.stage)))?;
        let described = executor
            .describe(self.trial)
            .filter(|_| self.trial < stage.trials)
            .ok_or_else(|| CliError::usage(format!("stage {} has trials 0 to {}", self.stage, stage.trials - 1)))?;
        let mut moves: Vec<String> = Vec::new();
        let row = executor
            .watch(self.trial, &mut |_, _, played| {
                if !played.is_empty() {
                    moves.push(played.to_owned());
                }
            })
            .map_err(|error| CliError {
                code: EXIT_FAILED,
                ..CliError::usage(format!("the trial has no result: {error}"))
            })?;
        let values: Vec<(String, serde_json::Value)> = stage
            .shape
            .columns
            .iter()
            .zip(&row)
            .map(|(column, value)| {
                let value = match (value, column.labels.as_ref().and_then(|key| stage.labels.get(key))) {
                    (Value::Int(index), Some(labels)) => {
                        json!(usize::try_from(*index).ok().and_then(|index| labels.get(index)))
                    }
                    (Value::Int(value), None) => json!(value),
                    (Value::Real(value), _) => json!(value),
                    (Value::Text(value), _) => json!(value),
                };
                (column.name.clone(), value)
            })
            .collect();
        let text = || {
            let mut lines = Vec::new();
            let seats: &[&str] = if described.seats.len() == 1 { &["player"] } else { &["first", "second"] };
            for (seat, (name, spec)) in seats.iter().zip(&described.seats) {
                lines.push(format!("{seat:7} {name} = {spec}"));
            }
            if !moves.is_empty() {
                lines.push(format!("moves   {}", moves.join(" ")));
            }
            for (name, value) in &values {
                lines.push(format!("{name:18} {value}"));
            }
            lines.join("\n")
        };
        output.result(text, || {
            let result: serde_json::Map<String, serde_json::Value> = values.iter().cloned().collect();
            let seat = |(name, spec): &(String, String)| json!({ "name": name, "spec": spec });
            let seats: Vec<_> = described.seats.iter().map(seat).collect();
            json!({
                "stage": self.stage, "trial": self.trial, "game": described.game, "seats": seats, "moves": moves,
                "result": result,
            })
        });
        Ok(ExitCode::SUCCESS)
    }
}
