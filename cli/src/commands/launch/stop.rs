//! `redqueen launch stop`.

use std::{process::ExitCode, time::Duration};

use launch::directory::Directory;
use serde_json::json;
use tokio::time::sleep;

use super::{DirectoryArgs, files, start};
use crate::{
    connection::block_on,
    error::{CliError, EXIT_INTERRUPTED},
    output::Output,
    signals::Signals,
};

/// Pause between two looks at a launch that stops.
const LOOK: Duration = Duration::from_millis(200);

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    launch: DirectoryArgs,
    /// Cancel jobs at once. What their workers were running is run again when the launch goes on.
    #[arg(long)]
    now: bool,
}

impl Args {
    pub(super) fn run(self, output: &Output) -> Result<ExitCode, CliError> {
        let directory = self.launch.open()?;
        directory.ask_to_stop(self.now).map_err(|error| files(&error))?;
        // Without a launcher one is started, which finds the request, carries it out and ends.
        let mut launcher = match directory.lock().map_err(|error| files(&error))? {
            Some(lock) => {
                drop(lock);
                Some(start::again(&directory)?)
            }
            None => None,
        };
        output.note("stopping: workers finish what they run; Ctrl-C ends the waiting, not the stopping");
        let stopped = block_on(async {
            let mut signals = Signals::take()?;
            let wait = async {
                loop {
                    if let Some(launcher) = &mut launcher
                        && launcher.try_wait().map_err(|error| files(&error))?.is_some()
                    {
                        return Ok(());
                    }
                    if launcher.is_none() && is_free(&directory)? {
                        return Ok(());
                    }
                    sleep(LOOK).await;
                }
            };
            tokio::select! {
                stopped = wait => stopped.map(|()| true),
                () = signals.next() => Ok(false),
            }
        })?;
        if !stopped {
            return Ok(ExitCode::from(EXIT_INTERRUPTED));
        }
        let ended = directory.status().map_err(|error| files(&error))?.ended;
        let text = ended.clone().unwrap_or_else(|| "the launcher has ended".to_owned());
        output.result(|| text, || json!({ "ended": ended }));
        Ok(ExitCode::SUCCESS)
    }
}

fn is_free(directory: &Directory) -> Result<bool, CliError> {
    Ok(directory.lock().map_err(|error| files(&error))?.is_some())
}
