//! Copies of old leases for idle workers, so that the end of a stage does not wait for its slowest worker.

use std::time::Duration;

use super::{Action, Core, Now, RunEvent, lease::LEASE_TRIALS_MAX};
use crate::{
    ids::{RunId, SessionId},
    ranges::RangeSet,
};

/// Work in a copy, for each thread of the worker that gets it.
const COPY: Duration = Duration::from_millis(250);
/// Minimum age of a lease to be copied, however short its trials are.
const COPY_AGE_MIN: Duration = Duration::from_millis(50);
/// Minimum age of a lease to be copied while the time of a trial is unknown.
const COPY_AGE_UNKNOWN: Duration = Duration::from_secs(5);
/// Pause between two searches for leases to copy, for each connected worker.
const COPIES_PAUSE: Duration = Duration::from_micros(10);

impl Core {
    /// Leases copies of the oldest leases to idle workers.
    pub(super) fn copy(&mut self, now: Now, id: RunId, actions: &mut Vec<Action>) {
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
            let Some(run) = self.runs.get(&id) else { return };
            let threads = self.threads_for(run, to, None);
            let Some(run) = self.runs.get_mut(&id) else { return };
            let Some(session) = self.sessions.get(to) else { continue };
            let name = &session.worker.name;
            let each = run.pace.trials_in(COPY).unwrap_or(1);
            let fits = session.stays(now).map_or(u64::MAX, |stays| run.pace.fit_into(stays));
            let mut room = each.min(fits).saturating_mul(u64::from(threads)).min(LEASE_TRIALS_MAX);
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
            self.grant(now, to, stage, copies, threads, actions);
            old.retain(|(_, _, trials)| !trials.is_empty());
        }
    }
}
