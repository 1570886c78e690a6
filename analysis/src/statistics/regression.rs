//! Least squares: how a value follows several others.

use super::{Reason, moments::Moments, tails};

/// A coefficient of a line or plane through points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slope {
    /// Change of y for a change of 1 of its regressor, the others held.
    pub slope: f64,
    /// Its standard error.
    pub error: f64,
    /// Its interval at 95 % (Student's, points minus coefficients degrees of freedom).
    pub ci95: (f64, f64),
    /// Two-sided probability of a slope this far from 0.
    pub p: f64,
}

/// The slopes of y over the regressors, each a list of as many values as y has, with a constant (ordinary least
/// squares).
///
/// # Errors
/// Fewer points than one more than there are coefficients; a regressor that is constant or follows from the others;
/// lists of different lengths; a value that is not finite.
pub fn slopes(y: &[f64], regressors: &[&[f64]]) -> Result<Vec<Slope>, Reason> {
    let (n, k) = (y.len(), regressors.len());
    if regressors.iter().any(|x| x.len() != n) {
        return Err(Reason::NotPaired);
    }
    let needed = k + 2;
    if n < needed {
        return Err(Reason::TooFew { needed: needed as u64, found: n as u64 });
    }
    if regressors.iter().copied().chain([y]).flatten().any(|value| !value.is_finite()) {
        return Err(Reason::NotFinite);
    }
    let columns: Vec<Vec<f64>> = regressors.iter().map(|x| centred(x)).collect();
    let y = centred(y);
    let products = columns.iter().map(|a| columns.iter().map(|b| dot(a, b)).collect()).collect();
    let inverse = inverse(products).ok_or(Reason::NoSpread)?;
    let right: Vec<f64> = columns.iter().map(|x| dot(x, &y)).collect();
    let found: Vec<f64> = inverse.iter().map(|row| dot(row, &right)).collect();
    let rest = |i: usize| y[i] - columns.iter().zip(&found).map(|(x, slope)| x[i] * slope).sum::<f64>();
    let df = (n - k - 1) as f64;
    let variance = (0..n).map(|i| rest(i).powi(2)).sum::<f64>() / df;
    let t = tails::student_quantile(0.975, df);
    let slope = |(i, &slope): (usize, &f64)| {
        let error = (variance * inverse[i][i]).sqrt();
        let [p, ..] = tails::student_sides(slope / error, df);
        Slope { slope, error, ci95: (slope - t * error, slope + t * error), p }
    };
    Ok(found.iter().enumerate().map(slope).collect())
}

/// Without their mean: the constant of the regression.
fn centred(values: &[f64]) -> Vec<f64> {
    let moments = Moments::of(values);
    values.iter().map(|value| moments.distance(*value)).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// A pivot that is less than this share of its column's own length is rounding.
const RANK: f64 = 1e-12;

/// The inverse of a matrix of products, by Gauss and Jordan; `None` where a column follows from others.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let k = matrix.len();
    let lengths: Vec<f64> = (0..k).map(|i| matrix[i][i]).collect();
    let mut inverse: Vec<Vec<f64>> = (0..k).map(|i| (0..k).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    // Products of columns are positive definite: the diagonal has the pivots.
    for i in 0..k {
        let pivot = matrix[i][i];
        if pivot.is_nan() || pivot <= RANK * lengths[i] {
            return None;
        }
        for rows in [&mut matrix, &mut inverse] {
            rows[i].iter_mut().for_each(|value| *value /= pivot);
        }
        for j in (0..k).filter(|j| *j != i) {
            let factor = matrix[j][i];
            for rows in [&mut matrix, &mut inverse] {
                let from = rows[i].clone();
                rows[j].iter_mut().zip(from).for_each(|(value, from)| *value -= factor * from);
            }
        }
    }
    Some(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_by_hand() {
        // x 0, 1, 2, 3 about their mean 1.5; y 1, 3, 5, 9: Sxy = 13, Sxx = 5, slope 2.6; residuals 0.4, -0.2, -0.8,
        // 0.6.
        let found = slopes(&[1.0, 3.0, 5.0, 9.0], &[&[0.0, 1.0, 2.0, 3.0]]).expect("a line")[0];
        let error = (1.2f64 / 2.0 / 5.0).sqrt();
        assert!((found.slope - 2.6).abs() < 1e-14 && (found.error - error).abs() < 1e-14);
        // t(0.975, 2) = 4.302652729749462 (SciPy 1.17.1).
        assert!((found.ci95.1 - (2.6 + 4.302_652_729_749_462 * error)).abs() < 1e-12);
    }

    #[test]
    fn nothing_to_fit_gives_a_reason() {
        assert_eq!(slopes(&[1.0, 2.0], &[&[0.0, 1.0]]), Err(Reason::TooFew { needed: 3, found: 2 }));
        assert_eq!(slopes(&[1.0, 2.0, 4.0], &[&[1.0, 1.0, 1.0]]), Err(Reason::NoSpread));
        let (x, twice) = ([0.1, 0.2, 0.7, 0.9], [0.2, 0.4, 1.4, 1.8]);
        assert_eq!(slopes(&[1.0, 2.0, 4.0, 3.0], &[&x, &twice]), Err(Reason::NoSpread));
        assert_eq!(slopes(&[1.0, 2.0, 4.0], &[&[1.0, 2.0]]), Err(Reason::NotPaired));
        assert_eq!(slopes(&[1.0, f64::NAN, 4.0], &[&[1.0, 2.0, 3.0]]), Err(Reason::NotFinite));
    }
}
