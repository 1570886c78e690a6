//! Friedman's test of several treatments in blocks (1937).

use super::{ranks::ranks, tails};

/// Result of a test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Friedman {
    /// Statistic, corrected for ties.
    pub chi_squared: f64,
    /// Degrees of freedom: treatments minus one.
    pub df: u64,
    /// Probability of a statistic this large.
    pub p: f64,
    /// Kendall's W: 1 where every block has the treatments in the same order.
    pub kendalls_w: f64,
}

/// Test of whether treatments differ, a sample each whose values at one place are of one block, by chi-squared's tail.
///
/// `None` of fewer than three treatments (for two there is [`super::wilcoxon`]), of samples of different sizes, without a
/// block, where all values of every block are equal, or with a value that is not a number.
pub fn test(treatments: &[&[f64]]) -> Option<Friedman> {
    let blocks = treatments.first()?.len();
    if treatments.len() < 3 || blocks == 0 || treatments.iter().any(|treatment| treatment.len() != blocks) {
        return None;
    }
    let (mut sums, mut ties) = (vec![0.0; treatments.len()], 0.0);
    for block in 0..blocks {
        let values: Vec<f64> = treatments.iter().map(|treatment| treatment[block]).collect();
        let (ranks, tied) = ranks(&values)?;
        sums.iter_mut().zip(ranks).for_each(|(sum, rank)| *sum += rank);
        ties += tied;
    }
    let (n, k) = (blocks as f64, treatments.len() as f64);
    let spread = 1.0 - ties / (n * (k * k * k - k));
    if spread <= 0.0 {
        return None;
    }
    let squares: f64 = sums.iter().map(|sum| sum * sum).sum();
    let chi_squared = ((12.0 / (n * k * (k + 1.0)) * squares - 3.0 * n * (k + 1.0)) / spread).max(0.0);
    let df = treatments.len() as u64 - 1;
    let kendalls_w = chi_squared / (n * (k - 1.0));
    Some(Friedman { chi_squared, df, p: tails::chi_squared(chi_squared, df), kendalls_w })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three treatments in the same order in four blocks: chi-squared = n (k - 1) = 8, W = 1, p = exp(-4).
    #[test]
    fn one_order_everywhere() {
        let found = test(&[&[1.0, 2.0, 3.0, 4.0], &[2.0, 3.0, 4.0, 5.0], &[9.0, 9.0, 9.0, 9.0]]).expect("a test");
        assert!((found.chi_squared - 8.0).abs() < 1e-13 && (found.kendalls_w - 1.0).abs() < 1e-14);
        assert!((found.p - (-4f64).exp()).abs() < 1e-14);
    }

    /// SciPy 1.17.1: friedmanchisquare.
    #[test]
    fn ties_are_corrected_for() {
        let found = test(&[&[1.0, 2.0, 2.0, 3.0], &[2.0, 2.0, 5.0, 5.0], &[1.0, 3.0, 2.0, 5.0]]).expect("a test");
        assert!((found.chi_squared - 3.5).abs() < 1e-13 && (found.p - 0.1737739434504451).abs() < 1e-14, "{found:?}");
    }

    #[test]
    fn nothing_to_test_gives_nothing() {
        let one: &[f64] = &[1.0, 2.0];
        assert_eq!(test(&[]), None);
        assert_eq!(test(&[one, one]), None);
        assert_eq!(test(&[one, one, one]), None);
        assert_eq!(test(&[one, one, &[1.0]]), None);
        assert_eq!(test(&[one, one, &[1.0, f64::NAN]]), None);
    }
}
