//! How things are said: states, shares, what stands in the way.

pub(crate) use crate::html::count;

/// State of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Trials are given out.
    Running,
    /// Nothing is given out.
    Paused,
    /// It is done.
    Finished,
    /// It is done, and trials were given up.
    Failed,
    /// Ended by a person.
    Cancelled,
    /// It should run, and no process has it.
    Interrupted,
    /// Its files cannot be read.
    Unreadable,
}

impl State {
    /// Each.
    pub(crate) const ALL: [State; 7] = [
        State::Running,
        State::Paused,
        State::Finished,
        State::Failed,
        State::Cancelled,
        State::Interrupted,
        State::Unreadable,
    ];

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            State::Running => "running",
            State::Paused => "paused",
            State::Finished => "finished",
            State::Failed => "failed",
            State::Cancelled => "cancelled",
            State::Interrupted => "interrupted",
            State::Unreadable => "unreadable",
        }
    }

    /// The state of that name.
    pub(crate) fn named(name: &str) -> Self {
        State::ALL.into_iter().find(|state| state.name() == name).unwrap_or(State::Unreadable)
    }

    /// A sign that stands before its name, so that its colour says nothing alone.
    pub(crate) fn sign(self) -> &'static str {
        match self {
            State::Running => "▶",
            State::Paused => "‖",
            State::Finished => "✓",
            State::Failed => "!",
            State::Cancelled => "■",
            State::Interrupted => "╌",
            State::Unreadable => "✕",
        }
    }

    /// Whether nothing more happens to it.
    pub(crate) fn is_ended(self) -> bool {
        matches!(self, State::Finished | State::Failed | State::Cancelled)
    }
}

/// A part of a whole in percent, never 100 before it is all, nor 0 once it has begun.
pub(crate) fn percent(part: u64, of: u64) -> String {
    if of == 0 {
        return "–".to_owned();
    }
    let share = 100.0 * part as f64 / of as f64;
    match part {
        0 => "0 %".to_owned(),
        _ if part >= of => "100 %".to_owned(),
        _ if share < 1.0 => "< 1 %".to_owned(),
        _ => format!("{:.0} %", share.floor()),
    }
}

/// Results in a second.
pub(crate) fn rate(rate: f64) -> String {
    match rate {
        _ if rate <= 0.0 || !rate.is_finite() => "–".to_owned(),
        _ if rate < 10.0 => format!("{rate:.2}/s"),
        _ => format!("{}/s", crate::html::thousands(rate.round() as u64)),
    }
}

/// A time of an executor, of microseconds.
pub(crate) fn micros(us: u64) -> String {
    match us {
        0..1_000 => format!("{us} µs"),
        1_000..1_000_000 => format!("{:.1} ms", us as f64 / 1e3),
        _ => crate::html::span(us as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_say_no_more_than_is_so() {
        for (part, of, text) in [
            (0, 0, "–"),
            (0, 10, "0 %"),
            (1, 1_000, "< 1 %"),
            (999, 1_000, "99 %"),
            (1_000, 1_000, "100 %"),
            (630, 1_000, "63 %"),
        ] {
            assert_eq!(percent(part, of), text);
        }
    }

    #[test]
    fn numbers_have_their_units() {
        assert_eq!((rate(0.0), rate(3.456), rate(9_112.4)), ("–".into(), "3.46/s".into(), "9,112/s".into()));
        assert_eq!((micros(12), micros(1_500), micros(12_000_000)), ("12 µs".into(), "1.5 ms".into(), "12 s".into()));
    }
}
