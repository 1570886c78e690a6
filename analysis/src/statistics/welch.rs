//! Welch's t test (Welch 1947) with its effect sizes.

use super::{
    Reason, TTest, effect,
    moments::{Moments, common, positive},
    tails,
};

/// Test of `x` against `y`.
///
/// # Errors
/// Fewer than two values on a side, no spread on either, or a value that is not finite.
pub fn test(x: &[f64], y: &[f64]) -> Result<TTest, Reason> {
    from_moments(&Moments::of(x), &Moments::of(y))
}

/// [`test()`] from the samples' moments.
///
/// # Errors
/// Those of [`test()`].
pub fn from_moments(x: &Moments, y: &Moments) -> Result<TTest, Reason> {
    let (unit, [x, y]) = common([x, y]);
    let (nx, ny) = (x.n as f64, y.n as f64);
    let variance = |of: &Moments| of.own_variance().ok_or(Reason::TooFew { needed: 2, found: of.n });
    let (vx, vy) = (variance(&x)? / nx, variance(&y)? / ny);
    let variance = positive(vx + vy, Reason::NoSpreadWithin)?;
    let difference = x.minus(&y);
    let t = difference / variance.sqrt();
    // In shares of the variance: the squares of tiny variances would underflow.
    let (wx, wy) = (vx / variance, vy / variance);
    let df = 1.0 / (wx * wx / (nx - 1.0) + wy * wy / (ny - 1.0));
    let half = tails::student_quantile(0.975, df) * variance.sqrt();
    let [p, p_less, p_greater] = tails::student_sides(t, df);
    Ok(TTest {
        t,
        df,
        p,
        p_less,
        p_greater,
        difference: libm::scalbn(difference, unit),
        ci95: (libm::scalbn(difference - half, unit), libm::scalbn(difference + half, unit)),
        cohens_d: effect::cohens_d(&x, &y)?,
        hedges_g: effect::hedges_g(&x, &y)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_to_test_gives_a_reason() {
        assert_eq!(test(&[1.0, 1.0], &[2.0, 2.0]), Err(Reason::NoSpreadWithin));
        assert_eq!(test(&[0.1, 0.1, 0.1], &[0.3, 0.3, 0.3]), Err(Reason::NoSpreadWithin));
        assert_eq!(test(&[1.0], &[2.0, 3.0]), Err(Reason::TooFew { needed: 2, found: 1 }));
        assert_eq!(test(&[1.0, f64::INFINITY], &[2.0, 3.0]), Err(Reason::NotFinite));
        assert_eq!(test(&[1.0, f64::NAN], &[2.0, 3.0]), Err(Reason::NotFinite));
    }
}
