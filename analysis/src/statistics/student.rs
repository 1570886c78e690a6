//! Student's t tests (Student 1908): of two samples with one variance, and of pairs.

use super::{
    Reason, TTest,
    differences::differences,
    effect::unbiased,
    moments::{Moments, common},
    reason::{enough, finite},
    tails,
};

/// Test of `x` against `y`, whose variances are taken to be the same ([`super::welch`] does without).
///
/// # Errors
/// An empty sample, fewer than three values in all, no spread within the samples, or a value that is not finite.
pub fn test(x: &[f64], y: &[f64]) -> Result<TTest, Reason> {
    from_moments(&Moments::of(x), &Moments::of(y))
}

/// [`test()`] from the samples' moments.
///
/// # Errors
/// Those of [`test()`].
pub fn from_moments(x: &Moments, y: &Moments) -> Result<TTest, Reason> {
    let (unit, [x, y]) = common([x, y]);
    let pooled = x.own_pooled(&y)?;
    let (nx, ny) = (x.n as f64, y.n as f64);
    Ok(found(x.minus(&y), pooled, (1.0 / nx + 1.0 / ny).sqrt(), nx + ny - 2.0).times(unit))
}

/// Test of the pairs (x, y): whether their differences have mean 0.
///
/// # Errors
/// Samples of different sizes, fewer than two pairs, differences that are all equal, or a value that is not finite.
pub fn paired(x: &[f64], y: &[f64]) -> Result<TTest, Reason> {
    if x.len() != y.len() {
        return Err(Reason::NotPaired);
    }
    enough(x, 2)?;
    finite(x).and(finite(y))?;
    let (differences, unit) = differences(x, y);
    let moments = Moments::of(&differences);
    let deviation = moments.spread()?;
    let n = moments.n as f64;
    let mean = moments.mean().unwrap_or(f64::NAN);
    Ok(found(mean, deviation, 1.0 / n.sqrt(), n - 1.0).times(unit))
}

/// From a difference of means, the deviation of a value, the standard error in such deviations, and degrees of freedom.
fn found(difference: f64, deviation: f64, error: f64, df: f64) -> TTest {
    let cohens_d = difference / deviation;
    let t = cohens_d / error;
    let [p, p_less, p_greater] = tails::student_sides(t, df);
    let half = tails::student_quantile(0.975, df) * deviation * error;
    TTest {
        t,
        df,
        p,
        p_less,
        p_greater,
        difference,
        ci95: (difference - half, difference + half),
        cohens_d,
        hedges_g: cohens_d * unbiased(df),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1, 3 and 4, 8 by hand: means 2 and 6, pooled variance 5, two degrees: t = -4 / sqrt 5.
    #[test]
    fn by_hand() {
        let found = test(&[1.0, 3.0], &[4.0, 8.0]).expect("a test");
        let t = -4.0 / 5f64.sqrt();
        assert!((found.t - t).abs() < 1e-15 && found.df == 2.0 && (found.cohens_d - t).abs() < 1e-15);
        // With two degrees P(|T| > t) is 1 - t / sqrt(2 + t^2).
        assert!((found.p - (1.0 - t.abs() / (2.0 + t * t).sqrt())).abs() < 1e-15);
    }

    /// Differences 1, 2, 6 by hand: mean 3, variance 7, t = 3 / sqrt(7 / 3).
    #[test]
    fn pairs_by_hand() {
        let found = paired(&[2.0, 4.0, 7.0], &[1.0, 2.0, 1.0]).expect("a test");
        assert!((found.t - 3.0 / (7f64 / 3.0).sqrt()).abs() < 1e-15 && found.df == 2.0);
        assert!((found.cohens_d - 3.0 / 7f64.sqrt()).abs() < 1e-15);
    }

    #[test]
    fn nothing_to_test_gives_a_reason() {
        assert_eq!(test(&[1.0, 1.0], &[2.0, 2.0]), Err(Reason::NoSpreadWithin));
        assert_eq!(test(&[], &[2.0, 3.0, 4.0]), Err(Reason::TooFew { needed: 1, found: 0 }));
        assert_eq!(test(&[1.0], &[2.0]), Err(Reason::TooFew { needed: 3, found: 2 }));
        assert_eq!(test(&[1.0, f64::INFINITY], &[2.0, 3.0]), Err(Reason::NotFinite));
        assert_eq!(paired(&[1.0, 2.0], &[2.0, 3.0]), Err(Reason::NoSpread));
        // -0.03 twice, in doubles two different numbers.
        assert_eq!(paired(&[0.79, 0.43], &[0.82, 0.46]), Err(Reason::NoSpread));
        assert_eq!(paired(&[1.0, 2.0], &[2.0]), Err(Reason::NotPaired));
        assert_eq!(paired(&[1.0], &[2.0]), Err(Reason::TooFew { needed: 2, found: 1 }));
        assert_eq!(paired(&[1.0, f64::NAN], &[2.0, 3.0]), Err(Reason::NotFinite));
    }
}
