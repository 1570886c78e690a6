//! How long trials will still take on a number of threads.

/// Most threads for which trials are scheduled one by one.
const THREADS_MAX: usize = 4_096;
/// Most trials per thread for which they are; beyond that it hardly matters when each thread is free.
const ROUNDS_MAX: u64 = 64;

/// Seconds that a running trial of age `age` still takes if it was expected to take `expected`.
///
/// A trial that is overdue is at first assumed to end soon, and later to take as long again as it has run.
pub(super) fn residual(expected: f64, age: f64) -> f64 {
    if age < expected { expected - age } else { (4.0 * (age - expected)).min(age) }
}

/// Seconds until `waiting` trials of `mean` seconds each are done by threads that become free in `free` seconds, each
/// of which takes the next trial when it is free. `None` without threads.
pub(super) fn makespan(free: &[f64], waiting: u64, mean: f64) -> Option<f64> {
    let threads = free.len();
    if threads == 0 {
        return None;
    }
    let latest = free.iter().copied().fold(0.0, f64::max);
    if waiting == 0 || mean <= 0.0 {
        return Some(latest);
    }
    let sum: f64 = free.iter().sum();
    let even = (sum + waiting as f64 * mean) / threads as f64;
    if threads > THREADS_MAX || waiting / threads as u64 > ROUNDS_MAX {
        // On average the last trial of a thread ends half a trial later.
        return Some((even + mean / 2.0).max(latest));
    }
    // By bisection: the least time in which the threads complete that many trials.
    let done = |until: f64| free.iter().map(|free| ((until - free) / mean + 1e-9).floor().max(0.0)).sum::<f64>();
    let (mut low, mut high) = (0.0, latest + mean * (waiting as f64 / threads as f64 + 2.0));
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if done(middle) >= waiting as f64 { high = middle } else { low = middle }
    }
    Some(high.max(latest))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// List scheduling, trial by trial: the oracle.
    fn slow(free: &[f64], waiting: u64, mean: f64) -> f64 {
        let mut free = free.to_vec();
        for _ in 0..waiting {
            let first = (0..free.len()).min_by(|&a, &b| free[a].total_cmp(&free[b])).expect("a thread");
            free[first] += mean;
        }
        free.into_iter().fold(0.0, f64::max)
    }

    #[test]
    fn the_makespan_is_that_of_list_scheduling() {
        for (free, waiting, mean) in [
            (&[0.0, 0.0][..], 20, 30.0),
            (&[12.0, 3.5, 0.0], 7, 10.0),
            (&[5.0; 64], 1, 2.0),
            (&[0.0; 16], 20, 30.0),
            (&[100.0, 0.0], 3, 1.0),
            (&[4.0], 0, 1.0),
        ] {
            let (found, expected) = (makespan(free, waiting, mean).expect("threads"), slow(free, waiting, mean));
            assert!((found - expected).abs() < 1e-6, "{free:?} {waiting} of {mean}: {found}, not {expected}");
        }
        assert_eq!(makespan(&[], 3, 1.0), None);
        let many = makespan(&[0.0; 3], 100_000, 0.5).expect("threads");
        assert!((many / slow(&[0.0; 3], 100_000, 0.5) - 1.0).abs() < 0.001);
    }

    #[test]
    fn an_overdue_trial_is_assumed_to_be_long() {
        for (age, left) in [(0.0, 30.0), (20.0, 10.0), (30.0, 0.0), (31.0, 4.0), (40.0, 40.0), (90.0, 90.0)] {
            assert_eq!(residual(30.0, age), left, "{age}");
        }
    }
}
