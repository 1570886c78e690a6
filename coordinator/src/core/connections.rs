//! Sessions that open, claim the trials of their workers, fall silent and close.

use std::{collections::BTreeSet, time::Duration};

use super::{Action, Core, Counts, Dismissal, Now, RunEvent, SessionEnd, Worker, absence::Absence, session::Session};
use crate::{
    ids::{RunId, SessionId, StageKey},
    ranges::RangeSet,
};

/// Trials that a dead worker may have been running: this much work from the front of what it held.
const AT_HAND: Duration = Duration::from_millis(500);
/// Most trials that a reconnecting worker may claim: more than its leases and its outbox hold.
const CLAIMS_MAX: u64 = 1 << 17;

impl Core {
    /// Opens a session for a worker that passed every check.
    pub(super) fn open_session(
        &mut self,
        now: Now,
        id: SessionId,
        worker: Worker,
        held: &[(StageKey, RangeSet)],
        actions: &mut Vec<Action>,
    ) {
        let process = worker.process;
        let mut counts = Counts::default();
        if let Some(old) = self.sessions.of_process(process) {
            counts = self.sessions.get(old).map(|session| session.served.counts).unwrap_or_default();
            actions.push(Action::Dismiss { session: old, why: Dismissal::Fenced });
            self.close_session(now, old, SessionEnd::Planned, "a new session of its process", actions);
        } else if let Some(absence) = self.absences.returned(process) {
            counts = absence.counts;
            self.acquit(process, absence, actions);
        } else {
            // Several workers may share a name: one that is declared dead wrongly is cleared when it returns.
            for other in self.absences.undecided(None, Some(&worker.name)) {
                self.declare_dead(other, actions);
            }
        }
        let event = RunEvent::WorkerJoined { worker: worker.name.clone(), threads: worker.threads };
        self.event_all(&event, actions);
        self.sessions.insert(id, Session::new(worker, now, counts));
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

    /// Gives trials to a session whose worker says that it runs them or has finished them.
    pub(super) fn claim(
        &mut self,
        now: Now,
        id: SessionId,
        stage: StageKey,
        trials: &RangeSet,
        actions: &mut Vec<Action>,
    ) {
        let Some(process) = self.sessions.get(id).map(|session| session.worker.process) else { return };
        let Some(run) = self.runs.get_mut(&stage.run).filter(|run| run.accepts(stage)) else {
            // The stage is closed, or the coordinator does not have the run.
            return actions.push(Action::Forget { session: id, stage });
        };
        let mut trials = trials.common(&std::iter::once(0..run.stage.trials).collect());
        for set in [&run.stored, &run.quarantined] {
            trials.remove_all(set);
        }
        // Its results that have arrived are on their way to the store.
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
                let taken = self.sessions.release(other, stage, &elsewhere);
                let trials = taken.unwrap_or_default();
                if !trials.is_empty() {
                    actions.push(Action::Withdraw { session: other, stage, trials });
                }
            }
        }
        self.sessions.change(id, |session| session.alone = alone);
        self.sessions.give(id, now, stage, trials, u32::MAX);
    }

    /// Removes a session; the trials that it held go to the front of the queues.
    pub(super) fn close_session(
        &mut self,
        now: Now,
        id: SessionId,
        end: SessionEnd,
        why: &str,
        actions: &mut Vec<Action>,
    ) {
        let Some(session) = self.sessions.remove(id) else { return };
        let worker = &session.worker;
        let event = |lost| RunEvent::WorkerLeft { worker: worker.name.clone(), why: why.to_owned(), lost };
        let mut told: Vec<RunId> = Vec::new();
        let mut absence = Absence::new(worker.name.clone(), now, session.served.counts);
        for stage in session.stages() {
            let trials = session.trials(stage);
            let elsewhere = self.elsewhere(stage, &trials);
            let Some(run) = self.runs.get_mut(&stage.run) else { continue };
            actions.push(Action::Event { run: stage.run, event: event(trials.len()) });
            told.push(stage.run);
            absence.counts.lost += trials.len();
            if end == SessionEnd::Lost && run.accepts(stage) && session.works {
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
                actions.push(Action::Event { run: id, event: event(0) });
            }
        }
    }

    /// Notes a sign of life.
    pub(super) fn heard(&mut self, now: Now, id: SessionId) {
        self.sessions.change(id, |session| {
            session.heard = now;
            session.works = true;
        });
    }

    /// Takes back old leases of a session of stages other than those of which it `holds` something: they were lost, and
    /// their trials wait again.
    pub(super) fn reconcile(&mut self, now: Now, id: SessionId, holds: &BTreeSet<StageKey>, actions: &mut Vec<Action>) {
        let limit = self.heartbeat * 3;
        let Some(session) = self.sessions.get(id) else { return };
        let worker = session.worker.name.clone();
        for stage in session.stages().into_iter().filter(|stage| !holds.contains(stage)) {
            let Some(session) = self.sessions.get(id) else { return };
            let mut dropped = RangeSet::new();
            for grant in session.grants(stage).iter().filter(|grant| now.saturating_sub(grant.since) > limit) {
                dropped.insert_all(&grant.trials);
            }
            if dropped.is_empty() {
                continue;
            }
            self.sessions.change(id, |session| session.served.counts.lost += dropped.len());
            let event = RunEvent::LeaseDropped { worker: worker.clone(), stage: stage.stage, trials: dropped.len() };
            actions.push(Action::Event { run: stage.run, event });
            self.take_out(id, stage, &dropped);
        }
    }

    /// Dismisses workers that are silent for three heartbeats.
    pub(super) fn dismiss_silent(&mut self, now: Now, actions: &mut Vec<Action>) {
        let limit = self.heartbeat * 3;
        let silent: Vec<SessionId> =
            self.sessions.iter().filter(|(_, s)| now.saturating_sub(s.heard) > limit).map(|(id, _)| id).collect();
        for session in silent {
            actions.push(Action::Dismiss { session, why: Dismissal::Silent });
            let why = "its lease expired: nothing heard for three heartbeats";
            self.close_session(now, session, SessionEnd::Lost, why, actions);
        }
        for run in self.runs.values_mut() {
            run.pace.tick(now);
        }
    }

    /// Takes back trials that a worker will not run.
    pub(super) fn take_back(&mut self, id: SessionId, stage: StageKey, trials: &RangeSet) {
        // A worker that hands trials back is leaving and gets no more.
        self.sessions.change(id, |session| session.leaving = true);
        self.take_out(id, stage, trials);
    }

    /// Takes trials from a session; those that no other session holds wait again.
    pub(super) fn take_out(&mut self, id: SessionId, stage: StageKey, trials: &RangeSet) {
        let Some(back) = self.sessions.release(id, stage, trials) else { return };
        let elsewhere = self.elsewhere(stage, &back);
        if let Some(run) = self.runs.get_mut(&stage.run) {
            run.give_back(stage, &back, &elsewhere);
        }
    }

    /// Leases nothing any more and tells every worker to leave.
    pub(super) fn drain(&mut self, actions: &mut Vec<Action>) {
        self.draining = true;
        for session in self.sessions.ids() {
            actions.push(Action::Dismiss { session, why: Dismissal::Draining });
        }
    }
}
