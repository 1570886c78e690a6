//! The commands, a file each: arguments, then what they do.

pub(crate) mod analyze;
pub(crate) mod bench;
pub(crate) mod champion;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod control;
pub(crate) mod coordinator;
pub(crate) mod digest;
pub(crate) mod events;
pub(crate) mod executor;
pub(crate) mod export;
pub(crate) mod perft;
pub(crate) mod play;
pub(crate) mod registry;
pub(crate) mod replay;
pub(crate) mod run;
pub(crate) mod submit;
pub(crate) mod test;
pub(crate) mod worker;

use std::path::{Path, PathBuf};

use crate::error::CliError;

/// What may be a directory, taken for the id of a coordinator's run.
pub(crate) fn id(run: &Path) -> String {
    run.to_string_lossy().into_owned()
}

/// A run's directory, checked to be one.
pub(crate) fn run_directory(path: &Path) -> Result<PathBuf, CliError> {
    if ::coordinator::is_run_directory(path) {
        return Ok(path.to_owned());
    }
    Err(CliError::usage(format!("`{}` holds no run", path.display())).hint(
        "name a run's directory: the --out of `redqueen run`, one under runs/, or one that `redqueen export` made",
    ))
}
