//! Ranks with ties.

use super::Reason;

/// Ranks of a sample from 1, equal values sharing the mean of theirs, and the sum of t^3 - t over groups of t equal
/// values, by which statistics of ranks are corrected.
///
/// # Errors
/// A value is not a number. Infinities are ranks like others.
pub fn ranks(values: &[f64]) -> Result<(Vec<f64>, f64), Reason> {
    if values.iter().any(|value| value.is_nan()) {
        return Err(Reason::NotANumber);
    }
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].partial_cmp(&values[b]).unwrap_or(std::cmp::Ordering::Equal));
    let (mut ranks, mut ties, mut below) = (vec![0.0; values.len()], 0.0, 0);
    for group in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let size = group.len() as f64;
        for &i in group {
            ranks[i] = below as f64 + 0.5 * (size + 1.0);
        }
        ties += size * size * size - size;
        below += group.len();
    }
    Ok((ranks, ties))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_their_ranks() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 2.0]), Ok((vec![3.5, 1.0, 3.5, 2.0], 6.0)));
        assert_eq!(ranks(&[0.0, -0.0, f64::NEG_INFINITY]), Ok((vec![2.5, 2.5, 1.0], 6.0)));
        assert_eq!(ranks(&[]), Ok((vec![], 0.0)));
        assert_eq!(ranks(&[1.0, f64::NAN]), Err(Reason::NotANumber));
    }
}
