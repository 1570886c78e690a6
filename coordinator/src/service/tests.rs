//! Sessions over HTTP/2 as it is, hyper and h2 and the door between, over pipes in memory and in virtual time: a sleep
//! ends when nothing else can go on, so that what was asked for has gone as far as it goes.

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
    admission::Door,
    driver::{Driver, Input},
    ids::SessionId,
    metrics::Metrics,
    outbound::{Outbound, Places},
    reports::Reports,
};

/// Bytes of an answer: more than hyper lets wait for the socket (400 KiB) and a client takes unread (2 MiB).
const LONG: usize = 4 << 20;
/// Shorter than any pause of the code under test.
const REST: Duration = Duration::from_millis(1);
/// Digest of the self-test that is asked for here.
const SELF_TEST: [u8; 32] = [5; 32];

/// A service, and in place of the driver somebody who answers whatever is asked for with an artifact.
struct World {
    caller: Caller,
    /// Answers made so far.
    made: Arc<AtomicUsize>,
    sessions: mpsc::UnboundedReceiver<Outbound>,
}

impl World {
    fn start() -> Self {
        let (inputs, queue) = mpsc::channel(64);
        let (_, reports) = watch::channel(Reports::default());
        let driver = Driver { first: inputs.clone(), inputs, metrics: Metrics::new(reports.clone()), reports };
        let work = Work { driver, self_test: SELF_TEST, answers: Answers::new() };
        let (arrive, arrivals) = mpsc::unbounded_channel::<DuplexStream>();
        let door = Door::new(1_000, None);
        let incoming =
            UnboundedReceiverStream::new(arrivals).map(move |io| Ok::<_, io::Error>(admitted(door.receive(io))));
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

    /// A session that asks so often.
    async fn session(&mut self, asks: usize) -> Session {
        let hello = worker_message::Kind::Hello(Hello {
            name: "worker".to_owned(),
            threads: 1,
            version: "0".to_owned(),
            protocol: PROTOCOL,
            self_test: SELF_TEST.to_vec(),
            process: rand::random::<[u8; 16]>().to_vec(),
            held: Vec::new(),
        });
        let stage = StageRef { run: vec![0; 16], stage: 0 };
        let ask = worker_message::Kind::PlanRequest(PlanRequest { stage: Some(stage) });
        let said = std::iter::once(hello).chain(std::iter::repeat_n(ask, asks));
        let said = tokio_stream::iter(said.map(|kind| WorkerMessage { kind: Some(kind) }));
        let (stays, leaves) = mpsc::channel(1);
        let line = self.caller.connect().await.expect("connects");
        let mut client = WorkServiceClient::new(line).max_decoding_message_size(2 * LONG);
        let told = client.work(said.chain(ReceiverStream::new(leaves))).await.expect("a session").into_inner();
        let outbound = self.sessions.recv().await.expect("it joined");
        sleep(REST).await;
        Session { outbound, told, _stays: stays }
    }

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

/// A session as its worker has it, until dropped.
struct Session {
    /// The coordinator's side.
    outbound: Outbound,
    told: Streaming<CoordinatorMessage>,
    _stays: mpsc::Sender<WorkerMessage>,
}

impl Session {
    async fn next(&mut self) -> CoordinatorMessage {
        self.told.message().await.expect("no error").expect("not the end")
    }
}

/// There is no token here to be admitted by.
fn admitted(connection: crate::admission::Connection<DuplexStream>) -> crate::admission::Connection<DuplexStream> {
    tonic::transport::server::Connected::connect_info(&connection).admit().expect("room");
    connection
}

async fn answer(mut queue: mpsc::Receiver<Input>, joined: mpsc::UnboundedSender<Outbound>, made: Arc<AtomicUsize>) {
    let mut sessions = BTreeMap::new();
    while let Some(input) = queue.recv().await {
        match input {
            Input::Register { outbound, registered, .. } => {
                let session = SessionId(sessions.len() as u64);
                sessions.insert(session, outbound.clone());
                let _ = joined.send(outbound);
                let _ = registered.send(session);
            }
            Input::Wanted { wanted, place } => {
                made.fetch_add(1, Ordering::Relaxed);
                sessions[&wanted.session].answer(long(), place);
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
async fn what_a_session_is_told_arrives_in_order_and_with_its_end() {
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
    let end = session.told.message().await.expect_err("the end");
    assert_eq!((end.code(), end.message()), (Code::Aborted, "no more: 100 %, über"));
}

#[tokio::test(start_paused = true)]
async fn no_more_answers_are_made_than_have_a_place_until_one_has_left_whole() {
    let mut world = World::start();
    let mut deaf = world.deaf(3 * Places::AT_ONCE).await;
    assert_eq!(world.made(), Places::AT_ONCE);
    for (read, session) in deaf.iter_mut().take(3).enumerate() {
        // Its second answer waits behind those who asked before.
        assert_eq!(session.next().await, long());
        sleep(REST).await;
        assert_eq!(world.made(), Places::AT_ONCE + read + 1);
    }
    // Of those who wait, one stays; of those who have places, the last three.
    deaf.truncate(Places::AT_ONCE + 3 + 1);
    sleep(REST).await;
    drop(deaf.drain(..Places::AT_ONCE));
    sleep(REST).await;
    assert_eq!(world.made(), Places::AT_ONCE + 3 + 1, "for whoever is there");
}

#[tokio::test(start_paused = true)]
async fn whoever_does_not_read_loses_its_connection_and_its_place() {
    let mut world = World::start();
    let deaf = world.deaf(Places::AT_ONCE).await;
    let mut session = world.session(1).await;
    let heard = timeout(Duration::from_secs(1), session.next()).await;
    assert!(heard.is_err(), "all places are taken");
    // They are looked at every three seconds, and take what the pipe and the window hold before the first.
    let heard = timeout(Duration::from_secs(6), session.next()).await.expect("a place in time");
    assert_eq!(heard, long());
    sleep(REST * 10).await;
    for mut session in deaf {
        assert!(session.told.message().await.is_err(), "the connection is closed");
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_was_given_up_keeps_its_place_for_a_moment() {
    let mut world = World::start();
    let deaf = world.deaf(2 * Places::AT_ONCE).await;
    let mut session = world.session(1).await;
    deaf.iter().for_each(|session| session.outbound.send(Err(Status::aborted("silent"))));
    sleep(REST).await;
    assert_eq!(world.made(), Places::AT_ONCE, "their answers are in the buffers still");
    let heard = timeout(Duration::from_secs(1), session.next()).await.expect("a place in time");
    assert_eq!(heard, long());
    assert_eq!(world.made(), Places::AT_ONCE + 1, "what the others waited for is not made");
}
