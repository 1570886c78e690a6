//! A connection that closes itself unless a call authenticates it in time.

use std::{
    future::Future as _,
    io,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf},
    time::{Instant, Sleep, sleep, timeout},
};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tonic::transport::server::Connected;

use super::handle::ConnectionHandle;

/// How long a connection may stay unauthenticated.
pub(super) const UNAUTHENTICATED_TIME: Duration = Duration::from_secs(10);
/// How long a dropped unauthenticated connection may still read the last answer.
pub(super) const LINGER: Duration = Duration::from_secs(1);

/// What a connection's bytes travel over.
pub trait Pipe: AsyncRead + AsyncWrite + Unpin + Send + 'static {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send + 'static> Pipe for T {}

/// An open connection.
pub(crate) struct Connection<T: Pipe> {
    /// Taken when dropped.
    io: Option<T>,
    handle: ConnectionHandle,
    closed: Pin<Box<WaitForCancellationFutureOwned>>,
    until: Pin<Box<Sleep>>,
    /// Ends when a write has made no progress for too long, where that is watched here.
    stuck: Option<Pin<Box<Sleep>>>,
}

impl<T: Pipe> Connection<T> {
    pub(super) fn new(io: T, handle: ConnectionHandle) -> Self {
        let closed = Box::pin(handle.closed().cancelled_owned());
        Connection { io: Some(io), handle, closed, until: Box::pin(sleep(UNAUTHENTICATED_TIME)), stuck: None }
    }

    /// The connection, as long as it is open. Called before every read and write, so that whichever of them the server
    /// waits for ends.
    fn open(&mut self, cx: &mut Context<'_>) -> io::Result<Pin<&mut T>> {
        let closed = self.closed.as_mut().poll(cx).is_ready();
        if closed || self.has_had_its_time(cx) {
            if !closed {
                self.handle.time_out();
            }
            return Err(closed_here());
        }
        Ok(Pin::new(self.io.as_mut().expect("only taken when dropped")))
    }

    /// Whether an unauthenticated connection has been open for too long, or a visitor has asked for nothing for too long
    /// since its last answer.
    fn has_had_its_time(&mut self, cx: &mut Context<'_>) -> bool {
        while !self.handle.is_authenticated() && self.until.as_mut().poll(cx).is_ready() {
            let until = self.handle.quiet_since() + UNAUTHENTICATED_TIME;
            if until <= Instant::now() {
                return true;
            }
            self.until.as_mut().reset(until);
        }
        false
    }

    /// Counts what was written, and how long a write has waited.
    fn count(&mut self, cx: &mut Context<'_>, polled: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        match (&polled, self.handle.write_patience()) {
            (Poll::Ready(done), _) => {
                self.stuck = None;
                done.as_ref().iter().for_each(|bytes| self.handle.wrote(**bytes));
            }
            (Poll::Pending, Some(patience)) => {
                let stuck = self.stuck.get_or_insert_with(|| Box::pin(sleep(patience)));
                if stuck.as_mut().poll(cx).is_ready() {
                    return Poll::Ready(Err(closed_here()));
                }
            }
            (Poll::Pending, None) => {}
        }
        polled
    }
}

impl<T: Pipe> Connected for Connection<T> {
    type ConnectInfo = ConnectionHandle;

    fn connect_info(&self) -> ConnectionHandle {
        self.handle.clone()
    }
}

impl<T: Pipe> AsyncRead for Connection<T> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let polled = self.open(cx)?.poll_read(cx, buf);
        if buf.filled().len() > before {
            self.handle.speaks();
        }
        polled
    }
}

impl<T: Pipe> AsyncWrite for Connection<T> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let polled = self.open(cx)?.poll_write(cx, buf);
        self.count(cx, polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = self.open(cx)?.poll_write_vectored(cx, bufs);
        self.count(cx, polled)
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
        let closes_at_once = self.handle.is_authenticated() || self.until.deadline() <= Instant::now();
        let (Some(mut io), false) = (self.io.take(), closes_at_once) else { return };
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let (handle, closed) = (self.handle.clone(), std::mem::replace(&mut self.closed, never()));
        runtime.spawn(async move {
            let read_out = async {
                let _ = io.shutdown().await;
                let mut scratch = [0; 1_024];
                while matches!(io.read(&mut scratch).await, Ok(1..)) {}
            };
            tokio::select! {
                _ = timeout(LINGER, read_out) => {}
                () = closed => {}
            }
            drop(handle);
        });
    }
}

fn closed_here() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "the coordinator closed the connection")
}

/// In place of a future that was moved out of a connection that is being dropped.
fn never() -> Pin<Box<WaitForCancellationFutureOwned>> {
    Box::pin(CancellationToken::new().cancelled_owned())
}
