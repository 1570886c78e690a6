//! Welch's t test (Welch 1947) with its effect sizes.

use super::{moments::Moments, tails};

/// Result of a test of x against y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Welch {
    /// Statistic.
    pub t: f64,
    /// Degrees of freedom (Welch-Satterthwaite).
    pub df: f64,
    /// Two-sided probability of a t this far off.
    pub p: f64,
    /// Difference of the means, x minus y.
    pub difference: f64,
    /// Its interval at 95 %.
    pub ci95: (f64, f64),
    /// Hedges' g: the difference in pooled deviations, corrected for small samples; `None` without spread.
    pub hedges_g: Option<f64>,
}

/// Two-sided test of `x` against `y`. `None` with fewer than two values on a side, without any spread, or with a value
/// that is not finite.
pub fn test(x: &[f64], y: &[f64]) -> Option<Welch> {
    if x.iter().chain(y).any(|v| !v.is_finite()) {
        return None;
    }
    from_moments(&Moments::of(x), &Moments::of(y))
}

/// The same from the samples' moments.
pub fn from_moments(x: &Moments, y: &Moments) -> Option<Welch> {
    let (nx, ny) = (x.n as f64, y.n as f64);
    let (vx, vy) = (x.variance()? / nx, y.variance()? / ny);
    let variance = vx + vy;
    if variance <= 0.0 {
        return None;
    }
    let difference = x.mean - y.mean;
    let t = difference / variance.sqrt();
    let df = variance * variance / (vx * vx / (nx - 1.0) + vy * vy / (ny - 1.0));
    let half = tails::student_quantile(0.975, df) * variance.sqrt();
    let pooled = ((x.squares + y.squares) / (nx + ny - 2.0)).sqrt();
    // Hedges and Olkin's approximation of the correction.
    let correction = 1.0 - 3.0 / (4.0 * (nx + ny) - 9.0);
    Some(Welch {
        t,
        df,
        p: (2.0 * tails::student(t.abs(), df)).min(1.0),
        difference,
        ci95: (difference - half, difference + half),
        hedges_g: (pooled > 0.0).then(|| difference / pooled * correction),
    })
}
