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

mod checks;
mod event;
mod lease;
mod left;
mod note;
mod pace;
mod run;
mod session;
mod status;
mod suspects;

use std::{collections::BTreeMap, time::Duration};

pub use event::{Action, Dismissal, Event, OpenRun, Repeat};
pub use note::Note;
pub use run::{RunState, StageView};
pub use session::Worker;
pub use status::{FleetView, RunView};

use crate::{
    ids::{RunId, SessionId, StageKey, Ticket},
    ranges::RangeSet,
    rows::Rows,
};
use checks::Finding;
use lease::Whom;
use run::Run;
use session::Session;

/// Present time: since an arbitrary start, monotonic.
pub type Now = Duration;

/// Failures of one trial after which it is given up.
pub const STRIKES: u32 = 3;
/// What a dead worker may have been at: work of so long from the front of what it held.
const AT_HAND: Duration = Duration::from_millis(500);

/// A batch between arrival and durability.
#[derive(Debug)]
struct Commit {
    session: SessionId,
    worker: String,
    batch: u64,
    stage: StageKey,
    trials: RangeSet,
}

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Parting {
    /// In order, or by our will.
    Planned,
    /// Its process or its connection died.
    Lost,
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
    /// Workers that compute wrongly, and how that was seen.
    distrusted: BTreeMap<String, String>,
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
            distrusted: BTreeMap::new(),
            next_lease: 1,
            next_ticket: 1,
            draining: false,
        }
    }

    /// Takes one event at time `now` and appends what follows from it.
    pub fn handle(&mut self, now: Now, event: Event, actions: &mut Vec<Action>) {
        let whom = match &event {
            Event::Heartbeat { idle: false, .. } => Whom::Nobody,
            Event::Results { session, .. } => Whom::One(*session),
            Event::Committed { ticket, .. } => self.commits.get(ticket).map_or(Whom::Nobody, |c| Whom::One(c.session)),
            _ => Whom::All,
        };
        match event {
            Event::RunOpened(open) => self.open_run(*open, actions),
            Event::RunReopened(open) => self.reopen_run(*open, actions),
            Event::Expected { run, costs } => {
                if let Some(run) = self.runs.get_mut(&run) {
                    run.pace.expect(costs);
                }
            }
            Event::SessionOpened { session, worker } => self.open_session(now, session, worker, actions),
            Event::SessionClosed(session) => {
                let planned = self.sessions.get(&session).is_some_and(|s| s.leaving) || self.draining;
                let (parting, why) =
                    if planned { (Parting::Planned, "left") } else { (Parting::Lost, "its connection ended") };
                self.close_session(session, parting, why, actions);
            }
            Event::Heartbeat { session, oldest, outbox, idle } => {
                self.heard(now, session);
                if let Some(session) = self.sessions.get_mut(&session) {
                    session.oldest = oldest;
                    session.outbox = outbox;
                }
                if idle {
                    self.reconcile(now, session, actions);
                }
            }
            Event::Results { session, batch, stage, rows } => {
                self.heard(now, session);
                self.receive(now, session, batch, stage, rows, actions);
            }
            Event::HandedBack { session, stage, trials } => {
                self.heard(now, session);
                self.take_back(session, stage, &trials);
            }
            Event::TrialFailed { session, stage, trial, error } => {
                self.heard(now, session);
                self.fail(session, stage, trial, error, actions);
            }
            Event::Committed { ticket, repeats } => self.committed(now, ticket, repeats, actions),
            Event::Retracted { stage, trials } => self.retracted(stage, &trials),
            Event::StageClosed { run, next } => self.stage_closed(run, next),
            Event::StoreTrouble { run, why } => self.trouble(run, Some(why)),
            Event::StoreRecovered(run) => self.trouble(run, None),
            Event::Pause(run) => self.set_state(run, RunState::Running, RunState::Paused, actions),
            Event::Resume(run) => self.set_state(run, RunState::Paused, RunState::Running, actions),
            Event::Cancel(run) => {
                self.set_state(run, RunState::Running, RunState::Cancelled, actions);
                self.set_state(run, RunState::Paused, RunState::Cancelled, actions);
            }
            Event::Tick => self.dismiss_silent(now, actions),
            Event::Drain => self.drain(actions),
        }
        self.close_stages(actions);
        self.dispatch(now, whom, actions);
    }

    fn open_run(&mut self, open: OpenRun, actions: &mut Vec<Action>) {
        let id = open.run;
        if self.runs.contains_key(&id) {
            return;
        }
        for worker in &open.distrusted {
            let why = "it was seen before this coordinator started; `redqueen events` says when".to_owned();
            self.distrusted.entry(worker.clone()).or_insert(why);
        }
        self.order.push(id);
        self.runs.insert(id, Run::new(open));
        self.dismiss_distrusted(actions);
    }

    fn reopen_run(&mut self, open: OpenRun, actions: &mut Vec<Action>) {
        let id = open.run;
        let Some(stage) = self.runs.get(&id).map(Run::key) else { return };
        self.forget(stage, actions);
        self.runs.insert(id, Run::new(open));
    }

    fn open_session(&mut self, now: Now, id: SessionId, worker: Worker, actions: &mut Vec<Action>) {
        let old: Vec<SessionId> =
            self.sessions.iter().filter(|(_, s)| s.worker.name == worker.name).map(|(&id, _)| id).collect();
        for session in old {
            actions.push(Action::Dismiss { session, why: Dismissal::Fenced });
            self.close_session(session, Parting::Lost, "a new session under its name", actions);
        }
        let note = Note::WorkerJoined { worker: worker.name.clone(), threads: worker.threads };
        self.note_all(&note, actions);
        self.sessions.insert(id, Session::new(worker, now));
        self.dismiss_distrusted(actions);
        if self.draining {
            actions.push(Action::Dismiss { session: id, why: Dismissal::Draining });
        }
    }

    /// Forgets a session; what it held goes to the front of the queues.
    fn close_session(&mut self, id: SessionId, parting: Parting, why: &str, actions: &mut Vec<Action>) {
        let Some(session) = self.sessions.remove(&id) else { return };
        let worker = &session.worker;
        let note = |lost| Note::WorkerLeft { worker: worker.name.clone(), why: why.to_owned(), lost };
        let mut told: Vec<RunId> = Vec::new();
        for stage in session.stages() {
            let trials = session.trials(stage);
            let elsewhere = self.held(stage);
            let single = trials.iter().next().filter(|_| session.alone && trials.len() == 1).map(|range| range.start);
            let arrived = single.is_some_and(|trial| self.has_arrived(stage, trial));
            let Some(run) = self.runs.get_mut(&stage.run) else { continue };
            actions.push(Action::Note { run: stage.run, note: note(trials.len()) });
            told.push(stage.run);
            match single {
                _ if parting == Parting::Planned || !run.accepts(stage) || !session.works => {}
                Some(trial) if arrived || run.has(trial) => {}
                Some(trial) => {
                    let error = "its worker died, and ran nothing else".to_owned();
                    strike(run, stage, trial, &worker.name, error, actions);
                }
                None if session.alone => run.split_suspects(&trials, &elsewhere),
                None => {
                    let each = run.pace.trials_in(AT_HAND).unwrap_or(1).saturating_add(1);
                    let front = session.front(stage, each.saturating_mul(u64::from(worker.threads)));
                    let trials = run.died_with(&front);
                    if trials > 0 {
                        let note = Note::Suspected { stage: stage.stage, trials };
                        actions.push(Action::Note { run: stage.run, note });
                    }
                }
            }
            run.give_back(stage, &trials, &elsewhere);
        }
        for (&id, run) in &self.runs {
            if !run.state.is_ended() && !told.contains(&id) {
                actions.push(Action::Note { run: id, note: note(0) });
            }
        }
    }

    /// Whether a result of a trial is on its way to the store: then no failure of it counts.
    fn has_arrived(&self, stage: StageKey, trial: u64) -> bool {
        self.commits.values().any(|commit| commit.stage == stage && commit.trials.contains(trial))
    }

    /// What sessions hold of a stage.
    fn held(&self, stage: StageKey) -> RangeSet {
        let mut held = RangeSet::new();
        for session in self.sessions.values() {
            session.grants(stage).iter().for_each(|grant| held.insert_all(&grant.trials));
        }
        held
    }

    fn note_all(&self, note: &Note, actions: &mut Vec<Action>) {
        let open = self.runs.iter().filter(|(_, run)| !run.state.is_ended());
        actions.extend(open.map(|(&run, _)| Action::Note { run, note: note.clone() }));
    }

    fn heard(&mut self, now: Now, id: SessionId) {
        if let Some(session) = self.sessions.get_mut(&id) {
            session.heard = now;
            session.works = true;
        }
    }

    /// A session has nothing to do: what it was given long ago has got lost, and waits again.
    fn reconcile(&mut self, now: Now, id: SessionId, actions: &mut Vec<Action>) {
        let limit = self.heartbeat * 3;
        let Some(session) = self.sessions.get_mut(&id) else { return };
        for stage in session.stages() {
            let mut dropped = RangeSet::new();
            for grant in session.grants(stage).iter().filter(|grant| now.saturating_sub(grant.since) > limit) {
                dropped.insert_all(&grant.trials);
            }
            if dropped.is_empty() {
                continue;
            }
            let worker = session.worker.name.clone();
            let note = Note::LeaseDropped { worker, stage: stage.stage, trials: dropped.len() };
            actions.push(Action::Note { run: stage.run, note });
            self.take_out(id, stage, &dropped);
            return self.reconcile(now, id, actions);
        }
    }

    /// Takes trials out of a session's hands; what nobody else holds waits again.
    fn take_out(&mut self, id: SessionId, stage: StageKey, trials: &RangeSet) {
        let Some(session) = self.sessions.get_mut(&id) else { return };
        let back = session.release(stage, trials);
        let elsewhere = self.held(stage);
        if let Some(run) = self.runs.get_mut(&stage.run) {
            run.give_back(stage, &back, &elsewhere);
        }
    }

    fn dismiss_silent(&mut self, now: Now, actions: &mut Vec<Action>) {
        let limit = self.heartbeat * 3;
        let silent: Vec<SessionId> =
            self.sessions.iter().filter(|(_, s)| now.saturating_sub(s.heard) > limit).map(|(&id, _)| id).collect();
        for session in silent {
            actions.push(Action::Dismiss { session, why: Dismissal::Silent });
            self.close_session(
                session,
                Parting::Lost,
                "its lease expired: nothing heard for three heartbeats",
                actions,
            );
        }
        for run in self.runs.values_mut() {
            run.pace.tick(now);
        }
    }

    /// Sends away whoever is known to compute wrongly.
    fn dismiss_distrusted(&mut self, actions: &mut Vec<Action>) {
        let wrong = |s: &Session| self.distrusted.get(&s.worker.name).cloned();
        let wrong: Vec<(SessionId, String)> =
            self.sessions.iter().filter_map(|(&id, s)| wrong(s).map(|why| (id, why))).collect();
        for (session, why) in wrong {
            actions.push(Action::Dismiss { session, why: Dismissal::Distrusted(why) });
            self.close_session(session, Parting::Planned, "its results are wrong", actions);
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
            self.close_session(id, Parting::Planned, "sent results that are not of the stage", actions);
            return;
        }
        session.release(stage, &trials);
        let worker = session.worker.clone();
        session.finished(now, &rows.elapsed_us);
        run.pace.learn(now, &rows.trials, &rows.elapsed_us);
        run.received(&trials);
        let ticket = Ticket(self.next_ticket);
        self.next_ticket += 1;
        self.commits.insert(ticket, Commit { session: id, worker: worker.name.clone(), batch, stage, trials });
        actions.push(Action::Store { ticket, stage, worker, rows });
    }

    fn committed(&mut self, now: Now, ticket: Ticket, repeats: Vec<Repeat>, actions: &mut Vec<Action>) {
        let Some(Commit { session, worker, batch, stage, trials }) = self.commits.remove(&ticket) else { return };
        if self.sessions.contains_key(&session) {
            actions.push(Action::Ack { session, batch });
        }
        let Some(run) = self.runs.get_mut(&stage.run).filter(|run| run.key() == stage) else { return };
        run.stored(now, &trials, &worker);
        for repeat in repeats {
            let trial = repeat.trial;
            let Some(run) = self.runs.get_mut(&stage.run) else { return };
            if let Finding::Wrong { workers, agreed } = run.checks.learn(repeat, &worker) {
                for wrong in workers {
                    self.distrust(&wrong, stage, trial, &agreed, actions);
                }
            }
        }
    }

    /// Ends a worker's sessions for good and has what it delivered of the open stages run again.
    fn distrust(&mut self, worker: &str, stage: StageKey, trial: u64, agreed: &[String], actions: &mut Vec<Action>) {
        let why = match agreed {
            [] => format!("it gave two different results of trial {trial} of stage {}", stage.stage),
            agreed => {
                let names = agreed.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and ");
                format!("{names} agree about trial {trial} of stage {} and it does not", stage.stage)
            }
        };
        if self.distrusted.insert(worker.to_owned(), why.clone()).is_some() {
            return;
        }
        self.dismiss_distrusted(actions);
        for (&id, run) in self.runs.iter_mut().filter(|(_, run)| !run.state.is_ended()) {
            let agreed = agreed.to_vec();
            let note = Note::Distrusted { worker: worker.to_owned(), trial, stage: stage.stage, agreed };
            actions.push(Action::Note { run: id, note });
            run.retracting += 1;
            actions.push(Action::Retract { stage: run.key(), worker: worker.to_owned(), why: why.clone() });
        }
    }

    fn retracted(&mut self, stage: StageKey, trials: &RangeSet) {
        let held = self.held(stage);
        if let Some(run) = self.runs.get_mut(&stage.run).filter(|run| run.key() == stage) {
            run.retracted(trials, &held);
        }
    }

    /// Closes the stages of which everything is in the store.
    fn close_stages(&mut self, actions: &mut Vec<Action>) {
        for at in 0..self.order.len() {
            let id = self.order[at];
            let Some(run) = self.runs.get_mut(&id).filter(|run| run.is_complete()) else { continue };
            let sessions = &self.sessions;
            run.checks.drop_hopeless(|by| sessions.values().any(|s| !s.leaving && s.worker.name != by));
            // Second results on their way to the store may still differ.
            let key = run.key();
            if !run.checks.is_empty() || self.commits.values().any(|commit| commit.stage == key) {
                continue;
            }
            run.closing = true;
            let stage = run.key();
            if run.checks.skipped > 0 {
                let why = "no other worker was there, or could run them, or too many waited".to_owned();
                let note = Note::AuditSkipped { stage: stage.stage, trials: run.checks.skipped, why };
                actions.push(Action::Note { run: id, note });
            }
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

    fn trouble(&mut self, id: RunId, why: Option<String>) {
        if let Some(run) = self.runs.get_mut(&id) {
            run.trouble = why;
        }
    }

    fn take_back(&mut self, id: SessionId, stage: StageKey, trials: &RangeSet) {
        // Whoever hands work back is leaving; it gets no more.
        if let Some(session) = self.sessions.get_mut(&id) {
            session.leaving = true;
        }
        self.take_out(id, stage, trials);
    }

    fn fail(&mut self, id: SessionId, stage: StageKey, trial: u64, error: String, actions: &mut Vec<Action>) {
        let Some(session) = self.sessions.get_mut(&id) else { return };
        let one: RangeSet = std::iter::once(trial..trial.saturating_add(1)).collect();
        let back = session.release(stage, &one);
        let worker = session.worker.name.clone();
        let elsewhere = self.held(stage);
        let arrived = self.has_arrived(stage, trial);
        let Some(run) = self.runs.get_mut(&stage.run).filter(|run| run.accepts(stage)) else { return };
        if back.is_empty() {
            return;
        }
        if run.has(trial) {
            run.checks.failed(trial, &worker);
        } else if !arrived {
            strike(run, stage, trial, &worker, error, actions);
        }
        run.give_back(stage, &back, &elsewhere);
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
            let held = session.release_stage(stage);
            if !held.is_empty() {
                back.insert_all(&held);
                actions.push(Action::Forget { session: id, stage });
            }
        }
        if let Some(run) = self.runs.get_mut(&stage.run) {
            run.give_back(stage, &back, &RangeSet::new());
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
            let mut committing = RangeSet::new();
            for commit in self.commits.values().filter(|c| c.stage == run.key()) {
                committing.insert_all(&commit.trials);
            }
            run.check(id, &self.held(run.key()), &committing);
        }
        for session in self.sessions.values() {
            assert!(!session.alone || session.stages().len() == 1, "suspects do not run alone");
        }
    }
}

/// Counts a failure of a trial at `worker`, and gives the trial up after [`STRIKES`].
fn strike(run: &mut Run, stage: StageKey, trial: u64, worker: &str, error: String, actions: &mut Vec<Action>) {
    let attempt = run.strike(trial, worker);
    let quarantine = attempt >= STRIKES;
    if quarantine {
        run.quarantine(trial);
    }
    actions.push(Action::StoreFailure { stage, trial, attempt, worker: worker.to_owned(), error, quarantine });
}
