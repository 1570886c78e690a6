//! How much to lease to whom.
//!
//! Leases are sized in time (DESIGN 4): about [`TARGET`] of work for each executor thread, as far as the
//! seconds a trial of this stage takes are known; near the end of a stage a worker's share of half of what is
//! left, so that the barrier waits for short leases.

use std::{collections::VecDeque, time::Duration};

use super::{Action, Core, Now, RunState};
use crate::ids::{LeaseId, RunId, SessionId};

/// Work in the hands of one executor thread, aimed at.
const TARGET: Duration = Duration::from_secs(2);
/// Most trials of one lease: bounds a message, whatever a trial costs.
const LEASE_TRIALS_MAX: u64 = 8_192;
/// Most trials in the hands of one session.
const HELD_TRIALS_MAX: u64 = 4 * LEASE_TRIALS_MAX;
/// Leased to a thread while nothing is known of a stage.
const PROBE_TRIALS: u64 = 2;
/// Weight of the newest batch in the moving average of seconds per trial.
const NEWEST: f64 = 0.3;
/// Window in which the rate of a run is measured.
const RATE_WINDOW: Duration = Duration::from_secs(10);

/// What is known of the speed of a run.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// Moving average of executor seconds per trial of the open stage.
    secs_per_trial: Option<f64>,
    /// (when, trials stored then), newest last, within the window.
    stored: VecDeque<(Now, u64)>,
    /// Start of the measurement.
    since: Option<Now>,
}

impl Pace {
    /// Learns from the executor times of a batch.
    pub(super) fn learn(&mut self, now: Now, elapsed_us: &[u64]) {
        self.since.get_or_insert(now);
        if elapsed_us.is_empty() {
            return;
        }
        let sum = elapsed_us.iter().fold(0u64, |a, &b| a.saturating_add(b));
        let mean = sum as f64 * 1e-6 / elapsed_us.len() as f64;
        self.secs_per_trial = Some(match self.secs_per_trial {
            None => mean,
            Some(old) => old + NEWEST * (mean - old),
        });
    }

    pub(super) fn stored(&mut self, now: Now, count: u64) {
        self.stored.push_back((now, count));
        self.tick(now);
    }

    pub(super) fn tick(&mut self, now: Now) {
        while self.stored.front().is_some_and(|&(at, _)| now.saturating_sub(at) > RATE_WINDOW) {
            self.stored.pop_front();
        }
    }

    /// Another stage costs something else; the rate of the run goes on.
    pub(super) fn next_stage(&mut self) {
        self.secs_per_trial = None;
    }

    /// Results stored a second over the last seconds; 0 if unknown.
    pub(super) fn rate(&self, now: Now) -> f64 {
        let Some(since) = self.since else { return 0.0 };
        let span = now.saturating_sub(since).min(RATE_WINDOW).as_secs_f64();
        let count: u64 = self.stored.iter().map(|&(_, count)| count).sum();
        // The first batch says nothing of a rate: its results were run before the measurement began.
        count as f64 / span.max(1.0)
    }

    /// Trials that keep a thread busy for `time`; at least 1.
    fn trials_in(&self, time: Duration) -> u64 {
        match self.secs_per_trial {
            None => PROBE_TRIALS,
            Some(secs) => (time.as_secs_f64() / secs.max(1e-9)).clamp(1.0, HELD_TRIALS_MAX as f64) as u64,
        }
    }
}

impl Core {
    /// Leases what is waiting to whoever runs short of work.
    pub(super) fn dispatch(&mut self, actions: &mut Vec<Action>) {
        if self.draining {
            return;
        }
        let threads: u64 = self.sessions.values().filter(|s| !s.leaving).map(|s| u64::from(s.worker.threads)).sum();
        let waiting: Vec<RunId> = self
            .order
            .iter()
            .copied()
            .filter(|id| self.runs.get(id).is_some_and(|r| r.state == RunState::Running && r.waiting() > 0))
            .collect();
        if waiting.is_empty() {
            return;
        }
        let sessions: Vec<SessionId> = self.sessions.keys().copied().collect();
        for id in waiting {
            for &session in &sessions {
                self.lease(id, session, threads, actions);
            }
        }
    }

    fn lease(&mut self, id: RunId, session_id: SessionId, all_threads: u64, actions: &mut Vec<Action>) {
        let (Some(run), Some(session)) = (self.runs.get_mut(&id), self.sessions.get_mut(&session_id)) else { return };
        let stage = run.key();
        let elsewhere = session.held.iter().any(|(key, held)| *key != stage && !held.is_empty());
        if session.leaving || run.waiting() == 0 || elsewhere {
            return;
        }
        let threads = u64::from(session.worker.threads);
        let held = session.held.get(&stage).map_or(0, crate::ranges::RangeSet::len);
        // This worker's share of half of what is left.
        let share = (run.waiting() * threads).div_ceil(2 * all_threads.max(1)).max(1);
        let wanted = (run.pace.trials_in(TARGET) * threads).min(HELD_TRIALS_MAX);
        let wanted = wanted.min(share.max(threads));
        // Topping up at half saves messages; a worker without a spare trial for each thread would idle.
        if held > wanted / 2 && held >= 2 * threads.min(wanted) {
            return;
        }
        let count = wanted.saturating_sub(held).min(LEASE_TRIALS_MAX);
        let trials = run.take(count);
        if trials.is_empty() {
            return;
        }
        session.held.entry(stage).or_default().insert_all(&trials);
        let lease = LeaseId(self.next_lease);
        self.next_lease += 1;
        actions.push(Action::Lease { session: session_id, lease, stage, trials });
    }
}
