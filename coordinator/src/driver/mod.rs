//! The task that owns the core: carries events in and actions out.
//!
//! One loop, one queue of inputs, so the order in which things happened is one list. The clock is read here
//! and handed to the core; SQLite is behind the writer thread; each worker has a channel of its own.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use experiments::{Experiment, Speeds};
use redqueen_wire::{
    self as wire,
    breakage::{Part, may_break},
};
use tokio::sync::{mpsc, oneshot, watch};
use tonic::Status;

use crate::{
    core::{Action, Core, Dismissal, Event, Note, OpenRun, RunState, RunView, Worker},
    ids::{RunId, SessionId, StageKey},
    metrics::Metrics,
    ranges::RangeSet,
    service::{Outbound, Place, Wanted},
    store::{Command, Opened, Reply, RunStore, Writer},
};

/// How often time passes for the core and the published status is renewed.
const TICK: Duration = Duration::from_millis(250);
/// Inputs that may wait; more make their senders wait, workers in the end.
const QUEUE: usize = 1_024;
/// Inputs handled before the next look at the clock.
const BURST: usize = 64;

/// What reaches the driver.
pub(crate) enum Input {
    /// For the core, as it is.
    Event(Event),
    /// A worker that passed every check.
    Register {
        worker: Worker,
        held: Vec<(StageKey, RangeSet)>,
        outbound: Outbound,
        registered: oneshot::Sender<SessionId>,
    },
    /// A worker lacks a stage's plan or an artifact of it, and it is its turn.
    Wanted { wanted: Wanted, place: Place },
    /// A run to take up; answered when the core knows it.
    Adopt {
        store: Box<RunStore>,
        open: Box<OpenRun>,
        artifacts: BTreeMap<String, Vec<u8>>,
        adopted: oneshot::Sender<()>,
    },
    /// What decisions in a run cost on this machine: for the time left.
    Measured { run: RunId, experiment: Box<Experiment>, speeds: Speeds },
    /// From the writer thread.
    Reply(Reply),
    /// For the writer thread, behind what it was told before.
    Command(Command),
    /// Drain, make everything durable, end.
    Stop,
}

/// A run's status with what the core does not know of it.
#[derive(Clone, Debug)]
pub(crate) struct RunReport {
    /// As the core sees it.
    pub view: RunView,
    /// What the last closed stage came to.
    pub headline: String,
    /// Of the experiment.
    pub name: String,
    /// False where a player has a time budget.
    pub reproducible: bool,
    /// Where it is kept.
    pub directory: PathBuf,
}

/// The published status of every run.
pub(crate) type Reports = Arc<Vec<RunReport>>;

struct RunInfo {
    name: String,
    reproducible: bool,
    directory: PathBuf,
    resolved: String,
    opened: Opened,
    headline: String,
    /// Why nothing more will come of it.
    stuck: Option<String>,
    /// The first stage whose plan is other than it was: workers may know the old one.
    renewed: Option<u32>,
    /// What its trials are expected to take follows from these, when they are known.
    measured: Option<(Box<Experiment>, Speeds)>,
}

/// Way in to a running driver. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Driver {
    pub(crate) inputs: mpsc::Sender<Input>,
    /// Goes before `inputs`: commands of people and answers of the store do not wait behind the fleet.
    pub(crate) first: mpsc::Sender<Input>,
    pub(crate) reports: watch::Receiver<Reports>,
    pub(crate) metrics: Metrics,
}

impl Driver {
    /// Starts the driver and the writer thread.
    pub(crate) fn start(heartbeat: Duration) -> std::io::Result<(Self, tokio::task::JoinHandle<()>)> {
        let (inputs, queue) = mpsc::channel(QUEUE);
        let (first, urgent) = mpsc::channel(QUEUE);
        let (publish, reports) = watch::channel(Reports::default());
        let metrics = Metrics::new(reports.clone());
        let replies = first.clone();
        let writer = Writer::start(move |reply| {
            // Fails only when the driver is gone, and then nobody waits for the answer.
            let _ = replies.blocking_send(Input::Reply(reply));
        })?;
        let state = State {
            core: Core::new(heartbeat),
            heartbeat_ms: u32::try_from(heartbeat.as_millis()).unwrap_or(u32::MAX),
            epoch: Instant::now(),
            writer,
            runs: BTreeMap::new(),
            outbound: BTreeMap::new(),
            next_session: 1,
            actions: Vec::new(),
            publish,
            metrics: metrics.clone(),
        };
        let task = tokio::spawn(state.run(queue, urgent));
        Ok((Driver { inputs, first, reports, metrics }, task))
    }

    /// Sends an input; an ended driver takes none, and then nobody minds.
    pub(crate) async fn send(&self, input: Input) {
        let _ = self.inputs.send(input).await;
    }

    /// Sends an input that goes before what workers have said.
    pub(crate) async fn command(&self, input: Input) {
        let _ = self.first.send(input).await;
    }
}

struct State {
    core: Core,
    heartbeat_ms: u32,
    epoch: Instant,
    writer: Writer,
    runs: BTreeMap<RunId, RunInfo>,
    outbound: BTreeMap<SessionId, Outbound>,
    next_session: u64,
    actions: Vec<Action>,
    publish: watch::Sender<Reports>,
    metrics: Metrics,
}

impl State {
    async fn run(mut self, mut queue: mpsc::Receiver<Input>, mut urgent: mpsc::Receiver<Input>) {
        let mut tick = tokio::time::interval(TICK);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut burst = Vec::with_capacity(BURST);
        let mut stopping = false;
        loop {
            tokio::select! {
                biased;
                _ = tick.tick() => {
                    may_break(Part::Driver);
                    self.event(Event::Tick);
                    self.report();
                }
                Some(input) = urgent.recv() => stopping |= self.input(input),
                count = queue.recv_many(&mut burst, BURST) => {
                    if count == 0 {
                        break;
                    }
                    for input in burst.drain(..) {
                        stopping |= self.input(input);
                    }
                }
            }
            if stopping && !self.core.is_committing() && self.outbound.is_empty() {
                break;
            }
        }
        self.report();
        let Writer { commands, thread } = self.writer;
        drop(commands);
        drop((queue, urgent));
        // The thread ends when everything handed to it is durable.
        let _ = tokio::task::spawn_blocking(move || thread.join()).await;
    }

    /// Handles one input; true if it asks to stop.
    fn input(&mut self, input: Input) -> bool {
        match input {
            Input::Event(event) => {
                if let Event::SessionClosed(session) = &event {
                    self.outbound.remove(session);
                }
                let controls = matches!(event, Event::Pause(_) | Event::Resume(_) | Event::Cancel(_));
                self.event(event);
                if controls {
                    self.report();
                }
            }
            Input::Register { worker, held, outbound, registered } => {
                let session = SessionId(self.next_session);
                self.next_session += 1;
                tracing::info!(worker = worker.name, threads = worker.threads, session = session.0, "worker joined");
                self.outbound.insert(session, outbound);
                if registered.send(session).is_ok() {
                    // Before the core can lease anything: Welcome is the first message of a session.
                    let welcome = wire::Welcome { session: session.0, heartbeat_ms: self.heartbeat_ms };
                    self.tell(session, wire::coordinator_message::Kind::Welcome(welcome));
                    // It may have been away when a plan changed.
                    for (&run, info) in &self.runs {
                        if let Some(stage) = info.renewed {
                            self.tell(session, forget(StageKey { run, stage }));
                        }
                    }
                    self.event(Event::SessionOpened { session, worker, held });
                } else {
                    self.outbound.remove(&session);
                }
            }
            Input::Wanted { wanted, place } => self.answer(wanted, place),
            Input::Adopt { store, open, artifacts, adopted } => {
                let directory = store.directory().path().to_owned();
                // Of a run that has ended nothing is measured, but it may be given another chance.
                let experiment = open.state.is_ended().then(|| Box::new(store.experiment().clone()));
                let info = RunInfo {
                    name: store.experiment().name().to_owned(),
                    reproducible: store.experiment().reproducible(),
                    directory,
                    resolved: store.experiment().to_resolved_toml(),
                    opened: Opened { stage: store.stage().clone(), artifacts },
                    headline: store.headline().to_owned(),
                    stuck: None,
                    renewed: None,
                    measured: experiment.map(|experiment| (experiment, Speeds::default())),
                };
                let known = self.runs.insert(store.id(), info).is_some();
                self.command(Command::Adopt(store));
                self.event(if known { Event::RunReopened(open) } else { Event::RunOpened(open) });
                self.report();
                let _ = adopted.send(());
            }
            Input::Measured { run, experiment, speeds } => {
                if let Some(info) = self.runs.get_mut(&run) {
                    info.measured = Some((experiment, speeds));
                }
                self.expect(run);
            }
            Input::Reply(reply) => self.reply(reply),
            Input::Command(command) => self.command(command),
            Input::Stop => {
                self.event(Event::Drain);
                return true;
            }
        }
        false
    }

    /// Hears the writer thread.
    fn reply(&mut self, reply: Reply) {
        match reply {
            Reply::Closed { run, headline, next } => {
                if !headline.is_empty() {
                    tracing::info!(run = %run, "{headline}");
                }
                if let Some(info) = self.runs.get_mut(&run) {
                    info.headline = headline;
                }
                let next = next.map(|(view, opened)| {
                    if let Some(info) = self.runs.get_mut(&run) {
                        info.opened = *opened;
                    }
                    view
                });
                if let Err(state) = next {
                    tracing::info!(run = %run, state = state.name(), "run ended");
                    // Nobody will ask for them.
                    if let Some(info) = self.runs.get_mut(&run) {
                        info.opened.artifacts.clear();
                    }
                }
                let goes_on = next.is_ok();
                self.event(Event::StageClosed { run, next });
                if goes_on {
                    self.expect(run);
                }
                self.report();
            }
            Reply::Wrote { rows, duration } => self.metrics.commit(duration, rows),
            Reply::Committed { ticket, repeats } => {
                repeats.iter().filter(|repeat| !repeat.equal).for_each(|_| self.metrics.alarm());
                self.event(Event::Committed { ticket, repeats });
            }
            Reply::Retracted { stage, trials } => self.event(Event::Retracted { stage, trials }),
            Reply::Trouble { run, message } => {
                self.event(Event::StoreTrouble { run, why: message });
                self.report();
            }
            Reply::Recovered { run } => {
                self.event(Event::StoreRecovered(run));
                self.report();
            }
            Reply::Reopened { run, open, opened, headline } => {
                self.renew(run, opened.stage.index);
                if let Some(info) = self.runs.get_mut(&run) {
                    (info.opened, info.headline, info.stuck) = (*opened, headline, None);
                }
                self.event(Event::RunReopened(open));
                self.expect(run);
                self.report();
            }
            Reply::Changed { run, experiment, open, opened } => {
                self.renew(run, 0);
                if let Some(info) = self.runs.get_mut(&run) {
                    info.name = experiment.name().to_owned();
                    info.resolved = experiment.to_resolved_toml();
                    info.opened = *opened;
                }
                self.event(Event::RunReopened(open));
                self.expect(run);
                self.report();
            }
            Reply::Released { run } => {
                self.runs.remove(&run);
                self.event(Event::RunLeft(run));
                self.report();
            }
            // Without its writer a coordinator cannot do its work: it ends of the same panic.
            Reply::Panicked(panic) => std::panic::resume_unwind(panic),
            Reply::Stuck { run, why } => {
                if let Some(info) = self.runs.get_mut(&run) {
                    info.stuck = Some(why);
                }
                self.event(Event::StageClosed { run, next: Err(RunState::Failed) });
                self.report();
            }
        }
    }

    /// Tells the core what trials of a run's open stage are expected to take.
    fn expect(&mut self, run: RunId) {
        let Some(info) = self.runs.get(&run) else { return };
        let Some((experiment, speeds)) = &info.measured else { return };
        let costs = experiment.costs(&info.opened.stage, speeds);
        self.event(Event::Expected { run, costs });
    }

    /// Has every worker ask again for plans of a run from stage `first` on, before any of it is leased again.
    fn renew(&mut self, run: RunId, first: u32) {
        if let Some(info) = self.runs.get_mut(&run) {
            info.renewed = Some(info.renewed.map_or(first, |stage| stage.min(first)));
        }
        for &session in self.outbound.keys() {
            self.tell(session, forget(StageKey { run, stage: first }));
        }
    }

    fn event(&mut self, event: Event) {
        let now = self.epoch.elapsed();
        let mut actions = std::mem::take(&mut self.actions);
        self.core.handle(now, event, &mut actions);
        #[cfg(debug_assertions)]
        self.core.check();
        for action in actions.drain(..) {
            self.act(action);
        }
        self.actions = actions;
    }

    fn act(&mut self, action: Action) {
        use wire::coordinator_message::Kind;
        match action {
            Action::Lease { session, lease, stage, trials } => {
                let ranges = ranges_of(&trials);
                self.tell(session, Kind::Lease(wire::Lease { lease: lease.0, stage: Some(stage_ref(stage)), ranges }));
            }
            Action::Ack { session, batch } => self.tell(session, Kind::Ack(wire::Ack { batch })),
            Action::Withdraw { session, stage, trials } => {
                let ranges = ranges_of(&trials);
                self.tell(session, Kind::Withdraw(wire::Withdraw { stage: Some(stage_ref(stage)), ranges }));
            }
            Action::Forget { session, stage } => {
                self.tell(session, forget(stage));
            }
            Action::Dismiss { session, why } => self.dismiss(session, &why),
            Action::Store { ticket, stage, worker, rows } => {
                self.command(Command::Store { ticket, stage, worker, rows });
            }
            Action::StoreFailure { stage, trial, attempt, worker, error, quarantine } => {
                self.metrics.failure();
                tracing::warn!(stage = stage.stage, trial, attempt, worker, quarantine, error, "trial failed");
                self.command(Command::Failure { stage, trial, attempt, worker, error, quarantine });
            }
            Action::StoreAcquittal { stage, trial, attempt } => {
                tracing::info!(stage = stage.stage, trial, attempt, "a worker that seemed to have died of it is back");
                self.command(Command::Acquit { stage, trial, attempt });
            }
            Action::Retract { stage, worker, why } => {
                tracing::error!(worker, stage = stage.stage, "its results are run again: {why}");
                self.command(Command::Retract { stage, worker, why });
            }
            Action::Note { run, note } => self.note(run, &note),
            Action::CloseStage(stage) => self.command(Command::CloseStage(stage)),
            Action::StoreState { run, state } => self.command(Command::State { run, state }),
        }
    }

    fn note(&mut self, run: RunId, note: &Note) {
        match note {
            Note::CopyIssued { trials, .. } => self.metrics.copies_issued(*trials),
            Note::WorkerLeft { lost, .. } | Note::LeaseDropped { trials: lost, .. } => self.metrics.trials_lost(*lost),
            _ => {}
        }
        let (kind, detail) = (note.kind(), note.detail());
        tracing::debug!(run = %run, %detail, "{kind}");
        self.command(Command::Note { run, kind, detail });
    }

    fn dismiss(&mut self, session: SessionId, why: &Dismissal) {
        if *why == Dismissal::Draining {
            // It delivers what is finished and goes by itself.
            let drain = wire::Drain { reason: why.to_string() };
            return self.tell(session, wire::coordinator_message::Kind::Drain(drain));
        }
        tracing::warn!(session = session.0, "worker dismissed: {why}");
        if let Some(outbound) = self.outbound.remove(&session) {
            let status = match why {
                Dismissal::Misfit(_) => Status::invalid_argument(why.to_string()),
                // To a session that its worker still uses, this says that another process has its identity.
                Dismissal::Fenced => Status::already_exists(why.to_string()),
                // Not to come back.
                Dismissal::Distrusted(_) => Status::failed_precondition(why.to_string()),
                _ => Status::aborted(why.to_string()),
            };
            outbound.send(Err(status));
        }
    }

    /// Sends a plan or an artifact, made only now; a session that is gone gets none.
    fn answer(&self, wanted: Wanted, place: Place) {
        use wire::coordinator_message::Kind;
        let Wanted { session, stage, artifact } = wanted;
        let Some(outbound) = self.outbound.get(&session) else { return };
        let kind = self.open_stage(stage).and_then(|info| match artifact {
            None => Some(Kind::Plan(wire::StagePlan {
                stage: Some(stage_ref(stage)),
                experiment: info.resolved.clone(),
                stage_json: serde_json::to_string(&info.opened.stage).unwrap_or_default(),
            })),
            Some(hash) => {
                let data = info.opened.artifacts.get(&hash)?.clone();
                Some(Kind::Artifact(wire::Artifact { hash, data }))
            }
        });
        let kind = kind.unwrap_or_else(|| forget(stage));
        outbound.answer(wire::CoordinatorMessage { kind: Some(kind) }, place);
    }

    /// The run whose open stage it is.
    fn open_stage(&self, stage: StageKey) -> Option<&RunInfo> {
        self.runs.get(&stage.run).filter(|info| info.opened.stage.index == stage.stage)
    }

    fn tell(&self, session: SessionId, kind: wire::coordinator_message::Kind) {
        if let Some(outbound) = self.outbound.get(&session) {
            outbound.send(Ok(wire::CoordinatorMessage { kind: Some(kind) }));
        }
    }

    fn command(&self, command: Command) {
        if self.writer.commands.send(command).is_err() {
            tracing::error!("the store's thread has ended; nothing is acknowledged any more");
        }
    }

    fn report(&self) {
        self.metrics.beat();
        self.metrics.leases_open(self.core.fleet().leases);
        let views = self.core.views(self.epoch.elapsed());
        let reports = views.into_iter().filter_map(|mut view| {
            let info = self.runs.get(&view.run)?;
            if let Some(why) = &info.stuck {
                view.note.clone_from(why);
            }
            Some(RunReport {
                view,
                headline: info.headline.clone(),
                name: info.name.clone(),
                reproducible: info.reproducible,
                directory: info.directory.clone(),
            })
        });
        self.publish.send_replace(Arc::new(reports.collect()));
    }
}

fn ranges_of(trials: &RangeSet) -> Vec<wire::Range> {
    trials.iter().map(|range| wire::Range { start: range.start, end: range.end }).collect()
}

pub(crate) fn stage_ref(stage: StageKey) -> wire::StageRef {
    wire::StageRef { run: stage.run.0.to_vec(), stage: stage.stage }
}

/// Tells a worker to forget a stage.
fn forget(stage: StageKey) -> wire::coordinator_message::Kind {
    wire::coordinator_message::Kind::Forget(wire::Forget { stage: Some(stage_ref(stage)) })
}
