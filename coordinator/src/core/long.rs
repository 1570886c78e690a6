//! How long a long trial takes, against what is expected of one: whether it ends before its worker must leave.

use std::collections::VecDeque;

/// Most trials that are remembered.
const REMEMBERED: usize = 64;
/// Most trials of one batch that are.
const OF_BATCH: usize = 8;
/// Share of trials that a long one is longer than.
const SHARE: f64 = 0.95;

/// Observed times of the latest trials, divided by what was expected of each.
#[derive(Clone, Debug, Default)]
pub(super) struct Long(VecDeque<f64>);

impl Long {
    /// Learns from the last trials of a batch: `expected` gives what was expected of a trial, in seconds.
    pub(super) fn learn(&mut self, trials: &[u64], elapsed_us: &[u64], expected: impl Fn(u64) -> f64) {
        for (&trial, &micros) in trials.iter().zip(elapsed_us).rev().take(OF_BATCH) {
            if self.0.len() == REMEMBERED {
                self.0.pop_front();
            }
            self.0.push_back(micros as f64 * 1e-6 / expected(trial).max(1e-9));
        }
    }

    /// The factor by which a long trial takes longer than expected: that of the 95th percentile; `None` before any result.
    pub(super) fn factor(&self) -> Option<f64> {
        let mut factors: Vec<f64> = self.0.iter().copied().collect();
        factors.sort_by(f64::total_cmp);
        let at = (SHARE * factors.len() as f64) as usize;
        factors.get(at.min(factors.len().saturating_sub(1))).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_trial_is_longer_than_most() {
        let mut long = Long::default();
        assert_eq!(long.factor(), None);
        long.learn(&[0], &[3_000_000], |_| 1.5);
        assert_eq!(long.factor(), Some(2.0));
        // Twenty batches of a trial each, of 1 to 20 seconds; of the 21 times the 20th is at 95 per cent.
        (1..=20).for_each(|secs| long.learn(&[secs], &[secs * 1_000_000], |_| 1.0));
        assert_eq!(long.factor(), Some(19.0));
        // Those that came last count.
        (0..64).for_each(|trial| long.learn(&[trial], &[1_000_000], |_| 1.0));
        assert_eq!(long.factor(), Some(1.0));
    }
}
