//! How much to lease to whom.
//!
//! Leases are sized in time (DESIGN 4): about [`TARGET`] of work for each executor thread, as far as the
//! seconds a trial of this stage takes are known; near the end of a stage a worker's share of half of what is
//! left, so that the barrier waits for short leases. Workers that have nothing to do then get copies of the oldest
//! leases of others: the first result counts, the second one is compared with it.

use std::time::Duration;

use super::{Action, Core, Note, Now, session::Session};
use crate::{
    ids::{LeaseId, RunId, SessionId, StageKey},
    ranges::RangeSet,
};

/// Work in the hands of one executor thread, aimed at.
const TARGET: Duration = Duration::from_secs(2);
/// Most trials of one lease: bounds a message, whatever a trial costs.
const LEASE_TRIALS_MAX: u64 = 8_192;
/// Most trials in the hands of one session.
const HELD_TRIALS_MAX: u64 = 4 * LEASE_TRIALS_MAX;
/// Leased to a thread while nothing is known of a stage.
const PROBE_TRIALS: u64 = 2;
/// Work in a copy, for each thread of whoever gets it.
const COPY: Duration = Duration::from_millis(250);
/// A lease is not copied before it is so old, however short its trials are.
const COPY_AGE_MIN: Duration = Duration::from_millis(50);
/// Nor before it is so old while nothing is known of the stage's trials.
const COPY_AGE_UNKNOWN: Duration = Duration::from_secs(5);

/// Who may run short of work after an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whom {
    /// Nobody.
    Nobody,
    /// This worker, and those that have nothing to do.
    One(SessionId),
    /// Anybody.
    All,
}

/// Workers that stay.
#[derive(Clone, Copy, Debug, Default)]
struct Fleet {
    sessions: u64,
    threads: u64,
}

impl Core {
    /// Leases what is waiting to those of `whom` that run short of work.
    pub(super) fn dispatch(&mut self, now: Now, whom: Whom, actions: &mut Vec<Action>) {
        if self.draining {
            return;
        }
        let sessions: Vec<SessionId> = match whom {
            Whom::Nobody => return,
            // Whoever has nothing to do is waiting for what others may have brought about.
            Whom::One(_) if self.sessions.values().any(Session::is_idle) => self.sessions.keys().copied().collect(),
            Whom::One(session) => vec![session],
            Whom::All => self.sessions.keys().copied().collect(),
        };
        let staying = self.sessions.values().filter(|session| !session.leaving);
        let fleet = staying.fold(Fleet::default(), |fleet, session| Fleet {
            sessions: fleet.sessions + 1,
            threads: fleet.threads + u64::from(session.worker.threads),
        });
        for at in 0..self.order.len() {
            let id = self.order[at];
            let Some(run) = self.runs.get(&id).filter(|run| run.is_served()) else { continue };
            if run.waiting() > 0 || !run.suspects.is_empty() || !run.checks.is_empty() {
                for &session in &sessions {
                    self.lease(now, id, session, fleet, actions);
                }
            }
            self.copy(now, id, actions);
        }
    }

    fn lease(&mut self, now: Now, id: RunId, session_id: SessionId, fleet: Fleet, actions: &mut Vec<Action>) {
        let (Some(run), Some(session)) = (self.runs.get_mut(&id), self.sessions.get_mut(&session_id)) else { return };
        let stage = run.key();
        if session.leaving || session.alone || session.holds_other_than(stage) {
            return;
        }
        let avoid = (fleet.sessions > 1).then_some(session.worker.name.as_str());
        if session.is_idle()
            && let Some(suspects) = run.take_suspects(LEASE_TRIALS_MAX, avoid)
        {
            session.alone = true;
            return self.grant(now, session_id, stage, suspects, actions);
        }
        let threads = u64::from(session.worker.threads);
        let held = session.count(stage);
        // This worker's share of half of what is left.
        let share = (run.waiting() * threads).div_ceil(2 * fleet.threads.max(1)).max(1);
        let each = run.pace.trials_in(TARGET).unwrap_or(PROBE_TRIALS);
        let wanted = each.saturating_mul(threads).min(HELD_TRIALS_MAX).min(share.max(threads));
        // Topping up at half saves messages; a worker without a spare trial for each thread would idle.
        if held > wanted / 2 && held >= 2 * threads.min(wanted) {
            return;
        }
        let count = wanted.saturating_sub(held).min(LEASE_TRIALS_MAX);
        let mut trials = RangeSet::new();
        if run.checks.any_for(&session.worker.name) {
            trials = run.checks.take(&session.worker.name, count);
        }
        trials.insert_all(&run.take(count.saturating_sub(trials.len()), avoid));
        self.grant(now, session_id, stage, trials, actions);
    }

    fn grant(&mut self, now: Now, to: SessionId, stage: StageKey, trials: RangeSet, actions: &mut Vec<Action>) {
        let Some(session) = self.sessions.get_mut(&to).filter(|_| !trials.is_empty()) else { return };
        session.give(now, stage, trials.clone());
        let lease = LeaseId(self.next_lease);
        self.next_lease += 1;
        actions.push(Action::Lease { session: to, lease, stage, trials });
    }

    /// Gives workers that have nothing to do copies of what others have held for long.
    fn copy(&mut self, now: Now, id: RunId, actions: &mut Vec<Action>) {
        let Some(run) = self.runs.get(&id).filter(|run| run.waiting() == 0) else { return };
        let idle: Vec<SessionId> =
            self.sessions.iter().filter(|(_, s)| s.is_idle() && !s.leaving).map(|(&id, _)| id).collect();
        if idle.is_empty() {
            return;
        }
        let stage = run.key();
        let age = run.pace.trial().map_or(COPY_AGE_UNKNOWN, |trial| trial.max(COPY_AGE_MIN));
        // (since when, whose, what)
        let mut old: Vec<(Now, SessionId, RangeSet)> = Vec::new();
        for (&holder, session) in self.sessions.iter().filter(|(_, s)| !s.alone) {
            for grant in session.grants(stage).iter().filter(|grant| now.saturating_sub(grant.since) >= age) {
                let mut trials = grant.trials.clone();
                trials.remove_all(&run.copied);
                if !trials.is_empty() {
                    old.push((grant.since, holder, trials));
                }
            }
        }
        old.sort_by_key(|(since, holder, _)| (*since, *holder));
        for to in idle {
            let Some(run) = self.runs.get_mut(&id) else { return };
            let Some(session) = self.sessions.get(&to) else { continue };
            let name = &session.worker.name;
            let each = run.pace.trials_in(COPY).unwrap_or(1);
            let mut room = each.saturating_mul(u64::from(session.worker.threads)).min(LEASE_TRIALS_MAX);
            let mut copies = RangeSet::new();
            let mut of = String::new();
            for (_, holder, trials) in &mut old {
                let wanted: RangeSet = trials
                    .iter()
                    .flatten()
                    .filter(|&trial| run.needs(trial) && run.checks.may_run(trial, name))
                    .take(usize::try_from(room).unwrap_or(usize::MAX))
                    .map(|trial| trial..trial + 1)
                    .collect();
                if wanted.is_empty() {
                    continue;
                }
                room -= wanted.len();
                trials.remove_all(&wanted);
                copies.insert_all(&wanted);
                of = self.sessions.get(holder).map_or_else(String::new, |s| s.worker.name.clone());
                if room == 0 {
                    break;
                }
            }
            if copies.is_empty() {
                break;
            }
            run.copied.insert_all(&copies);
            let note = Note::CopyIssued { stage: stage.stage, trials: copies.len(), of, to: name.clone() };
            actions.push(Action::Note { run: id, note });
            self.grant(now, to, stage, copies, actions);
        }
    }
}
