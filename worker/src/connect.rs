//! A worker from start to end: connecting, and connecting again.

use std::{sync::Arc, time::Duration, time::Instant};

use redqueen_wire::{self as wire, AddToken};
use tonic::{
    metadata::{Ascii, MetadataValue},
    service::interceptor::InterceptedService,
    transport::{Channel, Endpoint},
};

use crate::{
    outbox::Outbox,
    queue::Queue,
    session::{self, Client, End, Shared},
    shutdown::Shutdown,
    slot::Slots,
};

/// First pause before another attempt.
const PAUSE_MIN: Duration = Duration::from_millis(100);
/// Longest pause.
const PAUSE_MAX: Duration = Duration::from_secs(10);
/// How long one attempt to connect may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long an idle connection waits before it is asked whether it still lives.
const KEEPALIVE: Duration = Duration::from_secs(10);

/// What a worker needs to know.
#[derive(Clone, Debug)]
pub struct Options {
    /// `http://host:port` of the coordinator.
    pub coordinator: String,
    /// Value of the `authorization` header, where the coordinator wants one.
    pub authorization: Option<MetadataValue<Ascii>>,
    /// Unique in the fleet.
    pub name: String,
    /// Slots: trials that run at a time, each in a process of its own. At least 1.
    pub threads: usize,
    /// Bytes of memory that each of these processes may have; unlimited if not given.
    pub memory_bytes: Option<u64>,
    /// How long running trials may go on and results be delivered after being told to stop.
    pub grace: Duration,
    /// How long the first connection is tried for. Later ones are tried for ever.
    pub patience: Duration,
}

/// Why a worker ended without being told to.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Not a URL.
    #[error("`{0}` is not the URL of a coordinator")]
    Url(String),
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
    /// No threads.
    #[error("cannot start the threads of slots")]
    Threads(#[source] std::io::Error),
    /// Trials cannot be run here.
    #[error("{0}")]
    Slot(String),
}

/// Works for a coordinator until `shutdown` is told, reconnecting whenever the connection is lost.
///
/// # Errors
/// The coordinator was never there, or refuses this worker, or trials cannot be run here.
pub async fn run(options: Options, mut shutdown: Shutdown) -> Result<(), Error> {
    let endpoint = endpoint(&options.coordinator)?;
    let (queue, outbox) = (Arc::<Queue>::default(), Arc::<Outbox>::default());
    let count = options.threads.max(1);
    let mut slots = Slots::start(count, options.memory_bytes, &queue, &outbox).map_err(Error::Threads)?;
    let shared = Shared {
        name: options.name.clone(),
        threads: u32::try_from(count).unwrap_or(u32::MAX),
        self_test: experiments::self_test(),
        grace: options.grace,
        queue: Arc::clone(&queue),
        artifacts: crate::artifacts::Cache::default(),
        outbox: Arc::clone(&outbox),
    };
    let result = tokio::select! {
        result = stay(&options, &endpoint, &shared, &mut shutdown) => result,
        why = slots.failed() => Err(Error::Slot(why)),
    };
    // Trials that outlasted the grace time end here, with their processes.
    queue.close();
    outbox.close();
    let _ = tokio::task::spawn_blocking(|| slots.join()).await;
    result
}

fn endpoint(url: &str) -> Result<Endpoint, Error> {
    let bad = || Error::Url(url.to_owned());
    if !url.starts_with("http://") && !url.starts_with("https://") {
        return Err(bad());
    }
    let endpoint = Endpoint::from_shared(url.to_owned()).map_err(|_| bad())?;
    Ok(endpoint
        .connect_timeout(CONNECT_TIMEOUT)
        .http2_keep_alive_interval(KEEPALIVE)
        .keep_alive_timeout(KEEPALIVE)
        .keep_alive_while_idle(true)
        .tcp_nodelay(true))
}

async fn stay(options: &Options, endpoint: &Endpoint, shared: &Shared, shutdown: &mut Shutdown) -> Result<(), Error> {
    let begun = Instant::now();
    let (mut joined, mut pause) = (false, PAUSE_MIN);
    let url = &options.coordinator;
    while !shutdown.is_told() {
        let reason = match attempt(endpoint, shutdown).await {
            None => return Ok(()),
            Some(Err(reason)) => reason,
            Some(Ok(channel)) => {
                let token = AddToken(options.authorization.clone());
                let client = Client::new(InterceptedService::new(channel, token))
                    .max_decoding_message_size(wire::MAX_PLAN_BYTES);
                let welcomed = || {
                    joined = true;
                    pause = PAUSE_MIN;
                };
                match session::serve(shared, client, shutdown, welcomed).await {
                    End::Left => return Ok(()),
                    End::Refused(status) => {
                        return Err(Error::Refused { url: url.clone(), reason: status.message().to_owned() });
                    }
                    End::Lost(status) => status.message().to_owned(),
                }
            }
        };
        if !joined && begun.elapsed() >= options.patience {
            return Err(Error::Unreachable { url: url.clone(), reason });
        }
        tracing::warn!("not connected: {reason}; trying again in {:.1} s", pause.as_secs_f64());
        tokio::select! {
            () = tokio::time::sleep(jittered(pause)) => {}
            () = shutdown.told() => return Ok(()),
        }
        pause = (pause * 2).min(PAUSE_MAX);
    }
    Ok(())
}

/// `None` if told to stop meanwhile.
async fn attempt(endpoint: &Endpoint, shutdown: &mut Shutdown) -> Option<Result<Channel, String>> {
    tokio::select! {
        connected = endpoint.connect() => Some(connected.map_err(|error| innermost(&error))),
        () = shutdown.told() => None,
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

/// Between half of `pause` and all of it, so that a fleet does not come back in one moment.
fn jittered(pause: Duration) -> Duration {
    pause.mul_f64(0.5 + 0.5 * rand::random::<f64>())
}
