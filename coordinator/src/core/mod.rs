//! Which trial is whose: the deciding part of the coordinator, without sockets, clocks or disk.
//!
//! [`Core::handle`] takes the present time and one [`Event`] and appends the [`Action`]s that follow.
//! The order of events is one list; given the same list the core does the same, which is what lets a
//! simulation drive it (DESIGN 3, 8).
//!
//! What the core promises, whatever the events:
//! - every trial of an open stage is stored, on its way to the store, leased, waiting or quarantined;
//! - a batch is acknowledged after the store said its transaction is durable, never before;
//! - a stage is closed once, when every trial of it is stored or quarantined;
//! - lost work goes to the front of the queue.

mod lease;
mod run;
mod session;
mod status;

use std::{collections::BTreeMap, time::Duration};

pub use run::{RunState, StageView};
pub use session::Worker;
pub use status::RunView;

use crate::{
    ids::{LeaseId, RunId, SessionId, StageKey, Ticket},
    ranges::RangeSet,
    rows::Rows,
};
use run::Run;
use session::Session;

/// Present time: since an arbitrary start, monotonic.
pub type Now = Duration;

/// Failures of one trial after which it is given up.
pub const STRIKES: u32 = 3;

/// What happened.
#[derive(Debug)]
pub enum Event {
    /// A run was created or found on disk.
    RunOpened(Box<OpenRun>),
    /// A worker said Hello and passed every check.
    SessionOpened {
        /// New, never used before.
        session: SessionId,
        /// Who.
        worker: Worker,
    },
    /// Its stream ended, for whatever reason.
    SessionClosed(SessionId),
    /// A sign of life.
    Heartbeat {
        /// From.
        session: SessionId,
        /// Age of its oldest running trial.
        oldest: Duration,
    },
    /// Results arrived.
    Results {
        /// From.
        session: SessionId,
        /// The worker's number for the batch, to be acknowledged.
        batch: u64,
        /// Of this stage.
        stage: StageKey,
        /// What came.
        rows: Rows,
    },
    /// A worker will not run these.
    HandedBack {
        /// From.
        session: SessionId,
        /// Of this stage.
        stage: StageKey,
        /// Trials; those the session does not hold are ignored.
        trials: RangeSet,
    },
    /// A trial ended without result.
    TrialFailed {
        /// From.
        session: SessionId,
        /// Of this stage.
        stage: StageKey,
        /// Index.
        trial: u64,
        /// What it said.
        error: String,
    },
    /// The store made a batch durable.
    Committed(Ticket),
    /// The store closed a stage; what follows is stored with it.
    StageClosed {
        /// The run.
        run: RunId,
        /// The next stage, or the state in which the run ended.
        next: Result<StageView, RunState>,
    },
    /// Stop leasing a run's trials.
    Pause(RunId),
    /// Go on with a paused run.
    Resume(RunId),
    /// End a run; late results are dropped.
    Cancel(RunId),
    /// Time passed. Comes at least once a heartbeat.
    Tick,
    /// Lease nothing any more and tell the workers to leave.
    Drain,
}

/// A run as found on disk.
#[derive(Debug)]
pub struct OpenRun {
    /// Its id.
    pub run: RunId,
    /// `Running` or `Paused`; ended runs are kept for their status.
    pub state: RunState,
    /// The stage that is open, or was last.
    pub stage: StageView,
    /// Trials of it that are in the store.
    pub stored: RangeSet,
    /// Trials of it that were given up.
    pub quarantined: RangeSet,
    /// Failures so far, by trial.
    pub failures: BTreeMap<u64, u32>,
    /// Who stored which of the stored trials.
    pub by: BTreeMap<String, RangeSet>,
}

/// What is to be done.
#[derive(Debug, PartialEq)]
pub enum Action {
    /// Hand trials to a worker.
    Lease {
        /// To.
        session: SessionId,
        /// For the log; a lease is not stored.
        lease: LeaseId,
        /// Of this stage.
        stage: StageKey,
        /// These.
        trials: RangeSet,
    },
    /// Tell a worker that its batch is durable.
    Ack {
        /// To.
        session: SessionId,
        /// The worker's number.
        batch: u64,
    },
    /// Tell a worker to drop what it has queued of a stage.
    Forget {
        /// To.
        session: SessionId,
        /// The stage.
        stage: StageKey,
    },
    /// End a session.
    Dismiss {
        /// Whose.
        session: SessionId,
        /// Why.
        why: Dismissal,
    },
    /// Make rows durable, then say [`Event::Committed`].
    Store {
        /// To name the batch.
        ticket: Ticket,
        /// Of this stage.
        stage: StageKey,
        /// Who ran them.
        worker: Worker,
        /// What.
        rows: Rows,
    },
    /// Note a failure, and whether the trial is given up.
    StoreFailure {
        /// Of this stage.
        stage: StageKey,
        /// Index.
        trial: u64,
        /// From 1.
        attempt: u32,
        /// Who ran it.
        worker: String,
        /// What it said.
        error: String,
        /// No further attempt.
        quarantine: bool,
    },
    /// Close the stage in one transaction with what follows, then say [`Event::StageClosed`].
    CloseStage(StageKey),
    /// Note that a run is in another state.
    StoreState {
        /// The run.
        run: RunId,
        /// Its state now.
        state: RunState,
    },
}

/// Why a session ends.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Dismissal {
    /// A new session under the same name.
    #[error("another worker has joined under this name")]
    Fenced,
    /// No sign of life for three heartbeats.
    #[error("nothing heard for three heartbeats")]
    Silent,
    /// A batch that cannot be of the stage.
    #[error("sent results that are not of the stage: {0}")]
    Misfit(String),
    /// The coordinator is leaving.
    #[error("the coordinator is stopping")]
    Draining,
}

/// A batch between arrival and durability.
#[derive(Debug)]
struct Commit {
    session: SessionId,
    batch: u64,
    stage: StageKey,
    trials: RangeSet,
}

/// The deciding part of a coordinator.
#[derive(Debug)]
pub struct Core {
    heartbeat: Duration,
    runs: BTreeMap<RunId, Run>,
    /// Runs in the order they were opened: earlier ones are served first.
    order: Vec<RunId>,
    sessions: BTreeMap<SessionId, Session>,
    commits: BTreeMap<Ticket, Commit>,
    next_lease: u64,
    next_ticket: u64,
    draining: bool,
}

impl Core {
    /// A core without runs and workers. A worker is given up after three `heartbeat`s of silence.
    pub fn new(heartbeat: Duration) -> Self {
        Core {
            heartbeat,
            runs: BTreeMap::new(),
            order: Vec::new(),
            sessions: BTreeMap::new(),
            commits: BTreeMap::new(),
            next_lease: 1,
            next_ticket: 1,
            draining: false,
        }
    }

    /// Takes one event at time `now` and appends what follows from it.
    pub fn handle(&mut self, now: Now, event: Event, actions: &mut Vec<Action>) {
        match event {
            Event::RunOpened(open) => self.open_run(*open, actions),
            Event::SessionOpened { session, worker } => self.open_session(now, session, worker, actions),
            Event::SessionClosed(session) => self.close_session(session),
            Event::Heartbeat { session, oldest } => self.heard(now, session, Some(oldest)),
            Event::Results { session, batch, stage, rows } => {
                self.heard(now, session, None);
                self.receive(now, session, batch, stage, rows, actions);
            }
            Event::HandedBack { session, stage, trials } => {
                self.heard(now, session, None);
                self.take_back(session, stage, &trials);
            }
            Event::TrialFailed { session, stage, trial, error } => {
                self.heard(now, session, None);
                self.fail(session, stage, trial, error, actions);
            }
            Event::Committed(ticket) => self.committed(now, ticket, actions),
            Event::StageClosed { run, next } => self.stage_closed(run, next),
            Event::Pause(run) => self.set_state(run, RunState::Running, RunState::Paused, actions),
            Event::Resume(run) => {
                self.set_state(run, RunState::Paused, RunState::Running, actions);
                // The last results may have come in while it was paused.
                self.maybe_close(run, actions);
            }
            Event::Cancel(run) => {
                self.set_state(run, RunState::Running, RunState::Cancelled, actions);
                self.set_state(run, RunState::Paused, RunState::Cancelled, actions);
            }
            Event::Tick => self.dismiss_silent(now, actions),
            Event::Drain => self.drain(actions),
        }
        self.dispatch(actions);
    }

    fn open_run(&mut self, open: OpenRun, actions: &mut Vec<Action>) {
        let id = open.run;
        if self.runs.contains_key(&id) {
            return;
        }
        let run = Run::new(open);
        if run.ready_to_close() {
            actions.push(Action::CloseStage(run.key()));
        }
        self.order.push(id);
        self.runs.insert(id, run);
        self.mark_closing(id);
    }

    fn mark_closing(&mut self, id: RunId) {
        if let Some(run) = self.runs.get_mut(&id)
            && run.ready_to_close()
        {
            run.closing = true;
        }
    }

    fn open_session(&mut self, now: Now, id: SessionId, worker: Worker, actions: &mut Vec<Action>) {
        let old: Vec<SessionId> =
            self.sessions.iter().filter(|(_, s)| s.worker.name == worker.name).map(|(&id, _)| id).collect();
        for session in old {
            actions.push(Action::Dismiss { session, why: Dismissal::Fenced });
            self.close_session(session);
        }
        self.sessions.insert(id, Session::new(worker, now));
        if self.draining {
            actions.push(Action::Dismiss { session: id, why: Dismissal::Draining });
        }
    }

    /// Forgets a session; what it held goes to the front of the queues.
    fn close_session(&mut self, id: SessionId) {
        let Some(session) = self.sessions.remove(&id) else { return };
        for (stage, trials) in session.held {
            if let Some(run) = self.runs.get_mut(&stage.run) {
                run.lost(stage, &trials);
            }
        }
    }

    fn heard(&mut self, now: Now, id: SessionId, oldest: Option<Duration>) {
        if let Some(session) = self.sessions.get_mut(&id) {
            session.heard = now;
            if let Some(oldest) = oldest {
                session.oldest = oldest;
            }
        }
    }

    fn dismiss_silent(&mut self, now: Now, actions: &mut Vec<Action>) {
        let limit = self.heartbeat * 3;
        let silent: Vec<SessionId> =
            self.sessions.iter().filter(|(_, s)| now.saturating_sub(s.heard) > limit).map(|(&id, _)| id).collect();
        for session in silent {
            actions.push(Action::Dismiss { session, why: Dismissal::Silent });
            self.close_session(session);
        }
        for run in self.runs.values_mut() {
            run.pace.tick(now);
        }
    }

    fn receive(&mut self, now: Now, id: SessionId, batch: u64, stage: StageKey, rows: Rows, actions: &mut Vec<Action>) {
        let trials: RangeSet = rows.trials.iter().map(|&t| t..t.saturating_add(1)).collect();
        let Some(session) = self.sessions.get_mut(&id) else { return };
        let Some(run) = self.runs.get_mut(&stage.run).filter(|run| run.accepts(stage)) else {
            session.release(stage, &trials);
            // A sealed stage, a cancelled run, a run this coordinator never had: nobody waits for it.
            actions.push(Action::Ack { session: id, batch });
            return;
        };
        let misfit = run.stage.misfit(&rows);
        if let Some(misfit) = misfit {
            actions.push(Action::Dismiss { session: id, why: Dismissal::Misfit(misfit) });
            self.close_session(id);
            return;
        }
        session.release(stage, &trials);
        let worker = session.worker.clone();
        run.pace.learn(now, &rows.elapsed_us);
        run.received(&trials);
        let ticket = Ticket(self.next_ticket);
        self.next_ticket += 1;
        self.commits.insert(ticket, Commit { session: id, batch, stage, trials });
        actions.push(Action::Store { ticket, stage, worker, rows });
    }

    fn committed(&mut self, now: Now, ticket: Ticket, actions: &mut Vec<Action>) {
        let Some(commit) = self.commits.remove(&ticket) else { return };
        if self.sessions.contains_key(&commit.session) {
            actions.push(Action::Ack { session: commit.session, batch: commit.batch });
        }
        let id = commit.stage.run;
        if let Some(run) = self.runs.get_mut(&id).filter(|run| run.key() == commit.stage) {
            run.stored(now, &commit.trials);
            self.maybe_close(id, actions);
        }
    }

    fn maybe_close(&mut self, id: RunId, actions: &mut Vec<Action>) {
        let Some(run) = self.runs.get_mut(&id) else { return };
        // What may still be on its way to the store are second results, which it compares before it closes.
        if run.ready_to_close() {
            run.closing = true;
            let stage = run.key();
            actions.push(Action::CloseStage(stage));
            self.forget(stage, actions);
        }
    }

    fn stage_closed(&mut self, id: RunId, next: Result<StageView, RunState>) {
        if let Some(run) = self.runs.get_mut(&id) {
            match next {
                Ok(stage) => run.enter(stage),
                Err(state) => run.state = state,
            }
        }
    }

    fn take_back(&mut self, id: SessionId, stage: StageKey, trials: &RangeSet) {
        let Some(session) = self.sessions.get_mut(&id) else { return };
        let held = session.release(stage, trials);
        // Whoever hands work back is leaving; it gets no more.
        session.leaving = true;
        if let Some(run) = self.runs.get_mut(&stage.run) {
            run.lost(stage, &held);
        }
    }

    fn fail(&mut self, id: SessionId, stage: StageKey, trial: u64, error: String, actions: &mut Vec<Action>) {
        let Some(session) = self.sessions.get_mut(&id) else { return };
        let one: RangeSet = std::iter::once(trial..trial.saturating_add(1)).collect();
        let held = session.release(stage, &one);
        let worker = session.worker.name.clone();
        let Some(run) = self.runs.get_mut(&stage.run).filter(|run| run.accepts(stage)) else { return };
        if held.is_empty() || run.has(trial) {
            return;
        }
        let attempt = run.strike(trial);
        let quarantine = attempt >= STRIKES;
        if quarantine {
            run.quarantine(trial);
        } else {
            run.lost(stage, &held);
        }
        actions.push(Action::StoreFailure { stage, trial, attempt, worker, error, quarantine });
        self.maybe_close(stage.run, actions);
    }

    fn set_state(&mut self, id: RunId, from: RunState, to: RunState, actions: &mut Vec<Action>) {
        let Some(run) = self.runs.get_mut(&id).filter(|run| run.state == from && !run.closing) else { return };
        run.state = to;
        let stage = run.key();
        actions.push(Action::StoreState { run: id, state: to });
        if to != RunState::Running {
            self.forget(stage, actions);
        }
    }

    /// Takes a stage's trials out of every session's hands.
    fn forget(&mut self, stage: StageKey, actions: &mut Vec<Action>) {
        let mut back = RangeSet::new();
        for (&id, session) in &mut self.sessions {
            if let Some(held) = session.held.remove(&stage) {
                back.insert_all(&held);
                actions.push(Action::Forget { session: id, stage });
            }
        }
        if let Some(run) = self.runs.get_mut(&stage.run) {
            run.lost(stage, &back);
        }
    }

    fn drain(&mut self, actions: &mut Vec<Action>) {
        self.draining = true;
        for &session in self.sessions.keys() {
            actions.push(Action::Dismiss { session, why: Dismissal::Draining });
        }
    }

    /// Whether anything is on its way to the store.
    pub fn is_committing(&self) -> bool {
        !self.commits.is_empty() || self.runs.values().any(|run| run.closing && run.state == RunState::Running)
    }

    /// States the invariant and panics where it is broken. For tests and simulations.
    ///
    /// # Panics
    /// If a trial of an open stage is nowhere, or waits while it is held, stored or given up.
    pub fn check(&self) {
        for (&id, run) in &self.runs {
            let mut held = RangeSet::new();
            for session in self.sessions.values() {
                if let Some(trials) = session.held.get(&run.key()) {
                    held.insert_all(trials);
                }
            }
            let mut committing = RangeSet::new();
            for commit in self.commits.values().filter(|c| c.stage == run.key()) {
                committing.insert_all(&commit.trials);
            }
            run.check(id, &held, &committing);
        }
    }
}
