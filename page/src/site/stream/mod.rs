//! What changes while one looks, told to every page by one stream of its own.
//!
//! The stream has no queue: a viewer is told the newest state, as the difference from the one before if it has seen that,
//! and whole otherwise. So a slow reader, one that was away and one that is new are the same case, and what is told is
//! written once for all viewers.

mod hub;
mod state;

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::{
    extract::State,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header::CACHE_CONTROL},
    response::{
        IntoResponse as _, Response,
        sse::{Event, KeepAlive, Sse},
    },
};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

use super::{Site, answer, asked, asked::Asked};
pub(crate) use hub::Hub;
pub(crate) use state::{Topic, versions};

/// How often a silent stream says that it is alive.
const ALIVE: Duration = Duration::from_secs(15);

/// `GET /stream?run=KEY`, or `?runs=1`: a stream of what changes. With `&once=1` the present state alone, as JSON.
pub(crate) async fn follow(State(site): State<Arc<Site>>, asked: Asked, headers: HeaderMap) -> Response {
    let Some(topic) = Topic::of(&asked.query) else {
        return (StatusCode::BAD_REQUEST, "give `runs=1`, `workers=1` or `run=KEY`\n").into_response();
    };
    if asked.query.get("once").is_some() {
        let told = state::State::of(&site, &topic).to_json();
        return answer::text(&asked, StatusCode::OK, "application/json", told.to_string(), "");
    }
    let mut follower = site.hub.follow(&site, &topic);
    let mut seen = asked::text(&headers, "last-event-id").map(str::to_owned);
    let (events, stream) = mpsc::channel::<Result<Event, Infallible>>(1);
    tokio::spawn(async move {
        loop {
            let told = follower.newest();
            if seen.as_deref() != Some(&*told.id) {
                let text = if seen.as_deref() == Some(&*told.after) { &told.difference } else { &told.whole };
                let event = Event::default().event("state").id(&*told.id).data(&**text);
                seen = Some(told.id.to_string());
                if events.send(Ok(event)).await.is_err() {
                    return;
                }
            }
            if told.ended {
                let _ = events.send(Ok(Event::default().event("ended").data(""))).await;
                return;
            }
            tokio::select! {
                () = events.closed() => return,
                more = follower.changed() => if !more { return },
            }
        }
    });
    let mut response =
        Sse::new(ReceiverStream::new(stream)).keep_alive(KeepAlive::new().interval(ALIVE)).into_response();
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    // Proxies must not hold back what is told.
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response
}
