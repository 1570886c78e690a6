//! The door: how many connections there may be, and for how long somebody may stand in it.
//!
//! A connection is a stranger's until a call over it had the right token; [`Pass::admit`] is called then. Strangers
//! cost nothing but a few bytes: there are at most [`STRANGERS_MAX`], and none stays longer than [`STRANGER_TIME`].
//! When another comes, the oldest of those that have said nothing goes, or else the oldest, but not before it has had
//! [`SILENT_TIME`] or [`SPEAKING_TIME`]: until then those who come wait ([`Door::room`]). So any number of connections
//! that say nothing keep out nobody who speaks, and a fleet that comes back at once does not push itself out. Those who
//! were admitted are counted against a limit of their own.
//!
//! What a stranger was told last must reach it: closing a socket with unread bytes in it makes the system throw away
//! what was just sent (RFC 9293, 3.10.7.4), and an alert about a wrong certificate with it. So a connection that the
//! server drops lingers for [`LINGER`], still counted as a stranger's.

use std::{
    collections::BTreeMap,
    io,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf},
    sync::Notify,
    time::{Instant, Sleep, sleep, timeout},
};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tonic::{
    Request, Status,
    transport::server::{Connected, TlsConnectInfo},
};

use crate::metrics::{Metrics, Refusal};

/// Connections without a call that passed.
pub(crate) const STRANGERS_MAX: usize = 1_024;
/// How long a connection has to say anything before another one may take its place.
const SILENT_TIME: Duration = Duration::from_millis(250);
/// How long one that speaks has for its first call, before.
const SPEAKING_TIME: Duration = Duration::from_secs(3);
/// How long a connection may be without a call that passed.
pub(crate) const STRANGER_TIME: Duration = Duration::from_secs(10);
/// How long a dropped stranger may read what it was told.
const LINGER: Duration = Duration::from_secs(1);

/// Counts who is inside. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Door(Arc<Shared>);

struct Shared {
    guests_max: usize,
    metrics: Option<Metrics>,
    inside: Mutex<Inside>,
    /// A stranger went or was admitted.
    fewer: Notify,
}

/// By arrival: since when, and what ends it.
type Strangers = BTreeMap<u64, (Instant, CancellationToken)>;

#[derive(Default)]
struct Inside {
    /// Those that have said nothing yet.
    silent: Strangers,
    /// The others.
    speaking: Strangers,
    guests: usize,
    next: u64,
}

impl Inside {
    fn strangers(&self) -> usize {
        self.silent.len() + self.speaking.len()
    }

    fn forget(&mut self, id: u64) {
        if self.silent.remove(&id).is_none() {
            self.speaking.remove(&id);
        }
    }

    /// Takes out who goes first.
    fn pop_oldest(&mut self) -> Option<CancellationToken> {
        let now = Instant::now();
        let had_its_time =
            |strangers: &Strangers, time| strangers.values().next().is_some_and(|(since, _)| *since + time <= now);
        let speaks = !had_its_time(&self.silent, SILENT_TIME) && had_its_time(&self.speaking, SPEAKING_TIME);
        let popped = if speaks { self.speaking.pop_first() } else { self.silent.pop_first() };
        popped.or_else(|| self.speaking.pop_first()).map(|(_, (_, out))| out)
    }

    /// From when on another one may be received: in the past if there is room.
    fn room_from(&self) -> Option<Instant> {
        let first = |strangers: &Strangers, time| strangers.values().next().map(|(since, _)| *since + time);
        let full = self.strangers() >= STRANGERS_MAX;
        let times = [first(&self.silent, SILENT_TIME), first(&self.speaking, SPEAKING_TIME)];
        times.into_iter().flatten().min().filter(|_| full)
    }
}

impl Door {
    /// Lets at most `guests_max` connections in that were admitted; says whom it turns away.
    pub(crate) fn new(guests_max: usize, metrics: Option<Metrics>) -> Self {
        Door(Arc::new(Shared { guests_max, metrics, inside: Mutex::default(), fewer: Notify::new() }))
    }

    /// Waits until another stranger may be received: there is a place, or the oldest has had its time.
    pub(crate) async fn room(&self) {
        loop {
            let fewer = self.0.fewer.notified();
            let from = self.0.inside().room_from();
            let Some(until) = from.filter(|from| *from > Instant::now()) else { return };
            tokio::select! {
                () = fewer => {}
                () = tokio::time::sleep_until(until) => {}
            }
        }
    }

    /// Takes a connection as a stranger's; the oldest stranger goes if there are too many.
    pub(crate) fn receive<T: Pipe>(&self, io: T) -> Connection<T> {
        let out = CancellationToken::new();
        let mut inside = self.0.inside();
        let id = inside.next;
        inside.next += 1;
        if inside.strangers() >= STRANGERS_MAX
            && let Some(oldest) = inside.pop_oldest()
        {
            oldest.cancel();
            self.0.refused(Refusal::crowded);
        }
        inside.silent.insert(id, (Instant::now(), out.clone()));
        drop(inside);
        let pass = Pass(Arc::new(Entry {
            id,
            door: self.clone(),
            out: out.clone(),
            speaks: AtomicBool::new(false),
            admitted: AtomicBool::new(false),
            written: AtomicU64::new(0),
        }));
        let shown_out = Box::pin(out.cancelled_owned());
        Connection { io: Some(io), pass, shown_out, until: Box::pin(sleep(STRANGER_TIME)) }
    }
}

impl Shared {
    fn refused(&self, reason: Refusal) {
        if let Some(metrics) = &self.metrics {
            metrics.refused(reason);
        }
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        // Nothing in here panics halfway through a change.
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What can be taken for a connection.
pub trait Pipe: AsyncRead + AsyncWrite + Unpin + Send + 'static {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send + 'static> Pipe for T {}

/// A connection's standing, which every call over it can ask for.
#[derive(Clone)]
pub(crate) struct Pass(Arc<Entry>);

struct Entry {
    id: u64,
    door: Door,
    out: CancellationToken,
    speaks: AtomicBool,
    admitted: AtomicBool,
    written: AtomicU64,
}

impl Pass {
    /// That of the connection a call came over.
    pub(crate) fn of<T>(request: &Request<T>) -> Option<Self> {
        let extensions = request.extensions();
        let plain = extensions.get::<Pass>();
        plain.or_else(|| extensions.get::<TlsConnectInfo<Pass>>().map(TlsConnectInfo::get_ref)).cloned()
    }

    /// Bytes the connection took so far.
    pub(crate) fn written(&self) -> u64 {
        self.0.written.load(Ordering::Relaxed)
    }

    /// Closes the connection, whatever goes on over it.
    pub(crate) fn show_out(&self) {
        self.0.out.cancel();
    }

    /// A call over the connection was allowed: it is a stranger's no more.
    ///
    /// # Errors
    /// There are as many admitted connections as there may be.
    pub(crate) fn admit(&self) -> Result<(), Status> {
        if self.is_admitted() {
            return Ok(());
        }
        let shared = &self.0.door.0;
        let mut inside = shared.inside();
        // Two calls at once: the other one was first.
        if self.is_admitted() {
            return Ok(());
        }
        if inside.guests >= shared.guests_max {
            let most = shared.guests_max;
            shared.refused(Refusal::full);
            return Err(Status::resource_exhausted(format!(
                "the coordinator has {most} connections and takes no more (--connections-max)"
            )));
        }
        inside.forget(self.0.id);
        inside.guests += 1;
        shared.fewer.notify_one();
        self.0.admitted.store(true, Ordering::Release);
        Ok(())
    }

    /// Something was read from the connection.
    fn speaks(&self) {
        if !self.0.speaks.swap(true, Ordering::AcqRel) {
            let mut inside = self.0.door.0.inside();
            if let Some(stranger) = inside.silent.remove(&self.0.id) {
                inside.speaking.insert(self.0.id, stranger);
            }
        }
    }

    fn is_admitted(&self) -> bool {
        self.0.admitted.load(Ordering::Acquire)
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        let mut inside = self.door.0.inside();
        if *self.admitted.get_mut() {
            inside.guests -= 1;
        } else {
            inside.forget(self.id);
            self.door.0.fewer.notify_one();
        }
    }
}

/// A connection that ends by itself if nobody admits it.
pub(crate) struct Connection<T: Pipe> {
    /// Taken when dropped.
    io: Option<T>,
    pass: Pass,
    shown_out: Pin<Box<WaitForCancellationFutureOwned>>,
    until: Pin<Box<Sleep>>,
}

impl<T: Pipe> Connection<T> {
    /// The connection, while it may go on. Asked before every read and write, so that whichever the server waits for
    /// is ended.
    fn open(&mut self, cx: &mut Context<'_>) -> io::Result<Pin<&mut T>> {
        let shown_out = self.shown_out.as_mut().poll(cx).is_ready();
        if shown_out || !self.pass.is_admitted() && self.until.as_mut().poll(cx).is_ready() {
            if !shown_out {
                // Once: it is closed with this, and whoever asks again finds it so.
                self.pass.0.door.0.refused(Refusal::silent);
                self.pass.show_out();
            }
            return Err(io::Error::new(io::ErrorKind::TimedOut, "the connection was closed at the door"));
        }
        Ok(Pin::new(self.io.as_mut().expect("only taken when dropped")))
    }
}

impl<T: Pipe> Connection<T> {
    fn count(&self, polled: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if let Poll::Ready(Ok(bytes)) = polled {
            self.pass.0.written.fetch_add(bytes as u64, Ordering::Relaxed);
        }
        polled
    }
}

impl<T: Pipe> Connected for Connection<T> {
    type ConnectInfo = Pass;

    fn connect_info(&self) -> Pass {
        self.pass.clone()
    }
}

impl<T: Pipe> AsyncRead for Connection<T> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let polled = self.open(cx)?.poll_read(cx, buf);
        if buf.filled().len() > before {
            self.pass.speaks();
        }
        polled
    }
}

impl<T: Pipe> AsyncWrite for Connection<T> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let polled = self.open(cx)?.poll_write(cx, buf);
        self.count(polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = self.open(cx)?.poll_write_vectored(cx, bufs);
        self.count(polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.as_ref().is_some_and(T::is_write_vectored)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.open(cx)?.poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.open(cx)?.poll_shutdown(cx)
    }
}

impl<T: Pipe> Drop for Connection<T> {
    fn drop(&mut self) {
        let leaves_by_itself = self.pass.is_admitted() || self.until.deadline() <= Instant::now();
        let (Some(mut io), false) = (self.io.take(), leaves_by_itself) else { return };
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let (pass, shown_out) = (self.pass.clone(), std::mem::replace(&mut self.shown_out, cancelled()));
        runtime.spawn(async move {
            let read_out = async {
                let _ = io.shutdown().await;
                let mut scratch = [0; 1_024];
                while matches!(io.read(&mut scratch).await, Ok(1..)) {}
            };
            tokio::select! {
                _ = timeout(LINGER, read_out) => {}
                () = shown_out => {}
            }
            drop(pass);
        });
    }
}

fn cancelled() -> Pin<Box<WaitForCancellationFutureOwned>> {
    Box::pin(CancellationToken::new().cancelled_owned())
}

#[cfg(test)]
mod tests {
    use tokio::io::duplex;

    use super::*;

    /// What a read of the server's side says, without waiting.
    async fn read(connection: &mut Connection<tokio::io::DuplexStream>) -> Option<io::ErrorKind> {
        let mut byte = [0];
        match timeout(Duration::ZERO, connection.read(&mut byte)).await {
            Ok(Err(error)) => Some(error.kind()),
            _ => None,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_stranger_stays_its_time_and_a_guest_for_ever() {
        let door = Door::new(8, None);
        let ((_a, near), (_b, other)) = (duplex(64), duplex(64));
        let (mut stranger, mut guest) = (door.receive(near), door.receive(other));
        guest.connect_info().admit().expect("room");
        tokio::time::advance(STRANGER_TIME - Duration::from_millis(1)).await;
        assert_eq!(read(&mut stranger).await, None);
        tokio::time::advance(Duration::from_millis(2)).await;
        assert_eq!(read(&mut stranger).await, Some(io::ErrorKind::TimedOut));
        assert_eq!(read(&mut guest).await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn the_oldest_stranger_goes_when_one_comes_too_many() {
        let door = Door::new(8, None);
        let mut far = Vec::new();
        let mut near = Vec::new();
        for _ in 0..STRANGERS_MAX {
            let (a, b) = duplex(64);
            far.push(a);
            near.push(door.receive(b));
        }
        near[0].connect_info().admit().expect("room");
        for _ in 0..2 {
            let (a, b) = duplex(64);
            far.push(a);
            near.push(door.receive(b));
        }
        assert_eq!(read(&mut near[0]).await, None, "admitted");
        assert_eq!(read(&mut near[1]).await, Some(io::ErrorKind::TimedOut), "the oldest stranger");
        assert_eq!(read(&mut near[2]).await, None);
        assert_eq!(door.0.inside().strangers(), STRANGERS_MAX);
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_is_pushed_out_before_it_could_speak() {
        let door = Door::new(8, None);
        let mut kept = Vec::new();
        for _ in 0..STRANGERS_MAX {
            let (far, near) = duplex(64);
            door.room().await;
            kept.push((far, door.receive(near)));
        }
        let begun = Instant::now();
        // One is admitted meanwhile: there is room at once.
        kept[7].1.connect_info().admit().expect("room");
        door.room().await;
        assert_eq!(begun.elapsed(), Duration::ZERO);
        let (_far, near) = duplex(64);
        let _another = door.receive(near);
        door.room().await;
        assert_eq!(begun.elapsed(), SILENT_TIME, "the oldest has had its time");
        let (_last_far, near) = duplex(64);
        let _last = door.receive(near);
        assert_eq!(read(&mut kept[0].1).await, Some(io::ErrorKind::TimedOut));
        assert_eq!(read(&mut kept[1].1).await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn one_that_speaks_is_given_more_time() {
        let door = Door::new(8, None);
        let mut kept = Vec::new();
        for at in 0..STRANGERS_MAX {
            let (mut far, near) = duplex(64);
            let mut connection = door.receive(near);
            if at < 2 {
                far.write_all(b"P").await.expect("taken");
                connection.read_exact(&mut [0]).await.expect("a byte");
            }
            kept.push((far, connection));
        }
        tokio::time::advance(SILENT_TIME).await;
        door.room().await;
        let (_far, near) = duplex(64);
        let _another = door.receive(near);
        assert_eq!(read(&mut kept[2].1).await, Some(io::ErrorKind::TimedOut), "the oldest that said nothing");
        assert_eq!(read(&mut kept[0].1).await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn guests_are_counted_and_their_places_given_again() {
        let door = Door::new(1, None);
        let ((_a, near), (_b, other)) = (duplex(64), duplex(64));
        let (first, second) = (door.receive(near), door.receive(other));
        first.connect_info().admit().expect("room");
        first.connect_info().admit().expect("it is in already");
        let refused = second.connect_info().admit().expect_err("full");
        assert_eq!(refused.code(), tonic::Code::ResourceExhausted);
        drop(first);
        second.connect_info().admit().expect("room again");
    }

    #[tokio::test(start_paused = true)]
    async fn the_last_words_to_a_stranger_arrive() {
        let door = Door::new(1, None);
        let (mut far, near) = duplex(64);
        let mut connection = door.receive(near);
        connection.write_all(b"no").await.expect("written");
        drop(connection);
        assert_eq!(door.0.inside().strangers(), 1, "it lingers, and counts");
        far.write_all(b"more of what nobody reads").await.expect("taken");
        let mut heard = Vec::new();
        far.read_to_end(&mut heard).await.expect("an orderly end");
        assert_eq!(heard, b"no");
        let gone = async {
            while door.0.inside().strangers() > 0 {
                tokio::time::sleep(LINGER / 10).await;
            }
        };
        tokio::time::timeout(LINGER * 2, gone).await.expect("it goes in time");
    }
}
