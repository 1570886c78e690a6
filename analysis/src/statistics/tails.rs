//! Tail probabilities of the normal, Student and chi-squared distributions, and quantiles of the first two.
//!
//! Always tails, never one minus a distribution function, so that small probabilities keep their digits. All of it is
//! on `libm` and arithmetic, so that every machine prints the same figures.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// Steps after which a continued fraction ends in any case; the slowest here needs a few thousand.
const STEPS_MAX: u32 = 1_000_000;
/// Degrees of freedom from which Student's distribution is the normal one, to the last digits.
const DF_NORMAL: f64 = 1e15;

/// P(Z > z) of the standard normal distribution.
pub fn normal(z: f64) -> f64 {
    0.5 * libm::erfc(z * FRAC_1_SQRT_2)
}

/// The z with P(Z <= z) = `p`, for p in (0, 1); infinite at its ends.
///
/// A rational first guess (Abramowitz and Stegun 26.2.23), then Newton's method on the tail.
pub fn normal_quantile(p: f64) -> f64 {
    if p <= 0.0 || p >= 1.0 {
        return if p <= 0.0 { f64::NEG_INFINITY } else { f64::INFINITY };
    }
    if p == 0.5 {
        return 0.0;
    }
    let tail = p.min(1.0 - p);
    let t = (-2.0 * libm::log(tail)).sqrt();
    let mut z = t
        - (2.515_517 + 0.802_853 * t + 0.010_328 * t * t)
            / (1.0 + 1.432_788 * t + 0.189_269 * t * t + 0.001_308 * t * t * t);
    for _ in 0..8 {
        let density = libm::exp(-0.5 * z * z) / (2.0 * PI).sqrt();
        let step = (normal(z) - tail) / density;
        z += step;
        if step.abs() < 1e-15 * z.abs() {
            break;
        }
    }
    if p < 0.5 { -z } else { z }
}

/// P(T > t) of Student's distribution with `df` degrees of freedom, not necessarily a whole number.
///
/// Half of the regularised incomplete beta I_x(df / 2, 1 / 2) at x = 1 / (1 + t^2 / df) (Abramowitz and Stegun
/// 26.7.1), whose power x^(df / 2) is taken through `log1p` and whose Beta function through [`gamma_step`]: neither
/// loses digits for large `df`.
pub fn student(t: f64, df: f64) -> f64 {
    if t < 0.0 {
        return 1.0 - student(-t, df);
    }
    if df > DF_NORMAL {
        return normal(t);
    }
    let a = 0.5 * df;
    let q = t / df.sqrt();
    // 1 + q^2, its logarithm, x and y = 1 - x, without overflow of q^2.
    let (log, x, y) = if q > 1e8 {
        (2.0 * libm::log(q), 1.0 / q / q, 1.0)
    } else {
        let square = q * q;
        (libm::log1p(square), 1.0 / (1.0 + square), square / (1.0 + square))
    };
    let rest = y.sqrt() * gamma_step(a) / PI.sqrt();
    if x < (a + 1.0) / (a + 2.5) {
        // One exponential of the whole product: a result near the smallest double keeps its digits.
        libm::exp(libm::log(0.5 * rest * beta_fraction(a, 0.5, x) / a) - a * log)
    } else {
        // Here t is of the order of 1 or less and the tail not small.
        0.5 - libm::exp(-a * log) * rest * beta_fraction(0.5, a, y)
    }
}

/// P(X > x) of the chi-squared distribution with `df` degrees of freedom, for x >= 0.
///
/// Both finite series have positive terms alone (Abramowitz and Stegun 26.4.4 and 26.4.5), so that nothing cancels.
pub fn chi_squared(x: f64, df: u64) -> f64 {
    if x <= 0.0 || df == 0 {
        return if x <= 0.0 && df > 0 { 1.0 } else { 0.0 };
    }
    let odd = df % 2 == 1;
    // The terms (x / 2)^k / k! of an even df; of an odd one x^(k - 1/2) / (1 * 3 * … (2 k - 1)), in the same scale.
    let mut logarithm = if odd { 0.5 * libm::log(2.0 * x / PI) } else { 0.0 };
    let mut sum = if odd { 2.0 * normal(x.sqrt()) } else { libm::exp(-0.5 * x) };
    let (mut step, terms) = (if odd { 3.0 } else { 2.0 }, if odd { (df - 1) / 2 } else { df / 2 - 1 });
    if odd && terms > 0 {
        sum += libm::exp(logarithm - 0.5 * x);
    }
    let rest = if odd { terms.saturating_sub(1) } else { terms };
    for _ in 0..rest {
        logarithm += libm::log(x / step);
        sum += libm::exp(logarithm - 0.5 * x);
        step += 2.0;
    }
    sum.min(1.0)
}

/// The t with P(T <= t) = `p`, for p in [0.5, 1): bisection on the tail, which is monotonic.
pub fn student_quantile(p: f64, df: f64) -> f64 {
    let tail = 1.0 - p;
    let (mut low, mut high) = (0.0, 1.0);
    while student(high, df) > tail && high < 1e300 {
        low = high;
        high *= 2.0;
    }
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if student(middle, df) > tail { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// Gamma(a + 1/2) / Gamma(a): the asymptotic series of its logarithm from a = 24 on, below it the recurrence
/// Gamma(a + 1) = a Gamma(a) up to there.
pub(super) fn gamma_step(a: f64) -> f64 {
    let (mut a, mut factor) = (a, 1.0);
    while a < 24.0 {
        factor *= a / (a + 0.5);
        a += 1.0;
    }
    let r = 1.0 / (a * a);
    let series = (-1.0 / 8.0 + r * (1.0 / 192.0 + r * (-1.0 / 640.0 + r * (17.0 / 14_336.0)))) / a;
    factor * a.sqrt() * libm::exp(series)
}

/// The continued fraction of I_x(a, b) (Abramowitz and Stegun 26.5.8), by Lentz's method: I is x^a (1 - x)^b times
/// this over a B(a, b). It converges fast for x below (a + 1) / (a + b + 2).
fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    let away_from_zero = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    let (mut c, mut d) = (1.0, 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0)));
    let mut value = d;
    for m in 1..STEPS_MAX {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut change = 1.0;
        for numerator in [even, odd] {
            d = 1.0 / away_from_zero(1.0 + numerator * d);
            c = away_from_zero(1.0 + numerator / c);
            change = c * d;
            value *= change;
        }
        if (change - 1.0).abs() < 1e-16 {
            break;
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn near(found: f64, wanted: f64, tolerance: f64) {
        assert!((found - wanted).abs() <= tolerance * wanted.abs(), "{found:e} is not {wanted:e}");
    }

    /// SciPy 1.17.1: chi2.sf.
    #[test]
    fn chi_squared_agrees_with_scipy() {
        for (x, df, wanted) in [
            (0.5, 1, 0.47950012218695337),
            (3.84, 1, 0.05004352124870519),
            (900.0, 1, 9.813427854296455e-198),
            (0.001, 2, 0.9995001249791693),
            (7.3, 2, 0.02599112877875535),
            (5.0, 3, 0.1717971442967335),
            (250.0, 3, 6.543750030967994e-54),
            (11.0, 6, 0.08837643235678545),
            (4.0, 7, 0.779777408475716),
            (1200.0, 9, 1.2126417776311672e-252),
            (60.0, 40, 0.02187346844139091),
            (30.0, 41, 0.8977589239790029),
        ] {
            near(chi_squared(x, df), wanted, 1e-12);
        }
        assert_eq!([chi_squared(0.0, 1), chi_squared(0.0, 4)], [1.0, 1.0]);
    }

    /// Normal and t rows computed by mpmath at 60 digits.
    #[test]
    fn agrees_with_mpmath_into_the_far_tails() {
        for line in include_str!("../../tests/oracles/tails.tsv").lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            let number = |i: usize| fields[i].parse::<f64>().expect("a number");
            let found = match fields[0] {
                "norm" => normal(number(1)),
                "t" => student(number(1), number(2)),
                other => panic!("{other}"),
            };
            near(found, number(4), 2e-13);
        }
    }

    /// SciPy 1.17.1: norm.ppf, t.ppf.
    #[test]
    fn quantiles_agree_with_scipy() {
        near(normal_quantile(0.975), 1.959_963_984_540_054, 1e-14);
        near(normal_quantile(0.025), -1.959_963_984_540_054, 1e-14);
        assert_eq!(normal_quantile(0.5), 0.0);
        near(student_quantile(0.975, 10.0), 2.228_138_851_986_274, 1e-13);
        near(student_quantile(0.975, 1.0), 12.706_204_736_174_694, 1e-13);
    }

    /// With two degrees of freedom the tail is elementary: 1/2 - t / (2 sqrt(2 + t^2)), written without cancelling.
    #[test]
    fn agrees_with_the_closed_form_of_two_degrees() {
        for t in [1e-3, 0.3, 1.0, 7.0, 1e3, 1e12, 1e70] {
            let root = f64::sqrt(2.0 + t * t);
            near(student(t, 2.0), 1.0 / (root * (root + t)), 1e-13);
        }
        near(student(1e200, 1.0), 1.0 / (PI * 1e200), 1e-12);
        assert_eq!(student(0.0, 3.5), 0.5);
        near(student(-2.0, 10.0), 1.0 - 0.036_694_017_385_370_18, 1e-13);
    }
}
