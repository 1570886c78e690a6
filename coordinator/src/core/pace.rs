//! How fast a run goes: seconds a trial, trials a second.

use std::{collections::VecDeque, time::Duration};

use super::Now;

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
    pub(super) fn next_stage(self) -> Self {
        Pace { secs_per_trial: None, ..self }
    }

    /// Results stored a second over the last seconds; 0 if unknown.
    pub(super) fn rate(&self, now: Now) -> f64 {
        let Some(since) = self.since else { return 0.0 };
        let span = now.saturating_sub(since).min(RATE_WINDOW).as_secs_f64();
        let count: u64 = self.stored.iter().map(|&(_, count)| count).sum();
        // The first batch says nothing of a rate: its results were run before the measurement began.
        count as f64 / span.max(1.0)
    }

    /// Executor time of a trial, if any is known.
    pub(super) fn trial(&self) -> Option<Duration> {
        self.secs_per_trial.map(Duration::from_secs_f64)
    }

    /// Trials that keep a thread busy for `time`, at least 1; unknown before the first results.
    pub(super) fn trials_in(&self, time: Duration) -> Option<u64> {
        // Casting saturates.
        self.secs_per_trial.map(|secs| ((time.as_secs_f64() / secs.max(1e-9)) as u64).max(1))
    }
}
