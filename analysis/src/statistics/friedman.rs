//! Friedman's test of several treatments in blocks (1937), with Iman and Davenport's F (1980).

use super::{Reason, ranks::ranks, reason::enough, tails};

/// Result of a test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Friedman {
    /// Statistic, corrected for ties.
    pub chi_squared: f64,
    /// Degrees of freedom: treatments minus one.
    pub df: u64,
    /// Probability of a statistic this large, by chi-squared's tail.
    pub p: f64,
    /// Kendall's W: 1 where every block has the treatments in the same order.
    pub kendalls_w: f64,
    /// Iman and Davenport's F, which keeps its level better than chi-squared in few blocks; none of a single block, and
    /// none where it has no bound.
    pub iman_davenport: Result<ImanDavenport, Reason>,
}

/// Iman and Davenport's form of the test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImanDavenport {
    /// (n - 1) chi-squared / (n (k - 1) - chi-squared) of n blocks and k treatments.
    pub f: f64,
    /// Degrees of freedom: k - 1, and (k - 1)(n - 1).
    pub df: (u64, u64),
    /// Probability of an F this large.
    pub p: f64,
}

/// Test of whether treatments differ, a sample each whose values at one place are of one block.
///
/// # Errors
/// Fewer than three treatments (for two there is [`super::wilcoxon`]), samples of different sizes, no block, values
/// that are equal in every block, or one that is not a number.
pub fn test(treatments: &[&[f64]]) -> Result<Friedman, Reason> {
    if treatments.len() < 3 {
        return Err(Reason::TooFewSamples { needed: 3, found: treatments.len() as u64 });
    }
    let blocks = treatments[0].len();
    if treatments.iter().any(|treatment| treatment.len() != blocks) {
        return Err(Reason::NotPaired);
    }
    enough(treatments[0], 1)?;
    let (n, k) = (blocks as f64, treatments.len() as f64);
    // Sums of ranks less their mean, which are exact.
    let (mut sums, mut ties) = (vec![0.0; treatments.len()], 0.0);
    for block in 0..blocks {
        let values: Vec<f64> = treatments.iter().map(|treatment| treatment[block]).collect();
        let (ranks, tied) = ranks(&values)?;
        sums.iter_mut().zip(ranks).for_each(|(sum, rank)| *sum += rank - 0.5 * (k + 1.0));
        ties += tied;
    }
    // n (k^3 - k) - ties and 12 times the squares are whole numbers: their quotient is W, 1 exactly where it should be.
    let most = n * (k * k * k - k) - ties;
    if most <= 0.0 {
        return Err(Reason::NoSpread);
    }
    let squares: f64 = sums.iter().map(|sum| sum * sum).sum();
    let kendalls_w = 12.0 * squares / n / most;
    let chi_squared = 12.0 * squares * (k - 1.0) / most;
    let df = treatments.len() as u64 - 1;
    let iman_davenport = iman_davenport(kendalls_w, blocks as u64, df);
    Ok(Friedman { chi_squared, df, p: tails::chi_squared(chi_squared, df as f64), kendalls_w, iman_davenport })
}

/// In terms of W: F = (n - 1) W / (1 - W).
fn iman_davenport(w: f64, blocks: u64, df: u64) -> Result<ImanDavenport, Reason> {
    if blocks < 2 {
        return Err(Reason::TooFew { needed: 2, found: blocks });
    }
    if w >= 1.0 {
        return Err(Reason::NoDisorder);
    }
    let f = (blocks - 1) as f64 * w / (1.0 - w);
    let df = (df, df * (blocks - 1));
    Ok(ImanDavenport { f, df, p: tails::f(f, df.0 as f64, df.1 as f64) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three treatments in the same order in four blocks: chi-squared = n (k - 1) = 8, W = 1, p = exp(-4).
    #[test]
    fn one_order_everywhere() {
        let found = test(&[&[1.0, 2.0, 3.0, 4.0], &[2.0, 3.0, 4.0, 5.0], &[9.0, 9.0, 9.0, 9.0]]).expect("a test");
        assert_eq!((found.chi_squared, found.kendalls_w), (8.0, 1.0));
        assert!((found.p - (-4f64).exp()).abs() < 1e-14);
        assert_eq!(found.iman_davenport, Err(Reason::NoDisorder));
    }

    /// Ranks 1 2 3, 1 2 3, 1 3 2 by hand: sums 3, 7, 8, less 6 each: squares 14; W = 12 * 14 / 9 / 24 = 7 / 9,
    /// chi-squared 14 / 3, F = 2 W / (1 - W) = 7 with 2 and 4 degrees, p = (1 + 7 / 2)^-2.
    #[test]
    fn by_hand() {
        let found = test(&[&[1.0, 1.0, 1.0], &[2.0, 2.0, 3.0], &[3.0, 3.0, 2.0]]).expect("a test");
        assert!((found.chi_squared - 14.0 / 3.0).abs() < 1e-14);
        let of_f = found.iman_davenport.expect("F");
        assert!((of_f.f - 7.0).abs() < 1e-13 && of_f.df == (2, 4));
        assert!((of_f.p - 4.5f64.powi(-2)).abs() < 1e-15);
    }

    /// SciPy 1.17.1: friedmanchisquare.
    #[test]
    fn ties_are_corrected_for() {
        let found = test(&[&[1.0, 2.0, 2.0, 3.0], &[2.0, 2.0, 5.0, 5.0], &[1.0, 3.0, 2.0, 5.0]]).expect("a test");
        assert!((found.chi_squared - 3.5).abs() < 1e-13 && (found.p - 0.1737739434504451).abs() < 1e-14, "{found:?}");
    }

    #[test]
    fn nothing_to_test_gives_a_reason() {
        let one: &[f64] = &[1.0, 2.0];
        assert_eq!(test(&[]), Err(Reason::TooFewSamples { needed: 3, found: 0 }));
        assert_eq!(test(&[one, one]), Err(Reason::TooFewSamples { needed: 3, found: 2 }));
        assert_eq!(test(&[one, one, one]), Err(Reason::NoSpread));
        assert_eq!(test(&[one, one, &[1.0]]), Err(Reason::NotPaired));
        assert_eq!(test(&[&[], &[], &[]]), Err(Reason::TooFew { needed: 1, found: 0 }));
        assert_eq!(test(&[one, one, &[1.0, f64::NAN]]), Err(Reason::NotANumber));
        let single = test(&[&[1.0], &[2.0], &[2.0]]).expect("a test");
        assert_eq!(single.iman_davenport, Err(Reason::TooFew { needed: 2, found: 1 }));
    }
}
