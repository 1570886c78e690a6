//! Requests of visitors: each holds its connection's place until its answer is written, and streams of events one of
//! their own.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    body::{Body, Bytes, HttpBody},
    extract::{ConnectInfo, Request, State},
    http::{
        StatusCode,
        header::{CONTENT_TYPE, RETRY_AFTER},
    },
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use http_body::{Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::admission::{ConnectionHandle, Serving};

/// Most streams of events at once.
const STREAMS_MAX: usize = 64;
/// How long a request may take until its answer begins, what a visitor sends behind its head included.
const ANSWER_MAX: Duration = Duration::from_secs(60);
/// When a visitor may come again that found no place, in seconds.
const COME_AGAIN: &str = "5";

/// The connection that a request came over.
#[derive(Clone)]
pub(super) struct Visitor(pub(super) ConnectionHandle);

/// Places of streams of events.
#[derive(Clone)]
pub(super) struct Places(Arc<Semaphore>);

impl Default for Places {
    fn default() -> Self {
        Places(Arc::new(Semaphore::new(STREAMS_MAX)))
    }
}

/// Answers a request if there is a place for it.
pub(super) async fn admit(
    ConnectInfo(visitor): ConnectInfo<Visitor>,
    State(places): State<Places>,
    request: Request,
    next: Next,
) -> Response {
    let Some(serving) = visitor.0.serve() else {
        return come_again("too many requests are being answered; try again in some seconds\n");
    };
    let Ok(response) = tokio::time::timeout(ANSWER_MAX, next.run(request)).await else {
        return come_again("this took too long to ask or to answer; try again in some seconds\n");
    };
    let stream = if is_stream(&response) {
        let Ok(place) = places.0.try_acquire_owned() else {
            return come_again("as many streams are open as there may be; ask for pages from time to time instead\n");
        };
        Some(place)
    } else {
        None
    };
    response.map(|body| Body::new(Held { body, _serving: serving, _stream: stream }))
}

fn come_again(why: &'static str) -> Response {
    (StatusCode::SERVICE_UNAVAILABLE, [(RETRY_AFTER, COME_AGAIN)], why).into_response()
}

fn is_stream(response: &Response) -> bool {
    let kind = response.headers().get(CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"))
}

/// The body of an answer, and the places that it holds until it is dropped.
struct Held {
    body: Body,
    _serving: Serving,
    _stream: Option<OwnedSemaphorePermit>,
}

impl HttpBody for Held {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
