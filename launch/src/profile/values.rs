//! Values as people write them: times, memory, ports, variables in paths.

use std::{collections::BTreeMap, time::Duration};

/// Longest time: ten years.
const LONGEST_SECS: f64 = 10.0 * 365.0 * 86_400.0;

/// A time such as `90s`, `8h` or `1d12h`; more than none.
pub(super) fn duration(text: &str) -> Option<Duration> {
    let mut secs = 0.0;
    let mut rest = text.trim();
    while !rest.is_empty() {
        let unit = rest.find(|c: char| c.is_ascii_alphabetic())?;
        let number: f64 = digits(&rest[..unit])?;
        secs += number
            * match rest.as_bytes()[unit] {
                b's' => 1.0,
                b'm' => 60.0,
                b'h' => 3_600.0,
                b'd' => 86_400.0,
                _ => return None,
            };
        rest = &rest[unit + 1..];
    }
    (secs > 0.0 && secs <= LONGEST_SECS).then(|| Duration::from_secs_f64(secs))
}

/// Memory such as `512M`, `100G` or `1.5T` in MiB; at least one.
pub(super) fn memory_mb(text: &str) -> Option<u64> {
    let text = text.trim().to_ascii_uppercase();
    let text = text.trim_end_matches("IB").trim_end_matches('B');
    let unit = text.find(|c: char| c.is_ascii_alphabetic())?;
    let factor = match &text[unit..] {
        "K" => 1.0 / 1_024.0,
        "M" => 1.0,
        "G" => 1_024.0,
        "T" => 1_048_576.0,
        _ => return None,
    };
    let mb = (digits(&text[..unit])? * factor).floor();
    // A petabyte is enough, and exact.
    (1.0..=1_073_741_824.0).contains(&mb).then_some(mb as u64)
}

/// A number of digits with at most one point, without sign, exponent and infinities.
fn digits(text: &str) -> Option<f64> {
    let plain = text.bytes().all(|b| b.is_ascii_digit() || b == b'.') && text.starts_with(|c: char| c.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

/// Ports such as `7800-7899` or `7800`: first and last.
pub(super) fn ports(text: &str) -> Option<(u16, u16)> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    (first > 0 && first <= last).then_some((first, last))
}

/// A path with its variables (`$NAME`, `${NAME}`; `$$` is a dollar sign) and a leading `~` replaced.
///
/// # Errors
/// Why that cannot be done: a variable is not set.
pub(super) fn expand(text: &str, variables: &BTreeMap<String, String>) -> Result<String, String> {
    let value = |name: &str| match variables.get(name).filter(|value| !value.is_empty()) {
        Some(value) => Ok(value.as_str()),
        None => Err(format!("the variable `{name}` is not set")),
    };
    let (mut expanded, mut rest) = match text.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => (value("HOME")?.to_owned(), rest),
        _ => (String::new(), text),
    };
    while let Some((before, behind)) = rest.split_once('$') {
        expanded += before;
        if let Some(behind) = behind.strip_prefix('$') {
            expanded.push('$');
            rest = behind;
            continue;
        }
        let (name, behind) = match behind.strip_prefix('{') {
            Some(inner) => inner.split_once('}').ok_or("a `${` is not closed")?,
            None => {
                let end = behind.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(behind.len());
                behind.split_at(end)
            }
        };
        if name.is_empty() {
            return Err("no name stands behind `$`; a dollar sign is `$$`".into());
        }
        expanded += value(name)?;
        rest = behind;
    }
    Ok(expanded + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        for (text, secs) in
            [("90s", 90), ("8h", 28_800), ("3d", 259_200), ("1d12h", 129_600), ("1.5h", 5_400), (" 5m ", 300)]
        {
            assert_eq!(duration(text), Some(Duration::from_secs(secs)), "{text}");
        }
        for text in ["", "8", "8 hours", "h", "-1h", "0s", "1h-", "1e9s", "infs", "1..2h", "9999999d", "8H", "1h 30"] {
            assert_eq!(duration(text), None, "{text}");
        }
    }

    #[test]
    fn memory() {
        for (text, mb) in
            [("512M", 512), ("100G", 102_400), ("1.5T", 1_572_864), ("2GiB", 2_048), ("2gb", 2_048), ("2048k", 2)]
        {
            assert_eq!(memory_mb(text), Some(mb), "{text}");
        }
        for text in ["", "100", "G", "0G", "-1G", "1P", "100 GG", "1023K", "9999999T", "nanG"] {
            assert_eq!(memory_mb(text), None, "{text}");
        }
    }

    #[test]
    fn port_ranges() {
        assert_eq!((ports("7800-7899"), ports("7800")), (Some((7_800, 7_899)), Some((7_800, 7_800))));
        for text in ["", "0", "7899-7800", "7800-", "65536", "a-b"] {
            assert_eq!(ports(text), None, "{text}");
        }
    }

    #[test]
    fn variables_in_paths() {
        let variables = [("HOME", "/home/me"), ("SCRATCH", "/scratch/$me"), ("EMPTY", "")];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let expand = |text: &str| expand(text, &variables);
        assert_eq!(expand("$SCRATCH/redqueen"), Ok("/scratch/$me/redqueen".into()), "a value is not read again");
        assert_eq!(expand("${SCRATCH}x/~/$$1"), Ok("/scratch/$mex/~/$1".into()));
        assert_eq!((expand("~"), expand("~/a")), (Ok("/home/me".into()), Ok("/home/me/a".into())));
        assert_eq!(expand("~you/a"), Ok("~you/a".into()));
        for text in ["$NOSUCH/a", "$EMPTY", "$", "${SCRATCH", "a$/b", "${}"] {
            assert!(expand(text).is_err(), "{text}");
        }
    }
}
