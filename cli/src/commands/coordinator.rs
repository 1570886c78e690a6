//! `redqueen coordinator`: serves runs to workers and to the command line.

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use coordinator::{Announcement, CONNECTIONS_MAX, Config, Coordinator, Made, Registry, Root, Token, VISITORS_MAX};
use redqueen_wire::{ADDRESS_FILE, Address, Standing};

use super::Command;
use crate::{
    connection::{DEFAULT_ADDRESS, block_on},
    door::DoorArgs,
    error::CliError,
    listen::{Listen, urls},
    logging::LogArgs,
    output::{Output, stdout},
    signals::Signals,
    tls::ServerTlsArgs,
};

/// Serve runs to workers and to the command line.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Directory of the runs, which have one directory each.
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Where to listen: ADDRESS:PORT or INTERFACE:PORT (`ib0:7878`). Port 0 takes a free one, and of PORT-PORT the first
    /// that is free is taken.
    #[arg(long, value_name = "WHERE", default_value = DEFAULT_ADDRESS)]
    listen: Listen,
    /// File with the token that every worker and command must give. One is made in DIR if none is named
    /// (redqueen.token), which commands of the same account find.
    #[arg(long, value_name = "FILE", env = "REDQUEEN_TOKEN_FILE")]
    token_file: Option<PathBuf>,
    /// File with a second token, for workers: who has it can work, and can neither command nor read anything. One is
    /// made in DIR if none is named (redqueen.worker.token).
    #[arg(long, value_name = "FILE")]
    worker_token_file: Option<PathBuf>,
    /// Accept every account of this machine, without a token; on loopback only.
    #[arg(long, conflicts_with_all = ["token_file", "worker_token_file"])]
    no_token: bool,
    #[command(flatten)]
    tls: ServerTlsArgs,
    /// Most connections with the token at once: one for each worker process and for each command.
    #[arg(long, value_name = "N", default_value_t = CONNECTIONS_MAX)]
    connections_max: usize,
    #[command(flatten)]
    door: DoorArgs,
    /// Seconds between heartbeats of a worker; one that is silent for three of them counts as lost.
    #[arg(long, value_name = "SECS", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=3600))]
    heartbeat_secs: u64,
    #[command(flatten)]
    log: LogArgs,
}

impl Command for Args {
    fn run(self, _output: &Output) -> Result<ExitCode, CliError> {
        let listen = self.listen.address()?;
        let (token, made) = match &self.token_file {
            Some(file) => (Some(Token::read(file)?), None),
            // On an address that other machines reach this is refused below.
            None if self.no_token => (None, None),
            None => {
                let (token, path) = Token::make(&self.data, Made::Coordinator)?;
                (Some(token), Some(path))
            }
        };
        let worker_token = match (&token, &self.worker_token_file) {
            (None, _) => None,
            (Some(token), Some(file)) => {
                let workers = Token::read(file)?;
                if token.is(&workers) {
                    let message = format!("the workers' token in `{}` is the coordinator's own", file.display());
                    return Err(CliError::usage(message)
                        .hint("a worker's token must be another one, or leave out --worker-token-file"));
                }
                Some(workers)
            }
            (Some(_), None) => Some(Token::make(&self.data, Made::Workers)?.0),
        };
        let tls = self.tls.config(&self.data)?;
        let http = self.door.door()?;
        let scheme = if tls.is_some() { "https" } else { "http" };
        let place = AddressPlace::new(&self, tls.as_ref().and_then(|tls| tls.copy.as_deref()));
        self.log.start();
        if self.no_token {
            tracing::warn!("without a token every account of this machine can command this coordinator");
        }
        if let Some(copy) = tls.as_ref().and_then(|tls| tls.copy.as_ref()) {
            tracing::info!("callers on other machines need --tls-ca with a copy of `{}`", copy.display());
        }
        raise_open_files(self.connections_max, self.door.is_open());
        block_on(async move {
            let mut signals = Signals::take()?;
            let config = Config {
                root: Root::Data(self.data),
                listen,
                more_ports: self.listen.more,
                token,
                worker_token,
                tls: tls.map(|tls| tls.config),
                connections_max: self.connections_max,
                http,
                heartbeat: Duration::from_secs(self.heartbeat_secs),
                self_test: experiments::self_test(),
            };
            let mut announcement = None;
            let mut coordinator =
                Coordinator::start_told(config, |address| announcement = announce_token(address, made)).await?;
            place.write(Standing::Serving, urls(scheme, coordinator.address()));
            // One line on stdout, for scripts that asked for port 0.
            announce(&format!("listening on {scheme}://{}", coordinator.address()));
            if let Some(http) = coordinator.http_address() {
                announce(&format!("metrics at http://{http}/metrics"));
                announce(&format!("pages at http://{http}/"));
            }
            if let Some(socket) = coordinator.http_socket() {
                announce(&format!("HTTP at the socket {}", socket.display()));
            }
            tokio::select! {
                () = signals.next() => {}
                broken = coordinator.broken() => return Err(broken.into()),
            }
            signals.end_at_next();
            tracing::info!("stopping; once more ends at once");
            place.write(Standing::Stopped, Vec::new());
            coordinator.stop().await?;
            announcement.into_iter().for_each(Announcement::withdraw);
            Ok(ExitCode::SUCCESS)
        })
    }
}

/// The address file in the data directory, by which workers and commands find the coordinator.
struct AddressPlace {
    file: PathBuf,
    certificate: Option<PathBuf>,
    token: Option<PathBuf>,
    worker_token: Option<PathBuf>,
}

impl AddressPlace {
    /// The file of a coordinator with these options, which made its certificate at `copy` if it did.
    fn new(args: &Args, copy: Option<&Path>) -> Self {
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let token = |named: &Option<PathBuf>, made: Made| match named {
            _ if args.no_token => None,
            Some(path) => Some(absolute(path)),
            None => Some(made.file().into()),
        };
        AddressPlace {
            file: args.data.join(ADDRESS_FILE),
            // Files of the data directory by their names, since it may have another path on other machines.
            certificate: copy.and_then(Path::file_name).map(PathBuf::from),
            token: token(&args.token_file, Made::Coordinator),
            worker_token: token(&args.worker_token_file, Made::Workers),
        }
    }

    /// Writes it. The coordinator serves even if that cannot be done.
    fn write(&self, standing: Standing, urls: Vec<String>) {
        let (certificate, token, worker_token) =
            (self.certificate.clone(), self.token.clone(), self.worker_token.clone());
        let address = Address { generation: 0, standing, urls, certificate, token, worker_token };
        if let Err(error) = address.write(&self.file) {
            tracing::warn!("{error}; workers need --coordinator URL");
        }
    }
}

/// Prints where the coordinator is reached. It serves even if that cannot be written.
fn announce(line: &str) {
    if let Err(error) = stdout::announce(line) {
        tracing::warn!("{line}; stdout cannot be written: {error}");
    }
}

/// Lets commands of this account find the token that was made, or forget the one that an earlier coordinator had here.
fn announce_token(address: SocketAddr, made: Option<PathBuf>) -> Option<Announcement> {
    let registry = Registry::of_account();
    let Some(path) = made else {
        registry.withdraw(address);
        return None;
    };
    match registry.announce(address, &path) {
        Ok(announcement) => {
            tracing::info!("commands of this account find the token in `{}`", path.display());
            Some(announcement)
        }
        Err(error) => {
            let path = path.display();
            tracing::warn!("commands need `--token-file {path}`: it cannot be announced to them ({error})");
            None
        }
    }
}

/// Open files that a coordinator needs beside connections with the token: connections without one, and some for each
/// run's database.
const OTHER_FILES: u64 = 512;

/// Raises the limit of open files as far as the system allows: each connection is one, and the usual limit is 1,024.
fn raise_open_files(connections: usize, has_door: bool) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    // If the system does not raise the limit, the present one holds.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
    let visitors = if has_door { VISITORS_MAX } else { 0 };
    let wanted = u64::try_from(connections + visitors).unwrap_or(u64::MAX).saturating_add(OTHER_FILES);
    if let Some(files) = getrlimit(Resource::Nofile).current.filter(|&files| files < wanted) {
        tracing::warn!(
            "the system allows {files} open files, too few for {connections} connections: raise the hard limit \
             (LimitNOFILE= of systemd, `ulimit -Hn`), or lower --connections-max"
        );
    }
}
