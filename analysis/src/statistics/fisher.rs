//! Fisher's exact test of two shares (1922; the two-sided form of Freeman and Halton 1951).

use super::Reason;

/// Tables whose probabilities differ by less than this share are equally likely but for rounding (as in R and SciPy).
const EQUAL: f64 = 1e-7;

/// Two-sided probability that `successes` of `trials` in two samples have the same chance: that of all tables with the
/// same margins that are no likelier than the one found.
///
/// # Errors
/// A sample without trials.
///
/// # Panics
/// If there are more successes than trials.
pub fn test(successes: [u64; 2], trials: [u64; 2]) -> Result<f64, Reason> {
    assert!(successes.iter().zip(trials).all(|(successes, trials)| *successes <= trials), "a success is a trial");
    if trials.contains(&0) {
        return Err(Reason::TooFew { needed: 1, found: 0 });
    }
    let [n, m] = trials.map(|trials| trials as f64);
    let (total, found) = (successes[0] + successes[1], successes[0]);
    let (low, high) = (total.saturating_sub(trials[1]), total.min(trials[0]));
    let of_all = total as f64;
    // The likeliest count of the first sample; weights go down from it on both sides, and none is lost to rounding that
    // counts.
    let mode = (((of_all + 1.0) * (n + 1.0) / (n + m + 2.0)) as u64).clamp(low, high);
    let up = |k: f64| (of_all - k) * (n - k) / ((k + 1.0) * (m - of_all + k + 1.0));
    let mut weights = vec![(mode, 1.0)];
    let mut weight = 1.0;
    for k in mode..high {
        weight *= up(k as f64);
        weights.push((k + 1, weight));
    }
    weight = 1.0;
    for k in (low..mode).rev() {
        weight /= up(k as f64);
        weights.push((k, weight));
    }
    let own = weights.iter().find(|(k, _)| *k == found).map_or(0.0, |(_, weight)| *weight);
    let sum = |is_in: &dyn Fn(f64) -> bool| {
        // From the smallest, so that they count.
        let mut inside: Vec<f64> = weights.iter().map(|(_, weight)| *weight).filter(|weight| is_in(*weight)).collect();
        inside.sort_by(f64::total_cmp);
        inside.iter().sum::<f64>()
    };
    Ok((sum(&|weight| weight <= own * (1.0 + EQUAL)) / sum(&|_| true)).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lady tasting tea: of four cups each three are told right. Tables have 1, 16, 36, 16 and 1 of 70 ways.
    #[test]
    fn by_hand() {
        for (right, wanted) in [(4, 2.0 / 70.0), (3, 34.0 / 70.0), (2, 1.0), (0, 2.0 / 70.0)] {
            let p = test([right, 4 - right], [4, 4]).expect("a test");
            assert!((p - wanted).abs() < 1e-15, "{right}: {p}");
        }
    }

    #[test]
    fn margins_at_their_ends() {
        assert_eq!(test([0, 0], [10, 7]), Ok(1.0));
        assert_eq!(test([10, 7], [10, 7]), Ok(1.0));
        assert_eq!(test([1, 0], [1, 1]), Ok(1.0));
        assert_eq!(test([0, 1], [0, 3]), Err(Reason::TooFew { needed: 1, found: 0 }));
    }
}
