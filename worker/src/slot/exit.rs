//! The last words of a process, and how its end is put for people.

use std::{collections::VecDeque, os::unix::process::ExitStatusExt as _, process::ExitStatus};

use signal_hook::{consts, low_level::signal_name};

/// Bytes of stderr that are kept.
const KEPT: usize = 4_096;

/// The end of what a process wrote to stderr.
#[derive(Default)]
pub(super) struct Words(VecDeque<u8>);

impl Words {
    pub(super) fn hear(&mut self, bytes: &[u8]) {
        self.0.extend(bytes);
        self.0.drain(..self.0.len().saturating_sub(KEPT));
    }

    /// Behind `told`, if there are any.
    pub(super) fn behind(&self, told: &str) -> String {
        let (head, tail) = self.0.as_slices();
        let text = String::from_utf8_lossy(&[head, tail].concat()).trim().to_owned();
        if text.is_empty() { told.to_owned() } else { format!("{told}: {text}") }
    }
}

/// How a process ended.
pub(super) fn manner(status: Option<ExitStatus>) -> String {
    let Some(status) = status else { return "its process was killed and is not gone yet".to_owned() };
    match (status.signal(), status.code()) {
        (Some(consts::SIGKILL), _) => {
            "its process ended with signal 9 (SIGKILL), from outside or because memory ran out".to_owned()
        }
        (Some(signal), _) => match signal_name(signal) {
            Some(name) => format!("its process ended with signal {signal} ({name})"),
            None => format!("its process ended with signal {signal}"),
        },
        (None, code) => format!("its process ended with exit code {}", code.unwrap_or_default()),
    }
}

/// Whether what ended a process may have come from outside, with no fault of the trial that ran.
pub(super) fn from_outside(status: Option<ExitStatus>) -> bool {
    status.and_then(|status| status.signal()) == Some(consts::SIGKILL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_long_talk_is_kept() {
        let mut words = Words::default();
        assert_eq!(words.behind("it ended"), "it ended");
        words.hear(&[b'x'; 3 * KEPT]);
        words.hear("\nthe end \u{1f600}\n".as_bytes());
        let text = words.behind("it ended");
        assert!(text.starts_with("it ended: xxx") && text.ends_with("x\nthe end \u{1f600}"), "{text}");
        assert!(text.len() < KEPT + 20);
    }

    #[test]
    fn ends_are_told_apart() {
        let aborted = Some(ExitStatus::from_raw(6));
        assert_eq!(manner(aborted), "its process ended with signal 6 (SIGABRT)");
        assert_eq!(manner(Some(ExitStatus::from_raw(3 << 8))), "its process ended with exit code 3");
        assert!(!from_outside(aborted) && from_outside(Some(ExitStatus::from_raw(9))) && !from_outside(None));
    }
}
