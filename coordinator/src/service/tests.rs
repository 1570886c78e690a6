//! Sessions over real HTTP/2 (hyper, h2, admission) on pipes in memory, in virtual time: a sleep ends when nothing else
//! can run, so that by then every request has got as far as it can.

use std::{
    collections::BTreeMap,
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use redqueen_wire::{
    Ack, Artifact, Caller, CoordinatorMessage, Hello, PROTOCOL, Pipe, PlanRequest, StageRef, WorkerMessage,
    coordinator_message::Kind, work_service_client::WorkServiceClient, worker_message,
};
use tokio::{
    io::DuplexStream,
    sync::{mpsc, watch},
    time::{sleep, timeout},
};
use tokio_stream::{
    StreamExt as _,
    wrappers::{ReceiverStream, UnboundedReceiverStream},
};
use tonic::{Code, Status, Streaming, transport::Server};

use super::{Answers, Work};
use crate::{
    admission::Admission,
    driver::{Driver, Message},
    followers::Followers,
    ids::SessionId,
    metrics::Metrics,
    outbound::{Outbound, Permits},
    reports::Reports,
    store::Counting,
};

/// Bytes of an answer: more than hyper buffers for the socket (400 KiB) and a client takes unread (2 MiB).
const LONG: usize = 4 << 20;
/// Shorter than any pause of the code under test.
const REST: Duration = Duration::from_millis(1);
/// Digest of the self-test that the service demands.
const SELF_TEST: [u8; 32] = [5; 32];

/// A service, with a fake driver that answers every request with a long artifact.
struct World {
    caller: Caller,
    /// Answers made so far.
    made: Arc<AtomicUsize>,
    sessions: mpsc::UnboundedReceiver<Outbound>,
}

impl World {
    fn start() -> Self {
        let (messages, queue) = mpsc::channel(64);
        let (_, reports) = watch::channel(Reports::default());
        let driver = Driver {
            urgent: messages.clone(),
            messages,
            metrics: Metrics::new(reports.clone()),
            counting: Counting::default(),
            followers: Followers::new(reports.clone()),
            reports,
        };
        let work = Work { driver, self_test: SELF_TEST, answers: Answers::new() };
        let (arrive, arrivals) = mpsc::unbounded_channel::<DuplexStream>();
        let admission = Admission::new(1_000, None);
        let incoming =
            UnboundedReceiverStream::new(arrivals).map(move |io| Ok::<_, io::Error>(admitted(admission.receive(io))));
        tokio::spawn(Server::builder().add_service(work).serve_with_incoming(incoming));
        let dial = move |_, _| {
            let (near, far) = tokio::io::duplex(64 << 10);
            let arrived = arrive.send(far).map_err(|_| io::ErrorKind::ConnectionRefused.into());
            let near: io::Result<Box<dyn Pipe>> = arrived.map(|()| Box::new(near) as Box<dyn Pipe>);
            Box::pin(std::future::ready(near)) as redqueen_wire::Later<_>
        };
        let caller = Caller::new("http://127.0.0.1:1", None, Arc::new(dial)).expect("a URL");
        let made = Arc::<AtomicUsize>::default();
        let (joined, sessions) = mpsc::unbounded_channel();
        tokio::spawn(answer(queue, joined, Arc::clone(&made)));
        World { caller, made, sessions }
    }

    /// Opens a session that sends `requests` requests.
    async fn session(&mut self, requests: usize) -> Session {
        let hello = worker_message::Kind::Hello(Hello {
            name: "worker".to_owned(),
            threads: 1,
            version: "0".to_owned(),
            protocol: PROTOCOL,
            self_test: SELF_TEST.to_vec(),
            process: rand::random::<[u8; 16]>().to_vec(),
            held: Vec::new(),
            place: None,
            machine: None,
        });
        let stage = StageRef { run: vec![0; 16], stage: 0 };
        let request = worker_message::Kind::PlanRequest(PlanRequest { stage: Some(stage) });
        let sent = std::iter::once(hello).chain(std::iter::repeat_n(request, requests));
        let sent = tokio_stream::iter(sent.map(|kind| WorkerMessage { kind: Some(kind) }));
        let (stays, leaves) = mpsc::channel(1);
        let line = self.caller.connect().await.expect("connects");
        let mut client = WorkServiceClient::new(line).max_decoding_message_size(2 * LONG);
        let received = client.work(sent.chain(ReceiverStream::new(leaves))).await.expect("a session").into_inner();
        let outbound = self.sessions.recv().await.expect("it joined");
        sleep(REST).await;
        Session { outbound, received, _stays: stays }
    }

    /// Opens sessions that request three answers each and read none.
    async fn deaf(&mut self, count: usize) -> Vec<Session> {
        let mut deaf = Vec::new();
        for _ in 0..count {
            deaf.push(self.session(3).await);
        }
        deaf
    }

    fn made(&self) -> usize {
        self.made.load(Ordering::Relaxed)
    }
}

/// The worker's end of a session.
struct Session {
    /// The coordinator's end.
    outbound: Outbound,
    received: Streaming<CoordinatorMessage>,
    _stays: mpsc::Sender<WorkerMessage>,
}

impl Session {
    async fn next(&mut self) -> CoordinatorMessage {
        self.received.message().await.expect("no error").expect("not the end")
    }
}

/// Admits a connection, since no call here carries a token.
fn admitted(connection: crate::admission::Connection<DuplexStream>) -> crate::admission::Connection<DuplexStream> {
    tonic::transport::server::Connected::connect_info(&connection).admit().expect("room");
    connection
}

async fn answer(mut queue: mpsc::Receiver<Message>, joined: mpsc::UnboundedSender<Outbound>, made: Arc<AtomicUsize>) {
    let mut sessions = BTreeMap::new();
    while let Some(message) = queue.recv().await {
        match message {
            Message::Register { outbound, registered, .. } => {
                let session = SessionId(sessions.len() as u64);
                sessions.insert(session, outbound.clone());
                let _ = joined.send(outbound);
                let _ = registered.send(session);
            }
            Message::Wanted { wanted, permit } => {
                made.fetch_add(1, Ordering::Relaxed);
                sessions[&wanted.session].answer(long(), permit);
            }
            _ => {}
        }
    }
}

fn long() -> CoordinatorMessage {
    CoordinatorMessage { kind: Some(Kind::Artifact(Artifact { hash: "0".to_owned(), data: vec![7; LONG] })) }
}

fn ack(batch: u64) -> CoordinatorMessage {
    CoordinatorMessage { kind: Some(Kind::Ack(Ack { batch })) }
}

#[tokio::test(start_paused = true)]
async fn messages_arrive_in_order_and_then_the_status() {
    let mut world = World::start();
    let mut session = world.session(0).await;
    let small = 1..=20_000;
    small.clone().for_each(|batch| session.outbound.send(Ok(ack(batch))));
    for batch in small {
        assert_eq!(session.next().await, ack(batch));
    }
    let mut session = world.session(1).await;
    session.outbound.send(Ok(ack(1)));
    session.outbound.send(Err(Status::aborted("no more: 100 %, über")));
    assert_eq!(session.next().await, long());
    assert_eq!(session.next().await, ack(1));
    let end = session.received.message().await.expect_err("the end");
    assert_eq!((end.code(), end.message()), (Code::Aborted, "no more: 100 %, über"));
}

#[tokio::test(start_paused = true)]
async fn no_more_answers_are_made_than_permits_until_one_is_sent_whole() {
    let mut world = World::start();
    let mut deaf = world.deaf(3 * Permits::AT_ONCE).await;
    assert_eq!(world.made(), Permits::AT_ONCE);
    for (read, session) in deaf.iter_mut().take(3).enumerate() {
        // Its second answer waits behind earlier requests of others.
        assert_eq!(session.next().await, long());
        sleep(REST).await;
        assert_eq!(world.made(), Permits::AT_ONCE + read + 1);
    }
    // Keep one session that waits and the last three that have permits.
    deaf.truncate(Permits::AT_ONCE + 3 + 1);
    sleep(REST).await;
    drop(deaf.drain(..Permits::AT_ONCE));
    sleep(REST).await;
    assert_eq!(world.made(), Permits::AT_ONCE + 3 + 1, "for the sessions that are left");
}

#[tokio::test(start_paused = true)]
async fn a_session_that_does_not_read_loses_its_connection_and_its_permit() {
    let mut world = World::start();
    let deaf = world.deaf(Permits::AT_ONCE).await;
    let mut session = world.session(1).await;
    let heard = timeout(Duration::from_secs(1), session.next()).await;
    assert!(heard.is_err(), "all permits are taken");
    // Progress is checked every three seconds; before the first check they take what the pipe and the window hold.
    let heard = timeout(Duration::from_secs(6), session.next()).await.expect("a permit in time");
    assert_eq!(heard, long());
    sleep(REST * 10).await;
    for mut session in deaf {
        assert!(session.received.message().await.is_err(), "the connection is closed");
    }
}

#[tokio::test(start_paused = true)]
async fn a_session_that_has_ended_keeps_its_permit_for_a_moment() {
    let mut world = World::start();
    let deaf = world.deaf(2 * Permits::AT_ONCE).await;
    let mut session = world.session(1).await;
    deaf.iter().for_each(|session| session.outbound.send(Err(Status::aborted("silent"))));
    sleep(REST).await;
    assert_eq!(world.made(), Permits::AT_ONCE, "their answers are still in the buffers");
    let heard = timeout(Duration::from_secs(1), session.next()).await.expect("a permit in time");
    assert_eq!(heard, long());
    assert_eq!(world.made(), Permits::AT_ONCE + 1, "the answers that the others waited for are not made");
}
