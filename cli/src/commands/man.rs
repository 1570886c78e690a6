//! `redqueen man`.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap_mangen::Man;
use serde_json::json;

use super::{Command, program};
use crate::{
    error::CliError,
    output::{Output, path_json},
};

/// Write a manual page for the program and for each command: redqueen.1, redqueen-run.1, …
///
/// The pages say what --help says. With DIR/man1 beside a directory of PATH, or DIR in MANPATH, `man redqueen-run`
/// finds them.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Directory of the pages; it is made if it does not exist.
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

impl Command for Args {
    fn run(self, output: &Output) -> Result<ExitCode, CliError> {
        let pages = write(&self.directory).map_err(|error| {
            CliError::failed(format!("cannot write manual pages into `{}`: {error}", self.directory.display()))
                .hint("name another directory")
        })?;
        output.result(
            || pages.iter().map(|page| page.display().to_string()).collect::<Vec<_>>().join("\n"),
            || json!({ "files": pages.iter().map(path_json).collect::<Vec<_>>() }),
        );
        Ok(ExitCode::SUCCESS)
    }
}

/// Writes the pages and gives their paths, the program's first.
fn write(directory: &Path) -> io::Result<Vec<PathBuf>> {
    fs::create_dir_all(directory)?;
    let mut program = program().disable_help_subcommand(true);
    program.build();
    let shown = program.get_subcommands().filter(|command| !command.is_hide_set()).cloned();
    let commands: Vec<clap::Command> = shown.collect();
    let page =
        |command| Man::new(command).source(concat!("redqueen ", env!("CARGO_PKG_VERSION"))).generate_to(directory);
    [program].into_iter().chain(commands).map(page).collect()
}
