//! Tail probabilities of the normal, Student and chi-squared distributions, and the normal quantile.
//!
//! Always tails, never one minus a distribution function, so that small probabilities keep their digits. The
//! incomplete beta and gamma functions are continued fractions (modified Lentz; Press et al., Numerical Recipes,
//! section 5.2) with the power in front in the saddle-point form of Loader (2000), which loses no digits for large
//! parameters.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// ln sqrt(2 pi)
const LN_SQRT_2PI: f64 = 0.918_938_533_204_672_8;
/// Stands in for a denominator of zero in a continued fraction.
const TINY: f64 = 1e-300;
/// A step this close to one ends a continued fraction.
const CONVERGED: f64 = 1e-16;
/// Steps after which a continued fraction ends in any case.
const STEPS_MAX: u32 = 1_000_000;

/// P(Z > z) of the standard normal distribution.
pub fn normal(z: f64) -> f64 {
    0.5 * libm::erfc(z * FRAC_1_SQRT_2)
}

/// The z with P(Z <= z) = `p`, `p` between 0 and 1 (exclusive).
///
/// A rational first guess (Abramowitz and Stegun 26.2.23), then Newton's method on the tail.
pub fn normal_quantile(p: f64) -> f64 {
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

/// P(T > t) of Student's distribution with `df` degrees of freedom.
pub fn student(t: f64, df: f64) -> f64 {
    if t < 0.0 {
        return 1.0 - student(-t, df);
    }
    let square = t * t;
    if square.is_infinite() {
        return 0.0;
    }
    0.5 * beta(0.5 * df, 0.5, df / (df + square), square / (df + square))
}

/// The t with P(T <= t) = `p`, `p` of 0.5 or more: bisection on the tail, which is monotonic.
pub fn student_quantile(p: f64, df: f64) -> f64 {
    let tail = 1.0 - p;
    let (mut low, mut high) = (0.0, 1.0);
    while student(high, df) > tail && high < 1e300 {
        high *= 2.0;
    }
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if student(middle, df) > tail { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// P(X > x) of the chi-squared distribution with `df` degrees of freedom.
pub fn chi_squared(x: f64, df: f64) -> f64 {
    if x <= 0.0 { 1.0 } else { upper_gamma(0.5 * df, 0.5 * x) }
}

/// ln Gamma(z) minus Stirling's (z - 1/2) ln z - z + ln sqrt(2 pi).
fn stirling_rest(z: f64) -> f64 {
    if z < 15.0 {
        return libm::lgamma(z) - (z - 0.5) * libm::log(z) + z - LN_SQRT_2PI;
    }
    // Bernoulli numbers over 2k (2k - 1).
    let inverse = 1.0 / (z * z);
    let series = [1.0 / 12.0, -1.0 / 360.0, 1.0 / 1_260.0, -1.0 / 1_680.0, 1.0 / 1_188.0, -691.0 / 360_360.0];
    series.iter().rev().fold(0.0, |sum, term| sum * inverse + term) / z
}

/// x ln(x / m) + m - x, without cancellation where x is near m.
fn deviance(x: f64, m: f64) -> f64 {
    let v = (x - m) / (x + m);
    if v.abs() >= 0.1 {
        return x * libm::log(x / m) + m - x;
    }
    // ln(x / m) = 2 artanh v, term by term.
    let (mut sum, mut power) = ((x - m) * v, 2.0 * x * v);
    for k in 1..1_000 {
        power *= v * v;
        let next = sum + power / f64::from(2 * k + 1);
        if next == sum {
            break;
        }
        sum = next;
    }
    sum
}

/// One step of Lentz's method: the next partial numerator of a fraction whose denominators are 1.
struct Lentz {
    value: f64,
    c: f64,
    d: f64,
}

impl Lentz {
    /// Returns the factor by which the value changed.
    fn step(&mut self, numerator: f64, denominator: f64) -> f64 {
        let away = |x: f64| if x.abs() < TINY { TINY } else { x };
        self.d = 1.0 / away(denominator + numerator * self.d);
        self.c = away(denominator + numerator / self.c);
        let factor = self.c * self.d;
        self.value *= factor;
        factor
    }
}

/// Regularised incomplete beta I_x(a, b); `y` is 1 - x, passed apart so that no digits are lost.
fn beta(a: f64, b: f64, x: f64, y: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if y <= 0.0 {
        return 1.0;
    }
    // The fraction converges fast below the mean; above it, the other tail's does. Rounding can put both sides above
    // their means, so the turn is made once, not by asking again.
    if x > (a + 1.0) / (a + b + 2.0) { 1.0 - beta_below_mean(b, a, y, x) } else { beta_below_mean(a, b, x, y) }
}

fn beta_below_mean(a: f64, b: f64, x: f64, y: f64) -> f64 {
    let n = a + b;
    let front = 0.5 * libm::log(a * b / n) - LN_SQRT_2PI + stirling_rest(n)
        - stirling_rest(a)
        - stirling_rest(b)
        - deviance(a, n * x)
        - deviance(b, n * y);
    let mut fraction = Lentz { value: 1.0, c: 1.0, d: 0.0 };
    fraction.step(0.0, 1.0);
    fraction.step(-n * x / (a + 1.0), 1.0);
    for m in 1..STEPS_MAX {
        let m = f64::from(m);
        fraction.step(m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)), 1.0);
        let factor = fraction.step(-(a + m) * (n + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0)), 1.0);
        if (factor - 1.0).abs() < CONVERGED {
            break;
        }
    }
    // One exponential of the whole product: a result near the smallest double keeps its digits.
    libm::exp(front - libm::log(a * fraction.value))
}

/// Regularised upper incomplete gamma Q(a, x).
fn upper_gamma(a: f64, x: f64) -> f64 {
    let front = 0.5 * libm::log(a) - LN_SQRT_2PI - stirling_rest(a) - deviance(a, x);
    if x < a + 1.0 {
        let (mut term, mut sum, mut k) = (1.0 / a, 1.0 / a, a);
        while term > sum * 1e-17 {
            k += 1.0;
            term *= x / k;
            sum += term;
        }
        return 1.0 - libm::exp(front + libm::log(sum));
    }
    let mut fraction = Lentz { value: 1.0 / (x + 1.0 - a), c: 1.0 / TINY, d: 1.0 / (x + 1.0 - a) };
    for k in 1..STEPS_MAX {
        let k = f64::from(k);
        let factor = fraction.step(-k * (k - a), x + 1.0 - a + 2.0 * k);
        if (factor - 1.0).abs() < CONVERGED {
            break;
        }
    }
    libm::exp(front + libm::log(fraction.value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn near(found: f64, wanted: f64) {
        assert!((found - wanted).abs() <= 1e-12 * wanted.abs(), "{found:e} is not {wanted:e}");
    }

    /// Values of SciPy 1.17: norm.sf, t.sf, chi2.sf, norm.ppf, t.ppf.
    #[test]
    fn agrees_with_scipy() {
        near(normal(1.959_963_984_540_054), 0.025);
        near(student(2.0, 10.0), 0.036_694_017_385_370_18);
        near(student(-2.0, 10.0), 1.0 - 0.036_694_017_385_370_18);
        near(chi_squared(5.991_464_547_107_979, 2.0), 0.05);
        near(normal_quantile(0.975), 1.959_963_984_540_054);
        near(normal_quantile(0.025), -1.959_963_984_540_054);
        near(student_quantile(0.975, 10.0), 2.228_138_851_964_938_5);
        near(student_quantile(0.975, 1.0), 12.706_204_736_174_698);
    }

    /// For an even number of degrees of freedom the tails are elementary: exact by other means.
    #[test]
    fn agrees_with_closed_forms() {
        for x in [0.1, 1.0, 3.0, 40.0, 1_000.0] {
            near(chi_squared(x, 2.0), libm::exp(-x / 2.0));
            near(chi_squared(x, 4.0), libm::exp(-x / 2.0) * (1.0 + x / 2.0));
        }
        for t in [0.3, 1.0, 7.0, 1e3] {
            // 1/2 - t / (2 sqrt(2 + t^2)), written so that it does not cancel.
            let root = (2.0f64 + t * t).sqrt();
            near(student(t, 2.0), 1.0 / (root * (root + t)));
        }
    }
}
