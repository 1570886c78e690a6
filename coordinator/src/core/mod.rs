//! Which trial is whose: the deciding part of the coordinator, without sockets, clocks or disk.
//!
//! [`Core::handle`] takes the present time and one [`Event`] and appends the [`Action`]s that follow.
//! The order of events is one list; given the same list the core does the same, which is what lets a
//! simulation drive it (DESIGN 3, 8).
//!
//! What the core promises, whatever the events:
//! - every trial of an open stage is stored, on its way to the store, leased, waiting or quarantined;
//! - a batch is acknowledged after the store said its transaction is durable, never before;
//! - only the death of a process counts against what it ran, never the end of a connection;
//! - a stage is closed once, when every trial of it is stored or quarantined;
//! - lost work goes to the front of the queue.

mod absence;
mod audits;
mod event;
mod input;
mod lease;
mod left;

mod pace;
mod run;
mod session;
mod sessions;
mod status;
mod suspects;

use std::{collections::BTreeMap, time::Duration};

pub use event::Note;
pub use input::{Action, Dismissal, Event, OpenRun, Repeat};
pub use run::{RunState, StageView};
pub use session::Worker;
pub use status::{FleetView, RunView};

use crate::{
    ids::{ProcessId, RunId, SessionId, StageKey, Ticket},
    ranges::RangeSet,
    rows::Rows,
};
use absence::{Absence, Absences, RETURN_HEARTBEATS, Strike};
use audits::Finding;
use lease::Whom;
use run::Run;
use session::Session;
use sessions::Sessions;

/// Present time: since an arbitrary start, monotonic.
pub type Now = Duration;

/// Failures of one trial after which it is given up.
pub const STRIKES: u32 = 3;
/// What a dead worker may have been at: work of so long from the front of what it held.
const AT_HAND: Duration = Duration::from_millis(500);
/// Most trials that a worker that comes back may say it holds: more than its leases and its outbox take.
const CLAIMS_MAX: u64 = 1 << 17;

/// A batch between arrival and durability.
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
enum Parting {
    /// In order, or by our will.
    Planned,
    /// Its connection ended, or nothing was heard: its process may have died.
    Lost,
}

/// The deciding part of a coordinator.
#[derive(Debug)]
pub struct Core {
    heartbeat: Duration,
    runs: BTreeMap<RunId, Run>,
    /// Runs in the order they were opened: earlier ones are served first.
    order: Vec<RunId>,
    sessions: Sessions,
    absences: Absences,
    commits: BTreeMap<Ticket, Commit>,
    /// Batches on their way to the store, by their process and its number for them.
    batches: BTreeMap<(ProcessId, u64), Ticket>,
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
            sessions: Sessions::default(),
            absences: Absences::default(),
            commits: BTreeMap::new(),
            batches: BTreeMap::new(),
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
            Event::Heartbeat { session, idle: true, .. }
            | Event::Results { session, .. }
            | Event::TrialFailed { session, .. }
            | Event::SessionOpened { session, .. } => Whom::One(*session),
            Event::Committed { ticket, .. } => {
                let process = self.commits.get(ticket).map(|commit| commit.process);
                process.and_then(|process| self.sessions.of_process(process)).map_or(Whom::Idle, Whom::One)
            }
            Event::SessionClosed(_) | Event::HandedBack { .. } => Whom::Idle,
            _ => Whom::All,
        };
        match event {
            Event::RunOpened(open) => self.open_run(now, *open, actions),
            Event::RunReopened(open) => self.reopen_run(*open, actions),
            Event::Expected { run, costs } => {
                if let Some(run) = self.runs.get_mut(&run) {
                    run.pace.expect(costs);
                }
            }
            Event::RunLeft(run) => self.leave_run(run, actions),
            Event::SessionOpened { session, worker, held } => self.open_session(now, session, worker, &held, actions),
            Event::SessionClosed(session) => {
                let planned = self.sessions.get(session).is_some_and(|s| s.leaving) || self.draining;
                let (parting, why) =
                    if planned { (Parting::Planned, "left") } else { (Parting::Lost, "its connection ended") };
                self.close_session(now, session, parting, why, actions);
            }
            Event::Heartbeat { session, oldest, outbox, idle } => {
                self.heard(now, session);
                self.sessions.change(session, |session| {
                    session.oldest = oldest;
                    session.outbox = outbox;
                });
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
            Event::Tick => {
                self.dismiss_silent(now, actions);
                if let Some(limit) = now.checked_sub(self.heartbeat * RETURN_HEARTBEATS) {
                    for process in self.absences.undecided(Some(limit), None) {
                        self.bury(process, actions);
                    }
                }
            }
            Event::Drain => self.drain(actions),
        }
        self.close_stages(actions);
        self.dispatch(now, whom, actions);
    }

    fn open_run(&mut self, now: Now, open: OpenRun, actions: &mut Vec<Action>) {
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
        self.dismiss_distrusted(now, actions);
    }

    fn reopen_run(&mut self, open: OpenRun, actions: &mut Vec<Action>) {
        let id = open.run;
        let Some(stage) = self.runs.get(&id).map(Run::key) else { return };
        self.forget(stage, actions);
        self.runs.insert(id, Run::new(open));
    }

    /// Knows nothing of a run any more. What workers still deliver of it is acknowledged, as of a cancelled one.
    fn leave_run(&mut self, id: RunId, actions: &mut Vec<Action>) {
        let Some(stage) = self.runs.get(&id).map(Run::key) else { return };
        self.forget(stage, actions);
        self.runs.remove(&id);
        self.order.retain(|run| *run != id);
    }

    fn open_session(
        &mut self,
        now: Now,
        id: SessionId,
        worker: Worker,
        held: &[(StageKey, RangeSet)],
        actions: &mut Vec<Action>,
    ) {
        let process = worker.process;
        if let Some(old) = self.sessions.of_process(process) {
            actions.push(Action::Dismiss { session: old, why: Dismissal::Fenced });
            self.close_session(now, old, Parting::Planned, "a new session of its process", actions);
        } else if let Some(absence) = self.absences.returned(process) {
            self.acquit(process, absence, actions);
        } else {
            // Several workers may share a name: should one be taken for dead wrongly, it is cleared when it is back.
            for other in self.absences.undecided(None, Some(&worker.name)) {
                self.bury(other, actions);
            }
        }
        let note = Note::WorkerJoined { worker: worker.name.clone(), threads: worker.threads };
        self.note_all(&note, actions);
        self.sessions.insert(id, Session::new(worker, now));
        let mut room = CLAIMS_MAX;
        for (stage, trials) in held {
            let trials = trials.clone().take(room);
            room -= trials.len();
            self.claim(now, id, *stage, &trials, actions);
        }
        self.dismiss_distrusted(now, actions);
        if self.draining {
            actions.push(Action::Dismiss { session: id, why: Dismissal::Draining });
        }
    }

    /// Puts trials into the hands of a session whose worker says that it runs them, or has run them.
    fn claim(&mut self, now: Now, id: SessionId, stage: StageKey, trials: &RangeSet, actions: &mut Vec<Action>) {
        let Some(process) = self.sessions.get(id).map(|session| session.worker.process) else { return };
        let Some(run) = self.runs.get_mut(&stage.run).filter(|run| run.accepts(stage)) else {
            // Of a stage that is over, or a run that this coordinator never had.
            return actions.push(Action::Forget { session: id, stage });
        };
        let mut trials = trials.common(&std::iter::once(0..run.stage.trials).collect());
        for set in [&run.stored, &run.quarantined] {
            trials.remove_all(set);
        }
        // What has arrived from it already is on its way to the store.
        for commit in self.commits.values().filter(|commit| commit.stage == stage && commit.process == process) {
            trials.remove_all(&commit.trials);
        }
        if trials.is_empty() {
            return;
        }
        let alone = run.suspects.are(&trials) && self.sessions.get(id).is_some_and(Session::is_idle);
        let elsewhere = run.claim(&trials);
        if !elsewhere.is_empty() {
            let holds = |session: &Session| session.grants(stage).iter().any(|grant| grant.trials.meets(&elsewhere));
            let others: Vec<SessionId> = self.sessions.iter().filter(|(_, s)| holds(s)).map(|(id, _)| id).collect();
            for other in others {
                let taken = self.sessions.change(other, |session| session.release(stage, &elsewhere));
                let trials = taken.unwrap_or_default();
                if !trials.is_empty() {
                    actions.push(Action::Withdraw { session: other, stage, trials });
                }
            }
        }
        self.sessions.change(id, |session| {
            session.alone = alone;
            session.give(now, stage, trials);
        });
    }

    /// Forgets a session; what it held goes to the front of the queues.
    fn close_session(&mut self, now: Now, id: SessionId, parting: Parting, why: &str, actions: &mut Vec<Action>) {
        let Some(session) = self.sessions.remove(id) else { return };
        let worker = &session.worker;
        let note = |lost| Note::WorkerLeft { worker: worker.name.clone(), why: why.to_owned(), lost };
        let mut told: Vec<RunId> = Vec::new();
        let mut absence =
            Absence { name: worker.name.clone(), since: now, front: Vec::new(), alone: Vec::new(), dead: None };
        for stage in session.stages() {
            let trials = session.trials(stage);
            let elsewhere = self.elsewhere(stage, &trials);
            let Some(run) = self.runs.get_mut(&stage.run) else { continue };
            actions.push(Action::Note { run: stage.run, note: note(trials.len()) });
            told.push(stage.run);
            if parting == Parting::Lost && run.accepts(stage) && session.works {
                if session.alone {
                    run.keep_suspects(worker.process, &trials, &elsewhere);
                    absence.alone.push(stage);
                } else {
                    let each = run.pace.trials_in(AT_HAND).unwrap_or(1).saturating_add(1);
                    absence.front.push((stage, session.front(stage, each.saturating_mul(u64::from(worker.threads)))));
                }
            }
            run.give_back(stage, &trials, &elsewhere);
        }
        if !absence.alone.is_empty() || !absence.front.is_empty() {
            self.absences.insert(worker.process, absence);
        }
        for (&id, run) in &self.runs {
            if !run.state.is_ended() && !told.contains(&id) {
                actions.push(Action::Note { run: id, note: note(0) });
            }
        }
    }

    /// A process that is away counts as dead: that is held against what it may have been running.
    fn bury(&mut self, process: ProcessId, actions: &mut Vec<Action>) {
        let Some(absence) = self.absences.bury(process) else { return };
        let (name, front, alone) = (absence.name.clone(), absence.front.clone(), absence.alone.clone());
        for (stage, trials) in front {
            let Some(run) = self.runs.get_mut(&stage.run).filter(|run| run.accepts(stage)) else { continue };
            let trials = run.died_with(&trials);
            if trials > 0 {
                actions.push(Action::Note { run: stage.run, note: Note::Suspected { stage: stage.stage, trials } });
            }
        }
        let mut strikes = Vec::new();
        for stage in alone {
            let Some(run) = self.runs.get_mut(&stage.run).filter(|run| run.accepts(stage)) else { continue };
            let Some(group) = run.suspects.left_by(process) else { continue };
            let Some(trial) = group.iter().next().filter(|_| group.len() == 1).map(|range| range.start) else {
                run.suspects.split(group);
                continue;
            };
            run.suspects.push(group);
            if self.has_arrived(stage, trial) {
                continue;
            }
            let Some(run) = self.runs.get_mut(&stage.run).filter(|run| !run.has(trial)) else { continue };
            let error = "its worker died, and ran nothing else".to_owned();
            let attempt = strike(run, stage, trial, &name, error, actions);
            strikes.push(Strike { stage, trial, attempt });
        }
        self.absences.blame(process, strikes);
    }

    /// A process that was away is back: it had not died, whatever it was taken for.
    fn acquit(&mut self, process: ProcessId, absence: Absence, actions: &mut Vec<Action>) {
        for stage in absence.alone {
            if let Some(run) = self.runs.get_mut(&stage.run) {
                run.suspects.back(process);
            }
        }
        let Some(strikes) = absence.dead else { return };
        for (stage, trials) in absence.front {
            if let Some(run) = self.runs.get_mut(&stage.run).filter(|run| run.accepts(stage)) {
                run.acquit(&trials);
            }
        }
        for Strike { stage, trial, attempt } in strikes {
            let Some(run) = self.runs.get_mut(&stage.run).filter(|run| run.accepts(stage)) else { continue };
            run.unstrike(trial);
            actions.push(Action::StoreAcquittal { stage, trial, attempt });
        }
    }

    /// What of these trials other sessions hold as well.
    fn elsewhere(&self, stage: StageKey, trials: &RangeSet) -> RangeSet {
        let shared = self.runs.get(&stage.run).map_or_else(RangeSet::new, |run| run.shared.common(trials));
        if shared.is_empty() { shared } else { self.held(stage).common(&shared) }
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
        self.sessions.change(id, |session| {
            session.heard = now;
            session.works = true;
        });
    }

    /// A session has nothing to do: what it was given long ago has got lost, and waits again.
    fn reconcile(&mut self, now: Now, id: SessionId, actions: &mut Vec<Action>) {
        let limit = self.heartbeat * 3;
        let Some(session) = self.sessions.get(id) else { return };
        let worker = session.worker.name.clone();
        for stage in session.stages() {
            let Some(session) = self.sessions.get(id) else { return };
            let mut dropped = RangeSet::new();
            for grant in session.grants(stage).iter().filter(|grant| now.saturating_sub(grant.since) > limit) {
                dropped.insert_all(&grant.trials);
            }
            if dropped.is_empty() {
                continue;
            }
            let note = Note::LeaseDropped { worker: worker.clone(), stage: stage.stage, trials: dropped.len() };
            actions.push(Action::Note { run: stage.run, note });
            self.take_out(id, stage, &dropped);
        }
    }

    /// Takes trials out of a session's hands; what nobody else holds waits again.
    fn take_out(&mut self, id: SessionId, stage: StageKey, trials: &RangeSet) {
        let Some(back) = self.sessions.change(id, |session| session.release(stage, trials)) else { return };
        let elsewhere = self.elsewhere(stage, &back);
        if let Some(run) = self.runs.get_mut(&stage.run) {
            run.give_back(stage, &back, &elsewhere);
        }
    }

    fn dismiss_silent(&mut self, now: Now, actions: &mut Vec<Action>) {
        let limit = self.heartbeat * 3;
        let silent: Vec<SessionId> =
            self.sessions.iter().filter(|(_, s)| now.saturating_sub(s.heard) > limit).map(|(id, _)| id).collect();
        for session in silent {
            actions.push(Action::Dismiss { session, why: Dismissal::Silent });
            let why = "its lease expired: nothing heard for three heartbeats";
            self.close_session(now, session, Parting::Lost, why, actions);
        }
        for run in self.runs.values_mut() {
            run.pace.tick(now);
        }
    }

    /// Sends away whoever is known to compute wrongly.
    fn dismiss_distrusted(&mut self, now: Now, actions: &mut Vec<Action>) {
        if self.distrusted.is_empty() {
            return;
        }
        let wrong = |s: &Session| self.distrusted.get(&s.worker.name).cloned();
        let wrong: Vec<(SessionId, String)> =
            self.sessions.iter().filter_map(|(id, s)| wrong(s).map(|why| (id, why))).collect();
        for (session, why) in wrong {
            actions.push(Action::Dismiss { session, why: Dismissal::Distrusted(why) });
            self.close_session(now, session, Parting::Planned, "its results are wrong", actions);
        }
    }

    fn receive(&mut self, now: Now, id: SessionId, batch: u64, stage: StageKey, rows: Rows, actions: &mut Vec<Action>) {
        let trials: RangeSet = rows.trials.iter().map(|&t| t..t.saturating_add(1)).collect();
        let Some(worker) = self.sessions.get(id).map(|session| session.worker.clone()) else { return };
        let Some(run) = self.runs.get_mut(&stage.run).filter(|run| run.accepts(stage)) else {
            self.sessions.change(id, |session| session.release(stage, &trials));
            // A sealed stage, a cancelled run, a run this coordinator never had: nobody waits for it.
            actions.push(Action::Ack { session: id, batch });
            return;
        };
        let misfit = run.stage.misfit(&rows);
        if let Some(misfit) = misfit {
            actions.push(Action::Dismiss { session: id, why: Dismissal::Misfit(misfit) });
            self.close_session(now, id, Parting::Planned, "sent results that are not of the stage", actions);
            return;
        }
        self.sessions.change(id, |session| {
            session.release(stage, &trials);
            session.finished(now, &rows.elapsed_us);
        });
        let under_way = self.batches.get(&(worker.process, batch)).and_then(|ticket| self.commits.get(ticket));
        if under_way.is_some_and(|commit| commit.stage == stage && commit.trials == trials) {
            // Sent again over a new connection, and on its way to the store already: one acknowledgement is enough.
            return;
        }
        run.pace.learn(now, &rows.trials, &rows.elapsed_us);
        run.received(&trials);
        let ticket = Ticket(self.next_ticket);
        self.next_ticket += 1;
        self.batches.insert((worker.process, batch), ticket);
        let commit = Commit { process: worker.process, worker: worker.name.clone(), batch, stage, trials };
        self.commits.insert(ticket, commit);
        actions.push(Action::Store { ticket, stage, worker, rows });
    }

    fn committed(&mut self, now: Now, ticket: Ticket, repeats: Vec<Repeat>, actions: &mut Vec<Action>) {
        let Some(Commit { process, worker, batch, stage, trials }) = self.commits.remove(&ticket) else { return };
        if self.batches.get(&(process, batch)) == Some(&ticket) {
            self.batches.remove(&(process, batch));
        }
        // Its process may have come back over another connection.
        if let Some(session) = self.sessions.of_process(process) {
            actions.push(Action::Ack { session, batch });
        }
        let Some(run) = self.runs.get_mut(&stage.run).filter(|run| run.key() == stage) else { return };
        run.stored(now, &trials, &worker);
        for repeat in repeats {
            let trial = repeat.trial;
            let Some(run) = self.runs.get_mut(&stage.run) else { return };
            if let Finding::Wrong { workers, agreed } = run.checks.learn(repeat, &worker) {
                for wrong in workers {
                    self.distrust(now, &wrong, stage, trial, &agreed, actions);
                }
            }
        }
    }

    /// Ends a worker's sessions for good and has what it delivered of the open stages run again.
    fn distrust(
        &mut self,
        now: Now,
        worker: &str,
        stage: StageKey,
        trial: u64,
        agreed: &[String],
        actions: &mut Vec<Action>,
    ) {
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
        self.dismiss_distrusted(now, actions);
        for (&id, run) in self.runs.iter_mut().filter(|(_, run)| !run.state.is_ended()) {
            let agreed = agreed.to_vec();
            let note = Note::Distrusted { worker: worker.to_owned(), trial, stage: stage.stage, agreed };
            actions.push(Action::Note { run: id, note });
            run.retracting += 1;
            actions.push(Action::Retract { stage: run.key(), worker: worker.to_owned(), why: why.clone() });
        }
    }

    fn retracted(&mut self, stage: StageKey, trials: &RangeSet) {
        // Those that are being checked are held by whoever checks them.
        let held = self.held(stage).common(trials);
        if let Some(run) = self.runs.get_mut(&stage.run).filter(|run| run.key() == stage) {
            run.retracted(trials, &held);
        }
    }

    /// Closes the stages of which everything is in the store.
    fn close_stages(&mut self, actions: &mut Vec<Action>) {
        for at in 0..self.order.len() {
            let id = self.order[at];
            let Some(run) = self.runs.get_mut(&id).filter(|run| run.is_complete()) else { continue };
            run.checks.drop_hopeless(|by| self.sessions.any_other_than(by));
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
        let runs = &self.runs;
        self.absences.forget(|stage| runs.get(&stage.run).is_some_and(|run| run.accepts(stage)));
    }

    fn trouble(&mut self, id: RunId, why: Option<String>) {
        if let Some(run) = self.runs.get_mut(&id) {
            run.trouble = why;
        }
    }

    fn take_back(&mut self, id: SessionId, stage: StageKey, trials: &RangeSet) {
        // Whoever hands work back is leaving; it gets no more.
        self.sessions.change(id, |session| session.leaving = true);
        self.take_out(id, stage, trials);
    }

    fn fail(&mut self, id: SessionId, stage: StageKey, trial: u64, error: String, actions: &mut Vec<Action>) {
        let one: RangeSet = std::iter::once(trial..trial.saturating_add(1)).collect();
        let Some(back) = self.sessions.change(id, |session| session.release(stage, &one)) else { return };
        let Some(worker) = self.sessions.get(id).map(|session| session.worker.name.clone()) else { return };
        let elsewhere = self.elsewhere(stage, &back);
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
        if to == RunState::Running {
            run.pace.measure_anew();
        } else {
            self.forget(stage, actions);
        }
    }

    /// Takes a stage's trials out of every session's hands.
    fn forget(&mut self, stage: StageKey, actions: &mut Vec<Action>) {
        let mut back = RangeSet::new();
        for id in self.sessions.ids() {
            let held = self.sessions.change(id, |session| session.release_stage(stage)).unwrap_or_default();
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
        for session in self.sessions.ids() {
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
                assert!(twice.is_empty(), "{twice:?} of {stage:?} are held twice, and that is not known");
                seen.insert_all(&trials);
            }
        }
    }
}

/// Counts a failure of a trial at `worker`, and gives the trial up after [`STRIKES`].
/// Returns how many failures there were.
fn strike(run: &mut Run, stage: StageKey, trial: u64, worker: &str, error: String, actions: &mut Vec<Action>) -> u32 {
    let attempt = run.strike(trial, worker);
    let quarantine = attempt >= STRIKES;
    if quarantine {
        run.quarantine(trial);
    }
    actions.push(Action::StoreFailure { stage, trial, attempt, worker: worker.to_owned(), error, quarantine });
    attempt
}
