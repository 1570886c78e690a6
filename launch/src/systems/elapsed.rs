//! Times that commands print: `[[DAYS-]HOURS:]MINUTES:SECONDS`.

/// Seconds of such a time; `None` if it is none.
pub(super) fn seconds(text: &str) -> Option<f64> {
    let (days, clock) = match text.split_once('-') {
        Some((days, clock)) => (days.parse().ok()?, clock),
        None => (0, text),
    };
    let parts: Vec<u32> = clock.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let [hours, minutes, seconds] = match parts.as_slice() {
        [minutes, seconds] => [0, *minutes, *seconds],
        [hours, minutes, seconds] => [*hours, *minutes, *seconds],
        _ => return None,
    };
    let days: u32 = days;
    Some(f64::from(days) * 86_400.0 + f64::from(hours) * 3_600.0 + f64::from(minutes) * 60.0 + f64::from(seconds))
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn times_of_ps_squeue_and_qstat() {
        for (text, secs) in
            [("0:03", 3.0), ("00:03", 3.0), ("1:02:03", 3_723.0), ("2-01:00:01", 176_401.0), ("100:00:00", 360_000.0)]
        {
            assert_eq!(seconds(text), Some(secs), "{text}");
        }
        for text in ["", "INVALID", "N/A", "3", "1-2", "1:2:3:4", "-1:00", "1:-2", "1 day"] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }
}
