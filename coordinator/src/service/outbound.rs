//! Messages on their way to one worker.
//!
//! The driver must not wait for a worker, so the queue itself has no bound. Its length has one all the same, because
//! what is in it answers something: a session with much unread, or with many results that are not acknowledged yet, is not
//! listened to until that is less ([`Outbound::room`]). Big answers are asked for one at a time ([`super::answers`]), and [`Outbound::big_read`] says
//! when one has left.

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
    sync::{Notify, OwnedSemaphorePermit, mpsc},
    time::timeout,
};
use tokio_stream::Stream;
use tonic::Status;

/// Messages that may wait to be read before a session is listened to again.
const UNREAD_MAX: usize = 4_096;
/// Bytes of results of one session that may be on their way to the disk. A worker keeps to less: it stops when it has
/// 65,536 rows that are not acknowledged.
const RESULTS_MAX: usize = 128 << 20;
/// A session that is still too far ahead after this is ended.
const ROOM_TIMEOUT: Duration = Duration::from_secs(60);

type Message = Result<CoordinatorMessage, Status>;

/// Takes messages for one worker; never waits. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Outbound {
    queue: mpsc::UnboundedSender<Message>,
    unread: Arc<Unread>,
}

/// The other end: what tonic sends.
pub(crate) struct Messages {
    queue: mpsc::UnboundedReceiver<Message>,
    unread: Arc<Unread>,
}

/// What was not read yet.
#[derive(Default)]
struct Unread {
    messages: AtomicUsize,
    results: Mutex<Results>,
    big: Mutex<Big>,
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

/// The big answer of a session, with its place among those of all sessions.
#[derive(Default)]
enum Big {
    /// There is none.
    #[default]
    None,
    /// The driver was asked for it.
    Asked(OwnedSemaphorePermit),
    /// It was taken to be sent; the next look for a message says that it has left.
    Sending(#[expect(dead_code, reason = "given back when dropped")] OwnedSemaphorePermit),
}

/// A queue for one worker.
pub(crate) fn outbound() -> (Outbound, Messages) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let unread = Arc::<Unread>::default();
    (Outbound { queue: sender, unread: Arc::clone(&unread) }, Messages { queue: receiver, unread })
}

impl Outbound {
    /// Queues a message.
    ///
    /// # Errors
    /// The connection is gone, and the message is given back.
    pub(crate) fn send(&self, message: Message) -> Result<(), mpsc::error::SendError<Message>> {
        self.unread.messages.fetch_add(1, Ordering::AcqRel);
        if message.is_err() {
            self.unread.ended.store(true, Ordering::Release);
            self.unread.read.notify_waiters();
        }
        self.queue.send(message)
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

    /// A big answer is about to be asked for.
    pub(crate) fn expect_big(&self, permit: OwnedSemaphorePermit) {
        *self.unread.big() = Big::Asked(permit);
    }

    /// Waits until the session was told that it has ended.
    pub(crate) async fn ended(&self) {
        self.unread.until(|unread| unread.ended.load(Ordering::Acquire)).await;
    }

    /// Waits until it has left, or the connection has ended.
    pub(crate) async fn big_read(&self) {
        self.unread.until(|unread| matches!(*unread.big(), Big::None)).await;
    }
}

impl Unread {
    fn big(&self) -> MutexGuard<'_, Big> {
        // Only ever replaced as a whole.
        self.big.lock().unwrap_or_else(PoisonError::into_inner)
    }

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
    type Item = Message;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Message>> {
        let polled = self.queue.poll_recv(cx);
        let mut big = self.unread.big();
        // Whoever sends comes back for more when the connection took what there was.
        if let Big::Sending(_) = *big {
            *big = Big::None;
        }
        if let Poll::Ready(Some(message)) = &polled {
            self.unread.messages.fetch_sub(1, Ordering::AcqRel);
            if let Ok(CoordinatorMessage { kind: Some(kind) }) = message {
                if let Kind::Ack(ack) = kind {
                    self.unread.results().remove(ack.batch);
                }
                *big = match (kind, std::mem::take(&mut *big)) {
                    (Kind::Plan(_) | Kind::Artifact(_), Big::Asked(permit)) => Big::Sending(permit),
                    // The answer where there is no such stage any more; small.
                    (Kind::Forget(_), Big::Asked(_)) => Big::None,
                    (_, same) => same,
                };
            }
        }
        drop(big);
        self.unread.read.notify_waiters();
        polled
    }
}

impl Drop for Messages {
    fn drop(&mut self) {
        *self.unread.big() = Big::None;
        self.unread.read.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use redqueen_wire::{Ack, Forget, StagePlan};
    use tokio::sync::Semaphore;
    use tokio_stream::StreamExt as _;

    use super::*;

    fn say(outbound: &Outbound, kind: Kind) {
        outbound.send(Ok(CoordinatorMessage { kind: Some(kind) })).expect("open");
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

    #[tokio::test(start_paused = true)]
    async fn a_big_answer_has_its_place_until_it_has_left() {
        let places = Arc::new(Semaphore::new(1));
        let (outbound, mut messages) = outbound();
        for answer in [Kind::Plan(StagePlan::default()), Kind::Forget(Forget::default())] {
            outbound.expect_big(Arc::clone(&places).try_acquire_owned().expect("free"));
            // A message that was on its way already answers nothing.
            say(&outbound, Kind::Ack(Ack { batch: 1 }));
            messages.next().await;
            assert_eq!(places.available_permits(), 0);
            say(&outbound, answer);
            messages.next().await;
            // Whoever sends looks for more when this one has left.
            let _ = timeout(Duration::ZERO, messages.next()).await;
            assert_eq!(places.available_permits(), 1);
        }
        outbound.expect_big(Arc::clone(&places).try_acquire_owned().expect("free"));
        drop(messages);
        assert_eq!(places.available_permits(), 1, "the connection has ended");
    }
}
