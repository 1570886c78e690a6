//! `redqueen bench`: playouts and searches a second of one core.

use std::process::ExitCode;

use clap_complete::ArgValueCompleter;
use games::GameSpec;
use players::bench::measure;
use rustix::time::{ClockId, clock_gettime};
use serde_json::json;
use spec::Fault;

use super::Command;
use crate::{completion, error::CliError, output::Output, output::thousands, spec_argument::spec_error};

/// Measure playouts and searches per second.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The game; every game if not given.
    #[arg(add = ArgValueCompleter::new(completion::game))]
    game: Option<String>,
    /// Repetitions; their median is shown.
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=1000))]
    repetitions: u32,
    /// CPU seconds of each repetition.
    #[arg(long, value_name = "SECS", default_value_t = 0.3)]
    seconds: f64,
}

impl Command for Args {
    fn run(self, output: &Output) -> Result<ExitCode, CliError> {
        let specs: Vec<String> = match &self.game {
            Some(game) => vec![game.clone()],
            None => games::all().iter().map(|entry| entry.name.to_owned()).collect(),
        };
        // CPU time of this thread: other work on the machine disturbs it less.
        let clock = || {
            let time = clock_gettime(ClockId::ThreadCPUTime);
            time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
        };
        let mut rows = Vec::new();
        for spec in specs {
            let game: GameSpec = spec.parse().map_err(|faults: Vec<Fault>| spec_error("GAME", &faults))?;
            for rate in measure(&game, &clock, self.repetitions as usize, self.seconds.clamp(0.001, 60.0)) {
                rows.push((spec.clone(), rate));
            }
        }
        let text = || {
            let mut lines =
                vec![format!("{:12} {:36} {:>12} {:>12} {:>12}  a CPU second", "game", "what", "median", "min", "max")];
            for (game, rate) in &rows {
                let [median, min, max] = [rate.median, rate.min, rate.max].map(|rate| thousands(rate as u64));
                lines.push(format!("{game:12} {:36} {median:>12} {min:>12} {max:>12}  {}", rate.what, rate.unit));
            }
            lines.join("\n")
        };
        output.result(text, || {
            let rates: Vec<_> = rows
                .iter()
                .map(|(game, r)| {
                    json!({
                        "game": game, "what": r.what, "unit": r.unit, "median": r.median, "min": r.min, "max": r.max,
                    })
                })
                .collect();
            json!({ "repetitions": self.repetitions, "rates": rates })
        });
        Ok(ExitCode::SUCCESS)
    }
}
