//! Quantiles of a sample.

/// The quantile at `p` in [0, 1] by linear interpolation between order statistics (type 7 of Hyndman and Fan 1996, the
/// default of NumPy and R). `None` without values or with one that is not a number.
pub fn quantile(values: &[f64], p: f64) -> Option<f64> {
    if values.is_empty() || values.iter().any(|value| value.is_nan()) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    Some(of_sorted(&sorted, p))
}

/// The same of values in ascending order, at least one.
pub(super) fn of_sorted(sorted: &[f64], p: f64) -> f64 {
    let place = p.clamp(0.0, 1.0) * (sorted.len() - 1) as f64;
    let (low, high) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    // Equal neighbours give themselves, infinities too.
    if low == high { low } else { low + (high - low) * place.fract() }
}

/// The middle value, or the mean of the two in the middle.
pub fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        // NumPy: quantile([1, 2, 4, 8], 0.25) = 1.75, at 0.75 = 5.
        assert_eq!(quantile(&[8.0, 1.0, 4.0, 2.0], 0.25), Some(1.75));
        assert_eq!(quantile(&[8.0, 1.0, 4.0, 2.0], 0.75), Some(5.0));
        assert_eq!([quantile(&[8.0, 1.0], 0.0), quantile(&[8.0, 1.0], 1.0)], [Some(1.0), Some(8.0)]);
    }

    #[test]
    fn nothing_of_nothing() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[1.0, f64::NAN]), None);
    }
}
