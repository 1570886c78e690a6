//! Messages on their way to one worker.
//!
//! The driver must not wait for a worker, so the queue itself has no bound. Its length has one all the same, because
//! what is in it answers something: a session with much unread, or with many results that are not acknowledged yet, is
//! not listened to until that is less ([`Outbound::room`]). Big answers are asked for one at a time
//! ([`crate::service`]), and each has its place with it.

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

use super::permits::Place;

/// Messages that may wait to be read before a session is listened to again.
const UNREAD_MAX: usize = 4_096;
/// Bytes of results of one session that may be on their way to the disk. A worker keeps to less: it stops when it has
/// 65,536 rows that are not acknowledged.
const RESULTS_MAX: usize = 128 << 20;
/// A session that is still too far ahead after this is ended.
const ROOM_TIMEOUT: Duration = Duration::from_secs(60);

type Message = Result<CoordinatorMessage, Status>;

/// A message on its way, or the error that ends the session.
pub(crate) struct Outgoing {
    pub(crate) message: Message,
    /// Of a big answer; dropped behind it.
    pub(crate) place: Option<Place>,
}

/// Takes messages for one worker; never waits. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Outbound {
    queue: mpsc::UnboundedSender<Outgoing>,
    unread: Arc<Unread>,
}

/// The other end: what is sent ([`super::body`]).
pub(crate) struct Messages {
    queue: mpsc::UnboundedReceiver<Outgoing>,
    unread: Arc<Unread>,
}

/// What was not read yet.
#[derive(Default)]
struct Unread {
    messages: AtomicUsize,
    results: Mutex<Results>,
    read: Notify,
    /// Its last message, an error, was queued: nobody waits for answers any more.
    ended: AtomicBool,
}

/// Results that were not acknowledged yet.
#[derive(Default)]
struct Results {
    /// By number of their batch.
    batches: BTreeMap<u64, usize>,
    bytes: usize,
}

impl Results {
    fn add(&mut self, batch: u64, bytes: usize) {
        self.bytes += bytes;
        // A number given twice is one that is acknowledged twice; the first time frees both.
        *self.batches.entry(batch).or_default() += bytes;
    }

    fn remove(&mut self, batch: u64) {
        self.bytes -= self.batches.remove(&batch).unwrap_or(0);
    }
}

/// A queue for one worker.
pub(crate) fn outbound() -> (Outbound, Messages) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let unread = Arc::<Unread>::default();
    (Outbound { queue: sender, unread: Arc::clone(&unread) }, Messages { queue: receiver, unread })
}

impl Outbound {
    /// Queues a message; nobody minds if the connection is gone.
    pub(crate) fn send(&self, message: Message) {
        self.push(Outgoing { message, place: None });
    }

    /// Queues a big answer in its place.
    pub(crate) fn answer(&self, message: CoordinatorMessage, place: Place) {
        self.push(Outgoing { message: Ok(message), place: Some(place) });
    }

    fn push(&self, outgoing: Outgoing) {
        self.unread.messages.fetch_add(1, Ordering::AcqRel);
        if outgoing.message.is_err() {
            self.unread.ended.store(true, Ordering::Release);
            self.unread.read.notify_waiters();
        }
        let _ = self.queue.send(outgoing);
    }

    /// Waits until the worker has read enough for another message of it to be taken up.
    ///
    /// # Errors
    /// It reads nothing.
    pub(crate) async fn room(&self) -> Result<(), Status> {
        let room = self.unread.until(|unread| {
            unread.messages.load(Ordering::Acquire) < UNREAD_MAX && unread.results().bytes < RESULTS_MAX
        });
        timeout(ROOM_TIMEOUT, room)
            .await
            .map_err(|_| Status::resource_exhausted("this worker sends more than it waits to see acknowledged"))
    }

    /// A batch of results was taken, to be acknowledged when it is durable.
    pub(crate) fn expect_ack(&self, batch: u64, bytes: usize) {
        self.unread.results().add(batch, bytes);
    }

    /// Waits until the session was told that it has ended, or its call is over.
    pub(crate) async fn ended(&self) {
        tokio::select! {
            () = self.unread.until(|unread| unread.ended.load(Ordering::Acquire)) => {}
            () = self.queue.closed() => {}
        }
    }
}

impl Unread {
    fn results(&self) -> MutexGuard<'_, Results> {
        // Nothing in here panics halfway through a change.
        self.results.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn until(&self, reached: impl Fn(&Self) -> bool) {
        loop {
            // Counts from here on, so that what is read between the look and the wait is not missed.
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
    async fn whoever_reads_nothing_is_not_listened_to() {
        let (outbound, mut messages) = outbound();
        for _ in 0..UNREAD_MAX {
            assert!(has_room(&outbound).await);
            say(&outbound, Kind::Ack(Ack { batch: 1 }));
        }
        assert!(!has_room(&outbound).await);
        messages.next().await;
        assert!(has_room(&outbound).await);
        say(&outbound, Kind::Ack(Ack { batch: 1 }));
        // The clock is virtual, and goes on as soon as nothing else can.
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
