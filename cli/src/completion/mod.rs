//! Shell completions: scripts that call the program back, so that runs, games and players are those there are now.
//!
//! `redqueen completions SHELL` prints a script, which sets [`VARIABLE`] when it asks. The engine is clap_complete's;
//! its interface may change between minor versions, so script and program must be of one build.

mod candidates;

use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
};

use clap_complete::env::{Bash, CompleteEnv, EnvCompleter, Fish, Shells, Zsh};

pub(crate) use candidates::{directories, experiment_key, game, paper, player, run, run_id};

use crate::output::plain::quoted;

/// Set by the scripts to the name of their shell.
const VARIABLE: &str = "REDQUEEN_COMPLETE";

const SHELLS: Shells<'static> = Shells(&[&JoinedBash, &Fish, &Zsh]);

/// A shell that there are completions for.
#[derive(Clone, Copy, clap::ValueEnum)]
pub(crate) enum Shell {
    Bash,
    Fish,
    Zsh,
}

/// Answers a script of ours that asks for candidates of `program`; `false` where the program was called by a person.
///
/// # Errors
/// The environment names a shell that is not known.
pub(crate) fn answer(program: fn() -> clap::Command) -> Result<bool, clap::Error> {
    let directory = std::env::current_dir().ok();
    let completions = CompleteEnv::with_factory(program).var(VARIABLE).shells(SHELLS);
    completions.try_complete(std::env::args_os(), directory.as_deref())
}

/// The script that a shell reads to complete commands of this program.
pub(crate) fn script(shell: Shell) -> io::Result<Vec<u8>> {
    let completer: &dyn EnvCompleter = match shell {
        Shell::Bash => &JoinedBash,
        Shell::Fish => &Fish,
        Shell::Zsh => &Zsh,
    };
    let mut script = Vec::new();
    completer.write_registration(VARIABLE, "redqueen", "redqueen", &program(), &mut script)?;
    Ok(script)
}

/// How the script calls this program: by its name where it was found by it, else by its path.
fn program() -> String {
    let called = std::env::args_os().next().map_or_else(|| PathBuf::from("redqueen"), PathBuf::from);
    let path = if called.components().count() > 1 { std::path::absolute(&called).unwrap_or(called) } else { called };
    path.to_string_lossy().into_owned()
}

/// clap_complete's bash with a script of our own, in which `mcts:playouts=` is one word.
struct JoinedBash;

impl EnvCompleter for JoinedBash {
    fn name(&self) -> &'static str {
        Bash.name()
    }

    fn is(&self, name: &str) -> bool {
        Bash.is(name)
    }

    fn write_registration(
        &self,
        variable: &str,
        _name: &str,
        _program: &str,
        completer: &str,
        script: &mut dyn io::Write,
    ) -> io::Result<()> {
        let text = include_str!("bash.sh").replace("VARIABLE", variable).replace("\"COMPLETER\"", &quoted(completer));
        script.write_all(text.as_bytes())
    }

    fn write_complete(
        &self,
        command: &mut clap::Command,
        arguments: Vec<OsString>,
        directory: Option<&Path>,
        candidates: &mut dyn io::Write,
    ) -> io::Result<()> {
        Bash.write_complete(command, arguments, directory, candidates)
    }
}
