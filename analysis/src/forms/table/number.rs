//! Numbers as people read them.

/// How many digits of a number people see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digits {
    /// After the point, where that shows enough of the number.
    after: usize,
    /// Significant ones, at least.
    significant: usize,
}

/// Significant digits of a power of ten, of numbers whose scale the data choose.
const OF_POWERS: usize = 4;
/// Significant digits of a power of ten where the table chooses the digits after the point.
const OF_SMALL: usize = 2;
/// Numbers from 10^this on are written with powers of ten.
const LARGE: i32 = 10;
/// Numbers below 10^this are written as powers of ten.
const SMALL: i32 = -4;

impl Digits {
    /// Digits of numbers whose scale the data choose: `after` behind the point, or three significant ones where those would
    /// show fewer.
    pub fn measured(after: usize) -> Self {
        Digits { after, significant: 3 }
    }

    /// One more after the point.
    #[must_use]
    pub fn and_one(self) -> Self {
        Digits { after: self.after + 1, ..self }
    }
}

/// So many after the point; more of a number that would otherwise look like zero.
impl From<usize> for Digits {
    fn from(after: usize) -> Self {
        Digits { after, significant: 1 }
    }
}

/// A finite number with these digits: `0.490`, `-12.3`, `3.100e-21`. Zero has no sign, and no other number reads as zero.
pub(super) fn shown(value: f64, digits: Digits) -> String {
    let Digits { after, significant } = digits;
    if value == 0.0 {
        // A scale of powers of ten would put a dozen zeros behind the point.
        return format!("{:.*}", if after > LARGE as usize { 0 } else { after }, 0.0);
    }
    let exponent = exponent(value);
    if exponent >= LARGE {
        return power(value, OF_POWERS);
    }
    let seen = exponent + 1 + after as i32;
    if seen >= significant as i32 && exponent >= SMALL {
        return format!("{value:.after$}");
    }
    let wanted = if significant > 1 { significant } else { OF_SMALL };
    if exponent < SMALL {
        return power(value, if significant > 1 { OF_POWERS } else { OF_SMALL });
    }
    let places = usize::try_from(wanted as i32 - 1 - exponent).unwrap_or(0);
    format!("{value:.places$}")
}

/// The power of ten of a number that is not zero.
fn exponent(value: f64) -> i32 {
    const USUAL: [f64; 15] = [1e-4, 1e-3, 1e-2, 1e-1, 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10];
    let size = value.abs();
    if (USUAL[0]..USUAL[14]).contains(&size) {
        return USUAL.partition_point(|power| *power <= size) as i32 - 5;
    }
    let text = format!("{value:e}");
    text.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0)
}

fn power(value: f64, significant: usize) -> String {
    format!("{value:.*e}", significant - 1)
}

/// Every digit of a number, in as few letters as say it.
pub(super) fn exact(value: f64) -> String {
    match value {
        0.0 => "0".to_owned(),
        value if (-7..16).contains(&exponent(value)) => value.to_string(),
        value => format!("{value:e}"),
    }
}

/// A probability: four digits after the point, and powers of ten below.
pub(super) fn probability(p: f64) -> String {
    match p {
        p if p >= 0.0001 => format!("{p:.4}"),
        0.0 => "< 1e-300".to_owned(),
        p => power(p, 2),
    }
}

/// A chosen level or a part of one: without the noise of its last digits, as of 0.07 / 5.
pub(crate) fn level(value: f64) -> String {
    power(value, 12).parse().map_or_else(|_| value.to_string(), |short: f64| exact(short))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_follow_the_number() {
        let rows: [(f64, usize, &str, &str); 16] = [
            (0.0, 2, "0.00", "0.00"),
            (-0.0, 2, "0.00", "0.00"),
            (0.0, 15, "0", "0"),
            (0.49, 2, "0.49", "0.490"),
            (-12.34, 1, "-12.3", "-12.3"),
            (0.25, 1, "0.2", "0.250"),
            (0.001_234, 2, "0.0012", "0.00123"),
            (-0.000_12, 3, "-0.00012", "-0.000120"),
            (0.000_012, 3, "1.2e-5", "1.200e-5"),
            (3.1e-21, 15, "3.1e-21", "3.100e-21"),
            (1e-308, 0, "1.0e-308", "1.000e-308"),
            (123_456_789.0, 0, "123456789", "123456789"),
            (9_999_999_999.4, 0, "9999999999", "9999999999"),
            (12_345_678_901.0, 2, "1.235e10", "1.235e10"),
            (-1e308, 3, "-1.000e308", "-1.000e308"),
            (5e-324, 1, "4.9e-324", "4.941e-324"),
        ];
        for (value, after, fixed, measured) in rows {
            assert_eq!(shown(value, Digits::from(after)), fixed, "{value:e}");
            assert_eq!(shown(value, Digits::measured(after)), measured, "{value:e}");
        }
    }

    /// Over all magnitudes: no number reads as zero, none is long, and what is read is near.
    #[test]
    fn no_number_reads_as_zero() {
        for exponent in -323..=308 {
            for mantissa in [1.0, 1.25, 1.79] {
                let value = format!("{mantissa}e{exponent}").parse::<f64>().expect("a number");
                for after in [0, 1, 4, 15] {
                    for digits in [Digits::from(after), Digits::measured(after)] {
                        let text = shown(value, digits);
                        let read: f64 = text.parse().expect("a number");
                        assert!(read != 0.0 && text.len() <= 27, "{value:e} {digits:?}: {text}");
                        assert!((read / value - 1.0).abs() < 0.51, "{value:e} {digits:?}: {text}");
                        assert_eq!(exact(value).parse(), Ok(value));
                        assert!(exact(value).len() <= 24, "{}", exact(value));
                    }
                }
            }
        }
    }

    #[test]
    fn levels_have_no_noise() {
        assert_eq!([0.05, 0.07 / 5.0, 0.05 / 50.0, 1e-9].map(level), ["0.05", "0.014", "0.001", "1e-9"]);
    }
}
