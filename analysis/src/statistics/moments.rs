//! Mean and deviation.

/// Mean, standard deviation and size of a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// Size.
    pub n: u64,
    /// Mean; 0 of no values.
    pub mean: f64,
    /// Sum of squared deviations from the mean.
    pub squares: f64,
}

impl Moments {
    /// Of a sample, in two passes: no digits are lost to a large mean.
    pub fn of(values: &[f64]) -> Self {
        let n = values.len();
        if n == 0 {
            return Moments { n: 0, mean: 0.0, squares: 0.0 };
        }
        let rough = values.iter().sum::<f64>() / n as f64;
        let rest: f64 = values.iter().map(|x| x - rough).sum();
        let mean = rough + rest / n as f64;
        let squares = values.iter().map(|x| (x - mean) * (x - mean)).sum();
        Moments { n: n as u64, mean, squares }
    }

    /// Unbiased variance; `None` of fewer than two values.
    pub fn variance(&self) -> Option<f64> {
        (self.n > 1).then(|| self.squares / (self.n - 1) as f64)
    }

    /// Sample standard deviation; `None` of fewer than two values.
    pub fn deviation(&self) -> Option<f64> {
        self.variance().map(f64::sqrt)
    }

    /// Standard error of the mean; `None` of fewer than two values.
    pub fn error(&self) -> Option<f64> {
        self.variance().map(|variance| (variance / self.n as f64).sqrt())
    }
}
