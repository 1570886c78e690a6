//! Wilcoxon's signed rank test of pairs (Wilcoxon 1945).

use super::{ranks::ranks, tails};

/// Up to this many pairs that differ, without ties, the probability is exact (SciPy's rule).
const EXACT_MAX: usize = 50;

/// Result of a test of pairs (x, y).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wilcoxon {
    /// The smaller of the sums of ranks of positive and of negative differences.
    pub w: f64,
    /// Pairs that differ.
    pub n: u64,
    /// Two-sided probability of a W this small.
    pub p: f64,
    /// Matched rank-biserial correlation: the positive ranks' share of all ranks minus the negative ones' (Kerby 2014).
    pub rank_biserial: f64,
    /// Whether the probability is exact, not from the normal approximation.
    pub exact: bool,
}

/// Test of pairs; those without a difference are left out, as Wilcoxon does. Exact up to 50 pairs that differ if no
/// difference occurs twice and none is 0, else by the normal approximation with the correction for ties.
///
/// `None` for samples of different sizes, without a difference, or with a value that is not finite.
pub fn test(x: &[f64], y: &[f64]) -> Option<Wilcoxon> {
    if x.len() != y.len() {
        return None;
    }
    let all: Vec<f64> = x.iter().zip(y).map(|(x, y)| x - y).collect();
    if all.iter().any(|difference| !difference.is_finite()) {
        return None;
    }
    let differences: Vec<f64> = all.iter().copied().filter(|difference| *difference != 0.0).collect();
    let sizes: Vec<f64> = differences.iter().map(|difference| difference.abs()).collect();
    let (ranks, ties) = ranks(&sizes)?;
    let count = differences.len();
    if count == 0 {
        return None;
    }
    let n = count as f64;
    let total = 0.5 * n * (n + 1.0);
    let positive: f64 = ranks.iter().zip(&differences).filter(|(_, d)| **d > 0.0).map(|(rank, _)| rank).sum();
    let w = positive.min(total - positive);
    let exact = ties == 0.0 && count == all.len() && count <= EXACT_MAX;
    let p = if exact {
        exact_p(count, w as usize)
    } else {
        let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ties / 48.0;
        2.0 * tails::normal((0.5 * total - w) / variance.sqrt())
    };
    Some(Wilcoxon { w, n: count as u64, p: p.min(1.0), rank_biserial: (2.0 * positive - total) / total, exact })
}

/// Twice the share of the 2^n choices of signs whose positive ranks add up to at most `w`.
fn exact_p(n: usize, w: usize) -> f64 {
    let mut choices = vec![0u64; n * (n + 1) / 2 + 1];
    choices[0] = 1;
    for rank in 1..=n {
        for sum in (rank..choices.len()).rev() {
            choices[sum] += choices[sum - rank];
        }
    }
    let as_small: u64 = choices[..=w].iter().sum();
    2.0 * as_small as f64 / (1u64 << n) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of the eight choices of signs of ranks 1, 2, 3 two give a sum of at most 1: p = 4 / 8.
    #[test]
    fn exact_by_hand() {
        let found = test(&[3.0, 5.0, 1.0], &[1.0, 1.0, 2.0]).expect("a test");
        assert_eq!((found.w, found.n, found.p, found.exact), (1.0, 3, 0.5, true));
        assert!((found.rank_biserial - 4.0 / 6.0).abs() < 1e-15);
    }

    /// SciPy 1.17.1: wilcoxon(d, method="approx") of 1, -1, 2, 3, 4, 4, 5, -6, 0, 7, 8, 9, 1, 2.
    #[test]
    fn ties_and_zeros_are_corrected_for() {
        let d = [1.0, -1.0, 2.0, 3.0, 4.0, 4.0, 5.0, -6.0, 0.0, 7.0, 8.0, 9.0, 1.0, 2.0];
        let found = test(&d, &[0.0; 14]).expect("a test");
        assert_eq!((found.w, found.n, found.exact), (12.0, 13, false));
        assert!((found.p - 0.019003151608767463).abs() < 1e-14, "{}", found.p);
    }

    #[test]
    fn nothing_to_test_gives_nothing() {
        assert_eq!(test(&[1.0, 2.0], &[1.0, 2.0]), None);
        assert_eq!(test(&[1.0, 2.0], &[1.0]), None);
        assert_eq!(test(&[], &[]), None);
        assert_eq!(test(&[1.0, f64::NAN], &[1.0, 2.0]), None);
    }
}
