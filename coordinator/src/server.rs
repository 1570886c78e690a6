//! A coordinator that serves: listener, services, driver and their orderly end.

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

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
    http,
    ids::RunId,
    runs::{Retry, Root, Runs},
    service::{self, CheckToken},
    store,
};

/// How long an idle connection waits before it is asked whether it still lives.
const KEEPALIVE: Duration = Duration::from_secs(10);
/// How long workers may take to deliver what they have when the coordinator stops.
const STOP_GRACE: Duration = Duration::from_secs(5);
/// Streams of one connection: a worker needs one, a command line a few.
const STREAMS_MAX: u32 = 64;

/// What a coordinator needs to know.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where runs are kept.
    pub root: Root,
    /// Where to listen; port 0 takes a free one.
    pub listen: SocketAddr,
    /// Demanded of every call; required on an address that is not loopback.
    pub token: Option<Token>,
    /// Certificates to serve with; in the clear without.
    pub tls: Option<ServerTlsConfig>,
    /// Connections with the token that there may be at once.
    pub connections_max: usize,
    /// Where `/metrics` and `/health` are served; nowhere without. Nothing secret, but anybody may look.
    pub http: Option<SocketAddr>,
    /// Workers speak at least this often; one silent for three of these is given up.
    pub heartbeat: Duration,
    /// Digest a worker's self-test must have.
    pub self_test: [u8; 32],
}

/// Connections unless told otherwise: one a worker process, and some commands.
pub const CONNECTIONS_MAX: usize = 4_096;
/// Heartbeat unless told otherwise: a frozen worker is noticed within 15 seconds.
pub const HEARTBEAT: Duration = Duration::from_secs(5);

/// Why a coordinator cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Open to others without a secret.
    #[error("`{0}` can be reached from other machines, and no token is set")]
    Open(SocketAddr),
    /// The address cannot be listened on.
    #[error("cannot listen on `{address}`")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// The certificates cannot be used.
    #[error("cannot serve with these certificates")]
    Tls(#[source] tonic::transport::Error),
    /// The data directory cannot be used.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// No thread for the store.
    #[error("cannot start the store's thread")]
    Thread(#[source] io::Error),
}

impl StartError {
    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            StartError::Open(_) => Some("give --token-file, or listen on 127.0.0.1 and reach it through an SSH tunnel"),
            StartError::Listen { .. } => Some("choose another --listen"),
            StartError::Tls(_) => Some("check --tls-cert, --tls-key and --tls-client-ca"),
            StartError::Store(error) => error.hint(),
            StartError::Thread(_) => None,
        }
    }
}

/// A part of a coordinator has ended although nothing told it to: a fault of ours. The rest cannot do its work.
#[derive(Debug, thiserror::Error)]
#[error("the coordinator's {part} has ended: {why}; please report this")]
pub struct Broken {
    part: &'static str,
    why: String,
}

impl Broken {
    fn of(part: &'static str, ended: Result<(), JoinError>) -> Self {
        let why = ended.map_or_else(|error| error.to_string(), |()| "it had no reason to".to_owned());
        Broken { part, why }
    }
}

/// A coordinator at work.
pub struct Coordinator {
    address: SocketAddr,
    driver: Driver,
    driver_task: JoinHandle<()>,
    server_task: JoinHandle<Result<(), tonic::transport::Error>>,
    stop_server: oneshot::Sender<()>,
    http_address: Option<SocketAddr>,
    http_task: JoinHandle<()>,
    stop_http: oneshot::Sender<()>,
    runs: Arc<Runs>,
}

impl Coordinator {
    /// Takes up the runs on disk and listens.
    ///
    /// # Errors
    /// The address or the data directory cannot be used.
    pub async fn start(config: Config) -> Result<Self, StartError> {
        Self::start_told(config, |_| {}).await
    }

    /// [`Coordinator::start`]; the address is told to `bound` before anybody can connect.
    ///
    /// # Errors
    /// As [`Coordinator::start`].
    pub async fn start_told(config: Config, bound: impl FnOnce(SocketAddr)) -> Result<Self, StartError> {
        let listen = |source| StartError::Listen { address: config.listen, source };
        if config.token.is_none() && !config.listen.ip().is_loopback() {
            return Err(StartError::Open(config.listen));
        }
        let listener = arrivals::listen_told(config.listen, bound).map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        if config.tls.is_none() && !address.ip().is_loopback() {
            tracing::warn!(
                "without --tls-cert the token and all results travel readable to everyone on the way: \
                 use a network you trust, or certificates (docs/deployment.md)"
            );
        }
        Self::start_over(config, address, arrivals::arrivals(listener)).await
    }

    /// [`Coordinator::start`] over connections that come from elsewhere than a TCP port: a simulated network, in tests.
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
        let listen = |address| move |source| StartError::Listen { address, source };
        let http = config.http.map(|address| arrivals::listen(address).map_err(listen(address))).transpose()?;
        let (driver, driver_task) = Driver::start(config.heartbeat).map_err(StartError::Thread)?;
        let runs = Arc::new(Runs::new(config.root));
        runs.open_all(&driver).await?;

        let check = CheckToken::new(config.token.as_ref(), driver.metrics.clone());
        let work =
            service::Work { driver: driver.clone(), self_test: config.self_test, answers: service::Answers::new() };
        let control = service::Control { driver: driver.clone(), runs: Arc::clone(&runs) };
        let control = ControlServiceServer::new(control).max_decoding_message_size(wire::MAX_MESSAGE_BYTES);
        let (stop_server, stopped) = oneshot::channel::<()>();
        let server = server
            .http2_keepalive_interval(Some(KEEPALIVE))
            .http2_keepalive_timeout(Some(KEEPALIVE))
            .max_concurrent_streams(Some(STREAMS_MAX))
            .add_service(InterceptedService::new(work, check.clone()))
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
        let http_address = http.as_ref().and_then(|listener| listener.local_addr().ok());
        let http_task = match http {
            Some(listener) => tokio::spawn(http::serve(listener, driver.metrics.clone(), stopped)),
            None => tokio::spawn(stopped),
        };
        Ok(Coordinator {
            address,
            driver,
            driver_task,
            server_task,
            stop_server,
            http_address,
            http_task,
            stop_http,
            runs,
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where it serves `/metrics` and `/health`, if it does.
    pub fn http_address(&self) -> Option<SocketAddr> {
        self.http_address
    }

    /// Makes the run of an experiment, or finds it; `source` is kept beside it, and `retry` says what is tried again.
    ///
    /// # Errors
    /// The run's directory cannot be used.
    pub async fn submit(&self, source: String, experiment: Experiment, retry: Retry) -> Result<RunId, store::Error> {
        self.runs.submit(&self.driver, source, experiment, retry).await.map(|(id, _)| id)
    }

    /// Goes on with the only run as that of `longer`, its experiment made longer. It is taken up as it is if it is that
    /// already.
    ///
    /// # Errors
    /// The run's directory cannot be used, or `longer` is another experiment.
    pub async fn extend(&self, source: String, longer: Experiment, retry: Retry) -> Result<RunId, store::Error> {
        self.runs.extend(&self.driver, None, source, longer, retry).await
    }

    /// The present status of a run, and of every change of it. `None` once the coordinator has stopped.
    pub fn watch(&self, run: RunId) -> Watch {
        Watch { run, reports: self.driver.reports.clone() }
    }

    /// Goes on with a paused run.
    pub async fn resume(&self, run: RunId) {
        self.driver.command(Message::Input(crate::core::Input::Resume(run))).await;
    }

    /// Waits until a part that the others rely on has ended; the process is to end then, and say so.
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
                // Somebody does not leave. What is committed is committed; the rest is run again.
                driver_task.abort();
                Ok(())
            }
        };
        drop(self.driver);
        let _ = self.stop_server.send(());
        let _ = self.stop_http.send(());
        // Streams still open would hold the server up for ever.
        let _ = tokio::time::timeout(Duration::from_secs(1), self.server_task).await;
        driven.map_err(|error| Broken::of("driver", Err(error)))
    }
}

/// Follows one run.
pub struct Watch {
    run: RunId,
    reports: tokio::sync::watch::Receiver<crate::reports::Reports>,
}

impl Watch {
    /// The status now.
    pub fn now(&mut self) -> Option<wire::RunStatus> {
        let reports = self.reports.borrow_and_update();
        reports.iter().find(|report| report.view.run == self.run).map(service::status)
    }

    /// Waits until something was published; false once the coordinator has stopped.
    pub async fn changed(&mut self) -> bool {
        self.reports.changed().await.is_ok()
    }
}
