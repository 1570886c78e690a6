//! The work service: one stream for each worker.

use std::{
    collections::BTreeSet,
    convert::Infallible,
    future::{Ready, ready},
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use prost::Message as _;
use redqueen_wire::{self as wire, work_service_server::SERVICE_NAME, worker_message::Kind};
use tokio::sync::oneshot;
use tonic::{
    Code, Request, Status, Streaming,
    body::Body,
    codegen::{Service, http},
    metadata::GRPC_CONTENT_TYPE,
    server::NamedService,
};
use tonic_prost::ProstDecoder;

use crate::{
    admission::ConnectionHandle,
    core::{Input, Load, Machine, Place, Worker},
    driver::{Driver, Message, Wanted},
    ids::{ProcessId, RunId, SessionId, StageKey},
    metrics::{Joined, Refusal},
    outbound::{Outbound, Reply, outbound},
    ranges::RangeSet,
    rows::Rows,
    service::answers::{Answers, Requests},
};

/// How long a session may take to send Hello.
const HELLO_TIMEOUT: Duration = Duration::from_secs(10);
/// Longest worker name, in bytes.
const NAME_MAX: usize = 128;
/// Most executor threads of one worker.
const THREADS_MAX: u32 = 4_096;
/// Most ranges of one message.
const RANGES_MAX: usize = 65_536;
/// Most stages of which a worker may claim trials.
const HELD_MAX: usize = 256;
/// Digits of an artifact's hash.
const HASH_MAX: usize = 64;
/// Longest error of a trial that is kept, in bytes.
const ERROR_MAX: usize = 65_536;

/// The service. It replaces tonic's generated server, because [`Reply`] encodes the messages of a session itself.
#[derive(Clone)]
pub(crate) struct Work {
    pub(crate) driver: Driver,
    pub(crate) self_test: [u8; 32],
    pub(crate) answers: Answers,
}

impl NamedService for Work {
    const NAME: &'static str = SERVICE_NAME;
}

impl Service<http::Request<Body>> for Work {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Ready<Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let method = request.uri().path().strip_prefix('/').and_then(|path| path.strip_prefix(SERVICE_NAME));
        ready(Ok(match method {
            Some("/Work") => self.open(Request::from_http(request)),
            _ => Status::unimplemented("the service has one method, Work").into_http(),
        }))
    }
}

impl Work {
    /// Opens a session.
    fn open(&self, request: Request<Body>) -> http::Response<Body> {
        let (outbound, messages) = outbound();
        let connection = ConnectionHandle::of(&request);
        let requests = self.answers.open(self.driver.clone(), outbound.clone(), connection);
        let decoder = ProstDecoder::<wire::WorkerMessage>::default();
        let session = Session {
            driver: self.driver.clone(),
            self_test: self.self_test,
            inbound: Streaming::new_request(decoder, request.into_inner(), None, Some(wire::MAX_MESSAGE_BYTES)),
            outbound: outbound.clone(),
            requests,
        };
        let metrics = self.driver.metrics.clone();
        // The reply must be returned before the first message is read, or the worker's call never resolves.
        tokio::spawn(async move {
            if let Err(status) = session.serve().await {
                if status.code() == Code::ResourceExhausted {
                    metrics.refused(Refusal::flood);
                }
                outbound.send(Err(status));
            }
        });
        let mut reply = http::Response::new(Body::new(Reply::new(messages)));
        reply.headers_mut().insert(http::header::CONTENT_TYPE, GRPC_CONTENT_TYPE);
        reply
    }
}

struct Session {
    driver: Driver,
    self_test: [u8; 32],
    inbound: Streaming<wire::WorkerMessage>,
    outbound: Outbound,
    requests: Requests,
}

impl Session {
    async fn serve(mut self) -> Result<(), Status> {
        let first = tokio::time::timeout(HELLO_TIMEOUT, self.inbound.message())
            .await
            .map_err(|_| Status::deadline_exceeded("no Hello came"))??;
        let Some(wire::WorkerMessage { kind: Some(Kind::Hello(hello)) }) = first else {
            return Err(Status::invalid_argument("the first message must be Hello"));
        };
        let worker = self.admit(&hello)?;
        let threads = hello.threads;
        if hello.held.len() > HELD_MAX {
            return Err(Status::invalid_argument(format!("a worker may hold trials of at most {HELD_MAX} stages")));
        }
        let held = hello.held.into_iter().map(|held| trials_of(held.stage, &held.ranges)).collect::<Result<_, _>>()?;
        let (registered, registration) = oneshot::channel();
        self.driver.send(Message::Register { worker, held, outbound: self.outbound.clone(), registered }).await;
        let Ok(session) = registration.await else { return Err(Status::unavailable("the coordinator is stopping")) };
        let mut joined = self.driver.metrics.session(threads);
        let end = self.listen(session, &mut joined).await;
        drop(joined);
        self.driver.send(Message::Input(Input::SessionClosed(session))).await;
        end
    }

    fn admit(&self, hello: &wire::Hello) -> Result<Worker, Status> {
        let plain = |c: char| !c.is_control();
        if hello.name.is_empty() || hello.name.len() > NAME_MAX || !hello.name.chars().all(plain) {
            return Err(Status::invalid_argument(format!("a worker's name has 1 to {NAME_MAX} printable bytes")));
        }
        if !(1..=THREADS_MAX).contains(&hello.threads) {
            return Err(Status::invalid_argument(format!("a worker has 1 to {THREADS_MAX} threads")));
        }
        if hello.protocol != wire::PROTOCOL || hello.self_test != self.self_test {
            self.driver.metrics.refused(Refusal::build);
        }
        if hello.protocol != wire::PROTOCOL {
            return Err(Status::failed_precondition(format!(
                "worker `{}` speaks protocol {} and this coordinator {}: install the coordinator's version ({}) there",
                hello.name,
                hello.protocol,
                wire::PROTOCOL,
                env!("CARGO_PKG_VERSION")
            )));
        }
        if hello.self_test != self.self_test {
            return Err(Status::failed_precondition(format!(
                "worker `{}` (version {}) computes other results than this coordinator (version {}): its self-test \
                 differs, so it must not contribute; install the same build on both machines",
                hello.name,
                hello.version,
                env!("CARGO_PKG_VERSION")
            )));
        }
        let process = hello.process.as_slice().try_into().map(ProcessId);
        let process = process.map_err(|_| Status::invalid_argument("the identity of a process has 16 bytes"))?;
        let place = hello.place.clone().unwrap_or_default();
        let machine = hello.machine.clone().unwrap_or_default();
        let texts = [&place.host, &place.allocation, &machine.cpu, &hello.version];
        if texts.iter().any(|text| text.len() > NAME_MAX || !text.chars().all(plain)) {
            return Err(Status::invalid_argument(format!(
                "names of places, processors and versions have at most {NAME_MAX} printable bytes"
            )));
        }
        let wire::Machine { cpu, cores, memory_bytes } = machine;
        let wire::Place { host, allocation, restart, leaves_in_ms } = place;
        let place = Place {
            host,
            allocation,
            restart,
            stays: leaves_in_ms.map(Duration::from_millis),
            build: hello.version.clone(),
            machine: Machine { cpu, cores, memory: memory_bytes },
        };
        Ok(Worker { name: hello.name.clone(), process, threads: hello.threads, place: Arc::new(place) })
    }

    async fn listen(&mut self, session: SessionId, joined: &mut Joined) -> Result<(), Status> {
        while let Some(message) = self.inbound.message().await? {
            self.outbound.room().await?;
            let kind = message.kind.ok_or_else(|| Status::invalid_argument("an empty message"))?;
            let message = match kind {
                Kind::Hello(_) => return Err(Status::invalid_argument("a second Hello")),
                Kind::Heartbeat(beat) => {
                    joined.outbox(beat.outbox_rows);
                    let oldest = Duration::from_millis(beat.oldest_ms);
                    let load = Load { running: beat.running, queued: beat.queued, oldest, outbox: beat.outbox_rows };
                    let idle = load.running == 0 && load.queued == 0 && load.outbox == 0;
                    let executed = Duration::from_micros(beat.executed_us);
                    let stages = |holding: wire::Holding| {
                        let stages = holding.stages.into_iter().map(|stage| stage_key(Some(stage)));
                        stages.collect::<Result<BTreeSet<_>, _>>()
                    };
                    let holds = if idle { Some(BTreeSet::new()) } else { beat.holding.map(stages).transpose()? };
                    Message::Input(Input::Heartbeat { session, load, executed, holds })
                }
                Kind::Results(mut batch) => {
                    self.outbound.expect_ack(batch.batch, batch.encoded_len());
                    let stage = stage_key(batch.stage.take())?;
                    let number = batch.batch;
                    let rows = Rows::from_wire(batch).map_err(|error| Status::invalid_argument(error.to_string()))?;
                    Message::Input(Input::Results { session, batch: number, stage, rows })
                }
                Kind::HandBack(back) => {
                    let (stage, trials) = trials_of(back.stage, &back.ranges)?;
                    Message::Input(Input::HandedBack { session, stage, trials })
                }
                Kind::Failed(failed) => {
                    let stage = stage_key(failed.stage)?;
                    let mut error = failed.error;
                    let cut = (0..=ERROR_MAX.min(error.len())).rev().find(|&i| error.is_char_boundary(i));
                    error.truncate(cut.unwrap_or(0));
                    Message::Input(Input::TrialFailed { session, stage, trial: failed.trial, error })
                }
                Kind::ArtifactRequest(request) => {
                    if request.hash.len() > HASH_MAX {
                        return Err(Status::invalid_argument("a hash has 64 digits"));
                    }
                    let stage = stage_key(request.stage)?;
                    self.requests.take(Wanted { session, stage, artifact: Some(request.hash) })?;
                    continue;
                }
                Kind::PlanRequest(request) => {
                    self.requests.take(Wanted { session, stage: stage_key(request.stage)?, artifact: None })?;
                    continue;
                }
            };
            self.driver.send(message).await;
        }
        Ok(())
    }
}

fn trials_of(stage: Option<wire::StageRef>, ranges: &[wire::Range]) -> Result<(StageKey, RangeSet), Status> {
    let stage = stage_key(stage)?;
    if ranges.len() > RANGES_MAX {
        return Err(Status::invalid_argument("too many ranges"));
    }
    Ok((stage, ranges.iter().map(|range| range.start..range.end).collect()))
}

fn stage_key(stage: Option<wire::StageRef>) -> Result<StageKey, Status> {
    let stage = stage.ok_or_else(|| Status::invalid_argument("no stage named"))?;
    let run = stage.run.try_into().map_err(|_| Status::invalid_argument("a run's id has 16 bytes"))?;
    Ok(StageKey { run: RunId(run), stage: stage.stage })
}
