//! The caller's side of a connection: dialling, TLS, and exact causes of failures.
//!
//! TLS is handled here and not in tonic's channel because of alerts. Since TLS 1.3 a server refuses a client
//! certificate after the client believes that it is connected; the channel then reports what it was doing at that
//! moment ("connection closed", "broken pipe") and loses the alert. Here all bytes pass through [`Watched`], which
//! notes the alert, and calls that fail because of it have it as their cause.

use std::{
    future::Future,
    io,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
    time::Duration,
};

use rustls::{ClientConfig, pki_types::ServerName};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};
use tokio_rustls::TlsConnector;
use tonic::{
    body::Body,
    codegen::{Service, StdError, http},
    transport::{Channel, Endpoint, Uri},
};

use crate::tls::TlsFault;

/// What bytes travel over.
pub trait Pipe: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Pipe for T {}

/// A boxed future.
pub type Later<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Opens a connection to a host and port: [`tcp`], or a simulated network in tests.
pub type Dial = Arc<dyn Fn(String, u16) -> Later<io::Result<Box<dyn Pipe>>> + Send + Sync>;

/// Dials over TCP, without delaying small messages.
pub fn tcp() -> Dial {
    Arc::new(|host, port| Box::pin(async move { Ok(Box::new(connect_tcp(&host, port).await?) as Box<dyn Pipe>) }))
}

/// Opens one connection as [`tcp`] does.
///
/// # Errors
/// The connection cannot be established.
pub async fn connect_tcp(host: &str, port: u16) -> io::Result<TcpStream> {
    // In a URL, but not here, a literal IPv6 address is in brackets.
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let stream = TcpStream::connect((host, port)).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// A malformed URL of a coordinator.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not the URL of a coordinator")]
pub struct BadUrl(pub String);

/// How a caller checks the coordinator's certificate.
#[derive(Clone, Debug)]
pub struct Tls {
    /// CAs, and the caller's own certificate.
    pub config: Arc<ClientConfig>,
    /// The name that the certificate must be for; the host of the URL if `None`.
    pub name: Option<ServerName<'static>>,
}

/// Opens connections to a coordinator. Cheap to clone.
#[derive(Clone)]
pub struct Caller {
    endpoint: Endpoint,
    dialling: Dialling,
}

/// What is needed to open one connection.
#[derive(Clone)]
struct Dialling {
    dial: Dial,
    host: String,
    port: u16,
    tls: Option<(TlsConnector, ServerName<'static>)>,
}

impl Caller {
    /// Calls the coordinator at `url`; `https` needs a TLS configuration.
    ///
    /// # Errors
    /// `url` is not `http://HOST:PORT` or `https://HOST:PORT`, or is the latter without a TLS configuration.
    pub fn new(url: &str, tls: Option<Tls>, dial: Dial) -> Result<Self, BadUrl> {
        let bad = || BadUrl(url.to_owned());
        let uri: Uri = url.parse().map_err(|_| bad())?;
        let host = uri.host().ok_or_else(bad)?.to_owned();
        let (tls, default) = match uri.scheme_str() {
            Some("http") => (None, 80),
            Some("https") => {
                let host = host.trim_start_matches('[').trim_end_matches(']');
                let host = ServerName::try_from(host.to_owned()).map_err(|_| bad())?;
                let Tls { config, name } = tls.ok_or_else(bad)?;
                (Some((TlsConnector::from(config), name.unwrap_or(host))), 443)
            }
            _ => return Err(bad()),
        };
        let port = uri.port_u16().unwrap_or(default);
        // `http`, since the channel must not add TLS: the connection that it gets is encrypted already.
        let endpoint = Endpoint::from_shared(format!("http://{host}:{port}")).map_err(|_| bad())?.origin(uri);
        Ok(Caller { endpoint, dialling: Dialling { dial, host, port, tls } })
    }

    /// Limits the time of an attempt to connect.
    #[must_use]
    pub fn timeout(mut self, after: Duration) -> Self {
        self.endpoint = self.endpoint.connect_timeout(after);
        self
    }

    /// Probes a silent connection after this time, and closes it after as long again without an answer.
    #[must_use]
    pub fn keep_alive(mut self, every: Duration) -> Self {
        let endpoint = self.endpoint.http2_keep_alive_interval(every).keep_alive_timeout(every);
        self.endpoint = endpoint.keep_alive_while_idle(true);
        self
    }

    /// Opens a connection.
    ///
    /// # Errors
    /// The connection cannot be established; [`TlsFault::find`] tells whether TLS is the reason.
    pub async fn connect(&self) -> Result<Line, tonic::transport::Error> {
        let seen = Seen::default();
        let connector = Connector { dialling: Some(self.dialling.clone()), seen: seen.clone() };
        Ok(Line { channel: self.endpoint.connect_with_connector(connector).await?, seen })
    }
}

/// Opens a single connection for a channel. By itself a channel would reconnect at once whenever the connection is
/// lost; when to reconnect is for the caller to decide.
struct Connector {
    dialling: Option<Dialling>,
    seen: Seen,
}

impl Service<Uri> for Connector {
    type Response = hyper_util::rt::TokioIo<Watched>;
    type Error = io::Error;
    type Future = Later<io::Result<Self::Response>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Uri) -> Self::Future {
        let (dialling, seen) = (self.dialling.take(), self.seen.clone());
        Box::pin(async move {
            let lost = || io::Error::new(io::ErrorKind::NotConnected, "the connection is lost");
            let Dialling { dial, host, port, tls } = dialling.ok_or_else(lost)?;
            let pipe = dial(host, port).await?;
            let encrypted = tls.is_some();
            let pipe: Box<dyn Pipe> = match tls {
                None => pipe,
                Some((connector, name)) => Box::new(connector.connect(name, pipe).await?),
            };
            Ok(hyper_util::rt::TokioIo::new(Watched { pipe, seen, begun: encrypted }))
        })
    }
}

/// The TLS fault of a connection, if one was seen.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Option<TlsFault>>>);

impl Seen {
    fn note(&self, fault: TlsFault) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(fault);
    }

    fn note_error(&self, error: &io::Error) {
        if let Some(fault) = TlsFault::find(error) {
            self.note(fault);
        }
    }

    fn fault(&self) -> Option<TlsFault> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// A connection whose TLS faults are noted.
struct Watched {
    pipe: Box<dyn Pipe>,
    seen: Seen,
    /// Whether the first bytes were read, or are encrypted.
    begun: bool,
}

/// First bytes of a TLS alert (RFC 8446, section 5.1), with which a TLS server answers an unencrypted call.
const ALERT: [u8; 2] = [0x15, 0x03];

impl AsyncRead for Watched {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let polled = Pin::new(&mut self.pipe).poll_read(cx, buf);
        match &polled {
            Poll::Ready(Err(error)) => self.seen.note_error(error),
            Poll::Ready(Ok(())) if !self.begun => {
                self.begun = true;
                if buf.filled()[before..].starts_with(&ALERT) {
                    self.seen.note(TlsFault::OnlyTls);
                }
            }
            _ => {}
        }
        polled
    }
}

impl Watched {
    /// Reads after a failed write, since the other side may have sent an alert before it closed.
    fn failed(mut self: Pin<&mut Self>, cx: &mut Context<'_>) {
        let mut scratch = [0; 512];
        let _ = self.as_mut().poll_read(cx, &mut ReadBuf::new(&mut scratch));
    }
}

impl AsyncWrite for Watched {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.pipe).poll_write(cx, buf);
        if let Poll::Ready(Err(_)) = &polled {
            self.failed(cx);
        }
        polled
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.pipe).poll_flush(cx);
        if let Poll::Ready(Err(_)) = &polled {
            self.failed(cx);
        }
        polled
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.pipe).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.pipe).poll_write_vectored(cx, bufs);
        if let Poll::Ready(Err(_)) = &polled {
            self.failed(cx);
        }
        polled
    }

    fn is_write_vectored(&self) -> bool {
        self.pipe.is_write_vectored()
    }
}

/// An open connection, for service clients. A call that fails because of TLS has the [`TlsFault`] as its cause.
#[derive(Clone)]
pub struct Line {
    channel: Channel,
    seen: Seen,
}

impl Service<http::Request<Body>> for Line {
    type Response = http::Response<Body>;
    type Error = StdError;
    type Future = Later<Result<Self::Response, StdError>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), StdError>> {
        self.channel.poll_ready(cx).map_err(|error| explain(&self.seen, error))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let (answer, seen) = (self.channel.call(request), self.seen.clone());
        Box::pin(async move { answer.await.map_err(|error| explain(&seen, error)) })
    }
}

fn explain(seen: &Seen, error: tonic::transport::Error) -> StdError {
    seen.fault().map_or_else(|| error.into(), Into::into)
}
