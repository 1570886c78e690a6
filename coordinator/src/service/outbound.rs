//! Messages on their way to one worker.
//!
//! The driver must not wait for a worker, so the queue itself has no bound. Its length has one all the same, because
//! everything in it answers something: a session that has much unread is not listened to until it has read
//! ([`Unread::room`]), so what it asks for stays on its side of the connection. Answers that are big (a stage's plan,
//! an artifact) are counted when they are asked for, and few may be on their way.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
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

/// Messages that may wait to be read before a session is listened to again.
const UNREAD_MAX: usize = 4_096;
/// Big answers that may wait to be read.
const BIG_MAX: usize = 8;
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

/// How much of it was not read yet.
#[derive(Default)]
pub(crate) struct Unread {
    messages: AtomicUsize,
    big: AtomicUsize,
    read: Notify,
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

    /// Waits until the worker has read enough for another request of it to be taken up.
    ///
    /// # Errors
    /// It reads nothing.
    pub(crate) async fn room(&self) -> Result<(), Status> {
        self.unread.below(&self.unread.messages, UNREAD_MAX).await
    }

    /// As [`Outbound::room`], for a request with a big answer, which is counted as on its way.
    ///
    /// # Errors
    /// It reads nothing.
    pub(crate) async fn room_for_big(&self) -> Result<(), Status> {
        self.unread.below(&self.unread.big, BIG_MAX).await?;
        self.unread.big.fetch_add(1, Ordering::AcqRel);
        Ok(())
    }
}

impl Unread {
    async fn below(&self, count: &AtomicUsize, most: usize) -> Result<(), Status> {
        let wait = async {
            loop {
                // Registered before the look, so that a message read in between is not missed.
                let read = self.read.notified();
                if count.load(Ordering::Acquire) < most {
                    return;
                }
                read.await;
            }
        };
        timeout(READ_TIMEOUT, wait)
            .await
            .map_err(|_| Status::resource_exhausted("this worker asks and does not read the answers"))
    }
}

impl Stream for Messages {
    type Item = Message;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Message>> {
        let polled = self.queue.poll_recv(cx);
        if let Poll::Ready(Some(message)) = &polled {
            self.unread.messages.fetch_sub(1, Ordering::AcqRel);
            // Forget answers a request for what is not there any more; it comes unasked, too, and then counts for nothing.
            let answers = matches!(
                message,
                Ok(CoordinatorMessage { kind: Some(Kind::Plan(_) | Kind::Artifact(_) | Kind::Forget(_)) })
            );
            if answers {
                let less = |big: usize| big.checked_sub(1);
                let _ = self.unread.big.fetch_update(Ordering::AcqRel, Ordering::Acquire, less);
            }
            self.unread.read.notify_waiters();
        }
        polled
    }
}
