//! `redqueen coordinator`: serves runs to workers and to the command line.

use std::{net::SocketAddr, path::PathBuf, process::ExitCode, time::Duration};

use coordinator::{Config, Coordinator, Root, Token};

use crate::{
    connection::{DEFAULT_ADDRESS, block_on},
    error::CliError,
    output::print,
    signals::Signals,
};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Where runs are kept, a directory each.
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Address to listen on; port 0 takes a free one. Any but loopback needs --token-file.
    #[arg(long, value_name = "ADDR", default_value = DEFAULT_ADDRESS)]
    listen: SocketAddr,
    /// File with the secret that every worker and command must give.
    #[arg(long, value_name = "FILE", env = "REDQUEEN_TOKEN_FILE")]
    token_file: Option<PathBuf>,
    /// Seconds between signs of life of a worker; one silent for three of them is given up.
    #[arg(long, value_name = "SECS", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=3600))]
    heartbeat_secs: u64,
}

pub(crate) fn run(args: Args) -> Result<ExitCode, CliError> {
    let token = args.token_file.as_deref().map(Token::read).transpose()?;
    logging();
    block_on(async move {
        let mut signals = Signals::take()?;
        let config = Config {
            root: Root::Data(args.data),
            listen: args.listen,
            token,
            heartbeat: Duration::from_secs(args.heartbeat_secs),
            self_test: experiments::self_test(),
        };
        let coordinator = Coordinator::start(config).await?;
        // One line on stdout, for scripts that asked for port 0.
        print(&format!("listening on http://{}", coordinator.address()));
        signals.next().await;
        signals.end_at_next();
        tracing::info!("stopping; once more ends at once");
        coordinator.stop().await;
        Ok(ExitCode::SUCCESS)
    })
}

/// Logs to stderr; `RUST_LOG` chooses how much.
pub(crate) fn logging() {
    use std::io::IsTerminal as _;
    let filter = tracing_subscriber::EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("info"));
    let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(colour).init();
}
