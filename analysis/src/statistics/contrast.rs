//! Weighted sums of means of independent samples, each with its own variance (Welch 1947; Satterthwaite 1946).

use super::{
    Reason,
    moments::{Moments, common_of, positive, weighted},
    tails,
};

/// A weighted sum of means, and whether it is 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contrast {
    /// The sum.
    pub value: f64,
    /// Statistic: the sum in its standard errors.
    pub t: f64,
    /// Degrees of freedom by Satterthwaite, not whole.
    pub df: f64,
    /// Two-sided probability of a t this far off.
    pub p: f64,
    /// The sum's interval at 95 %.
    pub ci95: (f64, f64),
}

/// The sum of the samples' means, each times its weight. With the weights 1 and -1 it is Welch's test.
///
/// # Errors
/// A sample of fewer than two values, no spread in any, or a value that is not finite.
pub fn test(terms: &[(f64, Moments)]) -> Result<Contrast, Reason> {
    let (unit, samples) = common_of(terms.iter().map(|(_, of)| *of));
    let terms: Vec<(f64, Moments)> = terms.iter().map(|(weight, _)| *weight).zip(samples).collect();
    let mut parts = Vec::new();
    for (weight, of) in &terms {
        let variance = of.own_variance().ok_or(Reason::TooFew { needed: 2, found: of.n })?;
        parts.push((weight * weight * variance / of.n as f64, (of.n - 1) as f64));
    }
    let variance = positive(parts.iter().map(|(part, _)| part).sum(), Reason::NoSpreadWithin)?;
    // In shares of the variance: the squares of tiny variances would underflow.
    let share = |(part, df): &(f64, f64)| (part / variance).powi(2) / df;
    let df = 1.0 / parts.iter().map(share).sum::<f64>();
    let value = weighted(&terms);
    let error = variance.sqrt();
    let (t, half) = (value / error, tails::student_quantile(0.975, df) * error);
    let ci95 = (libm::scalbn(value - half, unit), libm::scalbn(value + half, unit));
    Ok(Contrast { value: libm::scalbn(value, unit), t, df, p: tails::student_sides(t, df)[0], ci95 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::welch;

    fn near(found: f64, wanted: f64) {
        assert!((found - wanted).abs() <= 1e-12 * wanted.abs(), "{found} is not {wanted}");
    }

    /// NumPy 2 and SciPy 1.17.1: means and variances with ddof = 1, the rest by `stats.t`.
    #[test]
    fn three_samples() {
        let [x, y, z] = [&[1.0, 2.0, 4.0][..], &[0.0, 3.0, 3.0, 5.0], &[2.0, 2.5]].map(Moments::of);
        let found = test(&[(0.5, x), (0.5, y), (-1.0, z)]).expect("a test");
        near(found.value, 7.0 / 24.0);
        near(found.t, 0.403_473_292_392_964_87);
        near(found.df, 5.894_281_439_073_58);
        near(found.p, 0.700_828_263_652_512_5);
        near(found.ci95.0, -1.484_899_503_579_593_5);
        near(found.ci95.1, 2.068_232_836_912_927_5);
    }

    #[test]
    fn of_two_it_is_welch_s() {
        let [x, y] = [&[1.0, 2.0, 4.0][..], &[0.0, 3.0, 3.0, 5.0]].map(Moments::of);
        let (found, welch) =
            (test(&[(1.0, x), (-1.0, y)]).expect("a test"), welch::from_moments(&x, &y).expect("a test"));
        near(found.t, welch.t);
        near(found.df, welch.df);
        near(found.p, welch.p);
        near(found.ci95.0, welch.ci95.0);
    }

    #[test]
    fn nothing_to_test_gives_a_reason() {
        let of = |values: &[f64]| (1.0, Moments::of(values));
        assert_eq!(test(&[of(&[1.0, 1.0]), of(&[2.0, 2.0])]), Err(Reason::NoSpreadWithin));
        assert_eq!(test(&[of(&[1.0, 2.0]), of(&[2.0])]), Err(Reason::TooFew { needed: 2, found: 1 }));
        assert_eq!(test(&[]), Err(Reason::NoSpreadWithin));
        // A sample without spread adds none.
        let found = test(&[of(&[1.0, 3.0]), of(&[2.0, 2.0])]).expect("a test");
        assert_eq!((found.value, found.t, found.df), (4.0, 4.0, 1.0));
    }
}
