//! Big answers: plans of stages and artifacts, a few at a time.
//!
//! A plan may have megabytes, and a fleet that joins asks for it all at once. Each answer is made when it is its turn:
//! one a session, [`AT_ONCE`] in all, so that memory follows what the network takes and not how many ask. Requests
//! that wait are a few bytes each. A session that does not read its answer would keep its place for ever; it is told
//! from a slow network by the bytes its connection takes.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::{Semaphore, mpsc},
    time::timeout,
};
use tonic::Status;

use crate::{
    door::Pass,
    driver::{Driver, Input},
    metrics::Refusal,
    service::{allowance::Allowance, outbound::Outbound},
};

/// Big answers on their way, of all sessions.
const AT_ONCE: usize = 8;
/// Requests of one session that may wait: more than any stage has artifacts.
const WAITING_MAX: usize = 256;
/// How often a slow answer is looked at.
const LOOK: Duration = Duration::from_secs(3);
/// How long a session that was given up may still take its answer.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// Bytes a connection must take between two looks; keep-alive alone is less.
const SLOWEST: u64 = 4_096;

/// Gives the turns. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Answers(Arc<Semaphore>);

impl Answers {
    pub(crate) fn new() -> Self {
        Answers(Arc::new(Semaphore::new(AT_ONCE)))
    }

    /// Takes requests of a session, until what it gives is dropped.
    pub(crate) fn open(&self, driver: Driver, outbound: Outbound, pass: Option<Pass>) -> Requests {
        let (requests, waiting) = mpsc::channel(WAITING_MAX);
        tokio::spawn(serve(Arc::clone(&self.0), driver, outbound, pass, waiting));
        Requests { allowance: Allowance::new(), requests }
    }
}

/// Takes the requests of one session.
pub(crate) struct Requests {
    allowance: Allowance,
    requests: mpsc::Sender<Input>,
}

impl Requests {
    /// Takes a request, to be handed to the driver in its turn. Does not wait: heartbeats come behind it.
    ///
    /// # Errors
    /// The session asks for more than any worker needs.
    pub(crate) fn take(&mut self, request: Input) -> Result<(), Status> {
        self.allowance.take()?;
        let full = "this worker asks for more plans and artifacts than it reads";
        self.requests.try_send(request).map_err(|_| Status::resource_exhausted(full))
    }
}

async fn serve(
    places: Arc<Semaphore>,
    driver: Driver,
    outbound: Outbound,
    pass: Option<Pass>,
    mut waiting: mpsc::Receiver<Input>,
) {
    let taken = || pass.as_ref().map_or(u64::MAX, Pass::written);
    while let Some(request) = waiting.recv().await {
        let place = tokio::select! {
            place = Arc::clone(&places).acquire_owned() => place,
            // Given up: others wait for the place.
            () = outbound.ended() => return,
        };
        let Ok(place) = place else { return };
        outbound.expect_big(place);
        driver.send(request).await;
        let mut before = taken();
        loop {
            let read = tokio::select! {
                read = timeout(LOOK, outbound.big_read()) => read,
                () = outbound.ended() => timeout(LAST_WORDS, outbound.big_read()).await,
            };
            if read.is_ok() {
                break;
            }
            let now = taken();
            if now.saturating_sub(before) < SLOWEST {
                if let Some(pass) = &pass {
                    driver.metrics.refused(Refusal::flood);
                    tracing::warn!("a worker does not read what it asked for; its connection is closed");
                    pass.show_out();
                }
                return;
            }
            before = now;
        }
    }
}
