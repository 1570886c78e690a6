//! A worker inside the test: it speaks the protocol as `redqueen worker` does and can be made to behave badly.
//!
//! A fake worker is a task that lives over its connections. It keeps what is not acknowledged and sends it again, as
//! `worker/src/outbox.rs` does, and runs trials on threads of the test's process. Hundreds of them fit one process.

#![expect(dead_code, reason = "each test program uses a part")]

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    ops::Range,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use experiments::{
    Experiment,
    plan::{Artifact, Executor},
};
use record::{ColumnType, Row, Shape, Stage, Value};
use redqueen_wire::{
    self as wire, AddToken, Caller, Hello, PROTOCOL, StageRef, WorkerMessage, column::Values,
    coordinator_message::Kind as FromCoordinator, work_service_client::WorkServiceClient, worker_message::Kind,
};
use tokio::{
    runtime::Handle,
    sync::{mpsc, watch},
    task::{JoinHandle, JoinSet},
};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Status, service::interceptor::InterceptedService};

/// Results wait this long for company, as a worker's do.
const LINGER: Duration = Duration::from_millis(100);
/// Rows of a batch.
const BATCH_ROWS: usize = 4_096;
/// Rows that are not acknowledged from which on no further trial is begun.
const ROWS_MAX: usize = 65_536;
/// Trials run at a time where no single one is waited for.
const PORTION: u64 = 64;
/// Pauses between two attempts to connect grow from the first to the second.
const PAUSE: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(1));

/// How a fake worker behaves.
#[derive(Clone, Debug)]
pub(crate) struct Behaviour {
    /// Threads, as it says and as it uses.
    pub(crate) threads: u32,
    /// Every trial takes this much longer.
    pub(crate) delay: Duration,
    /// Every trial takes as many times as long; 1 is its own time.
    pub(crate) slower: f64,
    /// Share of the trials of which it flips the lowest bit of the first pure integer. Always the same ones.
    pub(crate) lies: f64,
    /// It lives and takes leases and delivers nothing.
    pub(crate) mute: bool,
    /// What its self-test gives.
    pub(crate) self_test: Vec<u8>,
    /// Behind each heartbeat it sends something that is answered at once, and notes how long that took.
    pub(crate) probes: bool,
}

impl Default for Behaviour {
    fn default() -> Self {
        Behaviour {
            threads: 1,
            delay: Duration::ZERO,
            slower: 1.0,
            lies: 0.0,
            mute: false,
            self_test: experiments::self_test().to_vec(),
            probes: false,
        }
    }
}

impl Behaviour {
    /// Whether many of its trials may run at a time, because no single one is waited for.
    fn is_quick(&self) -> bool {
        self.delay.is_zero() && self.slower == 1.0
    }
}

/// What the test sees of a fake worker.
#[derive(Default)]
pub(crate) struct Seen {
    /// Connections on which it was welcomed.
    pub(crate) sessions: AtomicU64,
    /// Attempts to connect.
    pub(crate) dials: AtomicU64,
    /// Trials it has run, repeats counted.
    pub(crate) ran: AtomicU64,
    /// Which, in the order of their ends.
    finished: Mutex<Vec<u64>>,
    /// Those of which it was told that their results need not be sent again.
    acknowledged: Mutex<BTreeSet<u64>>,
    /// Results it told lies about.
    pub(crate) lies: AtomicU64,
    /// Longest time from sending a heartbeat until the coordinator had handled it, microseconds.
    pub(crate) heard_after_us: AtomicU64,
    /// Heartbeats that were known to be handled.
    pub(crate) beats: AtomicU64,
    /// Raised to close the connection.
    drop: watch::Sender<u64>,
    /// Stays away while set.
    away: AtomicBool,
}

impl Seen {
    /// Closes its connection, or the one that it is opening; it comes back by itself.
    pub(crate) fn drop_connection(&self) {
        self.drop.send_modify(|times| *times += 1);
    }

    /// Closes its connection and keeps it from coming back, or lets it.
    pub(crate) fn stay_away(&self, away: bool) {
        self.away.store(away, Ordering::Release);
        if away {
            self.drop_connection();
        }
    }

    /// Trials it has run, in the order of their ends.
    pub(crate) fn finished(&self) -> Vec<u64> {
        self.finished.lock().expect("whole").clone()
    }

    /// Whether it was told of each of `trials` that its result need not be sent again.
    pub(crate) fn is_rid_of(&self, mut trials: impl Iterator<Item = u64>) -> bool {
        let acknowledged = self.acknowledged.lock().expect("whole");
        trials.all(|trial| acknowledged.contains(&trial))
    }

    /// Connections on which it was welcomed.
    pub(crate) fn sessions(&self) -> u64 {
        self.sessions.load(Ordering::Acquire)
    }
}

/// A fake worker at work. It ends when this is dropped.
pub(crate) struct FakeWorker {
    pub(crate) seen: Arc<Seen>,
    task: JoinHandle<Status>,
}

impl FakeWorker {
    /// Starts a fake worker called `name` that works for the coordinator at `url`.
    pub(crate) fn start(runtime: &Handle, url: &str, name: &str, ways: Behaviour) -> Self {
        Self::calling(runtime, Caller::new(url, None, wire::tcp()).expect("a URL"), url, name, ways)
    }

    /// The same, calling the coordinator by `caller`.
    pub(crate) fn calling(runtime: &Handle, caller: Caller, url: &str, name: &str, ways: Behaviour) -> Self {
        let seen = Arc::<Seen>::default();
        let body = Body {
            caller,
            token: crate::common::program::token(url),
            name: name.to_owned(),
            process: rand::random(),
            ways,
            seen: Arc::clone(&seen),
            plans: HashMap::new(),
            queue: VecDeque::new(),
            running: JoinSet::new(),
            gathered: BTreeMap::new(),
            unacknowledged: BTreeMap::new(),
            last_batch: 0,
            probe: None,
        };
        FakeWorker { seen, task: runtime.spawn(body.live()) }
    }

    /// Whether it was told not to come back.
    pub(crate) fn has_ended(&self) -> bool {
        self.task.is_finished()
    }

    /// Waits until the coordinator refuses it for good; gives the reason.
    pub(crate) async fn end(mut self) -> Status {
        let ended = tokio::time::timeout(crate::common::wait::PATIENCE, &mut self.task).await;
        ended.expect("the coordinator refuses it").expect("no panic")
    }
}

impl Drop for FakeWorker {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A stage of a run, as it is named on the wire.
type Key = (Vec<u8>, u32);

fn stage_ref(key: &Key) -> StageRef {
    StageRef { run: key.0.clone(), stage: key.1 }
}

fn key(stage: Option<StageRef>) -> Key {
    let stage = stage.expect("a coordinator names the stage");
    (stage.run, stage.stage)
}

/// What is needed to run trials of a stage.
struct Job {
    executor: Box<dyn Executor>,
    shape: Shape,
}

#[derive(Default)]
struct Gathered {
    trials: Vec<u64>,
    elapsed_us: Vec<u64>,
    rows: Vec<Row>,
    shape: Option<Shape>,
}

/// Results of some trials, and how many of them are lies.
struct Done {
    key: Key,
    shape: Shape,
    /// (trial, microseconds, row)
    rows: Vec<(u64, u64, Row)>,
    lies: u64,
}

struct Body {
    caller: Caller,
    token: AddToken,
    name: String,
    process: [u8; 16],
    ways: Behaviour,
    seen: Arc<Seen>,
    plans: HashMap<Key, Arc<Job>>,
    queue: VecDeque<(Key, Range<u64>)>,
    running: JoinSet<Done>,
    gathered: BTreeMap<Key, Gathered>,
    unacknowledged: BTreeMap<u64, wire::ResultBatch>,
    last_batch: u64,
    /// Number of the batch behind the last heartbeat, and when that was sent.
    probe: Option<(u64, Instant)>,
}

type Mouth = mpsc::Sender<WorkerMessage>;

async fn say(send: &Mouth, kind: Kind) -> Result<(), Status> {
    send.send(WorkerMessage { kind: Some(kind) }).await.map_err(|_| Status::unavailable("closed"))
}

impl Body {
    async fn live(mut self) -> Status {
        let mut pause = PAUSE.0;
        loop {
            if !self.seen.away.load(Ordering::Acquire) {
                let before = self.seen.sessions();
                let status = self.session().await;
                use Code::{FailedPrecondition, InvalidArgument, Unauthenticated};
                if matches!(status.code(), FailedPrecondition | InvalidArgument | Unauthenticated) {
                    return status;
                }
                if self.seen.sessions() > before {
                    pause = PAUSE.0;
                }
            }
            self.work_alone(pause).await;
            pause = (pause * 2).min(PAUSE.1);
        }
    }

    /// Goes on with what it holds, without a connection.
    async fn work_alone(&mut self, time: Duration) {
        let until = tokio::time::Instant::now() + time;
        loop {
            self.begin();
            tokio::select! {
                Some(done) = self.running.join_next() => self.gather(done.expect("trials do not panic")),
                () = tokio::time::sleep_until(until) => return,
            }
        }
    }

    /// One connection, to the status that ends it.
    async fn session(&mut self) -> Status {
        match self.talk().await {
            Ok(()) => Status::unavailable("the connection was closed"),
            Err(status) => status,
        }
    }

    /// Trials whose results it keeps.
    fn held(&self) -> Vec<wire::Held> {
        let batches = self.unacknowledged.values().map(|batch| (batch.stage.clone(), &batch.trials));
        let gathered = self.gathered.iter().map(|(key, gathered)| (Some(stage_ref(key)), &gathered.trials));
        let held = batches.chain(gathered).map(|(stage, trials)| {
            let mut ranges: Vec<wire::Range> = Vec::new();
            for &trial in trials {
                match ranges.last_mut() {
                    Some(last) if last.end == trial => last.end += 1,
                    _ => ranges.push(wire::Range { start: trial, end: trial + 1 }),
                }
            }
            wire::Held { stage, ranges }
        });
        held.collect()
    }

    async fn talk(&mut self) -> Result<(), Status> {
        let mut drop = self.seen.drop.subscribe();
        self.seen.dials.fetch_add(1, Ordering::AcqRel);
        let line = self.caller.connect().await.map_err(|error| Status::unavailable(error.to_string()))?;
        let line = InterceptedService::new(line, self.token.clone());
        let mut client = WorkServiceClient::new(line).max_decoding_message_size(wire::MAX_PLAN_BYTES);
        let (send, outbound) = mpsc::channel(64);
        let hello = Hello {
            name: self.name.clone(),
            threads: self.ways.threads,
            version: "fake".to_owned(),
            protocol: PROTOCOL,
            self_test: self.ways.self_test.clone(),
            process: self.process.to_vec(),
            held: self.held(),
            place: None,
            machine: None,
        };
        say(&send, Kind::Hello(hello)).await?;
        let mut inbound = client.work(ReceiverStream::new(outbound)).await?.into_inner();
        let Some(wire::CoordinatorMessage { kind: Some(FromCoordinator::Welcome(welcome)) }) =
            inbound.message().await?
        else {
            return Err(Status::internal("no Welcome"));
        };
        self.seen.sessions.fetch_add(1, Ordering::AcqRel);
        // As a worker: leases went with the old session, results did not.
        self.queue.clear();
        self.probe = None;
        for batch in self.unacknowledged.values().cloned().collect::<Vec<_>>() {
            say(&send, Kind::Results(batch)).await?;
        }
        let mut heart = tokio::time::interval(Duration::from_millis(u64::from(welcome.heartbeat_ms)));
        let mut linger = tokio::time::interval(LINGER);
        linger.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            self.begin();
            tokio::select! {
                message = inbound.message() => match message? {
                    Some(message) => self.hear(message, &send).await?,
                    None => return Ok(()),
                },
                Some(done) = self.running.join_next() => {
                    self.gather(done.expect("trials do not panic"));
                    let waits: usize = self.gathered.values().map(|gathered| gathered.trials.len()).sum();
                    if waits >= BATCH_ROWS || (self.running.is_empty() && self.queue.is_empty()) {
                        self.deliver(&send).await?;
                    }
                }
                _ = linger.tick(), if !self.gathered.is_empty() => self.deliver(&send).await?,
                _ = heart.tick() => self.beat(&send).await?,
                _ = drop.changed() => return Ok(()),
            }
        }
    }

    async fn beat(&mut self, send: &Mouth) -> Result<(), Status> {
        let queued = self.queue.iter().map(|(_, range)| range.end - range.start).sum();
        let beat = wire::Heartbeat {
            running: u32::try_from(self.running.len()).unwrap_or(u32::MAX),
            queued,
            oldest_ms: 0,
            outbox_rows: self.rows() as u64,
            executed_us: 0,
            holding: None,
        };
        let sent = Instant::now();
        say(send, Kind::Heartbeat(beat)).await?;
        if self.ways.probes {
            if let Some((_, since)) = self.probe {
                // The last one is not answered yet.
                self.note_probe(since);
                return Ok(());
            }
            // Results of a run that the coordinator never had are acknowledged at once, in the order of what is sent.
            self.last_batch += 1;
            self.probe = Some((self.last_batch, sent));
            let stage = Some(StageRef { run: vec![0xfe; 16], stage: 0 });
            say(
                send,
                Kind::Results(wire::ResultBatch { batch: self.last_batch, stage, ..wire::ResultBatch::default() }),
            )
            .await?;
        }
        Ok(())
    }

    fn note_probe(&self, since: Instant) {
        let took = u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.seen.heard_after_us.fetch_max(took, Ordering::AcqRel);
    }

    async fn hear(&mut self, message: wire::CoordinatorMessage, send: &Mouth) -> Result<(), Status> {
        match message.kind.expect("a coordinator says something") {
            FromCoordinator::Lease(lease) => {
                let key = key(lease.stage);
                let known = self.plans.contains_key(&key);
                let asked = self.queue.iter().any(|(waits, _)| *waits == key);
                self.queue.extend(lease.ranges.iter().map(|range| (key.clone(), range.start..range.end)));
                if !known && !asked {
                    say(send, Kind::PlanRequest(wire::PlanRequest { stage: Some(stage_ref(&key)) })).await?;
                }
            }
            FromCoordinator::Plan(plan) => {
                let key = key(plan.stage);
                let experiment = Experiment::from_resolved(&plan.experiment).expect("a resolved experiment");
                let stage: Stage = serde_json::from_str(&plan.stage_json).expect("a stage");
                let executor = experiments::plan(&experiment).executor(&stage, &Vec::<Artifact>::new());
                let job = Job { executor: executor.expect("no artifacts in these tests"), shape: stage.shape };
                self.plans.insert(key, Arc::new(job));
            }
            FromCoordinator::Ack(ack) => {
                if let Some(batch) = self.unacknowledged.remove(&ack.batch) {
                    self.seen.acknowledged.lock().expect("whole").extend(batch.trials);
                }
                if let Some((_, since)) = self.probe.take_if(|(batch, _)| *batch == ack.batch) {
                    self.note_probe(since);
                    self.seen.beats.fetch_add(1, Ordering::AcqRel);
                }
            }
            FromCoordinator::Forget(forget) => {
                let key = key(forget.stage);
                self.queue.retain(|(waits, _)| *waits != key);
            }
            FromCoordinator::Withdraw(withdrawn) => {
                let key = key(withdrawn.stage);
                for gone in withdrawn.ranges {
                    let parts = |(waits, range): (Key, Range<u64>)| {
                        let before = range.start..range.end.min(gone.start);
                        let after = range.start.max(gone.end)..range.end;
                        let kept = if waits == key { [before, after] } else { [range, 0..0] };
                        kept.map(|part| (waits.clone(), part))
                    };
                    let kept = self.queue.drain(..).flat_map(parts).filter(|(_, range)| !range.is_empty());
                    self.queue = kept.collect();
                }
            }
            FromCoordinator::Drain(_) => return Err(Status::unavailable("the coordinator is stopping")),
            FromCoordinator::Welcome(_) | FromCoordinator::Artifact(_) | FromCoordinator::Leave(_) => {
                return Err(Status::internal("unasked for"));
            }
        }
        Ok(())
    }

    fn rows(&self) -> usize {
        let gathered: usize = self.gathered.values().map(|gathered| gathered.trials.len()).sum();
        gathered + self.unacknowledged.values().map(|batch| batch.trials.len()).sum::<usize>()
    }

    /// Begins trials while there are some and room for them.
    fn begin(&mut self) {
        while self.running.len() < self.ways.threads as usize && !self.ways.mute && self.rows() < ROWS_MAX {
            let Some(at) = self.queue.iter().position(|(key, _)| self.plans.contains_key(key)) else { return };
            let (key, range) = &mut self.queue[at];
            let count = if self.ways.is_quick() { PORTION } else { 1 };
            let trials = range.start..range.end.min(range.start + count);
            range.start = trials.end;
            let key = key.clone();
            if range.is_empty() {
                self.queue.remove(at);
            }
            let job = Arc::clone(&self.plans[&key]);
            let (ways, seen) = (self.ways.clone(), Arc::clone(&self.seen));
            self.running.spawn_blocking(move || run(&job, key, trials, &ways, &seen));
        }
    }

    fn gather(&mut self, done: Done) {
        let gathered = self.gathered.entry(done.key).or_default();
        gathered.shape.get_or_insert(done.shape);
        self.seen.lies.fetch_add(done.lies, Ordering::AcqRel);
        for (trial, elapsed_us, row) in done.rows {
            gathered.trials.push(trial);
            gathered.elapsed_us.push(elapsed_us);
            gathered.rows.push(row);
        }
    }

    async fn deliver(&mut self, send: &Mouth) -> Result<(), Status> {
        for (key, gathered) in std::mem::take(&mut self.gathered) {
            self.last_batch += 1;
            let batch = wire::ResultBatch {
                batch: self.last_batch,
                stage: Some(stage_ref(&key)),
                columns: columns(gathered.shape.as_ref().expect("set with the rows"), &gathered.rows),
                trials: gathered.trials,
                elapsed_us: gathered.elapsed_us,
            };
            // Kept first: what cannot be said on this connection is said on the next.
            self.unacknowledged.insert(self.last_batch, batch.clone());
            say(send, Kind::Results(batch)).await?;
        }
        Ok(())
    }
}

fn run(job: &Job, key: Key, trials: Range<u64>, ways: &Behaviour, seen: &Seen) -> Done {
    let mut done = Done { key, shape: job.shape.clone(), rows: Vec::new(), lies: 0 };
    for trial in trials {
        let begun = Instant::now();
        let mut row = job.executor.run(trial).expect("a trial of these tests has a result");
        std::thread::sleep(ways.delay + begun.elapsed().mul_f64(ways.slower - 1.0));
        if is_lie(trial, ways.lies) {
            flip(&job.shape, &mut row);
            done.lies += 1;
        }
        seen.ran.fetch_add(1, Ordering::AcqRel);
        seen.finished.lock().expect("whole").push(trial);
        done.rows.push((trial, begun.elapsed().as_micros() as u64, row));
    }
    done
}

/// Spreads lies over the trials (Fibonacci hashing, Knuth 6.4), the same at every attempt.
fn is_lie(trial: u64, share: f64) -> bool {
    let hash = (trial + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 11;
    (hash as f64) < share * 2f64.powi(53)
}

fn flip(shape: &Shape, row: &mut Row) {
    let at = shape.columns.iter().position(|column| column.pure && column.kind == ColumnType::Int);
    if let Value::Int(value) = &mut row[at.expect("a pure integer")] {
        *value ^= 1;
    }
}

fn columns(shape: &Shape, rows: &[Row]) -> Vec<wire::Column> {
    let column = |(at, column): (usize, &record::Column)| {
        let values = rows.iter().map(|row| row[at].clone());
        let values = match column.kind {
            ColumnType::Int | ColumnType::Label => Values::Ints(wire::Ints { values: values.map(int).collect() }),
            ColumnType::Real => Values::Reals(wire::Reals { values: values.map(real).collect() }),
            ColumnType::Text => Values::Texts(wire::Texts { values: values.map(words).collect() }),
        };
        wire::Column { values: Some(values) }
    };
    shape.columns.iter().enumerate().map(column).collect()
}

fn int(value: Value) -> i64 {
    match value {
        Value::Int(value) => value,
        other => unreachable!("{other:?} in a column of integers"),
    }
}

fn real(value: Value) -> f64 {
    match value {
        Value::Real(value) => value,
        other => unreachable!("{other:?} in a column of reals"),
    }
}

fn words(value: Value) -> String {
    match value {
        Value::Text(value) => value,
        other => unreachable!("{other:?} in a column of texts"),
    }
}
