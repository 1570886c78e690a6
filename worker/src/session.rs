//! One connection to the coordinator, from Hello to its end.

use std::{
    collections::BTreeMap,
    num::NonZeroU32,
    ops::Range,
    sync::Arc,
    time::{Duration, Instant},
};

use redqueen_wire::{
    self as wire,
    breakage::{Part, may_break},
    coordinator_message::Kind as From,
    worker_message::Kind as To,
};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Status, Streaming};

use crate::{
    artifacts::Cache,
    heartbeat::Heartbeat,
    job::StageKey,
    machine::machine,
    outbox::Outbox,
    place::Place,
    plan::{Planned, malformed},
    queue::Queue,
    shutdown::Shutdown,
};

/// Most messages that wait for the connection.
const CHANNEL: usize = 16;
/// Results wait this long for others before they are sent, since a commit at the coordinator costs about a millisecond
/// whether it has one row or thousands.
const LINGER: Duration = Duration::from_millis(100);
/// How often a leaving session checks whether everything is delivered.
const LOOK: Duration = Duration::from_millis(20);
/// Most ranges of a stage that a worker says it holds; trials beyond them may be leased to others too.
const HELD_RANGES_MAX: usize = 65_536;
/// Most stages of which a worker says what it holds.
const HELD_STAGES_MAX: usize = 256;
/// How long a coordinator may take to send Welcome.
const WELCOME_TIMEOUT: Duration = Duration::from_secs(15);

/// How a session ended.
#[derive(Debug)]
pub(crate) enum End {
    /// The worker was told to stop; all results are delivered, or the grace time is over.
    Left,
    /// The connection is lost, or the coordinator wants this worker to come back later.
    Lost(Status),
    /// The coordinator refuses this worker for good.
    Refused(Status),
    /// The thread of the heartbeats has ended: a bug of the worker.
    HeartbeatsEnded,
}

/// What a session shares with the rest of the worker.
pub(crate) struct Shared {
    pub(crate) name: String,
    pub(crate) process: [u8; 16],
    pub(crate) threads: u32,
    pub(crate) self_test: [u8; 32],
    pub(crate) grace: Duration,
    pub(crate) place: Place,
    /// When the worker will leave because its job ends.
    pub(crate) leaves: Option<Instant>,
    pub(crate) queue: Arc<Queue>,
    pub(crate) artifacts: Cache,
    pub(crate) outbox: Arc<Outbox>,
}

pub(crate) type Client = wire::work_service_client::WorkServiceClient<
    tonic::service::interceptor::InterceptedService<wire::Line, wire::AddToken>,
>;

/// Serves one connection. `welcomed` is called when the coordinator has accepted this worker.
pub(crate) async fn serve(
    shared: &Shared,
    mut client: Client,
    shutdown: &mut Shutdown,
    welcomed: impl FnOnce(),
) -> End {
    let (send, outbound) = mpsc::channel(CHANNEL);
    // The leases of an earlier session ended with it. Trials that run go on, are claimed in Hello and delivered.
    shared.queue.clear();
    let hello = wire::Hello {
        name: shared.name.clone(),
        threads: shared.threads,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        protocol: wire::PROTOCOL,
        self_test: shared.self_test.to_vec(),
        process: shared.process.to_vec(),
        held: held(&shared.queue, &shared.outbox),
        place: Some(shared.place.to_wire(shared.leaves)),
        machine: Some(machine()),
    };
    let greeting = async {
        say(&send, To::Hello(hello)).await?;
        let mut inbound = client.work(ReceiverStream::new(outbound)).await?.into_inner();
        match inbound.message().await? {
            Some(wire::CoordinatorMessage { kind: Some(From::Welcome(welcome)) }) => Ok((inbound, welcome)),
            _ => Err(Status::internal("the coordinator did not say Welcome")),
        }
    };
    let greeted = tokio::select! {
        greeted = tokio::time::timeout(WELCOME_TIMEOUT, greeting) => greeted,
        () = shutdown.requested() => return End::Left,
    };
    let (inbound, welcome) = match greeted {
        Ok(Ok(greeted)) => greeted,
        Ok(Err(status)) if is_refusal(&status) => return End::Refused(status),
        Ok(Err(status)) => return End::Lost(status),
        Err(_) => return End::Lost(Status::deadline_exceeded("the coordinator does not answer")),
    };
    tracing::info!(session = welcome.session, "joined as `{}`", shared.name);
    welcomed();
    shared.outbox.rewind();
    let every = Duration::from_millis(u64::from(welcome.heartbeat_ms));
    let mut heartbeat = Heartbeat::start(every, &shared.queue, &shared.outbox, &send);
    let mut session = Session { shared, send, leaving: None, due: None, planned: Vec::new() };
    let end = tokio::select! {
        end = session.talk(inbound, shutdown) => end,
        () = heartbeat.stopped_early() => return End::HeartbeatsEnded,
    };
    drop(heartbeat);
    match end {
        Ok(()) => End::Left,
        Err(status) if is_refusal(&status) => End::Refused(status),
        Err(status) => End::Lost(status),
    }
}

/// Whether a status is final: trying again would not help.
fn is_refusal(status: &Status) -> bool {
    use tonic::Code::{
        AlreadyExists, FailedPrecondition, InvalidArgument, PermissionDenied, Unauthenticated, Unimplemented,
    };
    match status.code() {
        Unauthenticated | PermissionDenied | FailedPrecondition | InvalidArgument | Unimplemented => true,
        // Another process has the same identity, as after copying a running machine. A restart draws a new one.
        AlreadyExists => true,
        _ => false,
    }
}

async fn say(send: &mpsc::Sender<wire::WorkerMessage>, kind: To) -> Result<(), Status> {
    let message = wire::WorkerMessage { kind: Some(kind) };
    send.send(message).await.map_err(|_| Status::unavailable("the connection is closed"))
}

struct Session<'a> {
    shared: &'a Shared,
    send: mpsc::Sender<wire::WorkerMessage>,
    /// When the session began to leave, if it does.
    leaving: Option<Instant>,
    /// When waiting results are to be sent.
    due: Option<Instant>,
    /// Stages whose artifacts are not complete yet.
    planned: Vec<Planned>,
}

impl Session<'_> {
    async fn talk(
        &mut self,
        mut inbound: Streaming<wire::CoordinatorMessage>,
        shutdown: &mut Shutdown,
    ) -> Result<(), Status> {
        loop {
            tokio::select! {
                message = inbound.message() => match message? {
                    Some(message) => self.hear(message).await?,
                    None if self.leaving.is_some() => return Ok(()),
                    None => return Err(Status::unavailable("the coordinator closed the connection")),
                },
                () = self.shared.outbox.filled.notified() => {
                    // Whole batches are sent at once, and so are the last results before the worker is idle.
                    if self.shared.outbox.has_batch() || self.shared.queue.is_idle() {
                        self.deliver().await?;
                    } else {
                        self.due.get_or_insert(Instant::now() + LINGER);
                    }
                }
                () = tokio::time::sleep_until(self.due.unwrap_or_else(Instant::now).into()), if self.due.is_some() => {
                    self.deliver().await?;
                }
                () = shutdown.requested(), if self.leaving.is_none() => self.leave().await?,
                () = tokio::time::sleep(LOOK), if self.leaving.is_some() => {
                    self.deliver().await?;
                    let done = self.shared.queue.is_idle() && self.shared.outbox.is_empty();
                    if done || self.leaving.is_some_and(|since| since.elapsed() >= self.shared.grace) {
                        return Ok(());
                    }
                }
            }
        }
    }

    async fn hear(&mut self, message: wire::CoordinatorMessage) -> Result<(), Status> {
        may_break(Part::Session);
        match message.kind {
            Some(From::Lease(lease)) => {
                let stage = StageKey::from_wire(lease.stage).ok_or_else(malformed)?;
                if self.leaving.is_some() {
                    let back = wire::HandBack { stage: Some(stage.to_wire()), ranges: lease.ranges };
                    return say(&self.send, To::HandBack(back)).await;
                }
                let ranges = lease.ranges.iter().map(|r| r.start..r.end);
                if self.shared.queue.lease(&stage, ranges, NonZeroU32::new(lease.threads_max)) {
                    say(&self.send, To::PlanRequest(wire::PlanRequest { stage: Some(stage.to_wire()) })).await?;
                }
            }
            Some(From::Plan(plan)) => {
                let planned = Planned::of(plan)?;
                // It may have been requested twice, for two leases of the stage.
                if self.planned.iter().any(|known| known.stage == planned.stage) {
                    return Ok(());
                }
                for hash in planned.missing(&self.shared.artifacts) {
                    let request = wire::ArtifactRequest { stage: Some(planned.stage.to_wire()), hash };
                    say(&self.send, To::ArtifactRequest(request)).await?;
                }
                self.planned.push(planned);
                self.know()?;
            }
            Some(From::Artifact(artifact)) => {
                self.shared.artifacts.put(artifact).map_err(|error| Status::internal(error.to_string()))?;
                self.know()?;
            }
            Some(From::Withdraw(withdrawn)) => {
                let stage = StageKey::from_wire(withdrawn.stage).ok_or_else(malformed)?;
                let ranges: Vec<_> = withdrawn.ranges.iter().map(|range| range.start..range.end).collect();
                self.shared.queue.withdraw(&stage, &ranges);
            }
            Some(From::Ack(ack)) => self.shared.outbox.acknowledge(ack.batch),
            Some(From::Forget(forget)) => {
                let stage = StageKey::from_wire(forget.stage).ok_or_else(malformed)?;
                self.planned.retain(|planned| !planned.stage.is_of_or_behind(&stage));
                for waiting in self.shared.queue.forget(&stage) {
                    say(&self.send, To::PlanRequest(wire::PlanRequest { stage: Some(waiting.to_wire()) })).await?;
                }
            }
            Some(From::Leave(leave)) => {
                tracing::info!("leaving, as the coordinator asks: {}", leave.reason);
                if self.leaving.is_none() {
                    self.leave().await?;
                }
            }
            Some(From::Drain(drain)) => {
                tracing::info!("the coordinator takes no more work: {}", drain.reason);
                self.shared.queue.clear();
                self.deliver().await?;
                // This ends the session, not the worker: the coordinator may come back.
                return Err(Status::unavailable("the coordinator is stopping"));
            }
            Some(From::Welcome(_)) | None => return Err(malformed()),
        }
        Ok(())
    }

    /// Starts to run the stages whose artifacts are complete.
    fn know(&mut self) -> Result<(), Status> {
        let (ready, waiting): (Vec<_>, Vec<_>) =
            self.planned.drain(..).partition(|planned| planned.missing(&self.shared.artifacts).is_empty());
        self.planned = waiting;
        ready.into_iter().try_for_each(|planned| {
            self.shared.queue.know(planned.job(&self.shared.artifacts)?);
            Ok(())
        })
    }

    async fn deliver(&mut self) -> Result<(), Status> {
        self.due = None;
        while let Some(failure) = self.shared.outbox.next_failure() {
            say(&self.send, To::Failed(failure)).await?;
        }
        while let Some(batch) = self.shared.outbox.next_batch() {
            say(&self.send, To::Results(batch)).await?;
        }
        Ok(())
    }

    /// Hands back waiting trials; running ones are finished.
    async fn leave(&mut self) -> Result<(), Status> {
        self.leaving = Some(Instant::now());
        let mut back: BTreeMap<StageKey, Vec<wire::Range>> = BTreeMap::new();
        for (stage, range) in self.shared.queue.clear() {
            back.entry(stage).or_default().push(wire::Range { start: range.start, end: range.end });
        }
        for (stage, ranges) in back {
            say(&self.send, To::HandBack(wire::HandBack { stage: Some(stage.to_wire()), ranges })).await?;
        }
        Ok(())
    }
}

/// The trials that this worker runs, or has finished without an acknowledgement.
fn held(queue: &Queue, outbox: &Outbox) -> Vec<wire::Held> {
    let mut held: BTreeMap<StageKey, Vec<Range<u64>>> = BTreeMap::new();
    // Slots first: a trial that one of them finishes meanwhile is then in the outbox.
    for (stage, range) in queue.held() {
        held.entry(stage).or_default().push(range);
    }
    for (stage, trials) in outbox.held() {
        held.entry(stage).or_default().extend(trials.into_iter().map(|trial| trial..trial.saturating_add(1)));
    }
    let held = held.into_iter().map(|(stage, mut ranges)| {
        ranges.sort_by_key(|range| (range.start, range.end));
        let mut joined: Vec<wire::Range> = Vec::new();
        for range in ranges {
            match joined.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => joined.push(wire::Range { start: range.start, end: range.end }),
            }
        }
        joined.truncate(HELD_RANGES_MAX);
        wire::Held { stage: Some(stage.to_wire()), ranges: joined }
    });
    held.filter(|held| !held.ranges.is_empty()).take(HELD_STAGES_MAX).collect()
}
