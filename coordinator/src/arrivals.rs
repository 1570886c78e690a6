//! Incoming connections, whatever errors the system reports.

use std::{
    io,
    net::SocketAddr,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    net::{TcpListener, TcpSocket, TcpStream, UnixListener, UnixStream},
    time::{Instant, Sleep, sleep},
};
use tokio_stream::Stream;

/// Connections that may wait to be accepted. A caller that finds the queue full retries a second later, and a fleet
/// that reconnects at once would fill a short one.
pub(crate) const BACKLOG: u32 = 4_096;
/// Pause after a failed accept, which goes on failing as long as too many files are open.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// Least time between two log lines about it.
const COMPLAINT_PAUSE: Duration = Duration::from_secs(60);

/// Listens on an address.
pub(crate) fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    listen_told(address, 0, |_| {})
}

/// Listens on an address, or on the first of `more` further ports if that one is taken; passes it to `bound` before
/// connections are accepted.
pub(crate) fn listen_told(address: SocketAddr, more: u16, bound: impl FnOnce(SocketAddr)) -> io::Result<TcpListener> {
    let bind = |port| {
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        // A restart must not wait until the connections of the last process have timed out.
        socket.set_reuseaddr(true)?;
        socket.bind(SocketAddr::new(address.ip(), port)).map(|()| socket)
    };
    let last = address.port().saturating_add(more);
    let mut port = address.port();
    let socket = loop {
        match bind(port) {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && port < last => port += 1,
            socket => break socket?,
        }
    };
    bound(socket.local_addr()?);
    socket.listen(BACKLOG)
}

/// What connections arrive at.
pub(crate) trait Accept {
    type Io;

    fn poll_accept(&self, cx: &mut Context<'_>) -> Poll<io::Result<Self::Io>>;
}

impl Accept for TcpListener {
    type Io = TcpStream;

    fn poll_accept(&self, cx: &mut Context<'_>) -> Poll<io::Result<TcpStream>> {
        TcpListener::poll_accept(self, cx).map_ok(|(stream, _)| {
            // Fails on a connection that is closed already, as reading from it will show.
            let _ = stream.set_nodelay(true);
            stream
        })
    }
}

impl Accept for UnixListener {
    type Io = UnixStream;

    fn poll_accept(&self, cx: &mut Context<'_>) -> Poll<io::Result<UnixStream>> {
        UnixListener::poll_accept(self, cx).map_ok(|(stream, _)| stream)
    }
}

/// The connections of a listener: a stream that never ends.
pub(crate) fn arrivals<L: Accept + Unpin>(listener: L) -> Arrivals<L> {
    Arrivals { listener, pause: None, complained: None }
}

/// The stream of [`arrivals`].
pub(crate) struct Arrivals<L> {
    listener: L,
    pause: Option<Pin<Box<Sleep>>>,
    complained: Option<Instant>,
}

impl<L: Accept + Unpin> Stream for Arrivals<L> {
    type Item = io::Result<L::Io>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(pause) = &mut self.pause {
                ready!(pause.as_mut().poll(cx));
                self.pause = None;
            }
            match ready!(self.listener.poll_accept(cx)) {
                Ok(io) => return Poll::Ready(Some(Ok(io))),
                Err(error) => {
                    if self.complained.is_none_or(|at| at.elapsed() >= COMPLAINT_PAUSE) {
                        self.complained = Some(Instant::now());
                        tracing::warn!("cannot accept a connection: {error}; going on with the open ones");
                    }
                    self.pause = Some(Box::pin(sleep(ACCEPT_PAUSE)));
                }
            }
        }
    }
}
