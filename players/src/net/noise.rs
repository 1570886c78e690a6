//! Noise on the priors of a root, for self-play (Silver et al. 2018).

use games::{Rng, unit};

/// A draw from the gamma distribution of shape `alpha` and scale 1 (Marsaglia and Tsang 2000, with their step from shapes
/// above 1 to those below).
fn gamma(alpha: f64, rng: &mut Rng) -> f64 {
    if alpha < 1.0 {
        // 1 - u is in (0, 1].
        let u = 1.0 - unit(rng);
        return gamma(alpha + 1.0, rng) * libm::pow(u, 1.0 / alpha);
    }
    let d = alpha - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = normal(rng);
        let v = 1.0 + c * x;
        if v <= 0.0 {
            continue;
        }
        let v = v * v * v;
        let u = 1.0 - unit(rng);
        if libm::log(u) < 0.5 * x * x + d - d * v + d * libm::log(v) {
            return d * v;
        }
    }
}

/// A draw from the normal distribution (Box and Muller 1958).
fn normal(rng: &mut Rng) -> f64 {
    let radius = (-2.0 * libm::log(1.0 - unit(rng))).sqrt();
    radius * libm::cos(2.0 * std::f64::consts::PI * unit(rng))
}

/// Draws shares that sum to 1 from the symmetric Dirichlet distribution with this concentration, above 0.
pub(super) fn dirichlet(alpha: f64, count: usize, rng: &mut Rng) -> Vec<f64> {
    let mut shares: Vec<f64> = (0..count).map(|_| gamma(alpha, rng)).collect();
    let sum: f64 = shares.iter().sum();
    // All may underflow where the concentration is tiny.
    let share = |x: f64| if sum > 0.0 { x / sum } else { 1.0 / count as f64 };
    shares.iter_mut().for_each(|x| *x = share(*x));
    shares
}

#[cfg(test)]
mod tests {
    use games::Seed;

    use super::*;

    /// Mean 1/n and variance (n-1) / (n² (n alpha + 1)) of each share.
    #[test]
    fn shares_have_the_mean_and_variance_of_the_distribution() {
        for (alpha, count) in [(0.3, 5), (1.0, 4), (2.5, 3)] {
            let mut rng = Seed::derive(1, 0, 0, "noise").rng();
            let draws = 40_000;
            let (mut sums, mut squares) = (vec![0.0; count], vec![0.0; count]);
            for _ in 0..draws {
                let shares = dirichlet(alpha, count, &mut rng);
                assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                for (place, share) in shares.iter().enumerate() {
                    sums[place] += share;
                    squares[place] += share * share;
                }
            }
            let n = count as f64;
            let (mean, variance) = (1.0 / n, (n - 1.0) / (n * n * (n * alpha + 1.0)));
            for (sum, square) in sums.iter().zip(&squares) {
                let (found, size) = (sum / f64::from(draws), f64::from(draws));
                assert!((found - mean).abs() < 5.0 * (variance / size).sqrt(), "{alpha}: mean {found}");
                let spread = square / size - found * found;
                assert!((spread / variance - 1.0).abs() < 0.05, "{alpha}: variance {spread}, not {variance}");
            }
        }
        let tiny = dirichlet(1e-6, 3, &mut Seed::derive(1, 0, 1, "noise").rng());
        assert!((tiny.iter().sum::<f64>() - 1.0).abs() < 1e-12 && tiny.iter().all(|share| share.is_finite()));
    }
}
