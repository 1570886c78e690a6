//! Large answers: plans of stages and artifacts, a few at a time.
//!
//! A plan may have megabytes, and a fleet that joins requests it all at once. Each answer is made when its turn comes,
//! one a session and [`AT_ONCE`] in all, so that memory follows what the network takes and not how many sessions ask;
//! a waiting request is a few bytes. An answer holds its [`Permit`](crate::outbound::Permit) until its last byte is
//! gone. A session that does not read would keep its permit for ever. Unlike a slow network, its connection takes no
//! bytes; it is closed, which frees the bytes in its buffers.
//!
//! [`AT_ONCE`]: crate::outbound::Permits::AT_ONCE

use std::time::Duration;

use tokio::{sync::mpsc, time::timeout};
use tonic::Status;

use crate::{
    admission::ConnectionHandle,
    driver::{Driver, Message, Wanted},
    metrics::Refusal,
    outbound::{Outbound, Permits},
    service::allowance::Allowance,
};

/// Most waiting requests of one session: more than any stage has artifacts.
const WAITING_MAX: usize = 256;
/// How often the progress of a slow answer is checked.
const LOOK: Duration = Duration::from_secs(3);
/// How long a session that has ended may still take its answer.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// Least bytes that a connection must take between two checks; keep-alive alone is less.
const SLOWEST: u64 = 4_096;

/// Answers the requests of all sessions, in turn. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Answers(Permits);

impl Answers {
    pub(crate) fn new() -> Self {
        Answers(Permits::new())
    }

    /// Starts to answer a session; ends when the returned [`Requests`] is dropped.
    pub(crate) fn open(&self, driver: Driver, outbound: Outbound, connection: Option<ConnectionHandle>) -> Requests {
        let (requests, waiting) = mpsc::channel(WAITING_MAX);
        tokio::spawn(serve(self.0.clone(), driver, outbound, connection, waiting));
        Requests { allowance: Allowance::new(), requests }
    }
}

/// The requests of one session.
pub(crate) struct Requests {
    allowance: Allowance,
    requests: mpsc::Sender<Wanted>,
}

impl Requests {
    /// Queues a request for the driver. Does not wait, because heartbeats follow on the same stream.
    ///
    /// # Errors
    /// The session requests more than any worker needs.
    pub(crate) fn take(&mut self, wanted: Wanted) -> Result<(), Status> {
        self.allowance.take()?;
        let full = "this worker asks for more plans and artifacts than it reads";
        self.requests.try_send(wanted).map_err(|_| Status::resource_exhausted(full))
    }
}

async fn serve(
    permits: Permits,
    driver: Driver,
    outbound: Outbound,
    connection: Option<ConnectionHandle>,
    mut waiting: mpsc::Receiver<Wanted>,
) {
    let taken = || connection.as_ref().map_or(u64::MAX, ConnectionHandle::written);
    while let Some(wanted) = waiting.recv().await {
        let (permit, mut returned) = tokio::select! {
            biased;
            // The session has ended; others wait for the permit.
            () = outbound.ended() => return,
            taken = permits.take() => taken,
        };
        driver.send(Message::Wanted { wanted, permit }).await;
        let mut before = taken();
        loop {
            let gone = tokio::select! {
                gone = timeout(LOOK, returned.wait()) => gone,
                () = outbound.ended() => timeout(LAST_WORDS, returned.wait()).await,
            };
            if gone.is_ok() {
                break;
            }
            let now = taken();
            if now.saturating_sub(before) < SLOWEST {
                if let Some(connection) = &connection {
                    driver.metrics.refused(Refusal::flood);
                    tracing::warn!("a worker does not read what it asked for; its connection is closed");
                    connection.close();
                }
                return;
            }
            before = now;
        }
    }
}
