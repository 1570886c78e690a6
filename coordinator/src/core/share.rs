//! The share of a run in the thread time of the fleet: start-time fair queueing (Goyal, Vin and Cheng 1996, section 2).
//!
//! Each run has a virtual time: the thread seconds that its trials took, divided by its priority. The next lease goes to
//! the run with the least. Trials in the hands of workers count with the time that they are expected to take, until
//! their results say what they took; those that come back without a result no longer count. So nothing has to be
//! remembered of a lease, and a better estimate corrects all of them at once.
//!
//! A run that had nothing to lease for a while is set forward to the runs that were served meanwhile: what it could not
//! use is not repaid.

use super::Quota;

/// Least seconds that a trial counts for: the work of leasing, sending and storing one.
pub(super) const TRIAL_SECS_MIN: f64 = 2e-6;

/// What a run has had of the fleet.
#[derive(Debug, Default)]
pub(super) struct Share {
    pub(super) quota: Quota,
    /// Thread seconds of its results, each divided by the priority that the run had then.
    had: f64,
    /// Whether it had trials to lease when that was last looked at.
    active: bool,
}

impl Share {
    pub(super) fn new(quota: Quota) -> Self {
        Share { quota, ..Share::default() }
    }

    /// Its virtual time while workers hold `held` of its trials, each expected to take `each` seconds.
    pub(super) fn time(&self, held: u64, each: f64) -> f64 {
        self.had + held as f64 * self.step(each)
    }

    /// What a trial that takes `each` seconds adds to it.
    pub(super) fn step(&self, each: f64) -> f64 {
        each.max(TRIAL_SECS_MIN) / f64::from(self.quota.priority)
    }

    /// Charges `trials` that took `secs` together.
    pub(super) fn charge(&mut self, trials: u64, secs: f64) {
        self.had += secs.max(trials as f64 * TRIAL_SECS_MIN) / f64::from(self.quota.priority);
    }

    /// The virtual time of its results alone.
    pub(super) fn had(&self) -> f64 {
        self.had
    }

    /// Whether it had trials to lease when that was last looked at.
    pub(super) fn is_active(&self) -> bool {
        self.active
    }

    /// Notes whether it has trials to lease.
    pub(super) fn set_active(&mut self, active: bool) {
        self.active = active;
    }

    /// Sets it forward to the virtual time `now`, unless it is ahead of that.
    pub(super) fn set_forward(&mut self, now: f64) {
        self.had = self.had.max(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(priority: u32) -> Share {
        Share::new(Quota { priority, ..Quota::default() })
    }

    /// Serves the run of the least virtual time until `until` seconds are given out; each lease is of one trial, whose
    /// result arrives before the next one. Returns the seconds of each run.
    fn serve(shares: &mut [Share], secs: &[f64], until: f64) -> Vec<f64> {
        let mut given = vec![0.0; shares.len()];
        while given.iter().sum::<f64>() < until {
            let least = |&a: &usize, &b: &usize| shares[a].time(0, secs[a]).total_cmp(&shares[b].time(0, secs[b]));
            let next = (0..shares.len()).min_by(least).expect("a run");
            shares[next].charge(1, secs[next]);
            given[next] += secs[next];
        }
        given
    }

    #[test]
    fn thread_time_is_divided_by_priority_whatever_trials_take() {
        // No run is ever ahead of its share by more than a trial of each (the paper's theorem 1).
        for secs in [[1e-4, 1e-4, 1e-4], [1e-4, 20.0, 0.3], [20.0, 1e-4, 0.3], [0.3, 7.0, 20.0]] {
            let mut shares = [share(2), share(1), share(1)];
            let given = serve(&mut shares, &secs, 4_000.0);
            for (given, fair) in given.iter().zip([2_000.0, 1_000.0, 1_000.0]) {
                assert!((given - fair).abs() <= secs.iter().sum::<f64>(), "{given} s instead of {fair}: {secs:?}");
            }
        }
    }

    #[test]
    fn estimates_are_replaced_by_what_trials_took() {
        let mut share = share(4);
        // Ten trials are leased and believed to take 2 s each; then half a second.
        assert_eq!([share.time(10, 2.0), share.time(10, 0.5)], [5.0, 1.25]);
        share.charge(4, 8.0);
        assert_eq!(share.time(6, 2.0), 5.0, "as expected");
        assert_eq!(share.time(0, 2.0), 2.0, "six came back without a result");
    }

    #[test]
    fn another_priority_counts_from_now_on() {
        let mut share = share(1);
        share.charge(1, 30.0);
        share.quota.priority = 10;
        share.charge(1, 30.0);
        assert_eq!(share.time(0, 1.0), 33.0);
    }

    #[test]
    fn time_in_which_a_run_had_nothing_to_lease_is_not_repaid() {
        let mut shares = [share(1), share(1)];
        serve(&mut shares[..1], &[1.0], 1_000.0);
        let now = shares[0].had();
        shares[1].set_forward(now);
        assert_eq!(serve(&mut shares, &[1.0, 1.0], 100.0), [50.0, 50.0]);
        // Nor is one that is ahead set back.
        shares[1].charge(1, 10.0);
        let ahead = shares[1].had();
        shares[1].set_forward(now);
        assert_eq!(shares[1].had(), ahead);
    }

    #[test]
    fn trials_that_take_no_time_still_count() {
        let mut share = share(1);
        share.charge(500_000, 0.0);
        assert_eq!((share.time(0, 0.0), share.time(500_000, 0.0)), (1.0, 2.0));
    }
}
