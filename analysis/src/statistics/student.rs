//! Student's t test of two samples with one variance (Student 1908).

use super::{moments::Moments, tails};

/// Result of a test of x against y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Student {
    /// Statistic.
    pub t: f64,
    /// Degrees of freedom.
    pub df: f64,
    /// Two-sided probability of a t this far off.
    pub p: f64,
    /// Cohen's d: the difference in pooled deviations (Cohen 1988, section 2.2).
    pub cohens_d: f64,
}

/// Test of `x` against `y`, whose variances are taken to be the same ([`super::welch`] does without). `None` without a
/// value on a side, of two values in all, without any spread, or with a value that is not finite.
pub fn test(x: &[f64], y: &[f64]) -> Option<Student> {
    let (x, y) = (Moments::of(x), Moments::of(y));
    if x.n == 0 || y.n == 0 || x.n + y.n < 3 {
        return None;
    }
    let (nx, ny) = (x.n as f64, y.n as f64);
    let df = nx + ny - 2.0;
    let variance = (x.squares + y.squares) / df;
    // A value that is not finite makes the variance NaN.
    if !(variance > 0.0 && variance.is_finite()) {
        return None;
    }
    let cohens_d = x.difference(&y) / variance.sqrt();
    let t = cohens_d / (1.0 / nx + 1.0 / ny).sqrt();
    Some(Student { t, df, p: (2.0 * tails::student(t.abs(), df)).min(1.0), cohens_d })
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

    #[test]
    fn no_spread_gives_nothing() {
        assert_eq!(test(&[1.0, 1.0], &[2.0, 2.0]), None);
        assert_eq!(test(&[], &[2.0, 3.0, 4.0]), None);
        assert_eq!(test(&[1.0], &[2.0]), None);
        assert_eq!(test(&[1.0, f64::INFINITY], &[2.0, 3.0]), None);
    }
}
