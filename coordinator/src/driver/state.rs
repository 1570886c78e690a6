//! The loop of the driver, and its handling of messages.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    time::{Duration, Instant},
};

use experiments::{Experiment, Speeds};
use redqueen_wire::{
    self as wire,
    breakage::{Part, may_break},
};
use tokio::sync::{mpsc, watch};

use super::{encode::forget, message::Message};
use crate::{
    core::{Action, Core, Input},
    ids::{RunId, SessionId, StageKey},
    metrics::Metrics,
    outbound::Outbound,
    reports::Reports,
    store::{Command, Opened, Writer},
};

/// How often the core gets the time and the status is published.
const TICK: Duration = Duration::from_millis(250);
/// Most messages handled between two ticks.
const BURST: usize = 64;

pub(super) struct RunInfo {
    pub(super) name: String,
    pub(super) reproducible: bool,
    pub(super) directory: PathBuf,
    pub(super) resolved: String,
    pub(super) trial_timeout: Duration,
    pub(super) opened: Opened,
    /// Whether it has ended, and what its trials need was dropped.
    pub(super) is_over: bool,
    pub(super) headline: String,
    /// Why the run cannot go on, if it cannot.
    pub(super) stuck: Option<String>,
    /// The first stage whose plan has changed: workers may have the old one.
    pub(super) renewed: Option<u32>,
    /// What the expected costs of its trials follow from, once measured.
    pub(super) measured: Option<(Box<Experiment>, Speeds)>,
}

impl RunInfo {
    /// Drops what only the trials of the run need, since it has ended. A run that goes on is adopted anew.
    pub(super) fn retire(&mut self) {
        if !self.is_over {
            self.is_over = true;
            (self.resolved, self.measured) = (String::new(), None);
            self.opened.artifacts.clear();
            (self.opened.stage.meta, self.opened.stage.labels) = Default::default();
        }
    }
}

pub(super) struct State {
    pub(super) core: Core,
    pub(super) heartbeat_ms: u32,
    pub(super) epoch: Instant,
    pub(super) writer: Writer,
    pub(super) runs: BTreeMap<RunId, RunInfo>,
    pub(super) outbound: BTreeMap<SessionId, Outbound>,
    pub(super) next_session: u64,
    pub(super) actions: Vec<Action>,
    pub(super) publish: watch::Sender<Reports>,
    pub(super) metrics: Metrics,
}

impl State {
    pub(super) async fn run(mut self, mut queue: mpsc::Receiver<Message>, mut urgent: mpsc::Receiver<Message>) {
        let mut tick = tokio::time::interval(TICK);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut burst = Vec::with_capacity(BURST);
        let mut stopping = false;
        loop {
            tokio::select! {
                biased;
                _ = tick.tick() => {
                    may_break(Part::Driver);
                    self.event(Input::Tick);
                    self.report();
                }
                Some(message) = urgent.recv() => stopping |= self.message(message),
                count = queue.recv_many(&mut burst, BURST) => {
                    if count == 0 {
                        break;
                    }
                    for message in burst.drain(..) {
                        stopping |= self.message(message);
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
        // The thread ends when all its commands are durable.
        let _ = tokio::task::spawn_blocking(move || thread.join()).await;
    }

    /// Handles a message; true if it asks the driver to stop.
    fn message(&mut self, message: Message) -> bool {
        match message {
            Message::Input(event) => {
                if let Input::SessionClosed(session) = &event {
                    self.outbound.remove(session);
                }
                let controls =
                    matches!(event, Input::Pause(_) | Input::Resume(_) | Input::Cancel(_) | Input::Prioritize { .. });
                self.event(event);
                if controls {
                    self.report();
                }
            }
            Message::Register { worker, held, outbound, registered } => {
                let session = SessionId(self.next_session);
                self.next_session += 1;
                tracing::info!(worker = worker.name, threads = worker.threads, session = session.0, "worker joined");
                self.outbound.insert(session, outbound);
                if registered.send(session).is_ok() {
                    // Before the core can lease anything, since Welcome is the first message of a session.
                    let welcome = wire::Welcome { session: session.0, heartbeat_ms: self.heartbeat_ms };
                    self.tell(session, wire::coordinator_message::Kind::Welcome(welcome));
                    // It may have been absent when a plan changed.
                    for (&run, info) in &self.runs {
                        if let Some(stage) = info.renewed {
                            self.tell(session, forget(StageKey { run, stage }));
                        }
                    }
                    self.event(Input::SessionOpened { session, worker, held });
                } else {
                    self.outbound.remove(&session);
                }
            }
            Message::Fleet(answer) => {
                let now = self.epoch.elapsed();
                let _ = answer.send((self.core.demand(now), self.core.members(now)));
            }
            Message::Members(answer) => drop(answer.send(self.core.members(self.epoch.elapsed()))),
            Message::Leave { allocations, only_idle, answer } => {
                let before = self.core.leaving();
                self.event(Input::Leave { allocations, only_idle });
                let _ = answer.send(self.core.leaving().saturating_sub(before));
            }
            Message::Wanted { wanted, permit } => self.answer(wanted, permit),
            Message::Adopt { store, open, artifacts, adopted } => {
                let directory = store.directory().path().to_owned();
                let info = RunInfo {
                    name: store.experiment().name().to_owned(),
                    reproducible: store.experiment().reproducible(),
                    directory,
                    resolved: store.experiment().to_resolved_toml(),
                    trial_timeout: store.experiment().trial_timeout(),
                    opened: Opened { stage: store.stage().clone(), artifacts },
                    is_over: false,
                    headline: store.headline().to_owned(),
                    stuck: None,
                    renewed: None,
                    measured: None,
                };
                let run = store.id();
                let known = self.runs.insert(run, info).is_some();
                if known {
                    // Its keys may have changed while it had ended.
                    self.renew(run, 0);
                }
                self.command(Command::Adopt(store));
                self.event(if known { Input::RunReopened(open) } else { Input::RunOpened(open) });
                self.report();
                let _ = adopted.send(());
            }
            Message::Measured { run, experiment, speeds } => {
                if let Some(info) = self.runs.get_mut(&run).filter(|info| !info.is_over) {
                    info.measured = Some((experiment, speeds));
                }
                self.expect(run);
            }
            Message::Reply(reply) => self.reply(reply),
            Message::Command(command) => self.command(command),
            Message::Stop => {
                self.event(Input::Drain);
                return true;
            }
        }
        false
    }
}
