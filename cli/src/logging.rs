//! Logs of long-lived processes: lines on stderr.
//!
//! redqueen writes no log files, so none grows without bound: systemd, a batch system or a container runtime keeps
//! stderr and rotates it (docs/deployment.md).

use clap::{Args, ValueEnum};

use crate::output::stderr;

/// Options of commands that log.
#[derive(Args)]
pub(crate) struct LogArgs {
    /// Format of log lines on stderr; RUST_LOG chooses their level.
    #[arg(long, value_enum, default_value_t = LogFormat::Text)]
    log_format: LogFormat,
}

#[derive(Clone, Copy, ValueEnum)]
enum LogFormat {
    /// For people.
    Text,
    /// One JSON object on each line, for programs.
    Json,
}

impl LogArgs {
    /// Starts logging.
    pub(crate) fn start(&self) {
        let filter = tracing_subscriber::EnvFilter::try_from_default_env()
            .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("info"));
        // A line that cannot be written is lost: the report of that would go to the same place.
        let lines =
            tracing_subscriber::fmt().with_env_filter(filter).log_internal_errors(false).with_writer(|| stderr::Lines);
        match self.log_format {
            LogFormat::Text => lines.with_ansi(stderr::has_colour()).init(),
            LogFormat::Json => lines.json().init(),
        }
    }
}
