//! A worker from start to end: connecting, and connecting again.

use std::{
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::Arc,
    time::{Duration, Instant},
};

use redqueen_wire::{self as wire, AddToken, Caller, Credentials, Dial, Line, TlsFault};
use rustls::ClientConfig;
use tonic::service::interceptor::InterceptedService;

use crate::{
    outbox::Outbox,
    queue::Queue,
    session::{self, Client, End, Shared},
    shutdown::Shutdown,
    slot::{Executors, Slots},
};

/// First pause before another attempt.
const PAUSE_MIN: Duration = Duration::from_millis(100);
/// Longest pause.
const PAUSE_MAX: Duration = Duration::from_secs(10);
/// The log says that there is no connection no more often than this.
const COMPLAINT_PAUSE: Duration = Duration::from_secs(60);
/// How long one attempt to connect may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long an idle connection waits before it is asked whether it still lives.
const KEEPALIVE: Duration = Duration::from_secs(10);

/// What a worker needs to know.
#[derive(Clone, Debug)]
pub struct Options {
    /// `http://host:port` of the coordinator, or `https`.
    pub coordinator: String,
    /// The token, where the coordinator wants one; asked for at each connection.
    pub credentials: Credentials,
    /// Certificates, for `https`.
    pub tls: Option<Arc<ClientConfig>>,
    /// For people, and for telling machines apart when results are audited; best unique in the fleet.
    pub name: String,
    /// Identity of this process, drawn at random for each start: it comes back under it after a lost connection.
    pub process: [u8; 16],
    /// Slots: trials that run at a time, each in a process of its own. At least 1.
    pub threads: usize,
    /// How these processes are started.
    pub executors: Executors,
    /// How long running trials may go on and results be delivered after being told to stop.
    pub grace: Duration,
    /// How long the first connection is tried for. Later ones are tried for ever.
    pub patience: Duration,
}

/// Why a worker ended without being told to.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Not a URL.
    #[error(transparent)]
    Url(#[from] wire::BadUrl),
    /// Nobody there.
    #[error("no coordinator answers at `{url}`: {reason}")]
    Unreachable {
        /// Where it was looked for.
        url: String,
        /// What the last attempt said.
        reason: String,
    },
    /// It answers and will not have this worker.
    #[error("the coordinator at `{url}` refuses this worker: {reason}")]
    Refused {
        /// Where it is.
        url: String,
        /// What it said.
        reason: String,
    },
    /// The two sides do not agree about certificates.
    #[error("no secure connection to the coordinator at `{url}`: {fault}")]
    Tls {
        /// Where it was looked for.
        url: String,
        /// What is wrong.
        fault: TlsFault,
    },
    /// No threads.
    #[error("cannot start the threads of slots")]
    Threads(#[source] std::io::Error),
    /// A part of the worker ended although nothing told it to: a fault of ours.
    #[error("this worker cannot go on: {0}; please report this")]
    Broken(String),
    /// Trials cannot be run here.
    #[error("{0}")]
    Slot(String),
}

impl Error {
    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Error::Url(_) => "write `http://HOST:PORT`, or `https://HOST:PORT` and --tls-ca",
            Error::Unreachable { .. } => "start it with `redqueen coordinator`, or raise --patience-secs",
            Error::Refused { .. } => {
                "check --token-file, that both sides are the same build of redqueen, and, where results were wrong, \
                 this machine"
            }
            Error::Tls { fault, .. } => fault.hint(),
            Error::Threads(_) => "ask for fewer --threads",
            Error::Slot(_) => "trials run in processes of their own; raise --memory-mb, if it is given",
            Error::Broken(_) => return None,
        })
    }
}

/// Works for a coordinator until `shutdown` is told, reconnecting whenever the connection is lost.
///
/// # Errors
/// The coordinator was never there, or refuses this worker, or trials cannot be run here.
pub async fn run(options: Options, shutdown: Shutdown) -> Result<(), Error> {
    run_over(options, shutdown, wire::tcp()).await
}

/// [`run`] over another network than TCP: a simulated one, in tests.
///
/// # Errors
/// As [`run`].
pub async fn run_over(options: Options, mut shutdown: Shutdown, dial: Dial) -> Result<(), Error> {
    let caller = Caller::new(&options.coordinator, options.tls.clone(), dial)?;
    let caller = caller.timeout(CONNECT_TIMEOUT).keep_alive(KEEPALIVE);
    let (queue, outbox) = (Arc::<Queue>::default(), Arc::<Outbox>::default());
    let count = options.threads.max(1);
    let mut slots = Slots::start(count, &options.executors, &queue, &outbox).map_err(Error::Threads)?;
    let shared = Shared {
        name: options.name.clone(),
        process: options.process,
        threads: u32::try_from(count).unwrap_or(u32::MAX),
        self_test: experiments::self_test(),
        grace: options.grace,
        queue: Arc::clone(&queue),
        artifacts: crate::artifacts::Cache::default(),
        outbox: Arc::clone(&outbox),
    };
    let result = tokio::select! {
        result = stay(&options, &caller, &shared, &mut shutdown) => result,
        why = slots.failed() => Err(Error::Slot(why)),
    };
    // Trials that outlasted the grace time end here, with their processes.
    queue.close();
    outbox.close();
    let _ = tokio::task::spawn_blocking(|| slots.join()).await;
    result
}

async fn stay(options: &Options, caller: &Caller, shared: &Shared, shutdown: &mut Shutdown) -> Result<(), Error> {
    let begun = Instant::now();
    let (mut joined, mut pause, mut complained) = (false, PAUSE_MIN, None::<Instant>);
    let url = &options.coordinator;
    let mut attempts = 0;
    while !shutdown.is_told() {
        attempts += 1;
        let reason = match attempt(caller, shutdown).await {
            None => return Ok(()),
            Some(Err(error)) => Reason::of(&error, innermost(&error)),
            Some(Ok(line)) => {
                let token = AddToken(options.credentials.get());
                let client =
                    Client::new(InterceptedService::new(line, token)).max_decoding_message_size(wire::MAX_PLAN_BYTES);
                let welcomed = || {
                    complained = None;
                    joined = true;
                    pause = PAUSE_MIN;
                };
                match session::serve(shared, client, shutdown, welcomed).await {
                    End::Left => return Ok(()),
                    End::Refused(status) => {
                        return Err(Error::Refused { url: url.clone(), reason: status.message().to_owned() });
                    }
                    End::Broken(why) => return Err(Error::Broken(why)),
                    End::Lost(status) => Reason::of(&status, status.message().to_owned()),
                }
            }
        };
        let reason = match reason {
            // Whoever never got in gets in no better by trying again. One who worked here before waits: it is the
            // coordinator that came back with other certificates, and perhaps not for long.
            Reason { fault: Some(fault), .. } if !joined => return Err(Error::Tls { url: url.clone(), fault }),
            Reason { fault: Some(fault), .. } => fault.to_string(),
            Reason { text, fault: None } => text,
        };
        if !joined && begun.elapsed() >= options.patience {
            return Err(Error::Unreachable { url: url.clone(), reason });
        }
        if complained.is_none_or(|at| at.elapsed() >= COMPLAINT_PAUSE) {
            complained = Some(Instant::now());
            tracing::warn!("not connected to {url}: {reason}; trying again until it answers");
        }
        tokio::select! {
            () = tokio::time::sleep(jittered(pause, options.process, attempts)) => {}
            () = shutdown.told() => return Ok(()),
        }
        pause = (pause * 2).min(PAUSE_MAX);
    }
    Ok(())
}

/// `None` if told to stop meanwhile.
async fn attempt(caller: &Caller, shutdown: &mut Shutdown) -> Option<Result<Line, tonic::transport::Error>> {
    tokio::select! {
        connected = caller.connect() => Some(connected),
        () = shutdown.told() => None,
    }
}

/// Why there is no connection.
struct Reason {
    text: String,
    fault: Option<TlsFault>,
}

impl Reason {
    fn of(error: &(dyn std::error::Error + 'static), text: String) -> Self {
        Reason { text, fault: TlsFault::find(error) }
    }
}

/// The last cause: tonic's own words say only that there was an error.
fn innermost(error: &dyn std::error::Error) -> String {
    let mut last = error;
    while let Some(cause) = last.source() {
        last = cause;
    }
    last.to_string()
}

/// Between half of `pause` and all of it, so that a fleet does not come back in one moment. Drawn from the identity of
/// the process and the number of the attempt: workers differ, and the same one does the same in a simulation.
fn jittered(pause: Duration, process: [u8; 16], attempt: u64) -> Duration {
    let mut hasher = DefaultHasher::new();
    (process, attempt).hash(&mut hasher);
    pause / 2 + (pause / 2).mul_f64(hasher.finish() as f64 / u64::MAX as f64)
}
