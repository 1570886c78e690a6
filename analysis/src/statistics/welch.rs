//! Welch's t test (Welch 1947) with its effect sizes.

use super::{
    Reason, effect,
    moments::{Moments, positive},
    tails,
};

/// Result of a test of x against y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Welch {
    /// Statistic.
    pub t: f64,
    /// Degrees of freedom (Welch-Satterthwaite).
    pub df: f64,
    /// Two-sided probability of a t this far off.
    pub p: f64,
    /// Probability of a t this small or smaller: small where x is below y.
    pub p_less: f64,
    /// Probability of a t this large or larger.
    pub p_greater: f64,
    /// Difference of the means, x minus y.
    pub difference: f64,
    /// Its interval at 95 %.
    pub ci95: (f64, f64),
    /// Cohen's d: the difference in pooled deviations (Cohen 1988, section 2.2).
    pub cohens_d: f64,
    /// Hedges' g (1981): d without its bias in small samples.
    pub hedges_g: f64,
}

/// Test of `x` against `y`.
///
/// # Errors
/// Fewer than two values on a side, no spread on either, or a value that is not finite.
pub fn test(x: &[f64], y: &[f64]) -> Result<Welch, Reason> {
    from_moments(&Moments::of(x), &Moments::of(y))
}

/// The same from the samples' moments.
///
/// # Errors
/// As of [`test`].
pub fn from_moments(x: &Moments, y: &Moments) -> Result<Welch, Reason> {
    let (nx, ny) = (x.n as f64, y.n as f64);
    let variance = |of: &Moments| of.variance().ok_or(Reason::TooFew { needed: 2, found: of.n });
    let (vx, vy) = (variance(x)? / nx, variance(y)? / ny);
    let variance = positive(vx + vy)?;
    let difference = x.difference(y);
    let t = difference / variance.sqrt();
    // In shares of the variance: the squares of tiny variances would underflow.
    let (wx, wy) = (vx / variance, vy / variance);
    let df = 1.0 / (wx * wx / (nx - 1.0) + wy * wy / (ny - 1.0));
    let half = tails::student_quantile(0.975, df) * variance.sqrt();
    let [p, p_less, p_greater] = tails::student_sides(t, df);
    Ok(Welch {
        t,
        df,
        p,
        p_less,
        p_greater,
        difference,
        ci95: (difference - half, difference + half),
        cohens_d: effect::cohens_d(x, y)?,
        hedges_g: effect::hedges_g(x, y)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_to_test_gives_a_reason() {
        assert_eq!(test(&[1.0, 1.0], &[2.0, 2.0]), Err(Reason::NoSpread));
        assert_eq!(test(&[1.0], &[2.0, 3.0]), Err(Reason::TooFew { needed: 2, found: 1 }));
        assert_eq!(test(&[1.0, f64::INFINITY], &[2.0, 3.0]), Err(Reason::NotFinite));
        assert_eq!(test(&[1.0, f64::NAN], &[2.0, 3.0]), Err(Reason::NotFinite));
    }
}
