//! Symmetric matrices, row by row.

/// Lower factor of Cholesky of an `n` by `n` matrix that is positive definite; `None` of any other.
pub(super) fn cholesky(matrix: &[f64], n: usize) -> Option<Vec<f64>> {
    let mut factor = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            let (row, other) = (&factor[i * n..i * n + j], &factor[j * n..j * n + j]);
            let rest = matrix[i * n + j] - dot(row, other);
            if i == j {
                if rest <= 0.0 || !rest.is_finite() {
                    return None;
                }
                factor[i * n + i] = rest.sqrt();
            } else {
                factor[i * n + j] = rest / factor[j * n + j];
            }
        }
    }
    Some(factor)
}

/// The vector that the factored matrix turns into `right`.
pub(super) fn solve(factor: &[f64], right: &[f64]) -> Vec<f64> {
    let n = right.len();
    let mut x = right.to_vec();
    for i in 0..n {
        x[i] = (x[i] - dot(&factor[i * n..i * n + i], &x[..i])) / factor[i * n + i];
    }
    for i in (0..n).rev() {
        x[i] /= factor[i * n + i];
        let known = x[i];
        // Along a row of the factor, which is a column of its transpose.
        x[..i].iter_mut().zip(&factor[i * n..i * n + i]).for_each(|(x, f)| *x -= f * known);
    }
    x
}

/// In eight sums, which is the same on every machine and as fast as it can add.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    const LANES: usize = 8;
    let mut sums = [0.0; LANES];
    let (a, b) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest: f64 = a.remainder().iter().zip(b.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a.zip(b) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_by_hand() {
        // 4 2 / 2 3 times (1, 2) is (8, 8).
        let factor = cholesky(&[4.0, 2.0, 2.0, 3.0], 2).expect("positive definite");
        let x = solve(&factor, &[8.0, 8.0]);
        assert!((x[0] - 1.0).abs() < 1e-15 && (x[1] - 2.0).abs() < 1e-15, "{x:?}");
        assert_eq!(cholesky(&[1.0, 2.0, 2.0, 1.0], 2), None);
        let long: Vec<f64> = (0..19).map(f64::from).collect();
        assert_eq!(dot(&long, &long), 2_109.0);
    }
}
