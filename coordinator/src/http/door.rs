//! Listening for visitors, by address and by socket, and how many may be in.
//!
//! A visitor that asks for nothing is closed after ten seconds, one that is being answered stays. Places are few, so that
//! a flood takes no open files from workers; when they are taken, the oldest visitor that waits makes room for a new one.
//! Streams of events have places of their own, since each stays for hours.

use std::{
    fs, future,
    io::{self, ErrorKind},
    net::SocketAddr,
    os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    pin::Pin,
    time::Duration,
};

use axum::{Router, extract::connect_info::Connected, middleware, serve::IncomingStream};
use redqueen_wire::breakage::{Part, may_break};
use tokio::net::UnixSocket;
use tokio_stream::{Stream, StreamExt as _};
use tonic::transport::server::Connected as _;

use super::visits::{self, Places, Visitor};
use crate::{
    admission::{Admission, Connection, Pipe},
    arrivals::{self, BACKLOG, arrivals},
};

/// Most visitors that are open and ask for nothing.
const WAITING_MAX: usize = 256;
/// Most visitors that are being answered, those that follow a stream of events among them.
const SERVED_MAX: usize = 256;
/// Most connections of visitors, and so most open files that they take.
pub const VISITORS_MAX: usize = WAITING_MAX + SERVED_MAX;
/// How long a visitor may take nothing of what it is sent.
const WRITE_PATIENCE: Duration = Duration::from_secs(30);
/// How long answers that are on their way are waited for at the end; streams of events have none.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// Only this account may use the socket.
const SOCKET_MODE: u32 = 0o600;

/// Connections of any kind.
pub(super) type Arriving = Pin<Box<dyn Stream<Item = io::Result<Box<dyn Pipe>>> + Send>>;

/// A listening door. The file of its socket is removed when it is dropped.
pub struct Door {
    arriving: Arriving,
    address: Option<SocketAddr>,
    socket: Option<SocketFile>,
}

/// Why a door cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum DoorError {
    /// The address cannot be listened on.
    #[error("cannot listen on `{address}` for HTTP")]
    Address {
        /// The address.
        address: SocketAddr,
        /// The error of the system.
        source: io::Error,
    },
    /// The socket cannot be made.
    #[error("cannot make the socket `{}`", path.display())]
    Socket {
        /// Its path.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// Something else is in its place.
    #[error("`{}` is there and is no socket", path.display())]
    Occupied {
        /// The path.
        path: PathBuf,
    },
    /// Another process listens there.
    #[error("another process listens on the socket `{}`", path.display())]
    InUse {
        /// The path.
        path: PathBuf,
    },
}

impl DoorError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            DoorError::Address { .. } => "choose another --http",
            DoorError::Socket { .. } => {
                "choose another --http-socket, in a directory that exists; the system allows some 100 bytes for its path"
            }
            DoorError::Occupied { .. } | DoorError::InUse { .. } => "choose another --http-socket",
        }
    }
}

impl Door {
    /// Listens on an address, a socket, or both.
    ///
    /// # Errors
    /// One of them cannot be used.
    pub fn open(address: Option<SocketAddr>, socket: Option<&Path>) -> Result<Self, DoorError> {
        let mut arriving: Arriving = Box::pin(tokio_stream::pending());
        let mut bound = None;
        if let Some(address) = address {
            let listener = arrivals::listen(address).map_err(|source| DoorError::Address { address, source })?;
            bound = listener.local_addr().ok();
            arriving = Box::pin(arrivals(listener).map(|arrived| arrived.map(boxed)));
        }
        let file = socket.map(SocketFile::make).transpose()?;
        let socket = file.map(|(listener, file)| {
            let over_socket = arrivals(listener).map(|arrived| arrived.map(boxed));
            let before = std::mem::replace(&mut arriving, Box::pin(tokio_stream::pending()));
            arriving = Box::pin(before.merge(over_socket));
            file
        });
        Ok(Door { arriving, address: bound, socket })
    }

    /// A door at which these connections arrive.
    #[cfg(test)]
    pub(super) fn over(arriving: Arriving) -> Self {
        Door { arriving, address: None, socket: None }
    }

    /// The address that it listens on, if any.
    pub fn address(&self) -> Option<SocketAddr> {
        self.address
    }

    /// The path of its socket, if it has one.
    pub fn socket(&self) -> Option<&Path> {
        self.socket.as_ref().map(|file| file.path.as_path())
    }
}

pub(super) fn boxed(io: impl Pipe) -> Box<dyn Pipe> {
    Box::new(io)
}

/// Serves `router` behind a door until `stopped`, and a second more for answers that are on their way. Streams of events
/// (`text/event-stream`) have places of their own; a viewer without one gets 503 with `Retry-After`.
pub async fn serve_http(door: Door, router: Router, stopped: impl Future<Output = ()> + Send + 'static) {
    let Door { arriving, address: _, socket } = door;
    let admission = Admission::of_visitors(WAITING_MAX, SERVED_MAX, WRITE_PATIENCE);
    let visited = router.layer(middleware::from_fn_with_state(Places::default(), visits::admit));
    let (stop, mut stopping) = tokio::sync::watch::channel(());
    let stopped = async move {
        stopped.await;
        drop(stop);
    };
    let service = visited.into_make_service_with_connect_info::<Visitor>();
    let serving = axum::serve(Visitors { admission, arriving }, service).with_graceful_shutdown(stopped);
    let late = async {
        while stopping.changed().await.is_ok() {}
        tokio::time::sleep(LAST_WORDS).await;
    };
    tokio::select! {
        // It ends only when it is stopped.
        _ = serving.into_future() => {}
        () = late => {}
    }
    drop(socket);
}

/// Connections of visitors, as axum takes them.
struct Visitors {
    admission: Admission,
    arriving: Arriving,
}

impl axum::serve::Listener for Visitors {
    type Io = Connection<Box<dyn Pipe>>;
    type Addr = ();

    async fn accept(&mut self) -> (Self::Io, ()) {
        loop {
            match self.arriving.next().await {
                Some(Ok(io)) => {
                    may_break(Part::Http);
                    self.admission.room().await;
                    return (self.admission.receive(io), ());
                }
                Some(Err(_)) => {}
                // Listeners never end.
                None => future::pending().await,
            }
        }
    }

    fn local_addr(&self) -> io::Result<()> {
        Ok(())
    }
}

impl Connected<IncomingStream<'_, Visitors>> for Visitor {
    fn connect_info(stream: IncomingStream<'_, Visitors>) -> Self {
        Visitor(stream.io().connect_info())
    }
}

/// The file of a socket, removed when it is dropped unless another has taken its place.
struct SocketFile {
    path: PathBuf,
    /// Device and number of the file.
    id: Option<(u64, u64)>,
}

impl SocketFile {
    fn make(path: &Path) -> Result<(tokio::net::UnixListener, Self), DoorError> {
        let of = |source| DoorError::Socket { path: path.to_owned(), source };
        match fs::symlink_metadata(path) {
            Ok(file) if !file.file_type().is_socket() => return Err(DoorError::Occupied { path: path.to_owned() }),
            // One that a killed process has left refuses connections.
            Ok(_) => match std::os::unix::net::UnixStream::connect(path) {
                Err(error) if error.kind() == ErrorKind::ConnectionRefused => fs::remove_file(path).map_err(of)?,
                _ => return Err(DoorError::InUse { path: path.to_owned() }),
            },
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(of(error)),
        }
        let socket = UnixSocket::new_stream().map_err(of)?;
        socket.bind(path).map_err(of)?;
        let file = SocketFile { path: path.to_owned(), id: id(path) };
        // Before it listens nobody can connect, whatever the mask of this process lets others do.
        fs::set_permissions(path, fs::Permissions::from_mode(SOCKET_MODE)).map_err(of)?;
        let listener = socket.listen(BACKLOG).map_err(of)?;
        Ok((listener, file))
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        if self.id.is_some() && self.id == id(&self.path) {
            // What cannot be removed is found and replaced by the next coordinator.
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn id(path: &Path) -> Option<(u64, u64)> {
    fs::symlink_metadata(path).ok().map(|file| (file.dev(), file.ino()))
}
