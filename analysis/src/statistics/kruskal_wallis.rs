//! Kruskal and Wallis' test of several samples (1952).

use super::{Reason, ranks::ranks, reason::enough, tails};

/// Result of a test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KruskalWallis {
    /// Statistic, corrected for ties.
    pub h: f64,
    /// Degrees of freedom: samples minus one.
    pub df: u64,
    /// Probability of an H this large, by chi-squared's tail.
    pub p: f64,
    /// H over its largest value n - 1: 0 where groups say nothing of the rank, 1 where they say all (Kelley 1935).
    pub epsilon_squared: f64,
}

/// Test of whether one of the samples tends to larger values.
///
/// # Errors
/// Fewer than two samples, an empty one, values that are all equal, or one that is not a number.
pub fn test(samples: &[&[f64]]) -> Result<KruskalWallis, Reason> {
    if samples.len() < 2 {
        return Err(Reason::TooFewSamples { needed: 2, found: samples.len() as u64 });
    }
    samples.iter().try_for_each(|sample| enough(sample, 1))?;
    let (ranks, ties) = ranks(&samples.concat())?;
    let n = ranks.len() as f64;
    let spread = 1.0 - ties / (n * n * n - n);
    if spread <= 0.0 {
        return Err(Reason::NoSpread);
    }
    let mut from = 0;
    // About the mean rank, where sums of squares of ranks would lose digits to one another.
    let squares: f64 = samples
        .iter()
        .map(|sample| {
            let above: f64 = ranks[from..from + sample.len()].iter().map(|rank| rank - 0.5 * (n + 1.0)).sum();
            from += sample.len();
            above * above / sample.len() as f64
        })
        .sum();
    let h = 12.0 / (n * (n + 1.0)) * squares / spread;
    let df = samples.len() as u64 - 1;
    Ok(KruskalWallis { h, df, p: tails::chi_squared(h, df as f64), epsilon_squared: h / (n - 1.0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ranks 1, 2 against 3, 4 by hand: H = 12 / 20 (9 / 2 + 49 / 2) - 15 = 2.4 of at most 3.
    #[test]
    fn by_hand() {
        let found = test(&[&[1.0, 2.0], &[5.0, 9.0]]).expect("a test");
        assert!((found.h - 2.4).abs() < 1e-14 && found.df == 1 && (found.epsilon_squared - 0.8).abs() < 1e-15);
    }

    /// SciPy 1.17.1: kruskal.
    #[test]
    fn ties_are_corrected_for() {
        let found = test(&[&[1.0, 2.0, 2.0, 3.0], &[2.0, 3.0, 5.0, 5.0, 6.0], &[1.0, 1.0, 2.0]]).expect("a test");
        assert!(
            (found.h - 6.554845679012351).abs() < 1e-13 && (found.p - 0.037725355930340876).abs() < 1e-14,
            "{found:?}"
        );
    }

    #[test]
    fn nothing_to_test_gives_a_reason() {
        assert_eq!(test(&[&[1.0, 2.0]]), Err(Reason::TooFewSamples { needed: 2, found: 1 }));
        assert_eq!(test(&[&[1.0, 1.0], &[1.0]]), Err(Reason::NoSpread));
        assert_eq!(test(&[&[1.0, 2.0], &[]]), Err(Reason::TooFew { needed: 1, found: 0 }));
        assert_eq!(test(&[&[1.0, 2.0], &[f64::NAN]]), Err(Reason::NotANumber));
    }
}
