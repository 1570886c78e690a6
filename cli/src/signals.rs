//! Signals that ask for an end: the first is an orderly end, a later one ends at once.

use std::{
    fs,
    time::{Duration, Instant},
};

use rustix::process::Signal;
use tokio::{
    signal::unix::{SignalKind, signal},
    sync::mpsc::{UnboundedReceiver, unbounded_channel},
};

use crate::{
    error::{CliError, EXIT_FAILED, EXIT_INTERRUPTED},
    output::stderr,
};

/// What people and batch systems announce an end with: Ctrl-C and `kill`; a terminal that closes; warnings before a limit of
/// time (Slurm's `--signal`, Grid Engine's `-notify`), and a limit of CPU time.
const ASKING: [Signal; 6] = [Signal::INT, Signal::TERM, Signal::HUP, Signal::USR1, Signal::USR2, Signal::XCPU];

/// Batch systems announce one end several times: to a job and to its steps, or to every process of a group. What comes within
/// this time of the first is not another wish. A person who presses Ctrl-C twice means it.
const SAME: Duration = Duration::from_secs(2);

/// How long an immediate end waits for messages to be written.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// Waits for signals.
pub(crate) struct Signals(UnboundedReceiver<Signal>);

impl Signals {
    /// Replaces the signals' default action, which is to end. A hangup or a user's signal that the caller had this process
    /// ignore (`nohup`) stays ignored.
    pub(crate) fn take() -> Result<Self, CliError> {
        Self::take_all(true)
    }

    /// The same, but a hangup does nothing.
    pub(crate) fn take_but_hangup() -> Result<Self, CliError> {
        Self::take_all(false)
    }

    fn take_all(hangup: bool) -> Result<Self, CliError> {
        let (send, receive) = unbounded_channel();
        let ignored = ignored();
        for asking in ASKING {
            let always = matches!(asking, Signal::INT | Signal::TERM);
            if !always && ignored >> (asking.as_raw() - 1) & 1 == 1 {
                continue;
            }
            let kind = SignalKind::from_raw(asking.as_raw());
            let mut received = signal(kind).map_err(|error| CliError::chained(EXIT_FAILED, &error))?;
            let send = send.clone();
            tokio::spawn(async move {
                while received.recv().await.is_some() {
                    if (hangup || asking != Signal::HUP) && send.send(asking).is_err() {
                        return;
                    }
                }
            });
        }
        Ok(Signals(receive))
    }

    /// Waits for the next one.
    pub(crate) async fn next(&mut self) {
        self.recv().await;
    }

    async fn recv(&mut self) -> Signal {
        match self.0.recv().await {
            Some(signal) => signal,
            // The runtime ends.
            None => std::future::pending().await,
        }
    }

    /// From now on, a signal ends the process at once, unless it says again what the last one said.
    pub(crate) fn end_at_next(mut self) {
        let asked = Instant::now();
        tokio::spawn(async move {
            while self.recv().await != Signal::INT && asked.elapsed() < SAME {}
            stderr::flush(LAST_WORDS);
            std::process::exit(EXIT_INTERRUPTED.into());
        });
    }
}

/// The signals that this process ignores, by the bits of their numbers less one, where the system tells.
fn ignored() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
