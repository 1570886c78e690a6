//! How many trials to lease to which worker.
//!
//! Leases are sized in time: about [`TARGET`] of work for each executor thread, once the time of a trial is known. Near
//! the end of a stage a worker gets at most its share of half of the remaining trials, so that the stage ends on short
//! leases. Idle workers then get copies of the oldest leases of others: the first result counts, and the second one is
//! compared with it.

use std::time::Duration;

use super::{Action, Core, Now, RunEvent, sessions::Fleet};
use crate::{
    ids::{LeaseId, RunId, SessionId, StageKey},
    ranges::RangeSet,
};

/// Leased work aimed at for each executor thread.
const TARGET: Duration = Duration::from_secs(2);
/// Most trials of one lease, which bounds the message.
const LEASE_TRIALS_MAX: u64 = 8_192;
/// Most trials that one session holds.
const HELD_TRIALS_MAX: u64 = 4 * LEASE_TRIALS_MAX;
/// Trials leased to a thread while the time of a trial is unknown.
const PROBE_TRIALS: u64 = 2;
/// Work in a copy, for each thread of the worker that gets it.
const COPY: Duration = Duration::from_millis(250);
/// Minimum age of a lease to be copied, however short its trials are.
const COPY_AGE_MIN: Duration = Duration::from_millis(50);
/// Minimum age of a lease to be copied while the time of a trial is unknown.
const COPY_AGE_UNKNOWN: Duration = Duration::from_secs(5);

/// Most trials of one run that all workers hold together, as long as each thread has a spare one: leased trials come
/// back as rows that wait for the disk, and memory must not grow with the fleet.
const FLEET_TRIALS_MAX: u64 = 1 << 18;
/// Pause between two searches for leases to copy, for each connected worker.
const COPIES_PAUSE: Duration = Duration::from_micros(10);

/// Which workers may run short of work after an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dispatch {
    /// None of them.
    None,
    /// Idle workers: others may have brought about what they wait for.
    Idle,
    /// This worker and the idle ones.
    One(SessionId),
    /// All of them.
    All,
}

impl Core {
    /// Leases waiting trials to the workers `to` that run short of work.
    pub(super) fn dispatch(&mut self, now: Now, to: Dispatch, actions: &mut Vec<Action>) {
        if self.draining || to == Dispatch::None {
            return;
        }
        let fleet = self.sessions.fleet();
        for at in 0..self.order.len() {
            let id = self.order[at];
            let Some(run) = self.runs.get(&id).filter(|run| run.is_served()) else { continue };
            if run.waiting() > 0 || !run.suspects.is_empty() || run.audits.any_waits() {
                let idle = self.sessions.idle();
                let sessions: Vec<SessionId> = match to {
                    Dispatch::None => return,
                    Dispatch::Idle => idle.iter().copied().collect(),
                    Dispatch::One(one) => {
                        idle.iter().copied().filter(|&idle| idle != one).chain(std::iter::once(one)).collect()
                    }
                    Dispatch::All => self.sessions.ids(),
                };
                for session in sessions {
                    self.lease(now, id, session, fleet, actions);
                }
            }
            self.copy(now, id, actions);
        }
    }

    /// Leases waiting trials of a run to a session that runs short of them.
    fn lease(&mut self, now: Now, id: RunId, session_id: SessionId, fleet: Fleet, actions: &mut Vec<Action>) {
        let (Some(run), Some(session)) = (self.runs.get_mut(&id), self.sessions.get(session_id)) else { return };
        let stage = run.key();
        if session.leaving || session.alone || session.holds_other_than(stage) {
            return;
        }
        let avoid = self.sessions.names_differ().then_some(session.worker.name.as_str());
        if session.is_idle()
            && let Some(suspects) = run.take_suspects(LEASE_TRIALS_MAX, avoid)
        {
            self.sessions.change(session_id, |session| session.alone = true);
            return self.grant(now, session_id, stage, suspects, actions);
        }
        let threads = u64::from(session.worker.threads);
        let held = session.count(stage);
        // A worker that will leave gets what it can finish.
        let fits = session.stays(now).map_or(u64::MAX, |stays| run.pace.fit_into(stays)).saturating_mul(threads);
        if fits <= held {
            return;
        }
        let of_fleet = |all: u64| all.saturating_mul(threads) / fleet.threads.max(1);
        // This worker's share of half of the waiting trials.
        let share = (run.waiting() * threads).div_ceil(2 * fleet.threads.max(1)).max(1);
        let each = run.pace.trials_in(TARGET).unwrap_or(PROBE_TRIALS);
        let most = HELD_TRIALS_MAX.min(share.max(threads)).min(of_fleet(FLEET_TRIALS_MAX).max(2 * threads));
        let wanted = each.saturating_mul(threads).min(most).min(fits);
        // Refill at half to save messages, but keep a spare trial for each thread.
        if held > wanted / 2 && held >= 2 * threads.min(wanted) {
            return;
        }
        let count = wanted.saturating_sub(held).min(LEASE_TRIALS_MAX);
        let mut trials = RangeSet::new();
        if run.audits.any_for(&session.worker.name) {
            trials = run.audits.take(&session.worker.name, count);
        }
        trials.insert_all(&run.take(count.saturating_sub(trials.len()), avoid));
        self.grant(now, session_id, stage, trials, actions);
    }

    /// Leases `trials` to a session.
    fn grant(&mut self, now: Now, to: SessionId, stage: StageKey, trials: RangeSet, actions: &mut Vec<Action>) {
        if trials.is_empty() || self.sessions.change(to, |session| session.give(now, stage, trials.clone())).is_none() {
            return;
        }
        let lease = LeaseId(self.next_lease);
        self.next_lease += 1;
        actions.push(Action::Lease { session: to, lease, stage, trials });
    }

    /// Leases copies of the oldest leases to idle workers.
    fn copy(&mut self, now: Now, id: RunId, actions: &mut Vec<Action>) {
        if self.sessions.idle().is_empty() {
            return;
        }
        let pause = COPIES_PAUSE.saturating_mul(u32::try_from(self.sessions.len()).unwrap_or(u32::MAX));
        let Some(run) = self.runs.get_mut(&id).filter(|run| run.waiting() == 0 && now >= run.next_copies) else {
            return;
        };
        run.next_copies = now + pause;
        let idle: Vec<SessionId> = self.sessions.idle().iter().copied().collect();
        let stage = run.key();
        let age = run.pace.trial().map_or(COPY_AGE_UNKNOWN, |trial| trial.max(COPY_AGE_MIN));
        // (when leased, to which session, which trials)
        let mut old: Vec<(Now, SessionId, RangeSet)> = Vec::new();
        for (holder, session) in self.sessions.iter().filter(|(_, s)| !s.alone) {
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
            let Some(session) = self.sessions.get(to) else { continue };
            let name = &session.worker.name;
            let each = run.pace.trials_in(COPY).unwrap_or(1);
            let fits = session.stays(now).map_or(u64::MAX, |stays| run.pace.fit_into(stays));
            let mut room = each.min(fits).saturating_mul(u64::from(session.worker.threads)).min(LEASE_TRIALS_MAX);
            if room == 0 {
                continue;
            }
            let mut copies = RangeSet::new();
            let mut of = String::new();
            for (_, holder, trials) in &mut old {
                let wanted: RangeSet = trials
                    .iter()
                    .flatten()
                    .filter(|&trial| run.needs(trial) && run.audits.may_run(trial, name))
                    .take(usize::try_from(room).unwrap_or(usize::MAX))
                    .map(|trial| trial..trial + 1)
                    .collect();
                if wanted.is_empty() {
                    continue;
                }
                room -= wanted.len();
                trials.remove_all(&wanted);
                copies.insert_all(&wanted);
                of = self.sessions.get(*holder).map_or_else(String::new, |s| s.worker.name.clone());
                if room == 0 {
                    break;
                }
            }
            if copies.is_empty() {
                break;
            }
            run.copied.insert_all(&copies);
            run.shared.insert_all(&copies);
            let event = RunEvent::CopyIssued { stage: stage.stage, trials: copies.len(), of, to: name.clone() };
            actions.push(Action::Event { run: id, event });
            self.grant(now, to, stage, copies, actions);
            old.retain(|(_, _, trials)| !trials.is_empty());
        }
    }
}
