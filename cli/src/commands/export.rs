//! `redqueen export`: a copy of a run with its Parquet files, from its directory or from a coordinator.

use std::{
    fs::{self, File},
    io::Write as _,
    path::{Component, Path, PathBuf},
    process::ExitCode,
};

use clap_complete::ArgValueCompleter;
use redqueen_wire::{RunRequest, RunState};
use serde_json::json;

use super::Command;
use crate::{
    completion,
    connection::{CoordinatorArgs, block_on},
    error::{CliError, EXIT_FAILED},
    output::{Output, path_json},
    run_argument::id,
    state,
};

/// Copy a run: from its directory, or from a coordinator.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The directory of a run; or the id of a coordinator's run, or its first digits.
    #[arg(add = ArgValueCompleter::new(completion::run))]
    run: PathBuf,
    /// Where the copy goes.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    coordinator: CoordinatorArgs,
}

impl Command for Args {
    fn run(self, output: &Output) -> Result<ExitCode, CliError> {
        let (from, state) = if ::coordinator::is_run_directory(&self.run) {
            let state = state::of_directory(&self.run);
            (&self.run, state)
        } else {
            (&self.out, json!(state::name(block_on(fetch(&self))?)))
        };
        state::note(&state, output);
        let files = analysis::export_to(from, &self.out)?;
        let text = || files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join("\n");
        output.result(text, || json!({ "files": files.iter().map(path_json).collect::<Vec<_>>(), "state": state }));
        Ok(ExitCode::SUCCESS)
    }
}

/// Copies the run's files from the coordinator; gives the run's state before that.
async fn fetch(args: &Args) -> Result<RunState, CliError> {
    let request = RunRequest { run: id(&args.run) };
    let state = args.coordinator.ask(async |mut client| client.status(request.clone()).await).await?.state();
    let mut pieces = args.coordinator.ask(async |mut client| client.export(request.clone()).await).await?;
    if args.out.exists() && fs::read_dir(&args.out).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(CliError::usage(format!("`{}` is not empty", args.out.display())).hint("choose another --out"));
    }
    let write_error = |path: &Path, error: &std::io::Error| CliError {
        code: EXIT_FAILED,
        ..CliError::usage(format!("cannot write `{}`: {error}", path.display()))
    };
    fs::create_dir_all(&args.out).map_err(|error| write_error(&args.out, &error))?;
    let mut file: Option<(PathBuf, File)> = None;
    while let Some(piece) = pieces.message().await? {
        if !piece.path.is_empty() {
            // A coordinator names files inside the directory, nothing else.
            let name = Path::new(&piece.path);
            if !matches!(name.components().collect::<Vec<_>>()[..], [Component::Normal(_)]) {
                return Err(CliError::failed(format!(
                    "the coordinator sent a file with a strange name: `{}`",
                    piece.path
                )));
            }
            let path = args.out.join(name);
            let created = File::create(&path).map_err(|error| write_error(&path, &error))?;
            file = Some((path, created));
        }
        if let Some((path, file)) = &mut file {
            file.write_all(&piece.data).map_err(|error| write_error(path, &error))?;
        }
    }
    Ok(state)
}
