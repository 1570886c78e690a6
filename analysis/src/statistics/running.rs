//! Mean and deviation of values that are seen one at a time (Welford 1962).

use super::moments::Moments;

/// Size, mean and spread so far. They depend on the order of the values in their last digits, so the order must be
/// fixed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Running {
    n: u64,
    mean: f64,
    squares: f64,
}

impl Running {
    /// Adds a value.
    pub(crate) fn add(&mut self, value: f64) {
        self.n += 1;
        let deviation = value - self.mean;
        self.mean += deviation / self.n as f64;
        self.squares += deviation * (value - self.mean);
    }

    /// All values so far and those of `other` (Chan, Golub and LeVeque 1979).
    pub(crate) fn with(&self, other: &Running) -> Running {
        let n = self.n + other.n;
        if n == 0 {
            return Running::default();
        }
        let (own, others) = (self.n as f64 / n as f64, other.n as f64 / n as f64);
        let apart = other.mean - self.mean;
        Running {
            n,
            mean: self.mean + apart * others,
            squares: self.squares + other.squares + apart * apart * own * other.n as f64,
        }
    }

    /// The moments of all values so far.
    pub(crate) fn moments(&self) -> Moments {
        if self.n == 0 { Moments::of(&[]) } else { Moments::of_parts(self.n, self.mean, self.squares) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_of_the_whole_sample() {
        let samples =
            [vec![], vec![3.0], vec![2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0], vec![1e9 + 1.0, 1e9, 1e9 - 1.0]];
        for values in samples {
            let mut running = Running::default();
            values.iter().for_each(|value| running.add(*value));
            let (found, wanted) = (running.moments(), Moments::of(&values));
            assert_eq!((found.n, found.mean(), found.deviation()), (wanted.n, wanted.mean(), wanted.deviation()));
        }
    }

    #[test]
    fn parts_of_a_sample_add_up_to_it() {
        let values = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0, 31.0];
        for cut in 0..=values.len() {
            let [one, other] = [&values[..cut], &values[cut..]].map(|part| {
                let mut running = Running::default();
                part.iter().for_each(|value| running.add(*value));
                running
            });
            let (found, wanted) = (one.with(&other).moments(), Moments::of(&values));
            let close = |found: Option<f64>, wanted: Option<f64>| {
                found.zip(wanted).is_some_and(|(found, wanted)| (found - wanted).abs() < 1e-12 * wanted)
            };
            assert_eq!(found.n, wanted.n);
            assert!(close(found.mean(), wanted.mean()) && close(found.deviation(), wanted.deviation()), "{found:?}");
        }
        assert_eq!(Running::default().with(&Running::default()), Running::default());
    }
}
