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
    score_interval(successes / n as f64, n as f64, tails::normal_quantile(0.5 + 0.5 * confidence))
}

/// The shares that `share` of `n` is at most `z` standard errors from, errors by those shares themselves.
fn score_interval(share: f64, n: f64, z: f64) -> Option<(f64, f64)> {
    let z2 = z * z / n;
    let middle = (share + 0.5 * z2) / (1.0 + z2);
    let half = z / (1.0 + z2) * (share * (1.0 - share) / n + 0.25 * z2 / n).sqrt();
    // At the ends the formula is exact and its rounding is not.
    let low = if share <= 0.0 { 0.0 } else { (middle - half).max(0.0) };
    let high = if share >= 1.0 { 1.0 } else { (middle + half).min(1.0) };
    Some((low, high))
}

/// Student's interval of a mean at `confidence`. `None` of fewer than two values, and of values that are all equal:
/// they say nothing of their spread.
pub fn of_mean(moments: &Moments, confidence: f64) -> Option<(f64, f64)> {
    let (error, mean) = (moments.error().filter(|&error| error > 0.0)?, moments.mean()?);
    let t = tails::student_quantile(0.5 + 0.5 * confidence, (moments.n - 1) as f64);
    Some((mean - t * error, mean + t * error))
}

/// [`of_mean`] for values that are shares: the part of the interval between 0 and 1.
pub fn of_mean_share(moments: &Moments, confidence: f64) -> Option<(f64, f64)> {
    of_mean(moments, confidence).map(|(low, high)| (low.max(0.0), high.min(1.0)))
}

/// Observations of one coin that a spread over units is weighed with: few units say little of their spread.
const OF_COIN: f64 = 2.0;

/// Interval of a share from units of `games` games each, which are independent as wholes alone: Wilson's for as many
/// games as the spread over `units` is worth, with Student's quantile. Where all units are 0 or all 1, or there is one,
/// nothing is known of the spread, and games count as tosses of a coin.
///
/// Unlike Student's interval of the mean it does not end where shares are near 0 or 1 and few units differ.
///
/// `None` without a unit.
pub fn of_units(units: &Moments, games: u64, confidence: f64) -> Option<(f64, f64)> {
    let n = units.n as f64;
    let share = units.mean.clamp(0.0, 1.0);
    let of_coin = share * (1.0 - share) / games as f64;
    let spread = units.variance().filter(|_| of_coin > 0.0);
    let Some(spread) = spread else { return wilson(share * n * games as f64, units.n * games, confidence) };
    let (upper, df) = (0.5 + 0.5 * confidence, n - 1.0);
    let dispersion = (OF_COIN + df * spread / of_coin) / (OF_COIN + df);
    score_interval(share, n * games as f64 / dispersion, tails::student_quantile(upper, df + OF_COIN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_by_hand() {
        // 2, 4, 4, 10: mean 5, standard error sqrt 3; t(0.975, 3) = 3.182446305283708 (SciPy 1.17.1).
        let moments = Moments::of(&[2.0, 4.0, 4.0, 10.0]);
        let (low, high) = of_mean(&moments, 0.95).expect("an interval");
        let half = 3.182_446_305_283_708 * 3f64.sqrt();
        assert!((low - (5.0 - half)).abs() < 1e-12 && (high - (5.0 + half)).abs() < 1e-12);
        assert_eq!(of_mean_share(&moments, 0.95), Some((0.0, 1.0)));
    }

    #[test]
    fn without_spread_there_is_none() {
        assert_eq!(of_mean(&Moments::of(&[1.0, 1.0, 1.0]), 0.95), None);
        assert_eq!(of_mean(&Moments::of(&[1.0]), 0.95), None);
        assert_eq!(wilson(0.0, 0, 0.95), None);
    }
}
