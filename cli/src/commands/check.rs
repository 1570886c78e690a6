//! `redqueen check`: whether an experiment is right, what it would do, and what it would cost here.

use std::{process::ExitCode, time::Instant};

use serde_json::json;

use super::Command;
use crate::{
    error::CliError,
    options::{ExperimentArgs, ThreadArgs, warn},
    output::{Output, print, span, thousands},
};

/// Seconds spent on finding out what trials cost.
pub(super) const CALIBRATION: f64 = 3.0;

/// Validate an experiment; say what it would do and cost.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    experiment: ExperimentArgs,
    #[command(flatten)]
    threads: ThreadArgs,
    /// Print the experiment with every default filled in, and nothing else.
    #[arg(long)]
    print_config: bool,
}

impl Command for Args {
    fn run(self, output: &Output) -> Result<ExitCode, CliError> {
        let (_, experiment) = self.experiment.load()?;
        if self.print_config {
            if output.json {
                output.result(String::new, || json!({ "resolved": experiment.to_resolved_toml() }));
            } else {
                print(experiment.to_resolved_toml().trim_end());
            }
            return Ok(ExitCode::SUCCESS);
        }
        warn(&experiment, output);
        let begun = Instant::now();
        let clock = || begun.elapsed().as_secs_f64();
        let forecast = experiment.forecast(&clock, CALIBRATION).map_err(CliError::failed)?;
        let threads = self.threads.count();
        let elapsed = forecast.executor_secs / threads as f64;
        let text = || {
            let mut lines = vec![
                format!("{} is right: {}", experiment.name(), experiment.title()),
                format!("  kind          {}", experiment.kind_name()),
                format!("  trials        {}", thousands(forecast.trials)),
            ];
            if let Some(playouts) = forecast.playouts {
                lines.push(format!("  playouts      about {}", thousands(playouts as u64)));
            }
            lines.push(format!(
                "  time          about {} on {threads} threads of this machine ({} of executor time; from {} trials)",
                span(elapsed),
                span(forecast.executor_secs),
                forecast.sampled
            ));
            lines.push(format!(
                "  reproducible  {}",
                if experiment.reproducible() { "yes" } else { "no: a time budget" }
            ));
            if let Some(paper) = experiment.paper() {
                lines.push(format!("  paper         {paper}"));
            }
            lines.push("  --print-config shows every default".to_owned());
            lines.join("\n")
        };
        output.result(text, || {
            json!({
                "name": experiment.name(), "title": experiment.title(), "kind": experiment.kind_name(),
                "trials": forecast.trials, "playouts": forecast.playouts, "executor_secs": forecast.executor_secs,
                "threads": threads, "elapsed_secs": elapsed, "sampled_trials": forecast.sampled,
                "reproducible": experiment.reproducible(), "warnings": experiment.warnings(),
                "paper": experiment.paper(),
                "hash": experiment.id(),
            })
        });
        Ok(ExitCode::SUCCESS)
    }
}
