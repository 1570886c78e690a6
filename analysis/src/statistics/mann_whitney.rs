//! The Mann-Whitney U test (Mann and Whitney 1947) with its effect sizes.

use super::tails;

/// Smaller samples than this, without ties, are tested exactly (SciPy's `method="auto"`).
const EXACT_BELOW: usize = 9;

/// Result of a test of x against y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MannWhitney {
    /// Pairs with x above y, half of the ties counted.
    pub u1: f64,
    /// Two-sided probability of a U this far off.
    pub p: f64,
    /// Vargha and Delaney's A: probability that x is above y, half of the ties counted.
    pub a12: f64,
    /// Cliff's delta: A turned to [-1, 1].
    pub cliffs_delta: f64,
    /// Whether `p` is exact, not from the normal approximation.
    pub exact: bool,
}

/// Two-sided test of `x` against `y`: exact where the smaller sample has at most 8 values and there is no tie, else
/// the normal approximation with corrections for ties and continuity.
///
/// `None` without values in one of the samples, or with a value that is not a number.
pub fn test(x: &[f64], y: &[f64]) -> Option<MannWhitney> {
    let (n1, n2) = (x.len(), y.len());
    if n1 == 0 || n2 == 0 || x.iter().chain(y).any(|v| v.is_nan()) {
        return None;
    }
    let ranks = rank(x, y);
    let (n1f, n2f) = (n1 as f64, n2 as f64);
    let u1 = ranks.sum - n1f * (n1f + 1.0) / 2.0;
    let exact = n1.min(n2) < EXACT_BELOW && ranks.ties == 0.0;
    let p = if exact { exact_p(u1, n1, n2) } else { approximate_p(u1, n1f, n2f, ranks.ties) };
    let a12 = u1 / (n1f * n2f);
    Some(MannWhitney { u1, p, a12, cliffs_delta: 2.0 * a12 - 1.0, exact })
}

struct Ranks {
    /// Of the ranks of x in both samples.
    sum: f64,
    /// Of t^3 - t over groups of t equal values.
    ties: f64,
}

/// Ranks without carrying which sample a value is from: both are sorted alone and merged, group by group.
fn rank(x: &[f64], y: &[f64]) -> Ranks {
    let sorted = |values: &[f64]| {
        // Adding zero turns -0 into 0, which total order would tell apart.
        let mut values: Vec<f64> = values.iter().map(|v| v + 0.0).collect();
        values.sort_unstable_by(f64::total_cmp);
        values
    };
    let (x, y) = (sorted(x), sorted(y));
    let (mut i, mut j) = (0, 0);
    let mut ranks = Ranks { sum: 0.0, ties: 0.0 };
    while i < x.len() || j < y.len() {
        let value = match (x.get(i), y.get(j)) {
            (Some(&a), Some(&b)) => a.min(b),
            (Some(&a), None) => a,
            (None, b) => *b.expect("the loop ends when both are used up"),
        };
        let run = |values: &[f64], from: usize| values[from..].iter().take_while(|&&v| v == value).count();
        let (from_x, from_y) = (run(&x, i), run(&y, j));
        let (before, size) = ((i + j) as f64, (from_x + from_y) as f64);
        // Mean of the ranks before + 1 to before + size.
        ranks.sum += from_x as f64 * (before + (size + 1.0) / 2.0);
        ranks.ties += size * size * size - size;
        i += from_x;
        j += from_y;
    }
    ranks
}

fn approximate_p(u1: f64, n1: f64, n2: f64, ties: f64) -> f64 {
    let n = n1 + n2;
    let variance = n1 * n2 / 12.0 * ((n + 1.0) - ties / (n * (n - 1.0)));
    let away = (u1 - n1 * n2 / 2.0).abs();
    if variance <= 0.0 {
        // All values are equal: nothing speaks against it.
        return 1.0;
    }
    (2.0 * tails::normal((away - 0.5) / variance.sqrt())).min(1.0)
}

/// From the number of orders with each U (Mann and Whitney's recursion, as a product of Gaussian binomials).
fn exact_p(u1: f64, n1: usize, n2: usize) -> f64 {
    let (small, large) = (n1.min(n2), n1.max(n2));
    let top = small * large;
    // Coefficients of prod (1 - q^(large + i)) / (1 - q^i), i = 1..small, scaled to probabilities on the way.
    let mut counts = vec![0.0f64; top + 1];
    counts[0] = 1.0;
    for i in 1..=small {
        for u in (large + i..=top).rev() {
            counts[u] -= counts[u - large - i];
        }
        for u in i..=top {
            counts[u] += counts[u - i];
        }
    }
    let total: f64 = counts.iter().sum();
    let far = u1.max(top as f64 - u1);
    let tail: f64 = counts[far as usize..].iter().sum();
    (2.0 * tail / total).min(1.0)
}
