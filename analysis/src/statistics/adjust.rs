//! Probabilities adjusted for the number of tests.

/// Holm's step-down adjustment (Holm 1979): controls the chance of any false alarm. NaN takes no part and stays NaN.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let order = ascending(p);
    let mut adjusted = vec![f64::NAN; p.len()];
    let mut highest = 0.0f64;
    for (step, &i) in order.iter().enumerate() {
        highest = highest.max((p[i] * (order.len() - step) as f64).min(1.0));
        adjusted[i] = highest;
    }
    adjusted
}

/// Benjamini and Hochberg's step-up adjustment (1995): controls the expected share of false alarms. NaN takes no part and
/// stays NaN.
pub fn benjamini_hochberg(p: &[f64]) -> Vec<f64> {
    let order = ascending(p);
    let mut adjusted = vec![f64::NAN; p.len()];
    let mut lowest = 1.0f64;
    for (step, &i) in order.iter().enumerate().rev() {
        lowest = lowest.min(p[i] * order.len() as f64 / (step + 1) as f64);
        adjusted[i] = lowest;
    }
    adjusted
}

/// Adjusts a family in which some tests have no probability: their reasons stay, and they take no part.
pub fn known<R: Clone>(family: &[Result<f64, R>], by: impl Fn(&[f64]) -> Vec<f64>) -> Vec<Result<f64, R>> {
    let values: Vec<f64> = family.iter().filter_map(|p| p.as_ref().ok().copied()).collect();
    let mut adjusted = by(&values).into_iter();
    family.iter().map(|p| p.clone().map(|p| adjusted.next().unwrap_or(p))).collect()
}

/// Places of the numbers, the smallest first.
fn ascending(p: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..p.len()).filter(|&i| !p[i].is_nan()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Holm makes 0.02 and 0.03 of 0.01 and 0.03; with a third test they would be 0.03 and 0.06.
    #[test]
    fn tests_without_a_probability_take_no_part() {
        assert_eq!(known(&[Ok(0.03), Err("no"), Ok(0.01)], holm), [Ok(0.03), Err("no"), Ok(0.02)]);
        assert_eq!(known(&[Ok(0.03), Err("no")], <[f64]>::to_vec), [Ok(0.03), Err("no")]);
        for adjust in [holm, benjamini_hochberg] {
            let found = adjust(&[f64::NAN, 0.01, f64::NAN, 0.02]);
            assert!(found[0].is_nan() && found[2].is_nan());
            assert_eq!([found[1], found[3]], [0.02, 0.02]);
        }
    }
}
