//! The Mann-Whitney U test (Mann and Whitney 1947) with its effect sizes.

use std::collections::BTreeMap;

use super::{Reason, tails};

/// Up to this size of the smaller sample, without ties, the probability is exact (SciPy's rule).
const EXACT_MAX: u64 = 8;
/// Products of the sizes up to which the exact distribution is made without ties; 16 bytes each.
const EXACT_PRODUCT_MAX: u64 = 4_000_000;
/// Products of the sizes up to which samples are small: 14 against 14, 8 against 25. There the probability is exact with
/// ties, too.
const SMALL_PRODUCT_MAX: u64 = 200;
/// Groups of equal values that small samples may have.
const SMALL_GROUPS_MAX: usize = SMALL_PRODUCT_MAX as usize + 1;

/// How the probability is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Exact where both samples are small, ties or not (the product of their sizes is at most 200), and without ties
    /// where the smaller one has at most 8 values; else [`Method::Asymptotic`] with the correction for continuity.
    BySize,
    /// What SciPy does if it is not told how: exact where the smaller sample has at most 8 values and there is no tie, else
    /// [`Method::Asymptotic`] with the correction for continuity.
    Auto,
    /// From the number of ways to deal the values to x and y with each U; not of samples too large for it.
    Exact,
    /// Normal approximation with the correction for ties.
    Asymptotic {
        /// Whether U is moved by a half towards its mean.
        continuity: bool,
    },
}

/// Result of a test of x against y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MannWhitney {
    /// Pairs with x above y, half of the ties counted.
    pub u1: f64,
    /// Two-sided probability of a U this far off.
    pub p: f64,
    /// Probability of a U this small or smaller: small where x is below y.
    pub p_less: f64,
    /// Probability of a U this large or larger.
    pub p_greater: f64,
    /// Vargha and Delaney's A (2000): probability that x is above y, half of the ties counted.
    pub a12: f64,
    /// Cliff's delta (1993): A turned to [-1, 1].
    pub cliffs_delta: f64,
    /// Whether the probabilities are exact, not from the normal approximation.
    pub exact: bool,
}

/// Two-sided and one-sided tests of `x` against `y` by [`Method::BySize`], in O(n log n).
///
/// # Errors
/// An empty sample, or a value that is not a number. Infinities are ranks like others.
pub fn test(x: &[f64], y: &[f64]) -> Result<MannWhitney, Reason> {
    test_by(x, y, Method::BySize)
}

/// [`test()`] by a given method.
///
/// # Errors
/// Also where the method gives nothing: no spread without continuity, sizes beyond the exact one.
pub fn test_by(x: &[f64], y: &[f64], method: Method) -> Result<MannWhitney, Reason> {
    Tally::of(x, y)?.test(method)
}

/// [`test()`] of samples of whole numbers, given as value and count.
///
/// # Errors
/// An empty sample.
pub fn test_counts(x: &BTreeMap<i64, u64>, y: &BTreeMap<i64, u64>) -> Result<MannWhitney, Reason> {
    let mut groups: BTreeMap<i64, (u64, u64)> = BTreeMap::new();
    x.iter().for_each(|(&value, count)| groups.entry(value).or_default().0 += count);
    y.iter().for_each(|(&value, count)| groups.entry(value).or_default().1 += count);
    let mut tally = Tally::default();
    groups.values().for_each(|&(from_x, from_y)| tally.add(from_x, from_y));
    tally.test(Method::BySize)
}

/// Bits of the values, turned so that they sort as the values do: integers sort faster than floats. Fails with a NaN.
fn sorted_keys(values: &[f64]) -> Result<Vec<u64>, Reason> {
    const SIGN: u64 = 1 << 63;
    let mut keys = Vec::with_capacity(values.len());
    for &value in values {
        if value.is_nan() {
            return Err(Reason::NotANumber);
        }
        // Adding zero turns -0 into 0.
        let bits = (value + 0.0).to_bits();
        keys.push(if bits & SIGN == 0 { bits | SIGN } else { !bits });
    }
    keys.sort_unstable();
    Ok(keys)
}

/// What the groups of equal values, in ascending order, add up to. All of it is exact.
#[derive(Default)]
pub(super) struct Tally {
    n1: u64,
    n2: u64,
    /// Twice U of x.
    twice_u1: u128,
    /// Sum of t^3 - t over groups of t equal values.
    ties: u128,
    /// How many values each group has, the first ones of them: enough for small samples.
    groups: Vec<u64>,
}

impl Tally {
    pub(super) fn of(x: &[f64], y: &[f64]) -> Result<Self, Reason> {
        let (x, y) = (sorted_keys(x)?, sorted_keys(y)?);
        let (mut i, mut j) = (0, 0);
        let mut tally = Tally::default();
        while i < x.len() || j < y.len() {
            let value = match (x.get(i), y.get(j)) {
                (Some(&a), Some(&b)) => a.min(b),
                (Some(&a), None) | (None, Some(&a)) => a,
                (None, None) => break,
            };
            let (from_x, from_y) = (i, j);
            while x.get(i) == Some(&value) {
                i += 1;
            }
            while y.get(j) == Some(&value) {
                j += 1;
            }
            tally.add((i - from_x) as u64, (j - from_y) as u64);
        }
        Ok(tally)
    }

    /// The next group: how many of its equal values are in x and in y.
    fn add(&mut self, from_x: u64, from_y: u64) {
        self.twice_u1 += u128::from(from_x) * u128::from(2 * self.n2 + from_y);
        self.n1 += from_x;
        self.n2 += from_y;
        let size = u128::from(from_x + from_y);
        self.ties += size * size * size - size;
        if size > 0 && self.groups.len() < SMALL_GROUPS_MAX {
            self.groups.push(from_x + from_y);
        }
    }

    /// No sample is empty.
    fn filled(&self) -> Result<(), Reason> {
        if self.n1 == 0 || self.n2 == 0 { Err(Reason::TooFew { needed: 1, found: 0 }) } else { Ok(()) }
    }

    /// Vargha and Delaney's A.
    pub(super) fn a12(&self) -> Result<f64, Reason> {
        self.filled()?;
        Ok(self.twice_u1 as f64 / 2.0 / (self.n1 as f64 * self.n2 as f64))
    }

    /// Cliff's delta, from whole numbers: 2 A - 1 would cancel near 1/2.
    pub(super) fn cliffs_delta(&self) -> Result<f64, Reason> {
        self.filled()?;
        let pairs = (u128::from(self.n1) * u128::from(self.n2)) as i128;
        Ok((self.twice_u1 as i128 - pairs) as f64 / pairs as f64)
    }

    fn test(&self, method: Method) -> Result<MannWhitney, Reason> {
        let &Tally { n1, n2, twice_u1, ties, .. } = self;
        let (a12, cliffs_delta) = (self.a12()?, self.cliffs_delta()?);
        let few = ties == 0 && n1.min(n2) <= EXACT_MAX;
        let exact = match method {
            Method::BySize if few || self.is_small() => self.exact_tails(),
            Method::Auto if few => self.exact_tails(),
            Method::Exact => Some(self.exact_tails().ok_or(Reason::TooMany)?),
            // Samples beyond the exact distribution have the normal one, too.
            Method::BySize | Method::Auto | Method::Asymptotic { .. } => None,
        };
        let [p_less, p_greater] = match exact {
            Some(tails) => tails,
            None => self.normal_tails(method != Method::Asymptotic { continuity: false })?,
        };
        Ok(MannWhitney {
            u1: twice_u1 as f64 / 2.0,
            p: (2.0 * p_less.min(p_greater)).min(1.0),
            p_less,
            p_greater,
            a12,
            cliffs_delta,
            exact: exact.is_some(),
        })
    }

    fn is_small(&self) -> bool {
        self.n1.checked_mul(self.n2).is_some_and(|product| product <= SMALL_PRODUCT_MAX)
    }

    /// Probabilities of a U this small and this large; `None` of samples that are too large to count.
    fn exact_tails(&self) -> Option<[f64; 2]> {
        if self.ties == 0 {
            let fits = self.n1.checked_mul(self.n2).is_some_and(|product| product <= EXACT_PRODUCT_MAX);
            return if fits { exact_tails(self.twice_u1 / 2, self.n1, self.n2) } else { None };
        }
        self.is_small().then(|| tied_tails(&self.groups, self.twice_u1, self.n1, self.n2))
    }

    /// Probabilities of a U this small and this large; none where neither spread nor continuity decides.
    fn normal_tails(&self, continuity: bool) -> Result<[f64; 2], Reason> {
        let (n1, n2) = (self.n1 as f64, self.n2 as f64);
        let n = n1 + n2;
        let variance = n1 * n2 / 12.0 * ((n + 1.0) - self.ties as f64 / (n * (n - 1.0)));
        let above = self.twice_u1 as i128 - (u128::from(self.n1) * u128::from(self.n2)) as i128;
        let above = above as f64 / 2.0;
        if variance <= 0.0 {
            // All values are equal: nothing speaks against equality.
            return if continuity { Ok([1.0, 1.0]) } else { Err(Reason::NoSpread) };
        }
        let correction = if continuity { 0.5 } else { 0.0 };
        let tail = |away: f64| tails::normal((away - correction) / variance.sqrt());
        Ok([tail(-above), tail(above)])
    }
}

/// Probabilities of a U of at most and at least `u1`.
///
/// The number of orders with each U are the coefficients of the Gaussian binomial, the product over i = 1..small of
/// (1 - q^(large + i)) / (1 - q^i) (Mann and Whitney's recursion, multiplied out). Arithmetic modulo 2^128 keeps the
/// counts exact as long as they are below it, whatever stands in between.
fn exact_tails(u1: u128, n1: u64, n2: u64) -> Option<[f64; 2]> {
    let (small, large) = (usize::try_from(n1.min(n2)).ok()?, usize::try_from(n1.max(n2)).ok()?);
    let orders = (1..=small).fold(1.0, |product, i| product * (large + i) as f64 / i as f64);
    if orders >= 2f64.powi(126) {
        return None;
    }
    let top = small * large;
    let mut counts = vec![0u128; top + 1];
    counts[0] = 1;
    for i in 1..=small {
        for u in (large + i..=top).rev() {
            counts[u] = counts[u].wrapping_sub(counts[u - large - i]);
        }
        for u in i..=top {
            counts[u] = counts[u].wrapping_add(counts[u - i]);
        }
    }
    let u1 = usize::try_from(u1).ok()?;
    let total: u128 = counts.iter().sum();
    let share = |part: &[u128]| part.iter().sum::<u128>() as f64 / total as f64;
    Some([share(&counts[..=u1]), share(&counts[u1..])])
}

/// The tails of U with ties: of all ways to deal the values to x and y, the groups of equal values being `groups` from the
/// smallest on. At most C(28, 14) ways, which are counted exactly.
fn tied_tails(groups: &[u64], twice_u1: u128, n1: u64, n2: u64) -> [f64; 2] {
    let (n1, n2) = (n1 as usize, n2 as usize);
    // By the number of values that x has so far: the ways to each 2U so far, which is at most twice the pairs.
    let mut ways: Vec<Vec<u64>> = vec![Vec::new(); n1 + 1];
    ways[0] = vec![1];
    let mut dealt = 0usize;
    for &size in groups {
        let size = size as usize;
        let mut next: Vec<Vec<u64>> = vec![Vec::new(); n1 + 1];
        for of_x in dealt.saturating_sub(n2)..=dealt.min(n1) {
            let of_y = dealt - of_x;
            let mut choices = 1;
            for chosen in 0..=size {
                if of_x + chosen <= n1 && of_y + size - chosen <= n2 {
                    // Each value is above all of y so far, and ties with those of y in the group.
                    let step = chosen * (2 * of_y + size - chosen);
                    let to = &mut next[of_x + chosen];
                    to.resize(to.len().max(ways[of_x].len() + step), 0);
                    to[step..].iter_mut().zip(&ways[of_x]).for_each(|(to, from)| *to += choices * from);
                }
                choices = choices * (size - chosen) as u64 / (chosen + 1) as u64;
            }
        }
        ways = next;
        dealt += size;
    }
    let ways = &ways[n1];
    let total: u64 = ways.iter().sum();
    let u1 = twice_u1 as usize;
    let share = |part: &[u64]| part.iter().sum::<u64>() as f64 / total as f64;
    [share(&ways[..=u1]), share(&ways[u1..])]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every order of 3 and 4 values, counted one by one.
    #[test]
    fn exact_distribution_is_a_count_of_orders() {
        let mut orders = [0u32; 13];
        for mask in 0u32..128 {
            if mask.count_ones() != 3 {
                continue;
            }
            let above = |i: u32| (0..i).filter(|j| mask >> j & 1 == 0).count();
            orders[(0..7).filter(|i| mask >> i & 1 == 1).map(above).sum::<usize>()] += 1;
        }
        for u in 0..=12 {
            let sum = |part: &[u32]| f64::from(part.iter().sum::<u32>()) / 35.0;
            assert_eq!(exact_tails(u as u128, 3, 4), Some([sum(&orders[..=u]), sum(&orders[u..])]));
        }
    }

    #[test]
    fn counts_and_values_are_one_test() {
        let x = [3, 3, 1, -2, 5, 5, 5, 0, 9, -7];
        let y = [3, 1, 1, 1, -2, 4, 5, 0, 0];
        let floats = |values: &[i64]| values.iter().map(|&v| v as f64).collect::<Vec<_>>();
        let counts = |values: &[i64]| {
            let mut counts = BTreeMap::new();
            values.iter().for_each(|v| *counts.entry(*v).or_insert(0) += 1);
            counts
        };
        assert_eq!(test(&floats(&x), &floats(&y)), test_counts(&counts(&x), &counts(&y)));
        assert_eq!(test(&[0.0], &[-0.0]).map(|t| t.a12), Ok(0.5));
    }

    #[test]
    fn nothing_to_test_gives_a_reason() {
        let plain = Method::Asymptotic { continuity: false };
        assert_eq!(test(&[], &[1.0]), Err(Reason::TooFew { needed: 1, found: 0 }));
        assert_eq!(test(&[1.0, f64::NAN], &[1.0]), Err(Reason::NotANumber));
        assert_eq!(test_by(&[1.0, 1.0], &[1.0], plain), Err(Reason::NoSpread));
        assert_eq!(test(&[1.0, 1.0], &[1.0]).map(|t| t.p), Ok(1.0));
        let many: Vec<f64> = (0..3_000).map(f64::from).collect();
        let others: Vec<f64> = many.iter().map(|value| value + 0.5).collect();
        assert_eq!(test_by(&many, &others, Method::Exact), Err(Reason::TooMany));
    }

    /// 8 against half a million: too large to be exact, and no reason to stop.
    #[test]
    fn a_small_sample_against_a_huge_one_ends() {
        let y: Vec<f64> = (0..600_000).map(|i| f64::from(i) + 0.5).collect();
        let found = test(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], &y).expect("a result");
        assert!(!found.exact && found.p < 1e-5);
    }

    /// No size in between is without a result: not where the orders are beyond counting, nor where they are too many.
    #[test]
    fn every_size_has_a_result() {
        for [n, m] in [[8, 207_445], [8, 207_446], [8, 300_000], [8, 500_000], [7, 500_000], [1, 4_000_001], [2_000, 9]]
        {
            let x: Vec<f64> = (0..n).map(|i| f64::from(i) * 3.0 + 0.5).collect();
            let y: Vec<f64> = (0..m).map(f64::from).collect();
            let found = test(&x, &y).expect("a result");
            let normal = test_by(&x, &y, Method::Asymptotic { continuity: true }).expect("a result");
            assert!((found.p - normal.p).abs() < 0.1 * normal.p.max(1e-3), "{n} v {m}: {found:?} {normal:?}");
            assert_eq!(found.a12, normal.a12);
        }
    }

    /// Every way to deal eight values of three sizes to three and five, one by one.
    #[test]
    fn ties_are_counted_one_by_one() {
        let values = [1.0, 1.0, 2.0, 2.0, 2.0, 3.0, 3.0, 3.0];
        let u = |x: &[f64], y: &[f64]| {
            let pair = |x: &f64, y: &f64| if x > y { 2 } else { u32::from(x == y) };
            x.iter().map(|x| y.iter().map(|y| pair(x, y)).sum::<u32>()).sum::<u32>()
        };
        let deal = |mask: u32| {
            let side = |bit: u32| (0..8).filter(|i| mask >> i & 1 == bit).map(|i| values[i]).collect::<Vec<f64>>();
            (side(1), side(0))
        };
        let masks: Vec<u32> = (0u32..256).filter(|mask| mask.count_ones() == 3).collect();
        for &mask in &masks {
            let (x, y) = deal(mask);
            let found = test(&x, &y).expect("a result");
            let own = u(&x, &y);
            let share = |is: &dyn Fn(u32) -> bool| {
                let of = |mask: &&u32| is(u(&deal(**mask).0, &deal(**mask).1));
                masks.iter().filter(of).count() as f64 / masks.len() as f64
            };
            assert_eq!((found.p_less, found.p_greater), (share(&|u| u <= own), share(&|u| u >= own)), "{x:?} {y:?}");
            assert!(found.exact);
        }
    }

    /// Four against five with one tie among them, the two least likely deals of C(9, 4) = 126.
    #[test]
    fn small_tied_samples_are_exact() {
        let found = test(&[115.0, 114.0, 115.0, 115.0], &[78.8; 5]).expect("a result");
        assert_eq!((found.p, found.exact), (2.0 / 126.0, true));
    }
}
