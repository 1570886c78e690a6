//! `redqueen players`: what a player's spec can name.

use std::process::ExitCode;

use serde_json::json;

use super::Command;
use crate::{error::CliError, output::Output, spec_argument};

/// List the kinds of players and their parameters.
#[derive(clap::Args)]
pub(super) struct Args {}

impl Command for Args {
    fn run(self, output: &Output) -> Result<ExitCode, CliError> {
        let all = players::registry::all();
        let text = || all.iter().map(|entry| spec_argument::to_text(entry)).collect::<Vec<_>>().join("\n");
        output.result(text, || json!({ "players": all.iter().map(|e| spec_argument::to_json(e)).collect::<Vec<_>>() }));
        Ok(ExitCode::SUCCESS)
    }
}
