//! The door over pipes in memory, in virtual time: a sleep ends when nothing else can run.

use std::{convert::Infallible, fs, future, os::unix::fs::PermissionsExt as _, time::Duration};

use axum::{
    Router,
    body::{Body, Bytes},
    http::header::CONTENT_TYPE,
    routing::{get, post},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex},
    sync::{mpsc, watch},
    time::{Instant, sleep, timeout},
};
use tokio_stream::{StreamExt as _, wrappers::UnboundedReceiverStream};

use super::*;
use crate::reports::Reports;

/// Shorter than any pause of the code under test.
const REST: Duration = Duration::from_millis(1);
/// As docs/deployment.md says.
const QUIET_MAX: Duration = Duration::from_secs(10);
/// As docs/deployment.md says.
const STREAMS: usize = 64;

/// A door with a page, a stream of events and an answer without end.
struct House(mpsc::UnboundedSender<DuplexStream>);

impl House {
    fn open() -> Self {
        let (arrive, arrivals) = mpsc::unbounded_channel::<DuplexStream>();
        let arriving = UnboundedReceiverStream::new(arrivals).map(|io| Ok(door::boxed(io)));
        let events = || async {
            let ticks = tokio_stream::iter(0u64..).then(|tick| async move {
                sleep(Duration::from_secs(15)).await;
                Ok::<_, Infallible>(Bytes::from(format!("data: {tick}\n\n")))
            });
            ([(CONTENT_TYPE, "text/event-stream")], Body::from_stream(ticks))
        };
        let flood = || async {
            let parts =
                tokio_stream::iter(std::iter::repeat_with(|| Ok::<_, Infallible>(Bytes::from(vec![b'x'; 4_096]))));
            Body::from_stream(parts)
        };
        let router = Router::new()
            .route("/page", get(|| async { "a page" }))
            .route("/form", post(|form: Bytes| async move { format!("{} bytes", form.len()) }))
            .route("/events", get(events))
            .route("/flood", get(flood));
        tokio::spawn(serve_http(Door::over(Box::pin(arriving)), router, future::pending()));
        House(arrive)
    }

    fn visit(&self) -> DuplexStream {
        let (near, far) = duplex(4_096);
        self.0.send(far).expect("the door is open");
        near
    }

    /// A visitor that asks for a path; what it is answered.
    async fn ask(&self, path: &str) -> (DuplexStream, String) {
        let mut visitor = self.visit();
        let answer = ask(&mut visitor, path).await;
        (visitor, answer)
    }
}

/// The head of an answer and what came with it.
async fn ask(visitor: &mut DuplexStream, path: &str) -> String {
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    visitor.write_all(request.as_bytes()).await.expect("sent");
    let mut heard = [0; 4_096];
    let count = visitor.read(&mut heard).await.expect("an answer");
    String::from_utf8_lossy(&heard[..count]).into_owned()
}

/// Whether a visitor finds that it was closed, without waiting.
async fn is_closed(visitor: &mut DuplexStream) -> bool {
    let mut byte = [0];
    timeout(Duration::ZERO, visitor.read(&mut byte)).await.is_ok_and(|read| matches!(read, Ok(0) | Err(_)))
}

#[tokio::test(start_paused = true)]
async fn a_visitor_that_asks_nothing_is_closed_and_one_that_asks_goes_on() {
    let house = House::open();
    let (begun, mut silent) = (Instant::now(), house.visit());
    let mut heard = Vec::new();
    silent.read_to_end(&mut heard).await.expect("an orderly end");
    assert!((QUIET_MAX..QUIET_MAX + 2 * REST).contains(&begun.elapsed()), "{:?}", begun.elapsed());
    let mut visitor = house.visit();
    for _ in 0..4 {
        sleep(QUIET_MAX - REST * 10).await;
        let answer = ask(&mut visitor, "/page").await;
        assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("a page"), "{answer}");
    }
    let asked = Instant::now();
    assert_eq!(visitor.read(&mut [0]).await.expect("an orderly end"), 0);
    assert!((QUIET_MAX..QUIET_MAX + 2 * REST).contains(&asked.elapsed()), "{:?}", asked.elapsed());
}

#[tokio::test(start_paused = true)]
async fn streams_stay_and_have_places_of_their_own() {
    let house = House::open();
    let mut streams = Vec::new();
    for _ in 0..STREAMS {
        let (visitor, answer) = house.ask("/events").await;
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        streams.push(visitor);
    }
    let (_refused, answer) = house.ask("/events").await;
    assert!(answer.starts_with("HTTP/1.1 503") && answer.contains("retry-after: 5"), "{answer}");
    let (_served, answer) = house.ask("/page").await;
    assert!(answer.starts_with("HTTP/1.1 200"), "pages do not wait for streams: {answer}");
    for _ in 0..8 {
        sleep(Duration::from_secs(15)).await;
        for stream in &mut streams {
            let mut heard = [0; 256];
            let count = stream.read(&mut heard).await.expect("an event");
            assert!(count > 0, "a stream that is read stays open");
        }
    }
    drop(streams.pop());
    sleep(REST).await;
    let (_next, answer) = house.ask("/events").await;
    assert!(answer.starts_with("HTTP/1.1 200"), "a place is free again: {answer}");
}

#[tokio::test(start_paused = true)]
async fn a_flood_of_visitors_takes_no_more_places_than_there_are() {
    let house = House::open();
    let mut served = house.ask("/events").await.0;
    let mut silent: Vec<DuplexStream> = (0..4 * VISITORS_MAX).map(|_| house.visit()).collect();
    let begun = Instant::now();
    let (_late, answer) = house.ask("/page").await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let mut open = 0;
    for visitor in &mut silent {
        open += usize::from(!is_closed(visitor).await);
    }
    assert!(open < VISITORS_MAX, "{open} of the flood are open");
    assert!(!is_closed(&mut served).await, "one that is served stays");
    assert!(begun.elapsed() < QUIET_MAX, "it came in while the flood was there: {:?}", begun.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_visitor_that_does_not_read_is_closed() {
    let house = House::open();
    let mut visitor = house.visit();
    visitor.write_all(b"GET /flood HTTP/1.1\r\nHost: localhost\r\n\r\n").await.expect("sent");
    sleep(Duration::from_secs(31)).await;
    // What the pipe holds is there, and then it ends.
    let (mut heard, most) = (Vec::new(), 64 << 10);
    let _ = visitor.take(most).read_to_end(&mut heard).await;
    assert!((heard.len() as u64) < most, "it still gets more");
}

#[tokio::test(start_paused = true)]
async fn a_form_that_is_never_sent_whole_keeps_no_place() {
    let house = House::open();
    let (begun, mut visitor) = (Instant::now(), house.visit());
    let head = "POST /form HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nname=";
    visitor.write_all(head.as_bytes()).await.expect("sent");
    let mut heard = String::new();
    visitor.read_to_string(&mut heard).await.expect("an orderly end");
    assert!(heard.starts_with("HTTP/1.1 503"), "{heard}");
    assert!(begun.elapsed() < Duration::from_secs(75), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn the_socket_is_for_this_account_alone_and_goes_with_the_door() {
    let place = tempfile::tempdir().expect("a directory");
    let path = place.path().join("door");
    let door = Door::open(None, Some(&path)).expect("a socket");
    assert_eq!(fs::metadata(&path).expect("a file").permissions().mode() & 0o777, 0o600);
    assert!(matches!(Door::open(None, Some(&path)), Err(DoorError::InUse { .. })));
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let page = Router::new().route("/", get(|| async { "by socket" }));
    let serving = tokio::spawn(serve_http(door, page, async { drop(stopped.await) }));
    let mut visitor = tokio::net::UnixStream::connect(&path).await.expect("connects");
    visitor.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await.expect("sent");
    let mut heard = String::new();
    visitor.read_to_string(&mut heard).await.expect("an answer");
    assert!(heard.ends_with("by socket"), "{heard}");
    stop.send(()).expect("it serves");
    serving.await.expect("it ends in order");
    assert!(!path.exists());
    // A socket that a killed process left refuses, and is replaced; a file is not.
    drop(std::os::unix::net::UnixListener::bind(&path).expect("a socket"));
    drop(Door::open(None, Some(&path)).expect("in its place"));
    fs::write(&path, "mine").expect("written");
    assert!(matches!(Door::open(None, Some(&path)), Err(DoorError::Occupied { .. })));
    assert_eq!(fs::read_to_string(&path).expect("left alone"), "mine");
}

#[tokio::test]
async fn metrics_ask_for_the_view_token_where_there_is_one() {
    let (_publish, reports) = watch::channel(Reports::default());
    let place = tempfile::tempdir().expect("a directory");
    let token = Token::make(place.path(), crate::Made::Workers).expect("a token").0;
    let header = token.header();
    let open = |token: Option<&Token>| {
        let door = Door::open(Some("127.0.0.1:0".parse().expect("an address")), None).expect("a port");
        let address = door.address().expect("a port");
        let routes = routes(Metrics::new(reports.clone()), token, None);
        tokio::spawn(serve_http(door, routes, future::pending()));
        address
    };
    let ask = |address, path: &'static str, header: String| async move {
        let mut visitor = tokio::net::TcpStream::connect(address).await.expect("connects");
        let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{header}Connection: close\r\n\r\n");
        visitor.write_all(request.as_bytes()).await.expect("sent");
        let mut heard = String::new();
        visitor.read_to_string(&mut heard).await.expect("an answer");
        heard[..12].to_owned()
    };
    let with = |text: &str| format!("Authorization: {text}\r\n");
    let (closed, free) = (open(Some(&token)), open(None));
    assert_eq!(ask(free, "/metrics", String::new()).await, "HTTP/1.1 200");
    assert_eq!(ask(closed, "/metrics", String::new()).await, "HTTP/1.1 401");
    assert_eq!(ask(closed, "/metrics", with("Bearer 0123456789abcdef")).await, "HTTP/1.1 401");
    assert_eq!(ask(closed, "/metrics", with(header.to_str().expect("ASCII"))).await, "HTTP/1.1 200");
    assert_eq!(ask(closed, "/health", String::new()).await, "HTTP/1.1 200");
}
