//! The argument that names a run: an id at a coordinator, or a directory.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;
use clap_complete::ArgValueCompleter;
use redqueen_wire::RunStatus;
use tonic::{Response, Status};

use crate::{
    completion,
    connection::{Control, CoordinatorArgs, block_on},
    error::CliError,
    output::{Output, plain::quoted},
    status,
};

/// Options of commands about one run of a coordinator.
#[derive(Args)]
pub(crate) struct RunIdArgs {
    /// Id of the run, or its first digits (`redqueen list` shows them).
    #[arg(add = ArgValueCompleter::new(completion::run_id))]
    pub(crate) run: String,
    #[command(flatten)]
    pub(crate) coordinator: CoordinatorArgs,
}

impl RunIdArgs {
    /// Refuses the directory of a run, which no coordinator knows by that name.
    pub(crate) fn check(&self) -> Result<(), CliError> {
        let directory = Path::new(&self.run);
        if !coordinator::is_run_directory(directory) {
            return Ok(());
        }
        let message = format!("`{}` is a directory, and coordinators know runs by their ids", self.run);
        Err(CliError::usage(message).hint(format!(
            "`redqueen list` shows the ids; without a coordinator `redqueen run FILE --out {}` goes on with it, \
             --resume-cancelled if it was cancelled",
            quoted(directory)
        )))
    }

    /// Makes one call to the coordinator and shows the run's status after it.
    pub(crate) fn call(
        &self,
        output: &Output,
        call: impl AsyncFnOnce(Control) -> Result<Response<RunStatus>, Status>,
    ) -> Result<ExitCode, CliError> {
        self.check()?;
        let status = block_on(async {
            let client = self.coordinator.connect().await?;
            Ok(call(client).await?.into_inner())
        })?;
        output.result(|| status::to_text(&status), || status::to_json(&status));
        Ok(ExitCode::SUCCESS)
    }
}

/// An argument that is not a directory, taken as the id of a run.
pub(crate) fn id(run: &Path) -> String {
    run.to_string_lossy().into_owned()
}

/// The argument as the directory of a run.
///
/// # Errors
/// The path is not the directory of a run.
pub(crate) fn run_directory(path: &Path) -> Result<PathBuf, CliError> {
    if coordinator::is_run_directory(path) {
        return Ok(path.to_owned());
    }
    Err(CliError::usage(format!("`{}` holds no run", path.display())).hint(
        "name a run's directory: the --out of `redqueen run`, one under runs/, or one that `redqueen export` made",
    ))
}
