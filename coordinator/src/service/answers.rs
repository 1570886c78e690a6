//! Big answers: plans of stages and artifacts, a few at a time.
//!
//! A plan may have megabytes, and a fleet that joins asks for it all at once. Each answer is made when it is its turn:
//! one a session, [`AT_ONCE`] in all, so that memory follows what the network takes and not how many ask. Requests that
//! wait are a few bytes each. An answer has its [`Place`](crate::outbound::Place) until its last byte is gone. A session
//! that does not read would keep it for ever; it is told from a slow network by the bytes its connection takes, and as
//! its bytes stand in that connection's buffers, the connection is closed and takes them along.
//!
//! [`AT_ONCE`]: crate::outbound::Places::AT_ONCE

use std::time::Duration;

use tokio::{sync::mpsc, time::timeout};
use tonic::Status;

use crate::{
    admission::Pass,
    driver::{Driver, Input, Wanted},
    metrics::Refusal,
    outbound::{Outbound, Places},
    service::allowance::Allowance,
};

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
pub(crate) struct Answers(Places);

impl Answers {
    pub(crate) fn new() -> Self {
        Answers(Places::new())
    }

    /// Takes requests of a session, until what it gives is dropped.
    pub(crate) fn open(&self, driver: Driver, outbound: Outbound, pass: Option<Pass>) -> Requests {
        let (requests, waiting) = mpsc::channel(WAITING_MAX);
        tokio::spawn(serve(self.0.clone(), driver, outbound, pass, waiting));
        Requests { allowance: Allowance::new(), requests }
    }
}

/// Takes the requests of one session.
pub(crate) struct Requests {
    allowance: Allowance,
    requests: mpsc::Sender<Wanted>,
}

impl Requests {
    /// Takes a request, to be handed to the driver in its turn. Does not wait: heartbeats come behind it.
    ///
    /// # Errors
    /// The session asks for more than any worker needs.
    pub(crate) fn take(&mut self, wanted: Wanted) -> Result<(), Status> {
        self.allowance.take()?;
        let full = "this worker asks for more plans and artifacts than it reads";
        self.requests.try_send(wanted).map_err(|_| Status::resource_exhausted(full))
    }
}

async fn serve(
    places: Places,
    driver: Driver,
    outbound: Outbound,
    pass: Option<Pass>,
    mut waiting: mpsc::Receiver<Wanted>,
) {
    let taken = || pass.as_ref().map_or(u64::MAX, Pass::written);
    while let Some(wanted) = waiting.recv().await {
        let (place, mut vacated) = tokio::select! {
            biased;
            // Given up or gone: others wait for the place.
            () = outbound.ended() => return,
            taken = places.take() => taken,
        };
        driver.send(Input::Wanted { wanted, place }).await;
        let mut before = taken();
        loop {
            let gone = tokio::select! {
                gone = timeout(LOOK, vacated.wait()) => gone,
                () = outbound.ended() => timeout(LAST_WORDS, vacated.wait()).await,
            };
            if gone.is_ok() {
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
