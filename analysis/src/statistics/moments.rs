//! Mean and deviation.

use super::Reason;

/// Lanes of the sums over a sample: enough to keep the adders busy, and fixed, so that sums are the same everywhere.
const LANES: usize = 8;
/// Sums of squares between these are far enough from the ends of the range: nothing in them is lost.
const SQUARES: std::ops::Range<f64> = 1e-200..1e200;
/// A centre whose distance from the mean has this share of the squares is near enough.
const NEAR: f64 = 1e-6;

/// Size, mean and spread of a sample.
///
/// The squares of very large and very small values are beyond the range of numbers: of such samples they are kept in
/// units of a power of two, so that deviations, and ratios of variances, are right wherever the values themselves are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// Size.
    pub n: u64,
    /// Mean; NaN without values, which [`Moments::mean()`] gives as `None`.
    pub mean: f64,
    /// The mean in `unit`s.
    centre: f64,
    /// What the true mean has beyond it: less than its last digit, but most of a difference of large means.
    rest: f64,
    /// Sum of squared deviations from the mean in squares of `unit`.
    squares: f64,
    /// The power of two.
    unit: i32,
}

impl Moments {
    /// The moments of a sample, in two passes or three: no digits are lost to a large mean, nor to large or small values.
    pub fn of(values: &[f64]) -> Self {
        if values.is_empty() {
            return Moments::of_parts(0, f64::NAN, 0.0);
        }
        let [sum, squares] = sums(values, 0.0);
        if SQUARES.contains(&squares) {
            return Moments::about(values, sum / values.len() as f64);
        }
        let largest = values.iter().fold(0.0f64, |largest, value| largest.max(value.abs()));
        if values.iter().any(|value| !value.is_finite()) {
            return Moments::of_parts(values.len() as u64, sum / values.len() as f64, f64::NAN);
        }
        if largest == 0.0 {
            return Moments::of_parts(values.len() as u64, 0.0, 0.0);
        }
        let unit = libm::ilogb(largest);
        let values: Vec<f64> = values.iter().map(|value| libm::scalbn(*value, -unit)).collect();
        let [sum, _] = sums(&values, 0.0);
        let found = Moments::about(&values, sum / values.len() as f64);
        Moments { mean: libm::scalbn(found.mean, unit), unit, ..found }
    }

    /// The moments of at least one value, from a first guess of the mean.
    fn about(values: &[f64], guess: f64) -> Self {
        let count = values.len() as f64;
        let (mut mean, mut rest) = (guess, 0.0);
        let mut squares = 0.0;
        // A guess that is off by as much as the values are from one another is mended, and the squares taken again.
        for _ in 0..3 {
            let [deviations, about] =
                if rest == 0.0 { sums(values, mean) } else { summed(values, |value| (value - mean) - rest) };
            // The deviations' own mean is what rounding took from the centre; the correction of the squares follows.
            let correction = deviations * deviations / count;
            squares = (about - correction).max(0.0);
            let off = rest + deviations / count;
            (mean, rest) = (mean + off, off - ((mean + off) - mean));
            if correction <= NEAR * about {
                break;
            }
        }
        if values.len() > 1 && squares > 0.0 && values.iter().all(|value| *value == values[0]) {
            squares = 0.0;
        }
        Moments { rest, ..Moments::of_parts(values.len() as u64, mean, squares) }
    }

    /// The moments with a known size, mean and sum of squared deviations.
    pub fn of_parts(n: u64, mean: f64, squares: f64) -> Self {
        Moments { n, mean, centre: mean, rest: 0.0, squares, unit: 0 }
    }

    /// The moments of `n` whole numbers from their sum and the sum of their squares: exact until the last division.
    pub fn of_sums(n: u64, sum: i128, sum_of_squares: i128) -> Self {
        if n == 0 {
            return Moments::of(&[]);
        }
        let count = i128::from(n);
        let mean = sum as f64 / n as f64;
        Moments { squares: (count * sum_of_squares - sum * sum) as f64 / n as f64, ..Moments::of_parts(n, mean, 0.0) }
    }

    /// The moments of the sample with every value multiplied by `factor`.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        let Moments { mean, centre, rest, squares, .. } = self;
        let (centre, rest, squares) = (centre * factor, rest * factor, squares * factor * factor);
        Moments { mean: mean * factor, centre, rest, squares, ..self }
    }

    /// The moments of the sample with `offset` added to every value.
    #[must_use]
    pub fn moved(self, offset: f64) -> Self {
        Moments { mean: self.mean + offset, centre: self.centre + libm::scalbn(offset, -self.unit), ..self }
    }

    /// Mean; `None` of no values. Not finite if a value is not.
    pub fn mean(&self) -> Option<f64> {
        (self.n > 0).then_some(self.mean)
    }

    /// This mean minus the other's.
    pub fn difference(&self, other: &Moments) -> f64 {
        let (unit, [x, y]) = common([self, other]);
        libm::scalbn(x.minus(&y), unit)
    }

    /// Difference of the means of moments in one unit, in that unit.
    pub(super) fn minus(&self, other: &Moments) -> f64 {
        (self.centre - other.centre) + (self.rest - other.rest)
    }

    /// Unbiased variance; `None` of fewer than two values. It may be beyond the range of numbers where the deviation is
    /// not.
    pub fn variance(&self) -> Option<f64> {
        self.own_variance().map(|variance| libm::scalbn(variance, self.unit.saturating_mul(2)))
    }

    /// In squares of the unit.
    pub(super) fn own_variance(&self) -> Option<f64> {
        (self.n > 1).then(|| self.squares / (self.n - 1) as f64)
    }

    /// Sample standard deviation; `None` of fewer than two values.
    pub fn deviation(&self) -> Option<f64> {
        self.own_variance().map(|variance| libm::scalbn(variance.sqrt(), self.unit))
    }

    /// Sample standard deviation of values that have one.
    ///
    /// # Errors
    /// Fewer than two values, all equal, or one that is not finite.
    pub fn spread(&self) -> Result<f64, Reason> {
        let variance = self.own_variance().ok_or(Reason::TooFew { needed: 2, found: self.n })?;
        positive(variance, Reason::NoSpread).map(|variance| libm::scalbn(variance.sqrt(), self.unit))
    }

    /// Deviation within two samples that are taken to have the same variance, of moments in one unit, in it.
    ///
    /// # Errors
    /// An empty sample, fewer than three values in all, none that differ within a sample, or one that is not finite.
    pub(super) fn own_pooled(&self, other: &Moments) -> Result<f64, Reason> {
        let (least, both) = (self.n.min(other.n), self.n + other.n);
        if least == 0 {
            return Err(Reason::TooFew { needed: 1, found: 0 });
        }
        if both < 3 {
            return Err(Reason::TooFew { needed: 3, found: both });
        }
        positive((self.squares + other.squares) / (both - 2) as f64, Reason::NoSpreadWithin).map(f64::sqrt)
    }

    /// Standard error of the mean; `None` of fewer than two values.
    pub fn error(&self) -> Option<f64> {
        self.own_variance().map(|variance| libm::scalbn((variance / self.n as f64).sqrt(), self.unit))
    }

    /// A value's distance from the mean.
    pub(super) fn distance(&self, value: f64) -> f64 {
        libm::scalbn(self.deviation_of(value), self.unit)
    }

    /// Distance of a value from the mean, in the unit of the moments.
    pub(super) fn deviation_of(&self, value: f64) -> f64 {
        let value = if self.unit == 0 { value } else { libm::scalbn(value, -self.unit) };
        (value - self.centre) - self.rest
    }

    /// In another unit. What is lost is nothing beside a sample that needs it.
    fn in_units_of(self, unit: i32) -> Self {
        let by = self.unit - unit;
        if by == 0 {
            return self;
        }
        let squares = libm::scalbn(self.squares, by.saturating_mul(2));
        let [centre, rest] = [self.centre, self.rest].map(|part| libm::scalbn(part, by));
        Moments { centre, rest, squares, unit, ..self }
    }
}

/// Samples in one unit, and the unit: the largest that any of them needs.
pub(super) fn common<const N: usize>(samples: [&Moments; N]) -> (i32, [Moments; N]) {
    let unit = widest(samples);
    (unit, samples.map(|of| of.in_units_of(unit)))
}

/// [`common`] of any number of samples.
pub(super) fn common_of(samples: impl Iterator<Item = Moments> + Clone) -> (i32, Vec<Moments>) {
    let all: Vec<Moments> = samples.collect();
    let unit = widest(&all);
    (unit, all.into_iter().map(|of| of.in_units_of(unit)).collect())
}

/// The sum of means of moments in one unit, each times its weight, in it.
pub(super) fn weighted(terms: &[(f64, Moments)]) -> f64 {
    let sum = |part: fn(&Moments) -> f64| terms.iter().map(|(weight, of)| weight * part(of)).sum::<f64>();
    sum(|of| of.centre) + sum(|of| of.rest)
}

fn widest<'a>(samples: impl IntoIterator<Item = &'a Moments>) -> i32 {
    // Spreads are what means are divided by; a sample without one has no say where another has.
    let with = |of: &&Moments| of.squares != 0.0;
    let all: Vec<&Moments> = samples.into_iter().filter(|of| of.squares != 0.0 || of.centre != 0.0).collect();
    let spread = all.iter().copied().filter(with).map(|of| of.unit).max();
    spread.or_else(|| all.iter().map(|of| of.unit).max()).unwrap_or(0)
}

/// A variance that a test can divide by, or `none` without one. A value that is not finite has made it NaN or infinite.
pub(super) fn positive(variance: f64, none: Reason) -> Result<f64, Reason> {
    match variance {
        variance if !variance.is_finite() => Err(Reason::NotFinite),
        variance if variance <= 0.0 => Err(none),
        variance => Ok(variance),
    }
}

/// Sums of the values' differences from `centre` and of their squares.
fn sums(values: &[f64], centre: f64) -> [f64; 2] {
    summed(values, |value| value - centre)
}

/// Sums of the values' deviations and of their squares.
fn summed(values: &[f64], deviation: impl Fn(f64) -> f64) -> [f64; 2] {
    let (mut first, mut second) = ([0.0; LANES], [0.0; LANES]);
    let chunks = values.chunks_exact(LANES);
    let remainder = chunks.remainder();
    for chunk in chunks {
        for lane in 0..LANES {
            let deviation = deviation(chunk[lane]);
            first[lane] += deviation;
            second[lane] += deviation * deviation;
        }
    }
    for (lane, value) in remainder.iter().enumerate() {
        let deviation = deviation(*value);
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
        let wanted = Moments { n: 4, mean: 5.0, centre: 5.0, rest: 0.0, squares: 36.0, unit: 0 };
        assert_eq!(Moments::of(&[2.0, 4.0, 4.0, 10.0]), wanted);
        assert_eq!(Moments::of_sums(4, 20, 136), wanted);
        assert_eq!(wanted.variance(), Some(12.0));
        assert_eq!(wanted.error(), Some(3f64.sqrt()));
        let half = Moments { mean: -2.5, centre: -2.5, squares: 9.0, ..wanted };
        assert_eq!((wanted.scaled(-0.5), wanted.moved(-7.5)), (half, Moments { mean: -2.5, centre: -2.5, ..wanted }));
    }

    #[test]
    fn few_values_have_no_spread() {
        assert_eq!((Moments::of(&[]).mean(), Moments::of(&[]).deviation()), (None, None));
        assert_eq!(Moments::of(&[3.0]).deviation(), None);
        assert_eq!((Moments::of_sums(0, 0, 0).mean(), Moments::of(&[]).mean.is_nan()), (None, true));
        assert_eq!(Moments::of(&[3.0, 3.0]).deviation(), Some(0.0));
        assert_eq!(Moments::of(&[3.0, 3.0]).spread(), Err(Reason::NoSpread));
        assert_eq!(Moments::of(&[3.0]).spread(), Err(Reason::TooFew { needed: 2, found: 1 }));
        assert_eq!(Moments::of(&[3.0, f64::INFINITY]).spread(), Err(Reason::NotFinite));
        assert_eq!(Moments::of(&[3.0, f64::NAN]).spread(), Err(Reason::NotFinite));
        assert_eq!(Moments::of(&[3.0, f64::INFINITY]).mean(), Some(f64::INFINITY));
        assert_eq!(Moments::of(&[3.0, 5.0]).spread(), Ok(2f64.sqrt()));
    }

    /// Values that no sum of which is exact, as 0.1 three times, are equal all the same.
    #[test]
    fn equal_values_have_no_spread_and_their_own_mean() {
        for value in [0.1, -0.3, 1e-300, 7e300, 5e-324, f64::MAX, 0.0] {
            for n in [1, 2, 3, 10, 1_000] {
                let of = Moments::of(&vec![value; n]);
                assert_eq!((of.mean(), of.squares), (Some(value), 0.0), "{n} of {value:e}");
            }
        }
    }

    /// Whole numbers and the same at any place and of any size: mean and deviation follow, to the last digits.
    #[test]
    fn moments_follow_place_and_size() {
        let values = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0, 5.0, 3.0, 5.0];
        // Eleven values with sum 44 and sum of squares 232: mean 4, squared deviations 56.
        let deviation = 5.6f64.sqrt();
        let check = |of: Moments, mean: f64, deviation: f64| {
            let found = (of.mean().expect("values"), of.deviation().expect("values"));
            assert!((found.0 - mean).abs() <= f64::EPSILON * mean.abs(), "{found:?} {mean:e}");
            assert!((found.1 - deviation).abs() <= 2.0 * f64::EPSILON * deviation, "{found:?} {deviation:e}");
        };
        for offset in [0.0, 1e3, -1e9, 1e12, 1e15, 9e15] {
            for copies in [1, 100] {
                let moved: Vec<f64> = values.iter().map(|value| value + offset).collect::<Vec<_>>().repeat(copies);
                let n = moved.len() as f64;
                check(Moments::of(&moved), 4.0 + offset, (56.0 * copies as f64 / (n - 1.0)).sqrt());
            }
        }
        for power in [-1070, -700, -350, -1, 1, 350, 700, 1020] {
            let scaled: Vec<f64> = values.iter().map(|value| libm::scalbn(*value, power)).collect();
            // Below the smallest normal number a mean has fewer digits.
            if power > -1000 {
                check(Moments::of(&scaled), libm::scalbn(4.0, power), libm::scalbn(deviation, power));
            }
            let (one, other) = (Moments::of(&scaled), Moments::of(&scaled).scaled(-1.0));
            assert_eq!(one.difference(&other), libm::scalbn(8.0, power));
        }
    }
}
