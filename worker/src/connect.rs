//! A worker from start to end: connecting, and reconnecting.

use std::{
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::Arc,
    time::{Duration, Instant},
};

use redqueen_wire::{self as wire, AddToken, Caller, Line, TlsFault};
use tonic::service::interceptor::InterceptedService;

use crate::{
    outbox::Outbox,
    place::Place,
    queue::Queue,
    routes::{Rota, Route, Routes, Unknown},
    session::{self, Client, End, Shared},
    shutdown::{Shutdown, Stop},
    slot::{Executors, Loss, SlotError, Slots},
};

/// First pause before another attempt to connect; doubles with each further one.
const PAUSE_MIN: Duration = Duration::from_millis(100);
/// Longest such pause.
const PAUSE_MAX: Duration = Duration::from_secs(10);
/// Least time between two log lines about a missing connection.
const COMPLAINT_PAUSE: Duration = Duration::from_secs(60);
/// How long one attempt to connect may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Time after which an idle connection is probed.
const KEEPALIVE: Duration = Duration::from_secs(10);

/// A worker leaves so long before its job ends, beside the grace time of what runs.
const BEFORE_END: Duration = Duration::from_secs(5);

/// Settings of a worker.
#[derive(Clone, Debug)]
pub struct Options {
    /// How the coordinator is reached.
    pub routes: Routes,
    /// Where the worker runs, and until when.
    pub place: Place,
    /// Name for people, and to tell machines apart when results are audited; should be unique in the fleet.
    pub name: String,
    /// Identity of this process, drawn at random at each start; kept when it reconnects.
    pub process: [u8; 16],
    /// Slots: trials that run at the same time, each in a process of its own; at least 1.
    pub threads: usize,
    /// How those processes are started.
    pub executors: Executors,
    /// How long trials may run on and results be delivered after the worker was told to stop.
    pub grace: Duration,
    /// How long to try the first connection.
    pub patience: Duration,
    /// How long to try later ones; for ever if `None`.
    pub lost: Option<Duration>,
    /// How long to stay without a trial that runs or waits; for ever if `None`.
    pub idle: Option<Duration>,
}

/// Why a worker ended although it was not told to stop.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The coordinator's URL is malformed.
    #[error(transparent)]
    Url(#[from] wire::BadUrl),
    /// No coordinator answers.
    #[error("no coordinator answers at `{url}`: {reason}")]
    Unreachable {
        /// The URL that was tried.
        url: String,
        /// Why the last attempt failed.
        reason: String,
    },
    /// The coordinator answered once, and has not for too long.
    #[error("the coordinator at `{url}` has not answered for {} s: {reason}", after.as_secs())]
    Lost {
        /// Its URL.
        url: String,
        /// For how long.
        after: Duration,
        /// Why the last attempt failed.
        reason: String,
    },
    /// The coordinator refuses this worker.
    #[error("the coordinator at `{url}` refuses this worker: {reason}")]
    Refused {
        /// Its URL.
        url: String,
        /// Its reason.
        reason: String,
    },
    /// TLS cannot be established.
    #[error("no secure connection to the coordinator at `{url}`: {fault}")]
    Tls {
        /// The URL that was tried.
        url: String,
        /// What is wrong.
        fault: TlsFault,
    },
    /// The system gave no threads.
    #[error("cannot start the threads of slots")]
    Threads(#[source] std::io::Error),
    /// The thread of the heartbeats ended: a bug of the worker.
    #[error("the thread of this worker's heartbeats has ended; please report this")]
    HeartbeatsEnded,
    /// Trials cannot be run here.
    #[error(transparent)]
    Slot(#[from] SlotError),
}

impl Error {
    /// What a person can do about it, if anything is known.
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Error::Url(_) => "write `http://HOST:PORT`, or `https://HOST:PORT` and --tls-ca",
            Error::Unreachable { .. } => "start it with `redqueen coordinator`, or raise --patience-secs",
            Error::Refused { .. } => {
                "check --token-file, that both sides are the same build of redqueen and, if its results were wrong, \
                 this machine"
            }
            Error::Tls { fault, .. } => fault.hint(),
            Error::Lost { .. } => "start it again, and then the workers; or raise --lost-secs",
            Error::Threads(_) => "reduce --threads",
            Error::Slot(SlotError::Losses(Loss::Silent { .. })) => {
                "preparing a stage may take as long as a trial: raise trial-timeout-secs, or leave this machine less other work"
            }
            Error::Slot(SlotError::Losses(_)) => {
                "trials run in processes of their own; raise --memory-mb, if it is given"
            }
            Error::HeartbeatsEnded | Error::Slot(_) => return None,
        })
    }
}

/// Works for a coordinator until `shutdown`, or until the coordinator or its job says that it ends; reconnects whenever the
/// connection is lost.
///
/// # Errors
/// The coordinator never answered or refuses this worker, or trials cannot be run here.
pub async fn run(options: Options, mut shutdown: Shutdown) -> Result<(), Error> {
    if let Routes::Fixed(route) = &options.routes {
        caller(route)?;
    }
    let leaves = options.place.ends.map(|ends| before(ends, options.grace + BEFORE_END));
    let (queue, outbox) = (Arc::<Queue>::default(), Arc::<Outbox>::default());
    let count = options.threads.max(1);
    let mut slots = Slots::start(count, &options.executors, &queue, &outbox).map_err(Error::Threads)?;
    let shared = Shared {
        name: options.name.clone(),
        process: options.process,
        threads: u32::try_from(count).unwrap_or(u32::MAX),
        self_test: experiments::self_test(),
        grace: options.grace,
        place: options.place.clone(),
        leaves,
        queue: Arc::clone(&queue),
        artifacts: crate::artifacts::Cache::default(),
        outbox: Arc::clone(&outbox),
    };
    // The worker leaves when it is told to, and when there is nothing to do.
    let (stop, mut leave) = Stop::channel();
    let workless = async {
        match options.idle {
            Some(after) => queue.workless(after).await,
            None => std::future::pending().await,
        }
    };
    let job_ends = async {
        match leaves {
            Some(at) => tokio::time::sleep_until(at.into()).await,
            None => std::future::pending().await,
        }
    };
    let told = async {
        tokio::select! {
            () = shutdown.requested() => {}
            () = job_ends => tracing::info!("leaving: the job ends soon"),
            () = workless => tracing::info!("leaving: no work for --idle-secs"),
        }
        stop.stop();
        std::future::pending::<()>().await;
    };
    let result = tokio::select! {
        result = stay(&options, &shared, &mut leave) => result,
        error = slots.failed() => Err(error.into()),
        () = told => Ok(()),
    };
    // Trials that outlasted the grace time end here, with their processes.
    queue.close();
    outbox.close();
    let _ = tokio::task::spawn_blocking(|| slots.join()).await;
    result
}

async fn stay(options: &Options, shared: &Shared, shutdown: &mut Shutdown) -> Result<(), Error> {
    let begun = Instant::now();
    let (mut joined, mut pause, mut complained) = (false, PAUSE_MIN, None::<Instant>);
    let mut connected = begun;
    let mut rota = Rota::new(&options.routes);
    let mut attempts = 0;
    // What went wrong with each way of this round.
    let mut failures: Vec<String> = Vec::new();
    while !shutdown.is_requested() {
        attempts += 1;
        let (url, reason) = match rota.next().await {
            Err(Unknown::Finished) => {
                tracing::info!("leaving: every run has ended");
                return Ok(());
            }
            Err(Unknown::ForNow(text)) => (options.routes.place().to_owned(), Reason { text, fault: None }),
            Ok(route) => {
                let mut was_welcomed = false;
                let welcomed = || {
                    was_welcomed = true;
                    complained = None;
                    joined = true;
                    pause = PAUSE_MIN;
                };
                let reason = match attempt(&route, shared, shutdown, welcomed).await {
                    Attempt::Left => return Ok(()),
                    Attempt::Ended(error) => return Err(error),
                    Attempt::Failed(reason) => reason,
                };
                if was_welcomed {
                    connected = Instant::now();
                    rota.worked(route.url.clone());
                }
                (route.url, reason)
            }
        };
        let reason = match reason {
            // A worker that was never accepted will not be by trying again. One that was waits: the coordinator has
            // come back with other certificates, perhaps not for long; and so does one that looks its ways up.
            Reason { fault: Some(fault), .. } if !joined && matches!(options.routes, Routes::Fixed(_)) => {
                return Err(Error::Tls { url, fault });
            }
            Reason { fault: Some(fault), .. } => fault.to_string(),
            Reason { text, fault: None } => text,
        };
        failures.push(format!("{url}: {reason}"));
        if rota.has_more() {
            continue;
        }
        let failed = std::mem::take(&mut failures).join("; ");
        if !joined && begun.elapsed() >= options.patience {
            return Err(Error::Unreachable { url, reason });
        }
        if let Some(after) = options.lost.filter(|after| joined && connected.elapsed() >= *after) {
            return Err(Error::Lost { url, after, reason });
        }
        if complained.is_none_or(|at| at.elapsed() >= COMPLAINT_PAUSE) {
            complained = Some(Instant::now());
            tracing::warn!("not connected to {failed}; trying again until it answers");
        }
        tokio::select! {
            () = tokio::time::sleep(jittered(pause, options.process, attempts)) => {}
            () = shutdown.requested() => return Ok(()),
        }
        pause = (pause * 2).min(PAUSE_MAX);
    }
    Ok(())
}

/// How an attempt to work for the coordinator ended.
enum Attempt {
    /// The worker was told to stop.
    Left,
    /// Trying again would not help.
    Ended(Error),
    /// Trying again may help.
    Failed(Reason),
}

/// Connects by a way and works for as long as the connection lasts. `welcomed` is called when the coordinator has accepted
/// this worker.
async fn attempt(route: &Route, shared: &Shared, shutdown: &mut Shutdown, welcomed: impl FnOnce()) -> Attempt {
    let url = &route.url;
    let caller = match caller(route) {
        Ok(caller) => caller,
        Err(error) => return Attempt::Failed(Reason { text: error.to_string(), fault: None }),
    };
    let line = match connect(&caller, shutdown).await {
        None => return Attempt::Left,
        Some(Err(error)) => return Attempt::Failed(Reason::of(&error, innermost(&error))),
        Some(Ok(line)) => line,
    };
    let token = AddToken(route.credentials.get());
    let client = Client::new(InterceptedService::new(line, token)).max_decoding_message_size(wire::MAX_PLAN_BYTES);
    match session::serve(shared, client, shutdown, welcomed).await {
        End::Left => Attempt::Left,
        End::Refused(status) => {
            Attempt::Ended(Error::Refused { url: url.clone(), reason: status.message().to_owned() })
        }
        End::HeartbeatsEnded => Attempt::Ended(Error::HeartbeatsEnded),
        End::Lost(status) => Attempt::Failed(Reason::of(&status, status.message().to_owned())),
    }
}

fn caller(route: &Route) -> Result<Caller, wire::BadUrl> {
    let caller = Caller::new(&route.url, route.tls.clone(), route.dial.clone())?;
    Ok(caller.timeout(CONNECT_TIMEOUT).keep_alive(KEEPALIVE))
}

/// `time` before `at`, or now if that is past.
fn before(at: Instant, time: Duration) -> Instant {
    at.checked_sub(time).unwrap_or(at).max(Instant::now())
}

/// Connects; `None` if the worker was told to stop meanwhile.
async fn connect(caller: &Caller, shutdown: &mut Shutdown) -> Option<Result<Line, tonic::transport::Error>> {
    tokio::select! {
        connected = caller.connect() => Some(connected),
        () = shutdown.requested() => None,
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

/// The innermost cause, since tonic itself says only that there was an error.
fn innermost(error: &dyn std::error::Error) -> String {
    let mut last = error;
    while let Some(cause) = last.source() {
        last = cause;
    }
    last.to_string()
}

/// Between half of `pause` and all of it, so that a fleet does not come back at one moment. Derived from the identity
/// of the process and the number of the attempt, so that workers differ and a simulation can be repeated.
fn jittered(pause: Duration, process: [u8; 16], attempt: u64) -> Duration {
    let mut hasher = DefaultHasher::new();
    (process, attempt).hash(&mut hasher);
    pause / 2 + (pause / 2).mul_f64(hasher.finish() as f64 / u64::MAX as f64)
}
