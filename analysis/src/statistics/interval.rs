//! Confidence intervals of shares and means.

use super::{moments::Moments, tails};

/// Wilson's score interval of a share (Wilson 1927): `successes` of `n`, at `confidence` (0.95). Successes may be
/// halves: a draw is half a win.
///
/// `None` without trials.
pub fn wilson(successes: f64, n: u64, confidence: f64) -> Option<(f64, f64)> {
    if n == 0 {
        return None;
    }
    let n = n as f64;
    let z = tails::normal_quantile(0.5 + 0.5 * confidence);
    let share = successes / n;
    let z2 = z * z / n;
    let middle = (share + 0.5 * z2) / (1.0 + z2);
    let half = z / (1.0 + z2) * (share * (1.0 - share) / n + 0.25 * z2 / n).sqrt();
    // At the ends the formula is exact and its rounding is not.
    let low = if successes <= 0.0 { 0.0 } else { (middle - half).max(0.0) };
    let high = if successes >= n { 1.0 } else { (middle + half).min(1.0) };
    Some((low, high))
}

/// Student's interval of a mean share at `confidence`, cut to [0, 1]. `None` of fewer than two values.
pub fn of_mean_share(moments: &Moments, confidence: f64) -> Option<(f64, f64)> {
    of_mean(moments, confidence).map(|(low, high)| (low.max(0.0), high.min(1.0)))
}

/// Student's interval of a mean at `confidence`. `None` of fewer than two values.
pub fn of_mean(moments: &Moments, confidence: f64) -> Option<(f64, f64)> {
    let error = moments.error()?;
    let t = tails::student_quantile(0.5 + 0.5 * confidence, (moments.n - 1) as f64);
    Some((moments.mean - t * error, moments.mean + t * error))
}
