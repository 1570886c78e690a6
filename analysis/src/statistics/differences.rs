//! Differences of pairs of numbers as a file writes them: in decimals.
//!
//! Decimals are rounded when they are read: 0.82 - 0.79 and 0.46 - 0.43 differ in binary, while 82 - 79 and 46 - 43 are
//! equal. Tests of ranks depend on which differences are zero or tied, so the subtraction is done in decimals. Of numbers
//! that are not short decimals, two differences are equal if rounding alone can explain that they differ.

/// A decimal of up to fifteen digits survives being read as a number.
const DIGITS: f64 = 1e15;
/// Whole numbers from here on are not treated as decimals.
const WHOLE: f64 = 9.3e18;
/// The powers of ten that are exact.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];
/// Rounding of a number that was read from a file or computed in a few steps, in units of its last digit.
const ROUNDINGS: f64 = 4.0;

/// x - y of every pair of finite numbers, in units of two to the power of the second value, which is not 0 where
/// differences would be beyond the range of numbers.
pub(super) fn differences(x: &[f64], y: &[f64]) -> (Vec<f64>, i32) {
    if let Some(differences) = of_decimals(x, y) {
        return (differences, 0);
    }
    let largest = x.iter().chain(y).fold(0.0f64, |largest, value| largest.max(value.abs()));
    let unit = if largest > f64::MAX / 4.0 { 2 } else { 0 };
    let [x, y] = [x, y].map(|values| values.iter().map(|value| libm::scalbn(*value, -unit)).collect::<Vec<f64>>());
    (of_rounded(&x, &y), unit)
}

/// Differences of numbers that are all decimals of few digits: exact, as whole numbers after a shift of the point.
fn of_decimals(x: &[f64], y: &[f64]) -> Option<Vec<f64>> {
    if x.iter().chain(y).all(|value| value.fract() == 0.0 && value.abs() < WHOLE) {
        return Some(x.iter().zip(y).map(|(x, y)| x - y).collect());
    }
    let mut places = 0;
    for value in x.iter().chain(y) {
        places = places_of(*value, places)?;
    }
    let factor = POWERS[places];
    let whole = |value: &f64| Some((value * factor).round()).filter(|whole| whole.abs() < DIGITS);
    x.iter().zip(y).map(|(x, y)| Some((whole(x)? - whole(y)?) / factor)).collect()
}

/// Digits after the point, at least `least`, of the shortest decimal that is read as this number; `None` if they are many.
/// The quotient of a whole number and a power of ten, both exact, is the number that a reader makes of that decimal.
fn places_of(value: f64, least: usize) -> Option<usize> {
    for (places, power) in POWERS.iter().enumerate().skip(least) {
        let whole = (value * power).round();
        if whole.abs() >= DIGITS {
            return None;
        }
        if whole / power == value {
            return Some(places);
        }
    }
    None
}

/// Differences of numbers that are not short decimals: those that only rounding separates are equal, and those that only
/// rounding made are 0.
fn of_rounded(x: &[f64], y: &[f64]) -> Vec<f64> {
    // Numbers that were stored in half the digits have rounding of their own.
    let single = x.iter().chain(y).all(|value| f64::from(*value as f32) == *value);
    let last = if single { f64::from(f32::EPSILON) } else { f64::EPSILON };
    let noise = |x: &f64, y: &f64| 0.5 * ROUNDINGS * last * (x.abs() + y.abs());
    let mut differences: Vec<(f64, f64)> = x.iter().zip(y).map(|(x, y)| (x - y, noise(x, y))).collect();
    for (difference, noise) in &mut differences {
        if difference.abs() <= *noise {
            *difference = 0.0;
        }
    }
    let mut order: Vec<usize> = (0..differences.len()).collect();
    order.sort_by(|&i, &j| differences[i].0.abs().total_cmp(&differences[j].0.abs()));
    let mut first = (0.0, 0.0);
    for place in order {
        let (difference, noise) = differences[place];
        let size = difference.abs();
        // Against the first of those that are equal, so that a row of near ones does not become one.
        if size - first.0 <= noise + first.1 && first.0 > 0.0 {
            differences[place].0 = f64::copysign(first.0, difference);
        } else {
            first = (size, noise);
        }
    }
    differences.into_iter().map(|(difference, _)| difference).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(x: &[f64], y: &[f64]) -> Vec<f64> {
        differences(x, y).0
    }

    #[test]
    fn decimals_differ_as_they_are_written() {
        let binary = [[0.82f64, 0.79], [0.46, 0.43]].map(|[x, y]| x - y);
        assert_ne!(binary[0], binary[1]);
        assert_eq!(of(&[0.79, 0.46, 0.5], &[0.82, 0.43, 0.5]), [-0.03, 0.03, 0.0]);
        assert_eq!(of(&[79.0, 46.0, 50.0], &[82.0, 43.0, 50.0]), [-3.0, 3.0, 0.0]);
        assert_eq!(of(&[1e-20, 3e-20], &[4e-20, 0.0]), [-3e-20, 3e-20]);
        // Whole numbers as far as they are exact.
        assert_eq!(of(&[9_007_199_254_740_991.0, 1e16], &[9_007_199_254_740_990.0, 1e16 + 2.0]), [1.0, -2.0]);
    }

    /// Thirds, and what percentages make of decimals: 0.07 * 100 is 7.000000000000001.
    #[test]
    fn numbers_that_were_computed_differ_within_their_rounding() {
        let [one, two] = [1.0 / 3.0, 2.0 / 3.0];
        let found = of(&[two, one, 1.0], &[one, 0.0, two]);
        assert_eq!(found, [found[0], found[0], found[0]]);
        let percent = |values: &[f64]| values.iter().map(|value| value * 100.0).collect::<Vec<_>>();
        let found = of(&percent(&[0.07, 0.14, 0.57]), &percent(&[0.0, 0.07, 0.57]));
        assert_eq!((found[0], found[2]), (found[1], 0.0));
        // Numbers of 24 bits, as a column of them is read.
        let single = |values: [f32; 2]| values.map(f64::from);
        let found = of(&single([0.79, 0.43]), &single([0.82, 0.46]));
        assert_eq!(found[0], found[1]);
    }

    #[test]
    fn small_numbers_beside_large_ones_keep_their_differences() {
        let [x, y] = [[1.0 / 3.0, 1e-20 / 3.0, 1e300 / 7.0], [1.0 / 3.0, 2e-20 / 3.0, 1e300 / 9.0]];
        let found = of(&x, &y);
        assert_eq!((found[0], found[1], found[2]), (0.0, x[1] - y[1], x[2] - y[2]));
        let (found, unit) = differences(&[f64::MAX], &[-f64::MAX]);
        assert_eq!((found, unit), (vec![f64::MAX / 2.0], 2));
    }
}
