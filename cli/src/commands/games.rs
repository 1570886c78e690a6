//! `redqueen games`: what a game's spec can name.

use std::process::ExitCode;

use games::GameSpec;
use serde_json::json;
use spec::Entry;

use super::Command;
use crate::{error::CliError, output::Output, spec_argument};

/// List the games and their parameters.
#[derive(clap::Args)]
pub(super) struct Args {}

impl Command for Args {
    fn run(self, output: &Output) -> Result<ExitCode, CliError> {
        let all = games::all();
        let text = || all.iter().map(|entry| to_text(entry)).collect::<Vec<_>>().join("\n");
        output.result(text, || json!({ "games": all.iter().map(|e| spec_argument::to_json(e)).collect::<Vec<_>>() }));
        Ok(ExitCode::SUCCESS)
    }
}

/// A game's entry, and the facts of the game under its default parameters.
fn to_text(entry: &Entry) -> String {
    let facts = entry.name.parse::<GameSpec>().map(|spec| spec.facts()).ok();
    let facts = facts.map_or(String::new(), |f| {
        let players = if f.players == 1 { "player" } else { "players" };
        let chance = if f.chance { ", chance" } else { "" };
        format!(
            "\n    {} {players}{chance}, at most {} moves and {} plies; score in {}",
            f.players, f.moves_max, f.plies_max, f.score_unit
        )
    });
    format!("{}{facts}", spec_argument::to_text(entry))
}
