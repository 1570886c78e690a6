//! Kruskal and Wallis' test of several samples (1952).

use super::{ranks::ranks, tails};

/// Result of a test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KruskalWallis {
    /// Statistic, corrected for ties.
    pub h: f64,
    /// Degrees of freedom: samples minus one.
    pub df: u64,
    /// Probability of an H this large.
    pub p: f64,
    /// H over its largest value: 0 where groups say nothing of the rank, 1 where they say all.
    pub epsilon_squared: f64,
}

/// Test of whether one of the samples tends to larger values, by chi-squared's tail.
///
/// `None` of fewer than two samples, without values in one of them, without any spread, or with a value that is not a
/// number.
pub fn test(samples: &[&[f64]]) -> Option<KruskalWallis> {
    if samples.len() < 2 || samples.iter().any(|sample| sample.is_empty()) {
        return None;
    }
    let (ranks, ties) = ranks(&samples.concat())?;
    let n = ranks.len() as f64;
    let spread = 1.0 - ties / (n * n * n - n);
    if spread <= 0.0 {
        return None;
    }
    let mut from = 0;
    let squares: f64 = samples
        .iter()
        .map(|sample| {
            let sum: f64 = ranks[from..from + sample.len()].iter().sum();
            from += sample.len();
            sum * sum / sample.len() as f64
        })
        .sum();
    let h = ((12.0 / (n * (n + 1.0)) * squares - 3.0 * (n + 1.0)) / spread).max(0.0);
    let df = samples.len() as u64 - 1;
    Some(KruskalWallis { h, df, p: tails::chi_squared(h, df), epsilon_squared: h / (n - 1.0) })
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
    fn nothing_to_test_gives_nothing() {
        assert_eq!(test(&[&[1.0, 2.0]]), None);
        assert_eq!(test(&[&[1.0, 1.0], &[1.0]]), None);
        assert_eq!(test(&[&[1.0, 2.0], &[]]), None);
        assert_eq!(test(&[&[1.0, 2.0], &[f64::NAN]]), None);
    }
}
