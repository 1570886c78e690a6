//! A running coordinator: listener, services, driver, and their orderly end.

use std::{
    io,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use experiments::Experiment;
use redqueen_wire::{
    self as wire,
    breakage::{Part, may_break},
    control_service_server::ControlServiceServer,
};
use tokio::{
    sync::oneshot,
    task::{JoinError, JoinHandle},
};
use tokio_stream::{Stream, StreamExt as _};
use tonic::{
    service::interceptor::InterceptedService,
    transport::{Server, ServerTlsConfig},
};

use crate::{
    access::Token,
    admission::{Admission, Pipe},
    arrivals,
    driver::{Driver, Message},
    http::{self, Door, DoorError, Http, serve_http},
    ids::RunId,
    observe::Observer,
    runs::{Retry, Root, Runs},
    service::{self, CheckToken},
    store,
};

/// Time after which an idle connection is probed.
const KEEPALIVE: Duration = Duration::from_secs(10);
/// How long workers may take to deliver their results when the coordinator stops.
const STOP_GRACE: Duration = Duration::from_secs(5);
/// Most streams of one connection: a worker needs one, the command line a few.
const STREAMS_MAX: u32 = 64;

/// Settings of a coordinator.
#[derive(Debug)]
pub struct Config {
    /// Where runs are kept.
    pub root: Root,
    /// Where to listen; port 0 takes a free one.
    pub listen: SocketAddr,
    /// How many further ports are tried, one after the other, where one is taken.
    pub more_ports: u16,
    /// Token that every call must carry; required on an address that is not loopback.
    pub token: Option<Token>,
    /// Another token, with which workers may work and do nothing else. Without `token` it is not asked for.
    pub worker_token: Option<Token>,
    /// Certificates; without them, connections are not encrypted.
    pub tls: Option<ServerTlsConfig>,
    /// Most authenticated connections at once.
    pub connections_max: usize,
    /// What is served by HTTP and where, if anywhere.
    pub http: Option<Http>,
    /// Heartbeat of workers; one that is silent for three of these is dismissed.
    pub heartbeat: Duration,
    /// Digest that the self-test of a worker must have.
    pub self_test: [u8; 32],
}

/// Default of [`Config::connections_max`]: one for each worker process, and some for commands.
pub const CONNECTIONS_MAX: usize = 4_096;
/// Default of [`Config::heartbeat`]: a frozen worker is noticed within 15 seconds.
pub const HEARTBEAT: Duration = Duration::from_secs(5);

/// Why a coordinator cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address can be reached by others, without a token.
    #[error("`{0}` can be reached from other machines, and no token is set")]
    Open(SocketAddr),
    /// The address cannot be listened on.
    #[error("cannot listen on `{address}`")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The error of the system.
        source: io::Error,
    },
    /// The HTTP door cannot be opened.
    #[error(transparent)]
    Door(#[from] DoorError),
    /// The certificates cannot be used.
    #[error("cannot serve with these certificates")]
    Tls(#[source] tonic::transport::Error),
    /// The data directory cannot be used.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// The system gave no thread for the store.
    #[error("cannot start the store's thread")]
    Thread(#[source] io::Error),
}

impl StartError {
    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            StartError::Open(_) => {
                Some("leave out --no-token, or listen on 127.0.0.1 and reach it through an SSH tunnel")
            }
            StartError::Listen { .. } => Some("choose another --listen"),
            StartError::Door(error) => Some(error.hint()),
            StartError::Tls(_) => Some("check --tls-cert, --tls-key and --tls-client-ca"),
            StartError::Store(error) => error.hint(),
            StartError::Thread(_) => None,
        }
    }
}

/// A part of the coordinator has ended although it was not stopped: a bug. The others cannot work without it.
#[derive(Debug, thiserror::Error)]
#[error("the coordinator's {part} has ended: {why}; please report this")]
pub struct Broken {
    part: &'static str,
    why: String,
}

impl Broken {
    fn of(part: &'static str, ended: Result<(), JoinError>) -> Self {
        let why = ended.map_or_else(|error| error.to_string(), |()| "for no known reason".to_owned());
        Broken { part, why }
    }
}

/// A running coordinator.
pub struct Coordinator {
    address: SocketAddr,
    driver: Driver,
    driver_task: JoinHandle<()>,
    server_task: JoinHandle<Result<(), tonic::transport::Error>>,
    stop_server: oneshot::Sender<()>,
    http_address: Option<SocketAddr>,
    http_socket: Option<PathBuf>,
    http_task: JoinHandle<()>,
    stop_http: oneshot::Sender<()>,
    runs: Arc<Runs>,
}

impl Coordinator {
    /// Opens the runs on disk and listens.
    ///
    /// # Errors
    /// The address or the data directory cannot be used.
    pub async fn start(config: Config) -> Result<Self, StartError> {
        Self::start_told(config, |_| {}).await
    }

    /// [`Coordinator::start`]; passes the address to `bound` before connections are accepted.
    ///
    /// # Errors
    /// As [`Coordinator::start`].
    pub async fn start_told(config: Config, bound: impl FnOnce(SocketAddr)) -> Result<Self, StartError> {
        let listen = |source| StartError::Listen { address: config.listen, source };
        if config.token.is_none() && !config.listen.ip().is_loopback() {
            return Err(StartError::Open(config.listen));
        }
        let listener = arrivals::listen_told(config.listen, config.more_ports, bound).map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        if config.tls.is_none() && !address.ip().is_loopback() {
            tracing::warn!(
                "without --tls-cert the token and all results are sent unencrypted: use a network you trust, or certificates \
                 (docs/deployment.md)"
            );
        }
        Self::start_over(config, address, arrivals::arrivals(listener)).await
    }

    /// [`Coordinator::start`] over connections of another kind than TCP: a simulated network, in tests.
    ///
    /// # Errors
    /// The data directory cannot be used.
    pub async fn start_over<T: Pipe>(
        config: Config,
        address: SocketAddr,
        arrivals: impl Stream<Item = io::Result<T>> + Send + 'static,
    ) -> Result<Self, StartError> {
        let mut server = Server::builder();
        if let Some(tls) = config.tls {
            server = server.tls_config(tls).map_err(StartError::Tls)?;
        }
        let open = |http: Http| Ok::<_, DoorError>((Door::open(http.address, http.socket.as_deref())?, http));
        let http = config.http.map(open).transpose()?;
        let (driver, driver_task) = Driver::start(config.heartbeat).map_err(StartError::Thread)?;
        let runs = Arc::new(Runs::new(config.root));
        runs.open_all(&driver).await?;

        let (token, workers) = (config.token.as_ref(), config.worker_token.as_ref());
        let check = CheckToken::of_commands(token, workers, driver.metrics.clone());
        let work =
            service::Work { driver: driver.clone(), self_test: config.self_test, answers: service::Answers::new() };
        let control = service::Control { driver: driver.clone(), runs: Arc::clone(&runs) };
        let control = ControlServiceServer::new(control).max_decoding_message_size(wire::MAX_SUBMISSION_BYTES);
        let (stop_server, stopped) = oneshot::channel::<()>();
        let server = server
            .http2_keepalive_interval(Some(KEEPALIVE))
            .http2_keepalive_timeout(Some(KEEPALIVE))
            .max_concurrent_streams(Some(STREAMS_MAX))
            .add_service(InterceptedService::new(work, check.of_work()))
            .add_service(InterceptedService::new(control, check));
        let admission = Admission::new(config.connections_max, Some(driver.metrics.clone()));
        let incoming = arrivals.then(move |arrived| {
            may_break(Part::Server);
            let admission = admission.clone();
            async move {
                admission.room().await;
                arrived.map(|io| admission.receive(io))
            }
        });
        let server_task = tokio::spawn(server.serve_with_incoming_shutdown(incoming, async {
            let _ = stopped.await;
        }));
        let (stop_http, http_stopped) = oneshot::channel::<()>();
        let stopped = async {
            let _ = http_stopped.await;
        };
        let http_address = http.as_ref().and_then(|(door, _)| door.address());
        let http_socket = http.as_ref().and_then(|(door, _)| door.socket().map(Path::to_owned));
        let http_task = match http {
            Some((door, Http { pages, view_token, .. })) => {
                let pages = pages.map(|pages| pages(Observer::start(&driver, config.heartbeat)));
                tokio::spawn(serve_http(
                    door,
                    http::routes(driver.metrics.clone(), view_token.as_ref(), pages),
                    stopped,
                ))
            }
            None => tokio::spawn(stopped),
        };
        Ok(Coordinator {
            address,
            driver,
            driver_task,
            server_task,
            stop_server,
            http_address,
            http_socket,
            http_task,
            stop_http,
            runs,
        })
    }

    /// The address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address of the HTTP door, if it has one.
    pub fn http_address(&self) -> Option<SocketAddr> {
        self.http_address
    }

    /// The path of the HTTP door's socket, if it has one.
    pub fn http_socket(&self) -> Option<&Path> {
        self.http_socket.as_deref()
    }

    /// Finds or makes the run of an experiment; `source` is kept with it, and `retry` says what is retried.
    ///
    /// # Errors
    /// The run's directory cannot be used.
    pub async fn submit(&self, source: String, experiment: Experiment, retry: Retry) -> Result<RunId, store::Error> {
        self.runs.submit(&self.driver, source, experiment, retry).await.map(|(id, _)| id)
    }

    /// Extends the only run to that of `longer`; opens it as it is if it is extended already.
    ///
    /// # Errors
    /// The run's directory cannot be used, or `longer` is another experiment.
    pub async fn extend(&self, source: String, longer: Experiment, retry: Retry) -> Result<RunId, store::Error> {
        self.runs.extend(&self.driver, None, source, longer, retry).await
    }

    /// Watches the status of a run.
    pub fn watch(&self, run: RunId) -> Watch {
        Watch { run, reports: self.driver.reports.clone() }
    }

    /// Goes on with a paused run.
    pub async fn resume(&self, run: RunId) {
        self.driver.command(Message::Input(crate::core::Input::Resume(run))).await;
    }

    /// Waits until a part that the others rely on has ended; the process should then end and say so.
    pub async fn broken(&mut self) -> Broken {
        tokio::select! {
            ended = &mut self.driver_task => Broken::of("driver", ended),
            ended = &mut self.server_task => match ended {
                Ok(Err(error)) => Broken { part: "server", why: error.to_string() },
                ended => Broken::of("server", ended.map(drop)),
            },
            ended = &mut self.http_task => Broken::of("HTTP server", ended),
        }
    }

    /// Stops leasing, lets workers deliver for a few seconds, makes everything durable, ends.
    ///
    /// # Errors
    /// The driver panicked meanwhile.
    pub async fn stop(self) -> Result<(), Broken> {
        self.driver.command(Message::Stop).await;
        let mut driver_task = self.driver_task;
        let driven = match tokio::time::timeout(STOP_GRACE, &mut driver_task).await {
            Ok(driven) => driven,
            Err(_) => {
                // A worker does not leave. What is committed is kept; the rest runs again.
                driver_task.abort();
                Ok(())
            }
        };
        drop(self.driver);
        let _ = self.stop_server.send(());
        let _ = self.stop_http.send(());
        // Open streams would keep the server running for ever.
        let _ = tokio::time::timeout(Duration::from_secs(1), self.server_task).await;
        driven.map_err(|error| Broken::of("driver", Err(error)))
    }
}

/// Watches one run.
pub struct Watch {
    run: RunId,
    reports: tokio::sync::watch::Receiver<crate::reports::Reports>,
}

impl Watch {
    /// The present status; `None` once the coordinator has stopped.
    pub fn now(&mut self) -> Option<wire::RunStatus> {
        let reports = self.reports.borrow_and_update();
        reports.iter().find(|report| report.view.run == self.run).map(service::status)
    }

    /// Waits for the next published status; false once the coordinator has stopped.
    pub async fn changed(&mut self) -> bool {
        self.reports.changed().await.is_ok()
    }
}
