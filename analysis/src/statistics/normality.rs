//! D'Agostino and Pearson's test of normality (D'Agostino 1971; D'Agostino and Pearson 1973).

use super::{
    Reason,
    moments::Moments,
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
    let mean = Moments::of(values).mean;
    let moment = |power: i32| sum(values, &|x| (x - mean).powi(power)) / n;
    let (m2, m3, m4) = (moment(2), moment(3), moment(4));
    if m2 <= (f64::EPSILON * mean) * (f64::EPSILON * mean) {
        return Err(Reason::NoSpread);
    }
    let (skew_z, kurtosis_z) = (skew_z(m3 / (m2 * m2.sqrt()), n), kurtosis_z(m4 / (m2 * m2), n));
    let k2 = skew_z * skew_z + kurtosis_z * kurtosis_z;
    Ok(Normality {
        skew_z,
        kurtosis_z,
        k2,
        // The chi-squared tail with two degrees of freedom.
        p: libm::exp(-0.5 * k2),
    })
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
