//! D'Agostino and Pearson's test of normality (D'Agostino 1971; D'Agostino and Pearson 1973).

use super::{
    Reason,
    moments::{Moments, positive},
    reason::{enough, finite},
};

/// Result of the test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Normality {
    /// z of the skewness.
    pub skew_z: f64,
    /// z of the kurtosis.
    pub kurtosis_z: f64,
    /// Sum of their squares.
    pub k2: f64,
    /// Probability of a sum this large under normality.
    pub p: f64,
}

/// Values that the approximations are made for (D'Agostino 1971; Anscombe and Glynn 1983).
const SIZE_MIN: u64 = 8;

/// Tests a sample of at least 8 values.
///
/// # Errors
/// Fewer values, all of them equal, or one that is not finite.
pub fn test(values: &[f64]) -> Result<Normality, Reason> {
    enough(values, SIZE_MIN).and(finite(values))?;
    let n = values.len() as f64;
    let [skewness, kurtosis] = standard(values, &Moments::of(values))?;
    let (skew_z, kurtosis_z) = (skew_z(skewness, n), kurtosis_z(kurtosis, n));
    let k2 = skew_z * skew_z + kurtosis_z * kurtosis_z;
    Ok(Normality {
        skew_z,
        kurtosis_z,
        k2,
        // The chi-squared tail with two degrees of freedom.
        p: libm::exp(-0.5 * k2),
    })
}

/// Skewness and kurtosis: the third and the fourth moment in deviations, so that values of any size and at any place
/// have theirs. A deviation is a value's distance from the whole mean, not from the mean as far as a number holds it.
fn standard(values: &[f64], of: &Moments) -> Result<[f64; 2], Reason> {
    let n = values.len() as f64;
    let deviation = (positive(of.own_variance().unwrap_or(0.0), Reason::NoSpread)? * (n - 1.0) / n).sqrt();
    let moment = |power: i32| sum(values, &|x| (of.deviation_of(x) / deviation).powi(power)) / n;
    Ok([moment(3), moment(4)])
}

/// Sum of a function of the values, by halves: the rounding of a sum one by one grows with a million values.
fn sum(values: &[f64], of: &impl Fn(f64) -> f64) -> f64 {
    const ONE_BY_ONE: usize = 256;
    if values.len() <= ONE_BY_ONE {
        return values.iter().map(|value| of(*value)).sum();
    }
    let (left, right) = values.split_at(values.len() / 2);
    sum(left, of) + sum(right, of)
}

fn skew_z(skewness: f64, n: f64) -> f64 {
    let y = skewness * ((n + 1.0) * (n + 3.0) / (6.0 * (n - 2.0))).sqrt();
    let beta2 =
        3.0 * (n * n + 27.0 * n - 70.0) * (n + 1.0) * (n + 3.0) / ((n - 2.0) * (n + 5.0) * (n + 7.0) * (n + 9.0));
    let w2 = (2.0 * (beta2 - 1.0)).sqrt() - 1.0;
    let delta = 1.0 / (0.5 * libm::log(w2)).sqrt();
    let alpha = (2.0 / (w2 - 1.0)).sqrt();
    delta * libm::asinh(y / alpha)
}

fn kurtosis_z(kurtosis: f64, n: f64) -> f64 {
    let expected = 3.0 * (n - 1.0) / (n + 1.0);
    let variance = 24.0 * n * (n - 2.0) * (n - 3.0) / ((n + 1.0) * (n + 1.0) * (n + 3.0) * (n + 5.0));
    let x = (kurtosis - expected) / variance.sqrt();
    let beta1 = 6.0 * (n * n - 5.0 * n + 2.0) / ((n + 7.0) * (n + 9.0))
        * (6.0 * (n + 3.0) * (n + 5.0) / (n * (n - 2.0) * (n - 3.0))).sqrt();
    let a = 6.0 + 8.0 / beta1 * (2.0 / beta1 + (1.0 + 4.0 / (beta1 * beta1)).sqrt());
    let denominator = 1.0 + x * (2.0 / (a - 4.0)).sqrt();
    let root = libm::cbrt((1.0 - 2.0 / a) / denominator.abs()).copysign(denominator);
    (1.0 - 2.0 / (9.0 * a) - root) / (2.0 / (9.0 * a)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: [f64; 12] = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0, 5.0, 3.0, 5.0, 8.0];

    /// Whole numbers say the same at any place and of any size, to the last digits.
    #[test]
    fn place_and_size_say_nothing() {
        let plain = test(&WHOLE).expect("a test");
        let near = |values: Vec<f64>, what: f64| {
            let found = test(&values).expect("a test");
            assert!((found.k2 - plain.k2).abs() <= 1e-13 * plain.k2, "{what:e}: {found:?} is not {plain:?}");
            assert!((found.p - plain.p).abs() <= 1e-13 * plain.p, "{what:e}: {found:?} is not {plain:?}");
        };
        for offset in [1.0, -1e6, 1e12, 1e15, 9e15] {
            near(WHOLE.iter().map(|value| value + offset).collect(), offset);
        }
        for power in [-1070, -800, -300, -100, 100, 300, 800, 1019] {
            near(WHOLE.iter().map(|value| libm::scalbn(*value, power)).collect(), f64::from(power));
        }
        // Decimal powers round, and so do values.
        for factor in [1e-300, 1e-90, 1e90, 1e300] {
            let found = test(&WHOLE.map(|value| value * factor)).expect("a test");
            assert!((found.p - plain.p).abs() <= 1e-12 * plain.p, "{factor:e}: {found:?} is not {plain:?}");
        }
    }

    #[test]
    fn nothing_to_test_gives_a_reason() {
        assert_eq!(test(&WHOLE[..7]), Err(Reason::TooFew { needed: 8, found: 7 }));
        assert_eq!(test(&[0.1; 9]), Err(Reason::NoSpread));
        assert_eq!(test(&[1e-200; 9]), Err(Reason::NoSpread));
        let mut infinite = WHOLE;
        infinite[3] = f64::INFINITY;
        assert_eq!(test(&infinite), Err(Reason::NotFinite));
    }
}
