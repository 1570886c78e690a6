//! `redqueen launch logs`.

use std::{fs, path::PathBuf, process::ExitCode};

use launch::directory::{Directory, tail};
use serde_json::json;

use super::{DirectoryArgs, files};
use crate::{
    error::CliError,
    output::{Output, path_json},
};

/// Logs of jobs that are shown where none is named.
const JOBS_SHOWN: usize = 5;

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    launch: DirectoryArgs,
    /// Show the log of this job alone, by its name.
    #[arg(long, value_name = "NAME")]
    job: Option<String>,
    /// How much of the end of each log is shown, in KiB.
    #[arg(long, value_name = "KIB", default_value_t = 2)]
    kib: u64,
}

impl Args {
    pub(super) fn run(self, output: &Output) -> Result<ExitCode, CliError> {
        let directory = self.launch.open()?;
        let logs = match &self.job {
            Some(name) if directory.log(name).exists() => vec![directory.log(name)],
            Some(name) => {
                return Err(CliError::usage(format!("no job `{name}` has a log in `{}`", directory.logs().display()))
                    .hint("`redqueen launch status` names the jobs; the logs of the last twenty are kept"));
            }
            None => all(&directory)?,
        };
        let ends: Vec<(PathBuf, String)> =
            logs.into_iter().filter_map(|path| Some((path.clone(), tail(&path, self.kib << 10).ok()?))).collect();
        output.result(
            || ends.iter().map(|(path, end)| format!("== {}\n{end}\n", path.display())).collect(),
            || json!({ "logs": ends.iter().map(|(path, end)| json!({ "file": path_json(path), "end": end })).collect::<Vec<_>>() }),
        );
        Ok(ExitCode::SUCCESS)
    }
}

/// The logs of coordinator and launcher, and the latest of jobs, the newest last.
fn all(directory: &Directory) -> Result<Vec<PathBuf>, CliError> {
    let entries = fs::read_dir(directory.logs()).map_err(|error| files(&error))?;
    let mut jobs: Vec<_> =
        entries.flatten().filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path()))).collect();
    jobs.sort();
    let latest = jobs.len().saturating_sub(JOBS_SHOWN);
    let own = [directory.coordinator_log(), directory.launcher_log()].into_iter().filter(|path| path.exists());
    Ok(own.chain(jobs.into_iter().skip(latest).map(|(_, path)| path)).collect())
}
