//! The regularised incomplete gamma and beta functions, by which tails are computed.
//!
//! Continued fractions by Lentz's method and one series, with the factor before them in the saddle-point form of Loader
//! (2000, "Fast and accurate computation of binomial probabilities"): a difference of logarithms of gamma functions
//! would lose the digits that large parameters take. One exponential of the whole product, so that a result near the
//! smallest double keeps its own.

const LN_SQRT_2PI: f64 = 0.918_938_533_204_672_8;
/// Steps after which a fraction or series ends in any case. The slowest here, at parameters of 1e12, need a few
/// million.
const STEPS_MAX: u32 = 10_000_000;
/// Stands for a zero that would be divided by.
const TINY: f64 = 1e-300;

/// P(a, x) and Q(a, x) = 1 - P(a, x) for a > 0 and x >= 0: the parts of the gamma function's integral below and above
/// x.
pub(super) fn gamma(a: f64, x: f64) -> (f64, f64) {
    if x <= 0.0 {
        return (0.0, 1.0);
    }
    if x == f64::INFINITY {
        return (1.0, 0.0);
    }
    let front = 0.5 * libm::log(a) - LN_SQRT_2PI - stirling_error(a) - deviance(a, x);
    if x < a + 1.0 {
        let (mut term, mut sum, mut k) = (1.0 / a, 1.0 / a, a);
        for _ in 0..STEPS_MAX {
            k += 1.0;
            term *= x / k;
            sum += term;
            if term <= sum * 1e-17 {
                break;
            }
        }
        let below = libm::exp(front + libm::log(sum));
        return (below, 1.0 - below);
    }
    let mut b = x + 1.0 - a;
    let (mut c, mut d) = (1.0 / TINY, 1.0 / b);
    let mut value = d;
    for i in 1..STEPS_MAX {
        let i = f64::from(i);
        let numerator = -i * (i - a);
        b += 2.0;
        d = 1.0 / away_from_zero(numerator * d + b);
        c = away_from_zero(b + numerator / c);
        let change = d * c;
        value *= change;
        if (change - 1.0).abs() < 1e-16 {
            break;
        }
    }
    let above = libm::exp(front + libm::log(value));
    (1.0 - above, above)
}

/// I_x(a, b) and 1 - I_x(a, b) for a, b > 0; `y` is 1 - x, given apart so that no digits are lost.
pub(super) fn beta(a: f64, b: f64, x: f64, y: f64) -> (f64, f64) {
    if x <= 0.0 {
        return (0.0, 1.0);
    }
    if y <= 0.0 {
        return (1.0, 0.0);
    }
    if x > (a + 1.0) / (a + b + 2.0) {
        let (above, below) = beta(b, a, y, x);
        return (below, above);
    }
    let n = a + b;
    // a b / n without overflow.
    let front = 0.5 * libm::log(a * (b / n)) - LN_SQRT_2PI + stirling_error(n)
        - stirling_error(a)
        - stirling_error(b)
        - deviance(a, n * x)
        - deviance(b, n * y);
    let below = libm::exp(front + libm::log(beta_fraction(a, b, x, y) / a));
    (below, 1.0 - below)
}

/// The continued fraction of I_x(a, b): I is x^a y^b times this over a B(a, b), with `y` = 1 - x. It converges fast for
/// x below (a + 1) / (a + b + 2).
///
/// In the form of DiDonato and Morris (1992, equation 13), whose denominators are sums in x and y: those in x alone
/// (Abramowitz and Stegun 26.5.8) cancel where a is large and x near 1.
pub(super) fn beta_fraction(a: f64, b: f64, x: f64, y: f64) -> f64 {
    let denominator = |m: f64| {
        m + m * (b - m) * x / (a + 2.0 * m - 1.0)
            + (a + m) * (a * y - b * x + 1.0 + m * (1.0 + y)) / (a + 2.0 * m + 1.0)
    };
    // At m = 0 the middle term is 0, also where a is 1.
    let first = away_from_zero(a * (a * y - b * x + 1.0) / (a + 1.0));
    let (mut value, mut c, mut d) = (first, first, 0.0);
    for m in 1..STEPS_MAX {
        let m = f64::from(m);
        let root = a + 2.0 * m - 1.0;
        let numerator = (a + m - 1.0) / root * ((a + b + m - 1.0) / root) * m * (b - m) * x * x;
        d = 1.0 / away_from_zero(denominator(m) + numerator * d);
        c = away_from_zero(denominator(m) + numerator / c);
        let change = c * d;
        value *= change;
        if (change - 1.0).abs() < 1e-16 {
            break;
        }
    }
    a / value
}

fn away_from_zero(value: f64) -> f64 {
    if value.abs() < TINY { TINY } else { value }
}

/// ln Gamma(z) - ((z - 1/2) ln z - z + 1/2 ln 2 pi): what Stirling's formula lacks.
fn stirling_error(z: f64) -> f64 {
    if z < 16.0 {
        return libm::lgamma(z) - (z - 0.5) * libm::log(z) + z - LN_SQRT_2PI;
    }
    let r = 1.0 / (z * z);
    let terms = [1.0 / 12.0, -1.0 / 360.0, 1.0 / 1260.0, -1.0 / 1680.0, 1.0 / 1188.0, -691.0 / 360_360.0];
    terms.iter().rev().fold(0.0, |sum, term| sum * r + term) / z
}

/// x ln(x / m) + m - x, never negative, without cancelling near x = m.
fn deviance(x: f64, m: f64) -> f64 {
    if (x - m).abs() >= 0.1 * (x + m) {
        return x * libm::log(x / m) + m - x;
    }
    let v = (x - m) / (x + m);
    let (mut sum, mut term, square) = ((x - m) * v, 2.0 * x * v, v * v);
    for j in 1..1000u32 {
        term *= square;
        let next = sum + term / f64::from(2 * j + 1);
        if next == sum {
            break;
        }
        sum = next;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of the beta function computed by mpmath at 60 digits.
    #[test]
    fn beta_agrees_with_mpmath() {
        let mut rows = 0;
        for line in include_str!("../../tests/oracles/tails.tsv").lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            if fields[0] != "beta" {
                continue;
            }
            let [x, a, b, wanted] = [1, 2, 3, 4].map(|i| fields[i].parse::<f64>().expect("a number"));
            let (found, _) = beta(a, b, x, 1.0 - x);
            assert!((found - wanted).abs() <= 3e-13 * wanted, "{line}: {found:e}");
            rows += 1;
        }
        assert!(rows > 5);
    }

    #[test]
    fn ends_and_sums() {
        assert_eq!([gamma(2.5, 0.0), gamma(2.5, f64::INFINITY)], [(0.0, 1.0), (1.0, 0.0)]);
        assert_eq!([beta(2.0, 3.0, 0.0, 1.0), beta(2.0, 3.0, 1.0, 0.0)], [(0.0, 1.0), (1.0, 0.0)]);
        for (a, x) in [(0.5, 0.1), (0.5, 3.0), (20.0, 19.0), (1e4, 1.01e4)] {
            let (below, above) = gamma(a, x);
            assert!((below + above - 1.0).abs() < 1e-15, "{a} {x}");
        }
    }
}
