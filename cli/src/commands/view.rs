//! `redqueen view`: pages of runs, from their directories.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::PathBuf,
    process::ExitCode,
};

use clap::ValueHint;
use coordinator::{Door, is_run_directory, serve_http};
use tokio::sync::oneshot;

use super::Command;
use crate::{
    connection::block_on,
    door::DoorArgs,
    error::CliError,
    output::{Output, stderr, stdout},
    signals::Signals,
};

/// Where pages are if nothing else is said: the port behind a coordinator's.
const DEFAULT_HTTP: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 7879);

/// Look at runs in a browser, from their directories and without a coordinator; nothing is changed.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The directory of a run, or a folder of such directories. What is added to a folder is seen, too.
    #[arg(required = true, value_name = "DIR", value_hint = ValueHint::DirPath)]
    directories: Vec<PathBuf>,
    #[command(flatten)]
    door: DoorArgs,
}

impl Command for Args {
    fn run(self, _output: &Output) -> Result<ExitCode, CliError> {
        for directory in &self.directories {
            if !is_run_directory(directory) && !directory.is_dir() {
                return Err(CliError::usage(format!("`{}` is no directory", directory.display()))
                    .hint("name a run's directory, or a folder of runs such as runs/ or a coordinator's --data"));
            }
        }
        let at = self.door.or_at(DEFAULT_HTTP);
        let http = at.door()?.unwrap_or_default();
        let guard = at.guard(&http);
        block_on(async move {
            let mut signals = Signals::take()?;
            let pages = page::of_directories(self.directories, guard);
            let door = Door::open(http.address, http.socket.as_deref())?;
            // Lines on stdout, for scripts that asked for port 0.
            if let Some(address) = door.address() {
                announce(&format!("pages at http://{address}/"));
            }
            if let Some(socket) = door.socket() {
                announce(&format!("pages at the socket {}", socket.display()));
            }
            let (stop, stopped) = oneshot::channel::<()>();
            let served = tokio::spawn(serve_http(door, pages, async move { drop(stopped.await) }));
            signals.next().await;
            signals.end_at_next();
            drop(stop);
            let _ = served.await;
            Ok(ExitCode::SUCCESS)
        })
    }
}

/// Prints where pages are. They are served even if that cannot be written.
fn announce(line: &str) {
    if let Err(error) = stdout::announce(line) {
        stderr::say(&format!("warning: {line}; stdout cannot be written: {error}"));
    }
}
