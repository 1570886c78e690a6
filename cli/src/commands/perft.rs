//! `redqueen perft`: leaves of a game's tree.

use std::{process::ExitCode, time::Instant};

use clap_complete::ArgValueCompleter;
use games::{Game, GameSpec, Visitor};
use serde_json::json;
use spec::Fault;

use super::Command;
use crate::{completion, error::CliError, output::Output, output::thousands, spec_argument::spec_error};

/// Count the leaves of a game's tree.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The game.
    #[arg(add = ArgValueCompleter::new(completion::game))]
    game: String,
    /// Plies.
    #[arg(value_parser = clap::value_parser!(u32).range(0..=64))]
    depth: u32,
    /// Show the leaves behind each first move.
    #[arg(long)]
    divide: bool,
}

struct Count {
    depth: u32,
    divide: bool,
}

impl Visitor for Count {
    type Output = (u64, Vec<(String, u64)>);
    fn visit<G: Game>(self, start: G) -> Self::Output {
        if self.divide {
            let moves = games::divide(&start, self.depth);
            return (moves.iter().map(|(_, leaves)| leaves).sum(), moves);
        }
        (games::perft(&start, self.depth), Vec::new())
    }
}

impl Command for Args {
    fn run(self, output: &Output) -> Result<ExitCode, CliError> {
        let game: GameSpec = self.game.parse().map_err(|faults: Vec<Fault>| spec_error("GAME", &faults))?;
        let begun = Instant::now();
        let (leaves, moves) = games::visit(&game, Count { depth: self.depth, divide: self.divide });
        let secs = begun.elapsed().as_secs_f64();
        let text = || {
            let mut lines: Vec<String> =
                moves.iter().map(|(text, leaves)| format!("{text:8} {}", thousands(*leaves))).collect();
            lines.push(format!("{game} perft {}: {} leaves in {secs:.3} s", self.depth, thousands(leaves)));
            lines.join("\n")
        };
        output.result(text, || {
            let divided: Vec<_> =
                moves.iter().map(|(text, leaves)| json!({ "move": text, "leaves": leaves })).collect();
            json!({ "game": game.to_string(), "depth": self.depth, "leaves": leaves, "secs": secs, "divide": divided })
        });
        Ok(ExitCode::SUCCESS)
    }
}
