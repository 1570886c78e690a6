//! Messages on their way to one worker.
//!
//! The driver must not wait for a worker, so the queue itself has no bound. Its length has one all the same, because
//! what is in it answers something: a session with much unread is not listened to until it has read
//! ([`Outbound::room`]). Big answers are asked for one at a time ([`super::answers`]), and [`Outbound::big_read`] says
//! when one has left.

use std::{
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
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
/// A session that reads nothing for so long, with so much to read, is ended.
const READ_TIMEOUT: Duration = Duration::from_secs(60);

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
    big: Mutex<Big>,
    read: Notify,
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
        self.queue.send(message)
    }

    /// Waits until the worker has read enough for another message of it to be taken up.
    ///
    /// # Errors
    /// It reads nothing.
    pub(crate) async fn room(&self) -> Result<(), Status> {
        let room = self.unread.until(|unread| unread.messages.load(Ordering::Acquire) < UNREAD_MAX);
        timeout(READ_TIMEOUT, room)
            .await
            .map_err(|_| Status::resource_exhausted("this worker speaks and does not read the answers"))
    }

    /// A big answer is about to be asked for.
    pub(crate) fn expect_big(&self, permit: OwnedSemaphorePermit) {
        *self.unread.big() = Big::Asked(permit);
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
