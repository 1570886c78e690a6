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

/// Test of `x` against `y`. `None` with fewer than two values on a side, without any spread, or with a value that is
/// not finite.
pub fn test(x: &[f64], y: &[f64]) -> Option<Welch> {
    from_moments(&Moments::of(x), &Moments::of(y))
}

/// The same from the samples' moments.
pub fn from_moments(x: &Moments, y: &Moments) -> Option<Welch> {
    let (nx, ny) = (x.n as f64, y.n as f64);
    let (vx, vy) = (x.variance()? / nx, y.variance()? / ny);
    let variance = vx + vy;
    // A value that is not finite makes the variance NaN.
    if !(variance > 0.0 && variance.is_finite()) {
        return None;
    }
    let difference = x.difference(y);
    let t = difference / variance.sqrt();
    // In shares of the variance: the squares of tiny variances would underflow.
    let (wx, wy) = (vx / variance, vy / variance);
    let df = 1.0 / (wx * wx / (nx - 1.0) + wy * wy / (ny - 1.0));
    let half = tails::student_quantile(0.975, df) * variance.sqrt();
    let pooled_df = nx + ny - 2.0;
    let cohens_d = difference / ((x.squares + y.squares) / pooled_df).sqrt();
    let tail = tails::student(t.abs(), df);
    let (p_less, p_greater) = if t < 0.0 { (tail, 1.0 - tail) } else { (1.0 - tail, tail) };
    Some(Welch {
        t,
        df,
        p: (2.0 * tail).min(1.0),
        p_less,
        p_greater,
        difference,
        ci95: (difference - half, difference + half),
        cohens_d,
        hedges_g: cohens_d * unbiased(pooled_df),
    })
}

/// Hedges' factor Gamma(m / 2) / (sqrt(m / 2) Gamma((m - 1) / 2)) of `m` degrees of freedom.
fn unbiased(m: f64) -> f64 {
    tails::gamma_step(0.5 * (m - 1.0)) / (0.5 * m).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gamma(1) / Gamma(1/2) = 1 / sqrt(pi) at m = 2; Gamma(2) / (sqrt 2 Gamma(3/2)) = sqrt(2 / pi) at m = 4.
    #[test]
    fn correction_has_closed_forms() {
        let pi = std::f64::consts::PI;
        assert!((unbiased(2.0) - 1.0 / pi.sqrt()).abs() < 1e-15);
        assert!((unbiased(4.0) - (2.0 / pi).sqrt()).abs() < 1e-15);
        assert!((unbiased(1e6) - 1.0).abs() < 1e-6);
    }

    /// 1, 3 and 4, 8 by hand: means 2 and 6, squares 2 and 8, two degrees: d = -4 / sqrt 5, g = d / sqrt pi.
    #[test]
    fn effects_by_hand() {
        let found = test(&[1.0, 3.0], &[4.0, 8.0]).expect("a test");
        assert!((found.cohens_d + 4.0 / 5f64.sqrt()).abs() < 1e-15);
        assert!((found.hedges_g + 4.0 / (5.0 * std::f64::consts::PI).sqrt()).abs() < 1e-15);
    }

    #[test]
    fn no_spread_gives_nothing() {
        assert_eq!(test(&[1.0, 1.0], &[2.0, 2.0]), None);
        assert_eq!(test(&[1.0], &[2.0, 3.0]), None);
        assert_eq!(test(&[1.0, f64::INFINITY], &[2.0, 3.0]), None);
        assert_eq!(test(&[1.0, f64::NAN], &[2.0, 3.0]), None);
    }
}
