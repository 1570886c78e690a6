//! Which worker has which trial: the deciding part of the coordinator, without sockets, clocks or disk.
//!
//! [`Core::handle`] takes the present time and one [`Input`] and appends the [`Action`]s that follow. Inputs form one
//! sequence, and the same sequence gives the same actions, so that a simulation can drive the core (tests/simulation).
//!
//! Whatever the inputs, the core guarantees (ARCHITECTURE.md, invariants 3, 4 and 5):
//! - every trial of an open stage is stored, on its way to the store, leased, waiting or quarantined;
//! - a batch is acknowledged after the store reported its transaction as durable, never before;
//! - only the death of a process counts against the trials that it ran, never the end of a connection;
//! - a stage is closed once, when each of its trials is stored or quarantined;
//! - lost trials go to the front of the queue.

mod absence;
mod action;
mod audits;
mod connections;
mod copies;
mod counts;
mod deaths;
mod event;
mod input;
mod lease;
mod leaving;
mod left;
mod long;
mod pace;
mod quota;
mod results;
mod run;
mod runs;
mod sample;
mod session;
mod sessions;
mod share;
mod stage;
mod state;
mod status;
mod suspects;

use std::{collections::BTreeMap, time::Duration};

pub use action::{Action, Dismissal};
pub use counts::Counts;
pub use event::RunEvent;
pub use input::{Input, OpenRun, Repeat};
pub use quota::{PRIORITIES, Quota};
pub use session::{Load, Machine, Place, Worker};
pub use stage::StageView;
pub use state::RunState;
pub use status::{Demand, FleetView, MemberView, RunView};

use crate::{
    ids::{ProcessId, RunId, StageKey, Ticket},
    ranges::RangeSet,
};
use absence::{Absences, RETURN_HEARTBEATS};
use lease::Dispatch;
use run::Run;
use session::Session;
use sessions::Sessions;

/// Present time, on a monotonic clock with an arbitrary start.
pub type Now = Duration;

/// Failures after which a trial is quarantined.
pub const STRIKES: u32 = 3;

/// A batch that has arrived and is not durable yet.
#[derive(Debug)]
struct Commit {
    process: ProcessId,
    worker: String,
    batch: u64,
    stage: StageKey,
    trials: RangeSet,
}

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SessionEnd {
    /// The worker left, or the coordinator ended the session.
    Planned,
    /// The connection ended or the worker fell silent: its process may have died.
    Lost,
}

/// The deciding part of a coordinator.
#[derive(Debug)]
pub struct Core {
    heartbeat: Duration,
    runs: BTreeMap<RunId, Run>,
    /// Runs in the order in which they were opened.
    order: Vec<RunId>,
    /// Those that have not ended, in the same order.
    open: Vec<RunId>,
    sessions: Sessions,
    absences: Absences,
    commits: BTreeMap<Ticket, Commit>,
    /// Tickets of batches on their way to the store, by process and its number for the batch.
    batches: BTreeMap<(ProcessId, u64), Ticket>,
    /// Workers whose results are wrong, and what showed it.
    distrusted: BTreeMap<String, String>,
    /// Machines whose results are wrong, and what showed it: a worker that starts anew there has another name.
    distrusted_hosts: BTreeMap<String, String>,
    next_lease: u64,
    next_ticket: u64,
    draining: bool,
}

impl Core {
    /// A core without runs and workers. A worker that is silent for three `heartbeat`s is dismissed.
    pub fn new(heartbeat: Duration) -> Self {
        Core {
            heartbeat,
            runs: BTreeMap::new(),
            order: Vec::new(),
            open: Vec::new(),
            sessions: Sessions::default(),
            absences: Absences::default(),
            commits: BTreeMap::new(),
            batches: BTreeMap::new(),
            distrusted: BTreeMap::new(),
            distrusted_hosts: BTreeMap::new(),
            next_lease: 1,
            next_ticket: 1,
            draining: false,
        }
    }

    /// Handles one input at time `now` and appends the actions that follow from it.
    pub fn handle(&mut self, now: Now, input: Input, actions: &mut Vec<Action>) {
        let to = match &input {
            Input::Heartbeat { session, holds: Some(holds), .. } if holds.is_empty() => Dispatch::One(*session),
            Input::Heartbeat { .. } => Dispatch::None,
            Input::Results { session, .. }
            | Input::TrialFailed { session, .. }
            | Input::SessionOpened { session, .. } => Dispatch::One(*session),
            Input::Committed { ticket, .. } => {
                let process = self.commits.get(ticket).map(|commit| commit.process);
                process.and_then(|process| self.sessions.of_process(process)).map_or(Dispatch::Idle, Dispatch::One)
            }
            Input::SessionClosed(_) | Input::HandedBack { .. } => Dispatch::Idle,
            _ => Dispatch::All,
        };
        let may_end = matches!(
            &input,
            Input::RunOpened(_)
                | Input::RunReopened(_)
                | Input::RunLeft(_)
                | Input::StageClosed { .. }
                | Input::Cancel(_)
        );
        match input {
            Input::RunOpened(open) => self.open_run(now, *open, actions),
            Input::RunReopened(open) => self.reopen_run(*open, actions),
            Input::Expected { run, costs } => {
                if let Some(run) = self.runs.get_mut(&run) {
                    run.pace.expect(costs);
                }
            }
            Input::RunLeft(run) => self.leave_run(run, actions),
            Input::SessionOpened { session, worker, held } => self.open_session(now, session, worker, &held, actions),
            Input::SessionClosed(session) => {
                let planned = self.sessions.get(session).is_some_and(|s| s.leaving) || self.draining;
                let (end, why) =
                    if planned { (SessionEnd::Planned, "left") } else { (SessionEnd::Lost, "its connection ended") };
                self.close_session(now, session, end, why, actions);
            }
            Input::Heartbeat { session, load, executed, holds } => {
                self.heard(now, session);
                self.sessions.change(session, |session| {
                    session.load = load;
                    session.has_executed(executed);
                });
                if let Some(holds) = holds {
                    self.reconcile(now, session, &holds, actions);
                }
            }
            Input::Results { session, batch, stage, rows } => {
                self.heard(now, session);
                self.receive(now, session, batch, stage, rows, actions);
            }
            Input::HandedBack { session, stage, trials } => {
                self.heard(now, session);
                self.take_back(session, stage, &trials);
            }
            Input::TrialFailed { session, stage, trial, error } => {
                self.heard(now, session);
                self.fail(session, stage, trial, error, actions);
            }
            Input::Committed { ticket, repeats } => self.committed(now, ticket, repeats, actions),
            Input::Retracted { stage, trials } => self.retracted(stage, &trials),
            Input::StageClosed { run, next } => self.stage_closed(run, next),
            Input::StoreTrouble { run, why } => self.trouble(run, Some(why)),
            Input::StoreRecovered(run) => self.trouble(run, None),
            Input::Pause(run) => self.set_state(run, RunState::Running, RunState::Paused, actions),
            Input::Resume(run) => self.set_state(run, RunState::Paused, RunState::Running, actions),
            Input::Prioritize { run, quota } => self.prioritize(run, quota, actions),
            Input::Cancel(run) => {
                self.set_state(run, RunState::Running, RunState::Cancelled, actions);
                self.set_state(run, RunState::Paused, RunState::Cancelled, actions);
            }
            Input::Leave { allocations, only_idle } => {
                let of = |session: &Session| {
                    allocations.contains(&session.worker.place.allocation) && (session.is_idle() || !only_idle)
                };
                self.send_away(of, "`redqueen launch` needs it no more", actions);
            }
            Input::Tick => {
                self.dismiss_silent(now, actions);
                self.send_away_useless(now, actions);
                if let Some(limit) = now.checked_sub(self.heartbeat * RETURN_HEARTBEATS) {
                    for process in self.absences.undecided(Some(limit), None) {
                        self.declare_dead(process, actions);
                    }
                }
            }
            Input::Drain => self.drain(actions),
        }
        if may_end {
            self.list_open();
        }
        self.close_stages(actions);
        self.dispatch(now, to, actions);
    }

    /// Those of `trials` that any session holds as well.
    fn elsewhere(&self, stage: StageKey, trials: &RangeSet) -> RangeSet {
        let shared = self.runs.get(&stage.run).map_or_else(RangeSet::new, |run| run.shared.common(trials));
        if shared.is_empty() { shared } else { self.held(stage).common(&shared) }
    }

    /// The trials of a stage that sessions hold.
    fn held(&self, stage: StageKey) -> RangeSet {
        let mut held = RangeSet::new();
        for session in self.sessions.values() {
            session.grants(stage).iter().for_each(|grant| held.insert_all(&grant.trials));
        }
        held
    }

    fn event_all(&self, event: &RunEvent, actions: &mut Vec<Action>) {
        actions.extend(self.open.iter().map(|&run| Action::Event { run, event: event.clone() }));
    }

    /// Whether a batch or the closing of a stage is on its way to the store.
    pub fn is_committing(&self) -> bool {
        !self.commits.is_empty() || self.runs.values().any(|run| run.closing && run.state == RunState::Running)
    }

    /// Checks the invariant; for tests, simulations and debug builds.
    ///
    /// # Panics
    /// If a trial of an open stage is nowhere, or waits while it is held, stored or quarantined.
    pub fn check(&self) {
        for (&id, run) in &self.runs {
            let mut committing = RangeSet::new();
            for commit in self.commits.values().filter(|c| c.stage == run.key()) {
                committing.insert_all(&commit.trials);
            }
            run.check(id, &self.held(run.key()), &committing);
        }
        self.sessions.check();
        let mut seen: BTreeMap<StageKey, RangeSet> = BTreeMap::new();
        for session in self.sessions.values() {
            assert!(!session.alone || session.stages().len() == 1, "suspects do not run alone");
            for stage in session.stages() {
                let (seen, trials) = (seen.entry(stage).or_default(), session.trials(stage));
                let mut twice = seen.common(&trials);
                if let Some(run) = self.runs.get(&stage.run) {
                    [&run.shared, &run.stored].into_iter().for_each(|set| twice.remove_all(set));
                }
                assert!(twice.is_empty(), "{twice:?} of {stage:?} are held twice without being shared");
                seen.insert_all(&trials);
            }
        }
    }
}
