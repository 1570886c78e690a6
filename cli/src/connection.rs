//! Connections to a coordinator.

use std::{
    error::Error,
    io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use clap::Args;
use coordinator::{Registry, Seeker, Token};
use redqueen_wire::{
    self as wire, AddToken, Caller, Line, TlsFault, control_service_client::ControlServiceClient, tcp,
};
use tokio::time::{Instant, sleep};
use tonic::{Code, Response, Status, service::interceptor::InterceptedService};
use worker::{Route, Routes};

use crate::{
    address,
    error::{CliError, EXIT_FAILED},
    tls::ClientTlsArgs,
};

/// Where a coordinator listens by default.
pub(crate) const DEFAULT_ADDRESS: &str = "127.0.0.1:7878";

/// What to do where a token is missing or wrong.
pub(crate) const TOKEN_HINT: &str = "give the coordinator's token file with --token-file; one that was started without \
     keeps it in its data directory (redqueen.token), where it is found by commands of the same account on the same \
     machine";

/// How long to wait for a coordinator to answer.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Pause before a question is asked for the second time; each later one is twice as long.
const PAUSE: Duration = Duration::from_millis(50);

/// Options of every command that calls a coordinator.
#[derive(Args)]
pub(crate) struct CoordinatorArgs {
    /// URL of the coordinator.
    #[arg(long, value_name = "URL", env = "REDQUEEN_COORDINATOR", default_value_t = default_url())]
    coordinator: String,
    /// Address file of the coordinator, or the data directory that it is in (redqueen.address.json), on a file system that
    /// this machine shares with it. It names the address, the certificate and the token, instead of the other options.
    #[arg(long, value_name = "PATH", env = "REDQUEEN_ACCESS")]
    access: Option<PathBuf>,
    /// File with the coordinator's token; not needed for a coordinator of this account on this machine.
    #[arg(long, value_name = "FILE", env = "REDQUEEN_TOKEN_FILE")]
    pub(crate) token_file: Option<PathBuf>,
    #[command(flatten)]
    tls: ClientTlsArgs,
}

fn default_url() -> String {
    format!("http://{DEFAULT_ADDRESS}")
}

pub(crate) type Control = ControlServiceClient<InterceptedService<Line, AddToken>>;

impl CoordinatorArgs {
    /// How a worker reaches the coordinator.
    pub(crate) fn routes(&self) -> Result<Routes, CliError> {
        match &self.access {
            None => Ok(Routes::Fixed(self.route()?)),
            Some(named) => Ok(address::routes(named, self.tls.named()?)),
        }
    }

    /// The way to the URL, with the token from the given file or found anew for each connection.
    fn route(&self) -> Result<Route, CliError> {
        let (url, tls) = (self.coordinator.clone(), self.tls.config(&self.coordinator)?);
        if let Some(file) = &self.token_file {
            let credentials = Some(Token::read(file)?.header()).into();
            return Ok(Route { url, credentials, tls, dial: tcp() });
        }
        let seeker = Seeker::new(Registry::of_account(), &url);
        // A token file that must not be used is an error before any connection.
        seeker.check()?;
        Ok(Route { url, credentials: seeker.credentials(), tls, dial: seeker.dial() })
    }

    /// Connects to the coordinator.
    pub(crate) async fn connect(&self) -> Result<Control, CliError> {
        self.open().await.map_err(|fault| fault.error)
    }

    /// Makes a call that only reads, over a connection of its own. Where the connection is lost before the answer
    /// comes, it asks again for [`TIMEOUT`]: while thousands of workers return at once, a coordinator closes
    /// connections whose turn has not come (`coordinator/src/admission`).
    pub(crate) async fn ask<T>(
        &self,
        call: impl AsyncFn(Control) -> Result<Response<T>, Status>,
    ) -> Result<T, CliError> {
        let until = Instant::now() + TIMEOUT;
        let mut pause = PAUSE;
        loop {
            let answer = async { Ok::<_, Fault>(call(self.open().await?).await?.into_inner()) };
            match answer.await {
                Err(fault) if fault.lost && Instant::now() + pause < until => sleep(pause).await,
                answer => return answer.map_err(|fault| fault.error),
            }
            pause *= 2;
        }
    }

    async fn open(&self) -> Result<Control, Fault> {
        let Some(named) = &self.access else { return open(self.route()?).await };
        first(address::commands(named, self.tls.named()?.as_ref())?).await
    }
}

/// Connects to the coordinator of an address file.
pub(crate) async fn by_file(file: &Path) -> Result<Control, CliError> {
    first(address::commands(file, None)?).await.map_err(|fault| fault.error)
}

/// Connects by the first way that works.
async fn first(routes: Vec<Route>) -> Result<Control, Fault> {
    let mut last = None;
    for route in routes {
        match open(route).await {
            Err(fault) => last = Some(fault),
            opened => return opened,
        }
    }
    Err(last.expect("an address file names an address, or is refused"))
}

async fn open(route: Route) -> Result<Control, Fault> {
    let Route { url, credentials, tls, dial } = route;
    let bad = || {
        CliError::usage(format!("`{url}` is not the URL of a coordinator"))
            .hint("write `http://HOST:PORT`, or `https://HOST:PORT` and --tls-ca")
    };
    let caller = Caller::new(&url, tls, dial).map_err(|_| bad())?.timeout(TIMEOUT);
    let line = caller.connect().await.map_err(|error| {
        if let Some(fault) = TlsFault::find(&error) {
            return tls_fault(&fault).into();
        }
        let mut cause: &dyn Error = &error;
        while let Some(next) = cause.source() {
            cause = next;
        }
        let lost = cause.downcast_ref::<io::Error>().is_none_or(|error| was_lost(error.kind()));
        let error = CliError::usage(format!("no coordinator answers at `{url}`: {cause}"))
            .hint("start one with `redqueen coordinator --data DIR`, or name its URL with --coordinator");
        Fault { error, lost }
    })?;
    let service = InterceptedService::new(line, AddToken(credentials.get()));
    Ok(ControlServiceClient::new(service).max_decoding_message_size(wire::MAX_MESSAGE_BYTES))
}

/// Why a question has no answer.
struct Fault {
    error: CliError,
    /// Whether the connection was lost, so that the next one may do better.
    lost: bool,
}

impl From<CliError> for Fault {
    fn from(error: CliError) -> Self {
        Fault { error, lost: false }
    }
}

impl From<Status> for Fault {
    fn from(status: Status) -> Self {
        // What a coordinator says has no source; what this side finds out about the connection has one.
        let lost = status.source().is_some() && TlsFault::find(&status).is_none();
        Fault { error: status.into(), lost }
    }
}

/// Whether a connection has ended, rather than could not be established.
fn was_lost(kind: io::ErrorKind) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, NotConnected, UnexpectedEof};
    matches!(kind, BrokenPipe | ConnectionAborted | ConnectionReset | NotConnected | UnexpectedEof)
}

impl From<Status> for CliError {
    /// A call that the coordinator refused.
    fn from(status: Status) -> Self {
        // A missing client certificate fails the first call, not the connection.
        if let Some(fault) = TlsFault::find(&status) {
            return tls_fault(&fault);
        }
        match status.code() {
            Code::Unauthenticated => {
                CliError::usage("the coordinator wants a token, and got none or another one").hint(TOKEN_HINT)
            }
            Code::PermissionDenied => CliError::usage(status.message()).hint(
                "give the coordinator's own token with --token-file: the one in its data directory is redqueen.token",
            ),
            Code::NotFound | Code::InvalidArgument | Code::FailedPrecondition => CliError::usage(status.message()),
            _ => CliError::failed(status.message()),
        }
    }
}

fn tls_fault(fault: &TlsFault) -> CliError {
    CliError::usage(format!("no secure connection to the coordinator: {fault}")).hint(fault.hint())
}

/// Refuses a wall clock that the network's protocols cannot express: dates of HTTP and of certificates begin in 1970
/// and have four digits for the year.
fn check_clock(now: SystemTime) -> Result<(), CliError> {
    const YEAR_10000: u64 = 253_402_300_800;
    match now.duration_since(UNIX_EPOCH) {
        Ok(since) if since.as_secs() < YEAR_10000 => Ok(()),
        shown => Err(CliError::failed(format!(
            "the clock of this machine stands {}",
            if shown.is_err() { "before 1970" } else { "after the year 9999" }
        ))
        .hint("set it, by `date` or NTP; results do not depend on it, and certificates and dates of HTTP do")),
    }
}

/// Runs a future to its end on a runtime of two threads.
pub(crate) fn block_on<T>(future: impl Future<Output = Result<T, CliError>>) -> Result<T, CliError> {
    check_clock(SystemTime::now())?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| CliError::chained(EXIT_FAILED, &error))?;
    let result = runtime.block_on(future);
    // Blocking tasks that still run (a trial that outlasted its grace) must not delay the end.
    runtime.shutdown_background();
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_cannot_be_written_is_refused() {
        let at = |secs| UNIX_EPOCH + Duration::from_secs(secs);
        // `date -u -d 9999-12-31T23:59:59Z +%s`
        for time in [at(0), at(1_795_829_709), at(253_402_300_799)] {
            assert!(check_clock(time).is_ok());
        }
        for (time, what) in [(UNIX_EPOCH - Duration::from_nanos(1), "before 1970"), (at(253_402_300_800), "9999")] {
            assert!(check_clock(time).expect_err("refused").message.contains(what));
        }
    }
}
