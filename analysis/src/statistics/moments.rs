//! Mean and deviation.

use super::Reason;

/// Lanes of the sums over a sample: enough to keep the adders busy, and fixed, so that sums are the same everywhere.
const LANES: usize = 8;

/// Size, mean and spread of a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// Size.
    pub n: u64,
    /// Mean; 0 of no values.
    pub mean: f64,
    /// What the true mean has beyond `mean`: less than its last digit, but most of a difference of large means.
    rest: f64,
    /// Sum of squared deviations from the mean.
    pub squares: f64,
}

impl Moments {
    /// Of a sample, in two passes: no digits are lost to a large mean.
    pub fn of(values: &[f64]) -> Self {
        let n = values.len();
        if n == 0 {
            return Moments { n: 0, mean: 0.0, rest: 0.0, squares: 0.0 };
        }
        let count = n as f64;
        let [sum, _] = sums(values, 0.0);
        let mean = sum / count;
        // The deviations' own mean is what rounding took from `mean`; the correction of the squares follows from it.
        let [deviations, squares] = sums(values, mean);
        // Not `max`, which would hide a NaN.
        let squares = squares - deviations * deviations / count;
        let squares = if squares < 0.0 { 0.0 } else { squares };
        Moments { n: n as u64, mean, rest: deviations / count, squares }
    }

    /// Of size, mean and sum of squared deviations found elsewhere.
    pub fn of_parts(n: u64, mean: f64, squares: f64) -> Self {
        Moments { n, mean, rest: 0.0, squares }
    }

    /// Of `n` whole numbers from their sum and the sum of their squares: exact until the last division.
    pub fn of_sums(n: u64, sum: i128, sum_of_squares: i128) -> Self {
        if n == 0 {
            return Moments::of(&[]);
        }
        let count = i128::from(n);
        let mean = sum as f64 / n as f64;
        Moments { n, mean, rest: 0.0, squares: (count * sum_of_squares - sum * sum) as f64 / n as f64 }
    }

    /// The moments of the sample with every value multiplied by `factor`.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        let Moments { n, mean, rest, squares } = self;
        Moments { n, mean: mean * factor, rest: rest * factor, squares: squares * factor * factor }
    }

    /// This mean minus the other's.
    pub fn difference(&self, other: &Moments) -> f64 {
        (self.mean - other.mean) + (self.rest - other.rest)
    }

    /// Unbiased variance; `None` of fewer than two values.
    pub fn variance(&self) -> Option<f64> {
        (self.n > 1).then(|| self.squares / (self.n - 1) as f64)
    }

    /// Sample standard deviation; `None` of fewer than two values.
    pub fn deviation(&self) -> Option<f64> {
        self.variance().map(f64::sqrt)
    }

    /// Sample standard deviation of values that have one.
    ///
    /// # Errors
    /// Fewer than two values, all equal, or one that is not finite.
    pub fn spread(&self) -> Result<f64, Reason> {
        let variance = self.variance().ok_or(Reason::TooFew { needed: 2, found: self.n })?;
        positive(variance).map(f64::sqrt)
    }

    /// Variance within two samples that are taken to have the same.
    ///
    /// # Errors
    /// An empty sample, fewer than three values in all, none that differ within a sample, or one that is not finite.
    pub fn pooled_variance(&self, other: &Moments) -> Result<f64, Reason> {
        let (least, both) = (self.n.min(other.n), self.n + other.n);
        if least == 0 {
            return Err(Reason::TooFew { needed: 1, found: 0 });
        }
        if both < 3 {
            return Err(Reason::TooFew { needed: 3, found: both });
        }
        positive((self.squares + other.squares) / (both - 2) as f64)
    }

    /// Standard error of the mean; `None` of fewer than two values.
    pub fn error(&self) -> Option<f64> {
        self.variance().map(|variance| (variance / self.n as f64).sqrt())
    }
}

/// A variance that a test can divide by. A value that is not finite has made it NaN or infinite.
pub(super) fn positive(variance: f64) -> Result<f64, Reason> {
    match variance {
        variance if !variance.is_finite() => Err(Reason::NotFinite),
        variance if variance <= 0.0 => Err(Reason::NoSpread),
        variance => Ok(variance),
    }
}

/// Sums of the values' differences from `centre` and of their squares.
fn sums(values: &[f64], centre: f64) -> [f64; 2] {
    let (mut first, mut second) = ([0.0; LANES], [0.0; LANES]);
    let chunks = values.chunks_exact(LANES);
    let remainder = chunks.remainder();
    for chunk in chunks {
        for lane in 0..LANES {
            let deviation = chunk[lane] - centre;
            first[lane] += deviation;
            second[lane] += deviation * deviation;
        }
    }
    for (lane, value) in remainder.iter().enumerate() {
        let deviation = value - centre;
        first[lane] += deviation;
        second[lane] += deviation * deviation;
    }
    [first.iter().sum(), second.iter().sum()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_by_hand() {
        // 2, 4, 4, 10: mean 5, squared deviations 9 + 1 + 1 + 25.
        let wanted = Moments { n: 4, mean: 5.0, rest: 0.0, squares: 36.0 };
        assert_eq!(Moments::of(&[2.0, 4.0, 4.0, 10.0]), wanted);
        assert_eq!(Moments::of_sums(4, 20, 136), wanted);
        assert_eq!(wanted.variance(), Some(12.0));
        assert_eq!(wanted.error(), Some(3f64.sqrt()));
        assert_eq!(wanted.scaled(-0.5), Moments { n: 4, mean: -2.5, rest: 0.0, squares: 9.0 });
    }

    #[test]
    fn few_values_have_no_spread() {
        assert_eq!(Moments::of(&[]).deviation(), None);
        assert_eq!(Moments::of(&[3.0]).deviation(), None);
        assert_eq!(Moments::of_sums(0, 0, 0), Moments::of(&[]));
        assert_eq!(Moments::of(&[3.0, 3.0]).deviation(), Some(0.0));
        assert_eq!(Moments::of(&[3.0, 3.0]).spread(), Err(Reason::NoSpread));
        assert_eq!(Moments::of(&[3.0]).spread(), Err(Reason::TooFew { needed: 2, found: 1 }));
        assert_eq!(Moments::of(&[3.0, f64::INFINITY]).spread(), Err(Reason::NotFinite));
        assert_eq!(Moments::of(&[3.0, 5.0]).spread(), Ok(2f64.sqrt()));
    }
}
