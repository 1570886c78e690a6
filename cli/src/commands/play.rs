//! `redqueen play`: games between two players, shown or counted.

use std::process::ExitCode;

use clap_complete::ArgValueCompleter;
use games::{GameSpec, Seed, purpose};
use players::{GameRecord, GameSetup, artifacts::HeldArtifacts, play::prepare};
use serde_json::json;
use spec::Fault;

use super::Command;
use crate::{
    completion,
    error::CliError,
    output::{Output, print, stdout},
    spec_argument::spec_error,
};

/// Play games between two players and show them.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The game (`redqueen games` lists them).
    #[arg(add = ArgValueCompleter::new(completion::game))]
    game: String,
    /// Who sits first: `mcts:playouts=100` (`redqueen players` lists kinds and parameters).
    #[arg(add = ArgValueCompleter::new(completion::player), long, value_name = "SPEC")]
    first: String,
    /// Who sits second.
    #[arg(add = ArgValueCompleter::new(completion::player), long, value_name = "SPEC")]
    second: String,
    /// Number of games.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// Seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Show every position.
    #[arg(long)]
    show: bool,
}

impl Command for Args {
    fn run(self, output: &Output) -> Result<ExitCode, CliError> {
        let game: GameSpec = self.game.parse().map_err(|faults: Vec<Fault>| spec_error("GAME", &faults))?;
        let player = |argument: &str, text: &str| {
            experiments::player(text, &game)
                .map_err(|faults| CliError::usage(format!("{argument}: {}", faults.join("; "))))
        };
        let ((first, files), (second, others)) = (player("--first", &self.first)?, player("--second", &self.second)?);
        let held: HeldArtifacts = files.into_iter().chain(others).collect();
        let mut prepared = prepare(&game, [&first, &second], &held).map_err(CliError::usage)?;
        let mut records: Vec<GameRecord> = Vec::new();
        for index in 0..self.games {
            let derive = |purpose| Seed::derive(self.seed, 0, index, purpose);
            let setup = GameSetup {
                opening_plies: 0,
                opening_seed: derive(purpose::OPENING),
                player_seeds: [derive(purpose::PLAYER_A), derive(purpose::PLAYER_B)],
            };
            let record = if self.show && !output.json {
                prepared.play_watched(
                    &setup,
                    Some(&mut |board, seat, played| {
                        print(board);
                        let who = seat.map_or("", |seat| ["first", "second"][seat]);
                        if !played.is_empty() {
                            print(&format!("{who}: {played}\n"));
                        }
                    }),
                )
            } else {
                prepared.play(&setup)
            };
            records.push(record);
            if !stdout::is_open() {
                break;
            }
        }
        let points: f64 = records.iter().map(|record| record.points[0]).sum();
        let text = || {
            let mut lines: Vec<String> = records
                .iter()
                .take(if self.show || self.games == 1 { records.len() } else { 0 })
                .map(|r| {
                    format!("{} to {} in {} plies, score {:+}", r.points[0], r.points[1], r.plies, r.score_difference)
                })
                .collect();
            if self.games > 1 {
                lines.push(format!("{first} took {points} of {} points as first against {second}", self.games));
            }
            lines.join("\n")
        };
        output.result(text, || {
            let games: Vec<_> = records
                .iter()
                .map(|r| {
                    json!({
                        "points": r.points, "score_difference": r.score_difference, "plies": r.plies,
                        "moves_hash": format!("{:016x}", r.moves_hash),
                    })
                })
                .collect();
            json!({
                "game": game.to_string(), "first": first.to_string(), "second": second.to_string(),
                "first_points": points, "games": games,
            })
        });
        Ok(ExitCode::SUCCESS)
    }
}
