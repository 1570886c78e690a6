//! Tail probabilities of the normal, Student's, gamma, chi-squared and F distributions, and quantiles of the first two.
//!
//! Always tails, never one minus a distribution function, so that small probabilities keep their digits. All of it is
//! on `libm` and arithmetic, so that every machine prints the same figures.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

use super::incomplete;

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
        libm::exp(libm::log(0.5 * rest * incomplete::beta_fraction(a, 0.5, x, y) / a) - a * log)
    } else {
        // Here t is of the order of 1 or less and the tail not small.
        0.5 - libm::exp(-a * log) * rest * incomplete::beta_fraction(0.5, a, y, x)
    }
}

/// Probabilities of a t as far off as `t` on either side, of one as small or smaller, and of one as large or larger.
pub fn student_sides(t: f64, df: f64) -> [f64; 3] {
    let tail = student(t.abs(), df);
    let [less, greater] = if t < 0.0 { [tail, 1.0 - tail] } else { [1.0 - tail, tail] };
    [(2.0 * tail).min(1.0), less, greater]
}

/// P(X > x) of the gamma distribution with `shape` > 0 and scale 1.
pub fn gamma(x: f64, shape: f64) -> f64 {
    incomplete::gamma(shape, x).1
}

/// P(X > x) of the chi-squared distribution with `df` > 0 degrees of freedom, not necessarily a whole number.
pub fn chi_squared(x: f64, df: f64) -> f64 {
    gamma(0.5 * x, 0.5 * df)
}

/// P(F > f) of the F distribution with `df1` and `df2` > 0 degrees of freedom, not necessarily whole numbers: I_x(df2 /
/// 2, df1 / 2) at x = df2 / (df2 + df1 f) (Abramowitz and Stegun 26.6.2).
pub fn f(f: f64, df1: f64, df2: f64) -> f64 {
    if f <= 0.0 {
        return 1.0;
    }
    let ratio = df1 / df2 * f;
    // 1 - x by itself, and neither overflows.
    let (x, y) = if ratio > 1.0 {
        (1.0 / ratio / (1.0 + 1.0 / ratio), 1.0 / (1.0 + 1.0 / ratio))
    } else {
        (1.0 / (1.0 + ratio), ratio / (1.0 + ratio))
    };
    incomplete::beta(0.5 * df2, 0.5 * df1, x, y).0
}

/// The t with P(T <= t) = `p`, for p in [0.5, 1).
///
/// Newton's method on the tail from the normal quantile, within bounds that it narrows: where it would leave them they
/// are halved, so that any number of degrees of freedom ends.
pub fn student_quantile(p: f64, df: f64) -> f64 {
    let tail = 1.0 - p;
    if tail >= 0.5 {
        return 0.0;
    }
    // Student's tails are heavier than the normal one's.
    let mut t = normal_quantile(p);
    let (mut low, mut high) = (0.0, f64::INFINITY);
    let at_zero = if df > DF_NORMAL { 1.0 / (2.0 * PI).sqrt() } else { gamma_step(0.5 * df) / (df * PI).sqrt() };
    for _ in 0..2_000 {
        let above = student(t, df) - tail;
        if above > 0.0 {
            low = t;
        } else {
            high = t;
        }
        let density = at_zero * libm::exp(-0.5 * (df + 1.0) * libm::log1p(t * (t / df)));
        let next = t + above / density;
        let next = match (next > low && next < high, high.is_finite()) {
            (true, _) => next,
            (false, true) => low + 0.5 * (high - low),
            (false, false) => 2.0 * low,
        };
        if (next - t).abs() <= 1e-15 * t || next == low || next == high {
            return next;
        }
        t = next;
    }
    t
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

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn near(found: f64, wanted: f64, tolerance: f64) {
        assert!((found - wanted).abs() <= tolerance * wanted.abs(), "{found:e} is not {wanted:e}");
    }

    /// Rows computed by mpmath at 60 digits (oracles/more.py); those of beta are tested beside the function.
    #[test]
    fn agrees_with_mpmath_into_the_far_tails() {
        for line in include_str!("../../tests/oracles/tails.tsv").lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            let number = |i: usize| fields[i].parse::<f64>().expect("a number");
            let found = match fields[0] {
                "norm" => normal(number(1)),
                "t" | "student" => student(number(1), number(2)),
                "chi2" => chi_squared(number(1), number(2)),
                "gamma" => gamma(number(1), number(2)),
                "f" => f(number(1), number(2), number(3)),
                "beta" => continue,
                other => panic!("{other}"),
            };
            near(found, number(4), 3e-13);
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
        near(student_quantile(0.999_95, 1.5), 384.572_402_521_581_5, 1e-12);
        near(student_quantile(0.975, 1e18), 1.959_963_984_540_054, 1e-14);
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
