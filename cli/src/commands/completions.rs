//! `redqueen completions`.

use std::process::ExitCode;

use super::Command;
use crate::{
    completion::{self, Shell},
    error::{CliError, EXIT_FAILED},
    output::{Output, stdout},
};

/// Print a script that completes commands in a shell.
///
/// It offers options, names of games and players with their parameters, runs under runs/, and ids of the runs of the
/// coordinator that REDQUEEN_COORDINATOR names. Read it when the shell starts:
///
///   bash, in ~/.bashrc:                  source <(redqueen completions bash)
///
///   zsh, in ~/.zshrc after compinit:     source <(redqueen completions zsh)
///
///   fish, in ~/.config/fish/config.fish: redqueen completions fish | source
#[derive(clap::Args)]
pub(super) struct Args {
    /// The shell.
    shell: Shell,
}

impl Command for Args {
    fn run(self, output: &Output) -> Result<ExitCode, CliError> {
        let script = completion::script(self.shell).map_err(|error| CliError::chained(EXIT_FAILED, &error))?;
        if output.json {
            let script = String::from_utf8_lossy(&script);
            output.facts(|| serde_json::json!({ "script": script }));
        } else {
            stdout::print_as_is(script);
        }
        Ok(ExitCode::SUCCESS)
    }
}
