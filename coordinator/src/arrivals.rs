//! Connections as they come in from TCP, whatever the system says meanwhile.

use std::{
    io,
    net::SocketAddr,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    net::{TcpListener, TcpSocket, TcpStream},
    time::{Instant, Sleep, sleep},
};
use tokio_stream::Stream;

/// Connections that may wait to be taken. A short queue makes those who find it full come back a second later, and a
/// fleet that returns at once fills it.
const BACKLOG: u32 = 4_096;
/// Pause after the system refused to give a connection, which it does as long as there are too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// The log names such a refusal no more often than this.
const COMPLAINT_PAUSE: Duration = Duration::from_secs(60);

/// Listens on an address.
pub(crate) fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    listen_told(address, |_| {})
}

/// Listens on an address, which is told to `bound` before anybody can connect.
pub(crate) fn listen_told(address: SocketAddr, bound: impl FnOnce(SocketAddr)) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // A restart must not wait for the connections of the last one to be forgotten.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    bound(socket.local_addr()?);
    socket.listen(BACKLOG)
}

/// The connections of a listener. They never end, whatever the system says.
pub(crate) fn arrivals(listener: TcpListener) -> Arrivals {
    Arrivals { listener, pause: None, complained: None }
}

/// As [`arrivals`] gives them.
pub(crate) struct Arrivals {
    listener: TcpListener,
    pause: Option<Pin<Box<Sleep>>>,
    complained: Option<Instant>,
}

impl Stream for Arrivals {
    type Item = io::Result<TcpStream>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(pause) = &mut self.pause {
                ready!(pause.as_mut().poll(cx));
                self.pause = None;
            }
            match ready!(self.listener.poll_accept(cx)) {
                Ok((stream, _)) => {
                    // Fails on a connection that is gone already, and reading from it will say so.
                    let _ = stream.set_nodelay(true);
                    return Poll::Ready(Some(Ok(stream)));
                }
                Err(error) => {
                    if self.complained.is_none_or(|at| at.elapsed() >= COMPLAINT_PAUSE) {
                        self.complained = Some(Instant::now());
                        tracing::warn!("cannot take a connection: {error}; going on with those there are");
                    }
                    self.pause = Some(Box::pin(sleep(ACCEPT_PAUSE)));
                }
            }
        }
    }
}
