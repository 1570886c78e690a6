//! SIGINT and SIGTERM: the first asks for an orderly end, the second ends at once.

use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};

use crate::{
    error::{CliError, EXIT_FAILED, EXIT_INTERRUPTED},
    output::stderr,
};

/// How long an immediate end waits for messages to be written.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// Waits for signals.
pub(crate) struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

impl Signals {
    /// Replaces the signals' default action, which is to end.
    pub(crate) fn take() -> Result<Self, CliError> {
        let take = |kind| signal(kind).map_err(|error| CliError::chained(EXIT_FAILED, &error));
        Ok(Signals { interrupt: take(SignalKind::interrupt())?, terminate: take(SignalKind::terminate())? })
    }

    /// Waits for the next one.
    pub(crate) async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }

    /// From now on, a signal ends the process at once.
    pub(crate) fn end_at_next(mut self) {
        tokio::spawn(async move {
            self.next().await;
            stderr::flush(LAST_WORDS);
            std::process::exit(EXIT_INTERRUPTED.into());
        });
    }
}
