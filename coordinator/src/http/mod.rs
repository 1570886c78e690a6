//! The HTTP door: `/metrics` for Prometheus, `/health` for supervisors, and pages for people if there are any.
//!
//! It has a port or a socket of its own, because the other port serves gRPC only and may demand certificates. It takes no
//! commands. A visitor has no token here, so connections are few and those that ask for nothing are closed after some
//! seconds ([`door`]); who may see the pages is for the pages to ask.

mod door;
#[cfg(test)]
mod tests;
mod visits;

use std::{fmt, net::SocketAddr, path::PathBuf, time::Duration};

use axum::{
    Router,
    extract::State,
    http::{
        HeaderMap, StatusCode,
        header::{AUTHORIZATION, CONTENT_TYPE, WWW_AUTHENTICATE},
    },
    response::{IntoResponse, Response},
    routing::get,
};

use crate::{access::Token, metrics::Metrics, observe::Observer};
pub use door::{Door, DoorError, VISITORS_MAX, serve_http};

/// A driver reports four times a second; one that is silent for this long hangs.
const SILENCE_MAX: Duration = Duration::from_secs(10);

/// Makes the pages of a coordinator, which are given what they show.
pub type Pages = Box<dyn FnOnce(Observer) -> Router + Send>;

/// What a coordinator serves by HTTP, and where.
#[derive(Default)]
pub struct Http {
    /// The address, if any; port 0 takes a free one.
    pub address: Option<SocketAddr>,
    /// The socket of this machine's file system, if any; only this account may use it.
    pub socket: Option<PathBuf>,
    /// Pages for people. Their paths are any but `/metrics` and `/health`.
    pub pages: Option<Pages>,
    /// Token that `/metrics` asks for (`Authorization: Bearer`), since it shows what the pages show.
    pub view_token: Option<Token>,
}

impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Http { address, socket, pages, view_token } = self;
        f.debug_struct("Http")
            .field("address", address)
            .field("socket", socket)
            .field("pages", &pages.is_some())
            .field("view_token", view_token)
            .finish()
    }
}

/// What the door of a coordinator serves: its metrics and health, and `pages` at all other paths.
pub(crate) fn routes(metrics: Metrics, view_token: Option<&Token>, pages: Option<Router>) -> Router {
    let numbers = Router::new()
        .route("/metrics", get(show_metrics))
        .route("/health", get(show_health))
        .with_state(Numbers { metrics, view_token: view_token.map(Token::hash) });
    match pages {
        Some(pages) => numbers.merge(pages),
        None => numbers.fallback((StatusCode::NOT_FOUND, "see /metrics and /health\n")),
    }
}

#[derive(Clone)]
struct Numbers {
    metrics: Metrics,
    /// The hash of the `authorization` header that the metrics ask for.
    view_token: Option<blake3::Hash>,
}

async fn show_metrics(State(numbers): State<Numbers>, headers: HeaderMap) -> Response {
    if let Some(wanted) = numbers.view_token {
        let sent = headers.get(AUTHORIZATION).map(|value| blake3::hash(value.as_bytes()));
        if sent != Some(wanted) {
            let asks = [(WWW_AUTHENTICATE, "Bearer")];
            return (StatusCode::UNAUTHORIZED, asks, "send the view token: `Authorization: Bearer TOKEN`\n")
                .into_response();
        }
    }
    let format = [(CONTENT_TYPE, prometheus_client::encoding::prometheus_text::CONTENT_TYPE)];
    (format, numbers.metrics.text()).into_response()
}

async fn show_health(State(numbers): State<Numbers>) -> impl IntoResponse {
    let silence = numbers.metrics.silence();
    if silence < SILENCE_MAX {
        return (StatusCode::OK, "ok\n".to_owned());
    }
    (StatusCode::SERVICE_UNAVAILABLE, format!("the coordinator has done nothing for {} s\n", silence.as_secs()))
}
