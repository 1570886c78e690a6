//! `redqueen worker`: works for a coordinator.

use std::{process::ExitCode, time::Duration};

use worker::{Options, Stop};

use super::Command;
use crate::{
    connection::{CoordinatorArgs, block_on},
    error::CliError,
    logging::LogArgs,
    options::ThreadArgs,
    output::Output,
    place::{PlaceArgs, host},
    signals::Signals,
};

/// Run trials for a coordinator.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    coordinator: CoordinatorArgs,
    #[command(flatten)]
    threads: ThreadArgs,
    /// Name in the fleet, for people; best a different one for each worker, since a result is audited by a worker
    /// of another name. HOST-PID and four random digits if not given.
    #[arg(long)]
    name: Option<String>,
    /// Seconds that running trials may take once the worker was told to leave, by SIGTERM, SIGINT or what a batch system
    /// sends (SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU); trials that do not end in time run elsewhere.
    #[arg(long, value_name = "SECS", default_value_t = 20)]
    grace_secs: u64,
    /// Seconds to wait for the coordinator at the start.
    #[arg(long, value_name = "SECS", default_value_t = 10)]
    patience_secs: u64,
    /// Seconds to try a connection again that was lost later; then the worker leaves with exit code 1. For ever if not
    /// given.
    #[arg(long, value_name = "SECS", value_parser = clap::value_parser!(u64).range(1..))]
    lost_secs: Option<u64>,
    /// Leave after so many seconds without a trial to run, with exit code 0. Stay if not given.
    #[arg(long, value_name = "SECS", value_parser = clap::value_parser!(u64).range(1..))]
    idle_secs: Option<u64>,
    #[command(flatten)]
    place: PlaceArgs,
    #[command(flatten)]
    log: LogArgs,
}

impl Command for Args {
    fn run(self, _output: &Output) -> Result<ExitCode, CliError> {
        let routes = self.coordinator.routes()?;
        let place = self.place.place()?;
        self.log.start();
        let process: [u8; 16] = rand::random();
        let options = Options {
            routes,
            place,
            name: self.name.unwrap_or_else(|| default_name(process)),
            process,
            threads: self.threads.count(),
            executors: self.threads.executors(),
            grace: Duration::from_secs(self.grace_secs),
            patience: Duration::from_secs(self.patience_secs),
            lost: self.lost_secs.map(Duration::from_secs),
            idle: self.idle_secs.map(Duration::from_secs),
        };
        block_on(async move {
            let mut signals = Signals::take()?;
            let (stop, shutdown) = Stop::channel();
            tokio::spawn(async move {
                signals.next().await;
                tracing::info!("leaving: handing back what waits, finishing what runs; once more ends at once");
                stop.stop();
                signals.end_at_next();
            });
            // A task of its own, so that a panic in it ends the process like any other error.
            let work = tokio::spawn(worker::run(options, shutdown));
            work.await.map_err(|panic| CliError::broken("worker", &panic))??;
            Ok(ExitCode::SUCCESS)
        })
    }
}

/// Host, process and two drawn bytes: containers that share the network of their host number processes alike.
fn default_name(process: [u8; 16]) -> String {
    let [first, second, ..] = process;
    format!("{}-{}-{first:02x}{second:02x}", host(), std::process::id())
}
