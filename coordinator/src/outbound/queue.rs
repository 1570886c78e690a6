//! The queue of messages to one worker.
//!
//! The driver must not wait for a worker, so the queue itself has no bound. Its length is bounded all the same, because
//! every message in it answers something: the coordinator stops reading from a session that has too many unread
//! messages or too many unacknowledged results, until there are fewer ([`Outbound::room`]). Large answers are requested
//! one at a time ([`crate::service`]), and each carries its permit.

use std::{
    collections::BTreeMap,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use redqueen_wire::{CoordinatorMessage, coordinator_message::Kind};
use tokio::{
    sync::{Notify, mpsc},
    time::timeout,
};
use tokio_stream::Stream;
use tonic::Status;

use super::permits::Permit;

/// Most unread messages of a session that the coordinator still reads from.
const UNREAD_MAX: usize = 4_096;
/// Most bytes of one session's results that may wait for the disk. A worker stays below: it stops at 65,536
/// unacknowledged rows.
const RESULTS_MAX: usize = 128 << 20;
/// A session that is still above these bounds after this time is ended.
const ROOM_TIMEOUT: Duration = Duration::from_secs(60);

type Message = Result<CoordinatorMessage, Status>;

/// A message, or the error that ends the session.
pub(crate) struct Outgoing {
    pub(crate) message: Message,
    /// The permit of a large answer; dropped after its last byte.
    pub(crate) permit: Option<Permit>,
}

/// The sending end: takes messages for one worker and never waits. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Outbound {
    queue: mpsc::UnboundedSender<Outgoing>,
    unread: Arc<Unread>,
}

/// The receiving end, which [`super::body`] reads.
pub(crate) struct Messages {
    queue: mpsc::UnboundedReceiver<Outgoing>,
    unread: Arc<Unread>,
}

/// What the worker has not read yet.
#[derive(Default)]
struct Unread {
    messages: AtomicUsize,
    results: Mutex<Results>,
    read: Notify,
    /// The last message, an error, was queued: answers are no longer wanted.
    ended: AtomicBool,
}

/// Results that are not acknowledged yet.
#[derive(Default)]
struct Results {
    /// Bytes by the number of the batch.
    batches: BTreeMap<u64, usize>,
    bytes: usize,
}

impl Results {
    fn add(&mut self, batch: u64, bytes: usize) {
        self.bytes += bytes;
        // A number that is used twice is acknowledged twice; the first acknowledgement frees both.
        *self.batches.entry(batch).or_default() += bytes;
    }

    fn remove(&mut self, batch: u64) {
        self.bytes -= self.batches.remove(&batch).unwrap_or(0);
    }
}

/// Makes a queue for one worker.
pub(crate) fn outbound() -> (Outbound, Messages) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let unread = Arc::<Unread>::default();
    (Outbound { queue: sender, unread: Arc::clone(&unread) }, Messages { queue: receiver, unread })
}

impl Outbound {
    /// Queues a message; does nothing if the connection is closed.
    pub(crate) fn send(&self, message: Message) {
        self.push(Outgoing { message, permit: None });
    }

    /// Queues a large answer with its permit.
    pub(crate) fn answer(&self, message: CoordinatorMessage, permit: Permit) {
        self.push(Outgoing { message: Ok(message), permit: Some(permit) });
    }

    fn push(&self, outgoing: Outgoing) {
        self.unread.messages.fetch_add(1, Ordering::AcqRel);
        if outgoing.message.is_err() {
            self.unread.ended.store(true, Ordering::Release);
            self.unread.read.notify_waiters();
        }
        let _ = self.queue.send(outgoing);
    }

    /// Waits until the worker has read enough for the coordinator to read another message from it.
    ///
    /// # Errors
    /// The worker has read too little for [`ROOM_TIMEOUT`].
    pub(crate) async fn room(&self) -> Result<(), Status> {
        let room = self.unread.until(|unread| {
            unread.messages.load(Ordering::Acquire) < UNREAD_MAX && unread.results().bytes < RESULTS_MAX
        });
        timeout(ROOM_TIMEOUT, room)
            .await
            .map_err(|_| Status::resource_exhausted("this worker sends more than it waits to see acknowledged"))
    }

    /// Notes a batch of results that will be acknowledged when it is durable.
    pub(crate) fn expect_ack(&self, batch: u64, bytes: usize) {
        self.unread.results().add(batch, bytes);
    }

    /// Waits until an error that ends the session was queued, or its call is over.
    pub(crate) async fn ended(&self) {
        tokio::select! {
            () = self.unread.until(|unread| unread.ended.load(Ordering::Acquire)) => {}
            () = self.queue.closed() => {}
        }
    }
}

impl Unread {
    fn results(&self) -> MutexGuard<'_, Results> {
        // No code under the lock panics halfway through a change.
        self.results.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn until(&self, reached: impl Fn(&Self) -> bool) {
        loop {
            // Registered before the look, so that a read between the look and the wait is not missed.
            let read = self.read.notified();
            if reached(self) {
                return;
            }
            read.await;
        }
    }
}

impl Stream for Messages {
    type Item = Outgoing;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Outgoing>> {
        let polled = self.queue.poll_recv(cx);
        if let Poll::Ready(Some(outgoing)) = &polled {
            self.unread.messages.fetch_sub(1, Ordering::AcqRel);
            if let Ok(CoordinatorMessage { kind: Some(Kind::Ack(ack)) }) = &outgoing.message {
                self.unread.results().remove(ack.batch);
            }
            self.unread.read.notify_waiters();
        }
        polled
    }
}

#[cfg(test)]
mod tests {
    use redqueen_wire::Ack;
    use tokio_stream::StreamExt as _;

    use super::*;

    fn say(outbound: &Outbound, kind: Kind) {
        outbound.send(Ok(CoordinatorMessage { kind: Some(kind) }));
    }

    /// Whether there is room without waiting.
    async fn has_room(outbound: &Outbound) -> bool {
        timeout(Duration::ZERO, outbound.room()).await.is_ok()
    }

    #[tokio::test(start_paused = true)]
    async fn a_worker_that_reads_nothing_is_not_read_from() {
        let (outbound, mut messages) = outbound();
        for _ in 0..UNREAD_MAX {
            assert!(has_room(&outbound).await);
            say(&outbound, Kind::Ack(Ack { batch: 1 }));
        }
        assert!(!has_room(&outbound).await);
        messages.next().await;
        assert!(has_room(&outbound).await);
        say(&outbound, Kind::Ack(Ack { batch: 1 }));
        // The clock is virtual and advances as soon as nothing else can run.
        assert_eq!(outbound.room().await.expect_err("too long").code(), tonic::Code::ResourceExhausted);
    }

    #[tokio::test(start_paused = true)]
    async fn results_have_a_bound_until_they_are_acknowledged() {
        let (outbound, mut messages) = outbound();
        outbound.expect_ack(1, RESULTS_MAX / 2);
        assert!(has_room(&outbound).await);
        outbound.expect_ack(2, RESULTS_MAX / 2);
        assert!(!has_room(&outbound).await);
        say(&outbound, Kind::Ack(Ack { batch: 9 }));
        messages.next().await;
        assert!(!has_room(&outbound).await, "another batch");
        say(&outbound, Kind::Ack(Ack { batch: 1 }));
        messages.next().await;
        assert!(has_room(&outbound).await);
    }
}
