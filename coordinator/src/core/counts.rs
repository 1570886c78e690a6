//! What became of the trials that a worker got, for people; nothing is decided by it.

use std::time::Duration;

use super::Now;

/// Time in which the weight of a result in the rate of its worker falls to 1/e.
const MEMORY_SECS: f64 = 20.0;

/// Counts of one worker process, since it first joined this coordinator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Trials whose result it delivered.
    pub delivered: u64,
    /// Trials that it reported as ended without a result.
    pub failed: u64,
    /// Trials that were taken back from it because a lease or its connection was lost.
    pub lost: u64,
    /// Its results of which another worker has given a different one.
    pub disputes: u64,
}

/// Counts of a session, with those of earlier sessions of its process, and the rate of its results.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Served {
    pub(super) counts: Counts,
    /// When results first came in this session.
    since: Option<Now>,
    /// Results a second as of `at`, each weighted by its age.
    rate: f64,
    at: Now,
}

impl Served {
    /// A new session of a process that had these counts.
    pub(super) fn of(counts: Counts) -> Self {
        Served { counts, ..Served::default() }
    }

    /// Notes results.
    pub(super) fn delivered(&mut self, now: Now, results: u64) {
        self.counts.delivered += results;
        self.since.get_or_insert(now);
        self.rate = self.rate * weight(now.saturating_sub(self.at)) + results as f64 / MEMORY_SECS;
        self.at = now;
    }

    /// Results a second over the last [`MEMORY_SECS`] or so; 0 if unknown.
    pub(super) fn rate(&self, now: Now) -> f64 {
        let Some(since) = self.since else { return 0.0 };
        // A session that is younger has had less time to add weights up.
        let whole = 1.0 - weight(now.saturating_sub(since).max(Duration::from_secs(1)));
        self.rate * weight(now.saturating_sub(self.at)) / whole
    }
}

/// Weight of a result of this age.
fn weight(age: Duration) -> f64 {
    (-age.as_secs_f64() / MEMORY_SECS).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_that_of_steady_results_and_falls_when_none_come() {
        let mut served = Served::default();
        assert_eq!(served.rate(Duration::from_secs(5)), 0.0);
        // 5 results every 100 ms are 50 a second, after 3 seconds as after 300.
        for tenth in 0..3_000 {
            let now = Duration::from_millis(100 * tenth);
            served.delivered(now, 5);
            if tenth == 30 || tenth == 2_999 {
                let rate = served.rate(now);
                assert!((rate - 50.0).abs() < 3.0, "{rate} after {now:?}");
            }
        }
        assert_eq!(served.counts.delivered, 15_000);
        let later = served.rate(Duration::from_secs(300 + 60));
        assert!(later < 5.0, "{later} a minute after the last");
    }
}
