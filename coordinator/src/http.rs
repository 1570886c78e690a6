//! `/metrics` for Prometheus and `/health` for supervisors, over HTTP.
//!
//! It has a port of its own, because the other one serves gRPC only and may demand certificates. It reveals names of
//! runs and numbers, no secrets, and takes no commands. Its connections are never authenticated: each is closed after
//! some seconds, so that few are open however many arrive.

use std::{future::Future, io, net::SocketAddr, time::Duration};

use axum::{
    Router, extract::State, http::StatusCode, http::header::CONTENT_TYPE, response::IntoResponse, routing::get,
};
use redqueen_wire::breakage::{Part, may_break};
use tokio::net::{TcpListener, TcpStream};
use tokio_stream::StreamExt as _;

use crate::{
    admission::{Admission, Connection},
    arrivals::{self, Arrivals},
    metrics::Metrics,
};

/// A driver reports four times a second; one that is silent for this long hangs.
const SILENCE_MAX: Duration = Duration::from_secs(10);

/// Serves until `stopped`.
pub(crate) async fn serve(listener: TcpListener, metrics: Metrics, stopped: impl Future<Output = ()> + Send + 'static) {
    let routes = Router::new()
        .route("/metrics", get(show_metrics))
        .route("/health", get(show_health))
        .fallback((StatusCode::NOT_FOUND, "see /metrics and /health\n"))
        .with_state(metrics.clone());
    let Ok(address) = listener.local_addr() else { return };
    let visitors = Visitors { admission: Admission::new(0, None), arrivals: arrivals::arrivals(listener), address };
    // It ends only when it is stopped.
    let _ = axum::serve(visitors, routes).with_graceful_shutdown(stopped).await;
}

async fn show_metrics(State(metrics): State<Metrics>) -> impl IntoResponse {
    ([(CONTENT_TYPE, prometheus_client::encoding::prometheus_text::CONTENT_TYPE)], metrics.text())
}

async fn show_health(State(metrics): State<Metrics>) -> impl IntoResponse {
    let silence = metrics.silence();
    if silence < SILENCE_MAX {
        return (StatusCode::OK, "ok\n".to_owned());
    }
    (StatusCode::SERVICE_UNAVAILABLE, format!("the coordinator has done nothing for {} s\n", silence.as_secs()))
}

/// Connections of the HTTP port.
struct Visitors {
    admission: Admission,
    arrivals: Arrivals,
    address: SocketAddr,
}

impl axum::serve::Listener for Visitors {
    type Io = Connection<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, SocketAddr) {
        loop {
            if let Some(Ok(stream)) = self.arrivals.next().await {
                may_break(Part::Http);
                return (self.admission.receive(stream), self.address);
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.address)
    }
}
