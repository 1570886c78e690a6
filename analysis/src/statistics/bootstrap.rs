//! Bootstrap intervals (Efron 1979): percentile, and corrected for bias and acceleration (Efron 1987).
//!
//! Samples are drawn by Xoshiro256++ from a seed, value by value in the order of the sample: the same seed gives the
//! same bits on every machine.

use rand_xoshiro::{
    Xoshiro256PlusPlus,
    rand_core::{Rng as _, SeedableRng as _},
};

use super::{
    Reason,
    quantile::of_sorted,
    reason::{enough, finite},
    tails,
};

/// How an interval is read from the statistic's values over the samples drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Their quantiles.
    Percentile,
    /// Quantiles moved by their median bias and by how the statistic's error changes with its value (Efron and
    /// Tibshirani 1993, equations 14.9 to 14.15). Second-order accurate, for a jackknife more.
    Bca,
}

/// What to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bootstrap {
    /// How the interval is found.
    pub kind: Kind,
    /// Samples drawn, at least 1; 9,999 is usual.
    pub resamples: u32,
    /// In (0, 1).
    pub confidence: f64,
    /// Of the generator.
    pub seed: u64,
}

impl Default for Bootstrap {
    fn default() -> Self {
        Bootstrap { kind: Kind::Bca, resamples: 9_999, confidence: 0.95, seed: 0 }
    }
}

impl Bootstrap {
    /// Interval of the mean of `values`.
    ///
    /// # Errors
    /// Fewer than two values, all equal, or one that is not finite.
    pub fn of_mean(&self, values: &[f64]) -> Result<(f64, f64), Reason> {
        self.of(values, mean)
    }

    /// Interval of the mean of `x` minus the mean of `y`, samples that are independent of one another.
    ///
    /// # Errors
    /// Fewer than two values on a side, no spread on either, or a value that is not finite.
    pub fn of_difference(&self, x: &[f64], y: &[f64]) -> Result<(f64, f64), Reason> {
        self.of_two(x, y, |x, y| mean(x) - mean(y))
    }

    /// Interval of a statistic of `values`.
    ///
    /// # Errors
    /// Fewer than two values, one that is not finite, or a statistic that is the same of every sample drawn or is not
    /// finite of one.
    pub fn of(&self, values: &[f64], statistic: impl Fn(&[f64]) -> f64) -> Result<(f64, f64), Reason> {
        self.interval(&[values], |samples| statistic(&samples[0]))
    }

    /// Interval of a statistic of two samples that are independent of one another.
    ///
    /// # Errors
    /// As of [`Bootstrap::of`], on either side.
    pub fn of_two(
        &self,
        x: &[f64],
        y: &[f64],
        statistic: impl Fn(&[f64], &[f64]) -> f64,
    ) -> Result<(f64, f64), Reason> {
        self.interval(&[x, y], |samples| statistic(&samples[0], &samples[1]))
    }

    fn interval(&self, samples: &[&[f64]], statistic: impl Fn(&[Vec<f64>]) -> f64) -> Result<(f64, f64), Reason> {
        for sample in samples {
            enough(sample, 2)?;
            finite(sample)?;
        }
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(self.seed);
        let mut drawn: Vec<Vec<f64>> = samples.iter().map(|sample| sample.to_vec()).collect();
        let found = statistic(&drawn);
        let mut values = Vec::with_capacity(self.resamples as usize);
        for _ in 0..self.resamples.max(1) {
            for (drawn, sample) in drawn.iter_mut().zip(samples) {
                drawn.iter_mut().for_each(|value| *value = sample[below(&mut generator, sample.len())]);
            }
            values.push(statistic(&drawn));
        }
        finite(&values)?;
        values.sort_by(f64::total_cmp);
        if values.first() == values.last() {
            return Err(Reason::NoSpread);
        }
        let tail = 0.5 * (1.0 - self.confidence);
        let [low, high] = match self.kind {
            Kind::Percentile => [tail, 1.0 - tail],
            Kind::Bca => self.corrected(samples, &statistic, &values, found)?,
        };
        Ok((of_sorted(&values, low), of_sorted(&values, high)))
    }

    /// The shares of the distribution at which the corrected interval ends.
    fn corrected(
        &self,
        samples: &[&[f64]],
        statistic: &impl Fn(&[Vec<f64>]) -> f64,
        values: &[f64],
        found: f64,
    ) -> Result<[f64; 2], Reason> {
        let smaller = values.partition_point(|value| *value < found);
        let up_to = values.partition_point(|value| *value <= found);
        let bias = tails::normal_quantile((smaller + up_to) as f64 / (2 * values.len()) as f64);
        let acceleration = acceleration(samples, statistic)?;
        let z = tails::normal_quantile(0.5 * (1.0 - self.confidence));
        let moved = |z: f64| tails::normal(-(bias + (bias + z) / (1.0 - acceleration * (bias + z))));
        let shares = [moved(z), moved(-z)];
        if shares.iter().any(|share| share.is_nan()) { Err(Reason::Unmatched) } else { Ok(shares) }
    }
}

/// A sixth of the skewness of what each value does to the statistic, by leaving it out (Efron and Tibshirani 1993,
/// equation 14.15; over several samples as Efron 1987, section 7).
fn acceleration(samples: &[&[f64]], statistic: &impl Fn(&[Vec<f64>]) -> f64) -> Result<f64, Reason> {
    let mut whole: Vec<Vec<f64>> = samples.iter().map(|sample| sample.to_vec()).collect();
    let (mut squares, mut cubes) = (0.0, 0.0);
    for (s, sample) in samples.iter().enumerate() {
        let n = sample.len() as f64;
        let mut without: Vec<f64> = Vec::with_capacity(sample.len());
        for i in 0..sample.len() {
            // All but value i: it goes to the end and off.
            whole[s].copy_from_slice(sample);
            let value = whole[s].remove(i);
            without.push(statistic(&whole));
            whole[s].push(value);
        }
        whole[s].copy_from_slice(sample);
        finite(&without)?;
        let centre = mean(&without);
        for value in without {
            let influence = (n - 1.0) * (centre - value);
            squares += influence * influence / (n * n);
            cubes += influence * influence * influence / (n * n * n);
        }
    }
    // Where no value alone moves the statistic, as of the median of many equal ones, there is nothing to accelerate.
    if squares > 0.0 { Ok(cubes / (6.0 * squares * squares.sqrt())) } else { Ok(0.0) }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// A place below `n`: the upper half of the product of a word and `n`. No place is likelier than another by more than
/// 2^-64 n.
fn below(generator: &mut Xoshiro256PlusPlus, n: usize) -> usize {
    ((u128::from(generator.next_u64()) * n as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_bits() {
        let values: Vec<f64> = (0..30).map(|i| f64::from(i * i % 17)).collect();
        let of =
            |seed| Bootstrap { seed, resamples: 500, ..Bootstrap::default() }.of_mean(&values).expect("an interval");
        assert_eq!(of(7), of(7));
        assert_ne!(of(7), of(8));
        let (low, high) = of(7);
        assert!(low < mean(&values) && mean(&values) < high);
    }

    #[test]
    fn nothing_to_draw_from_gives_a_reason() {
        let bootstrap = Bootstrap { resamples: 99, ..Bootstrap::default() };
        assert_eq!(bootstrap.of_mean(&[1.0]), Err(Reason::TooFew { needed: 2, found: 1 }));
        assert_eq!(bootstrap.of_mean(&[1.0, 1.0, 1.0]), Err(Reason::NoSpread));
        assert_eq!(bootstrap.of_mean(&[1.0, f64::NAN]), Err(Reason::NotFinite));
        assert_eq!(bootstrap.of_difference(&[1.0, 2.0], &[1.0]), Err(Reason::TooFew { needed: 2, found: 1 }));
        let ratio = |values: &[f64]| values[0] / (values[0] - 1.0);
        assert_eq!(bootstrap.of(&[1.0, 2.0], ratio), Err(Reason::NotFinite));
        // A spread that counts every value is larger in the sample than in any drawn from it with repetitions.
        let different = |values: &[f64]| {
            let mut sorted = values.to_vec();
            sorted.sort_by(f64::total_cmp);
            sorted.dedup();
            sorted.len() as f64
        };
        let many: Vec<f64> = (0..100).map(f64::from).collect();
        assert_eq!(bootstrap.of(&many, different), Err(Reason::Unmatched));
    }
}
