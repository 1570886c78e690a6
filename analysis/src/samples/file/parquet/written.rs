//! Values of Parquet as texts, as pandas writes them to CSV.

use super::kind::Unit;

/// Days of 400 years.
const CYCLE: i64 = 146_097;
const DAY: i64 = 86_400;

/// A real: the shortest text that is read as the same number, with `.0` or an exponent.
pub(super) fn real(value: f64) -> String {
    exponent(format!("{value:?}"))
}

/// The same of a number with 32 bits.
pub(super) fn real_32(value: f32) -> String {
    exponent(format!("{value:?}"))
}

/// The same of a number with 16 bits.
pub(super) fn real_16(bits: u16) -> String {
    let value = half(bits);
    // Five digits tell all of them apart; of fewer, those that are nearer to no other number of 16 bits.
    let near = [bits.wrapping_sub(1), bits.wrapping_add(1)].map(|bits| match half(bits) {
        // What is nearer to the number behind the largest is infinite.
        none if none.is_infinite() => 65_536f64.copysign(none),
        near => near,
    });
    let is_it = |text: &f64| near.iter().all(|other| other.is_nan() || (text - value).abs() < (text - other).abs());
    let shorter = (0..5).filter_map(|digits| format!("{value:.digits$e}").parse().ok()).find(is_it);
    real(shorter.unwrap_or(value))
}

/// Rust's `1e-7` as `1e-07`, as others write it.
fn exponent(text: String) -> String {
    let Some((digits, power)) = text.split_once('e') else { return text };
    let (sign, power) = power.strip_prefix('-').map_or(('+', power), |power| ('-', power));
    format!("{digits}e{sign}{power:0>2}")
}

/// A number of 16 bits.
pub(super) fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 0 { 1.0 } else { -1.0 };
    let (power, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    sign * match power {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        power => (1024.0 + fraction) * 2f64.powi(power - 25),
    }
}

/// A decimal, stored as a whole number in two's complement, its first byte first, with `scale` digits behind the point.
pub(super) fn decimal(bytes: &[u8], scale: usize) -> String {
    let negative = bytes.first().is_some_and(|byte| byte & 0x80 != 0);
    let mut rest = bytes.to_vec();
    if negative {
        rest.iter_mut().for_each(|byte| *byte = !*byte);
        for byte in rest.iter_mut().rev() {
            let carried;
            (*byte, carried) = byte.overflowing_add(1);
            if !carried {
                break;
            }
        }
    }
    // Digits from the last, by long division.
    let mut digits = Vec::new();
    while rest.iter().any(|byte| *byte != 0) {
        let mut remainder = 0u32;
        for byte in &mut rest {
            let value = remainder << 8 | u32::from(*byte);
            (*byte, remainder) = ((value / 10) as u8, value % 10);
        }
        digits.push(b'0' + remainder as u8);
    }
    digits.resize(digits.len().max(scale + 1), b'0');
    if scale > 0 {
        digits.insert(scale, b'.');
    }
    if negative {
        digits.push(b'-');
    }
    digits.iter().rev().map(|byte| char::from(*byte)).collect()
}

/// A day, counted from 1970-01-01.
pub(super) fn date(days: i64) -> String {
    // Years from March, so that the day that some have is their last (Hinnant, `civil_from_days`).
    let days = days + 719_468;
    let (cycle, day) = (days.div_euclid(CYCLE), days.rem_euclid(CYCLE));
    let year = (day - day / 1_460 + day / 36_524 - day / (CYCLE - 1)) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{month:02}-{day:02}", year + cycle * 400 + next)
}

/// A time of day, with as many digits of a second as it needs: none, three, six or nine.
pub(super) fn time(count: i64, unit: Unit) -> String {
    let of_second = unit.of_second();
    let (seconds, rest) = (count.div_euclid(of_second), count.rem_euclid(of_second));
    let text = format!("{:02}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60);
    let nanos = rest * (1_000_000_000 / of_second);
    match (nanos % 1_000_000, nanos % 1_000) {
        _ if nanos == 0 => text,
        (0, _) => format!("{text}.{:03}", nanos / 1_000_000),
        (_, 0) => format!("{text}.{:06}", nanos / 1_000),
        _ => format!("{text}.{nanos:09}"),
    }
}

/// A time of a day.
pub(super) fn stamp(count: i64, unit: Unit, utc: bool) -> String {
    let day = DAY * unit.of_second();
    let zone = if utc { "+00:00" } else { "" };
    format!("{} {}{zone}", date(count.div_euclid(day)), time(count.rem_euclid(day), unit))
}

/// A UUID.
pub(super) fn uuid(bytes: &[u8]) -> String {
    let mut text = String::new();
    for (place, byte) in bytes.iter().enumerate() {
        if [4, 6, 8, 10].contains(&place) {
            text.push('-');
        }
        text.push_str(&format!("{byte:02x}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reals_are_written_as_python_writes_them() {
        for (value, wanted) in
            [(0.5, "0.5"), (0.0, "0.0"), (-3.0, "-3.0"), (1e16, "1e+16"), (1.25e-7, "1.25e-07"), (1e300, "1e+300")]
        {
            assert_eq!(real(value), wanted);
        }
        assert_eq!(real_32(0.1), "0.1");
        // numpy: float16(0.1), (1/3), (65504), (2048.5 is no number of 16 bits), least.
        for (bits, wanted) in [
            (0x2e66, "0.1"),
            (0x3555, "0.3333"),
            (0x7bff, "65500.0"),
            (0xc000, "-2.0"),
            (0x0001, "6e-08"),
            (0x0000, "0.0"),
        ] {
            assert_eq!(real_16(bits), wanted);
        }
    }

    #[test]
    fn decimals_of_any_width() {
        for (bytes, scale, wanted) in [
            (&150i32.to_be_bytes()[..], 2, "1.50"),
            (&(-5i64).to_be_bytes(), 3, "-0.005"),
            (&0i32.to_be_bytes(), 2, "0.00"),
            (&(-7i32).to_be_bytes(), 0, "-7"),
            (&i128::MAX.to_be_bytes(), 38, "1.70141183460469231731687303715884105727"),
            (&i128::MIN.to_be_bytes(), 0, "-170141183460469231731687303715884105728"),
            (&[0xff], 1, "-0.1"),
            (&[], 1, "0.0"),
        ] {
            assert_eq!(decimal(bytes, scale), wanted);
        }
        // 10 to the power of 75, of 32 bytes (Python's `(10**75).to_bytes(32)`).
        let mut wide = vec![0u8; 32];
        wide[31] = 1;
        for _ in 0..75 {
            let mut carry = 0u32;
            for byte in wide.iter_mut().rev() {
                let value = u32::from(*byte) * 10 + carry;
                (*byte, carry) = (value as u8, value >> 8);
            }
        }
        assert_eq!(decimal(&wide, 75), format!("1.{}", "0".repeat(75)));
    }

    #[test]
    fn days_and_times() {
        for (days, wanted) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (19_782, "2024-02-29"),
            (20_786, "2026-11-29"),
            (-719_528, "0000-01-01"),
        ] {
            assert_eq!(date(days), wanted);
        }
        for (count, unit, wanted) in [
            (0, Unit::Milli, "1970-01-01 00:00:00"),
            (-1, Unit::Milli, "1969-12-31 23:59:59.999"),
            (1_500, Unit::Micro, "1970-01-01 00:00:00.001500"),
            (86_400_000_000_001, Unit::Nano, "1970-01-02 00:00:00.000000001"),
        ] {
            assert_eq!(stamp(count, unit, false), wanted);
            assert_eq!(stamp(count, unit, true), format!("{wanted}+00:00"));
        }
        // The ends of what 64 bits hold.
        assert_eq!(stamp(i64::MIN, Unit::Nano, false), "1677-09-21 00:12:43.145224192");
        assert_eq!(stamp(i64::MAX, Unit::Nano, false), "2262-04-11 23:47:16.854775807");
        assert!(stamp(i64::MIN, Unit::Milli, false).starts_with("-2922"));
        assert_eq!(uuid(&[0xab; 16]), "abababab-abab-abab-abab-abababababab");
    }
}
