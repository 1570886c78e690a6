//! Wilcoxon's signed rank test of pairs (Wilcoxon 1945).

use super::{
    Reason,
    differences::differences,
    ranks::ranks,
    reason::{enough, finite},
    tails,
};

/// Up to this many pairs the probability is exact if they all differ and no size of a difference occurs twice (SciPy's
/// rule).
const EXACT_MAX: usize = 50;
/// Up to this many pairs it is exact in any case (SciPy 1.15 and later).
const EXACT_TIES_MAX: usize = 13;

/// Result of a test of pairs (x, y).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wilcoxon {
    /// The smaller of the sums of ranks of positive and of negative differences.
    pub w: f64,
    /// Sum of ranks of positive differences.
    pub w_plus: f64,
    /// Pairs that differ.
    pub n: u64,
    /// Two-sided probability of a W this small.
    pub p: f64,
    /// Probability of a sum of positive ranks this small or smaller: small where x is below y.
    pub p_less: f64,
    /// Probability of one this large or larger.
    pub p_greater: f64,
    /// Matched rank-biserial correlation: the positive ranks' share of all ranks minus the negative ones' (Kerby 2014).
    pub rank_biserial: f64,
    /// Whether the probability is exact, not from the normal approximation.
    pub exact: bool,
}

/// Test of pairs; those without a difference are left out, as in Wilcoxon's paper.
///
/// p is exact up to 50 pairs if all differ and no two differences have the same size, and up to 13 pairs otherwise, over
/// all signs that the differences could have. Beyond that it comes from the normal approximation, corrected for ties and
/// not for continuity. This is SciPy's default.
///
/// # Errors
/// Samples of different sizes, no pair, pairs of equal values alone, or a value that is not finite.
pub fn test(x: &[f64], y: &[f64]) -> Result<Wilcoxon, Reason> {
    if x.len() != y.len() {
        return Err(Reason::NotPaired);
    }
    enough(x, 1)?;
    finite(x).and(finite(y))?;
    of_differences(&x.iter().zip(y).map(|(x, y)| x - y).collect::<Vec<_>>())
}

/// [`test()`] of numbers that were written as decimals, which are subtracted as decimals. 0.82 - 0.79 and 0.46 - 0.43 are
/// a tie, as 82 - 79 and 46 - 43 are, so that shares give what percentages give. In binary they differ, and [`test()`]
/// takes them as different, as SciPy does.
///
/// # Errors
/// Those of [`test()`].
pub fn test_decimals(x: &[f64], y: &[f64]) -> Result<Wilcoxon, Reason> {
    if x.len() != y.len() {
        return Err(Reason::NotPaired);
    }
    enough(x, 1)?;
    finite(x).and(finite(y))?;
    of_differences(&differences(x, y).0)
}

fn of_differences(all: &[f64]) -> Result<Wilcoxon, Reason> {
    let differences: Vec<f64> = all.iter().copied().filter(|difference| *difference != 0.0).collect();
    if differences.is_empty() {
        return Err(Reason::NoDifference);
    }
    let sizes: Vec<f64> = differences.iter().map(|difference| difference.abs()).collect();
    let (ranks, ties) = ranks(&sizes)?;
    let n = differences.len() as f64;
    let total = 0.5 * n * (n + 1.0);
    let w_plus: f64 = ranks.iter().zip(&differences).filter(|(_, d)| **d > 0.0).map(|(rank, _)| rank).sum();
    let plain = ties == 0.0 && differences.len() == all.len();
    let exact = all.len() <= if plain { EXACT_MAX } else { EXACT_TIES_MAX };
    let [p_less, p_greater] = if exact {
        exact_tails(&ranks, w_plus)
    } else {
        let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ties / 48.0;
        let z = (w_plus - 0.5 * total) / variance.sqrt();
        [tails::normal(-z), tails::normal(z)]
    };
    Ok(Wilcoxon {
        w: w_plus.min(total - w_plus),
        w_plus,
        n: differences.len() as u64,
        p: (2.0 * p_less.min(p_greater)).min(1.0),
        p_less,
        p_greater,
        rank_biserial: (2.0 * w_plus - total) / total,
        exact,
    })
}

/// Shares of the 2^n choices of signs whose positive ranks add up to at most and to at least `w_plus`; at most 50
/// ranks.
fn exact_tails(ranks: &[f64], w_plus: f64) -> [f64; 2] {
    // Ranks of ties are halves.
    let twice = |rank: f64| (2.0 * rank) as usize;
    let mut choices = vec![0u64; ranks.iter().map(|rank| twice(*rank)).sum::<usize>() + 1];
    choices[0] = 1;
    for &rank in ranks {
        for sum in (twice(rank)..choices.len()).rev() {
            choices[sum] += choices[sum - twice(rank)];
        }
    }
    let share = |part: &[u64]| part.iter().sum::<u64>() as f64 / (1u64 << ranks.len()) as f64;
    [share(&choices[..=twice(w_plus)]), share(&choices[twice(w_plus)..])]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two of the eight choices of signs of ranks 1, 2, 3 give a sum of at most 1: p = 4 / 8.
    #[test]
    fn exact_by_hand() {
        let found = test(&[3.0, 5.0, 1.0], &[1.0, 1.0, 2.0]).expect("a test");
        assert_eq!((found.w, found.w_plus, found.n, found.p, found.exact), (1.0, 5.0, 3, 0.5, true));
        assert_eq!((found.p_less, found.p_greater), (7.0 / 8.0, 2.0 / 8.0));
        assert!((found.rank_biserial - 4.0 / 6.0).abs() < 1e-15);
    }

    /// Differences 1, 1, -1, 0: each of the three ranks is 2; 2 of 3 positive ones: sums 6 4 4 4 2 2 2 0.
    #[test]
    fn ties_of_few_pairs_are_counted() {
        let found = test(&[1.0, 2.0, 3.0, 4.0], &[0.0, 1.0, 4.0, 4.0]).expect("a test");
        assert_eq!((found.w_plus, found.n, found.exact), (4.0, 3, true));
        assert_eq!((found.p_less, found.p_greater, found.p), (7.0 / 8.0, 4.0 / 8.0, 1.0));
    }

    /// Shares of two decimals, and the same as percentages.
    #[test]
    fn shares_and_percentages_are_one_test() {
        let x = [0.79, 0.46, 0.81, 0.52, 0.30, 0.66, 0.97, 0.12, 0.58, 0.71, 0.35];
        let y = [0.82, 0.43, 0.74, 0.52, 0.23, 0.60, 0.91, 0.09, 0.55, 0.75, 0.28];
        let percent = |values: &[f64]| values.iter().map(|value| (value * 100.0).round()).collect::<Vec<_>>();
        let (shares, whole) = (test_decimals(&x, &y), test_decimals(&percent(&x), &percent(&y)));
        assert_eq!(shares, whole);
        assert_ne!(shares, test(&x, &y));
        // Not rounded on the way to percentages either.
        let rough = |values: &[f64]| values.iter().map(|value| value * 100.0).collect::<Vec<_>>();
        assert_eq!(test_decimals(&rough(&x), &rough(&y)), whole);
    }

    #[test]
    fn nothing_to_test_gives_a_reason() {
        assert_eq!(test(&[1.0, 2.0], &[1.0, 2.0]), Err(Reason::NoDifference));
        assert_eq!(test(&[1.0, 2.0], &[1.0]), Err(Reason::NotPaired));
        assert_eq!(test(&[], &[]), Err(Reason::TooFew { needed: 1, found: 0 }));
        assert_eq!(test(&[1.0, f64::NAN], &[1.0, 2.0]), Err(Reason::NotFinite));
    }
}
