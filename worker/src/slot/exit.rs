//! How a process ended, and the end of what it wrote to stderr.

use std::{collections::VecDeque, os::unix::process::ExitStatusExt as _, process::ExitStatus, sync::Arc};

use signal_hook::{consts, low_level::signal_name};

use crate::{job::Job, progress::Running};

/// Bytes of stderr that are kept.
const KEPT: usize = 4_096;

/// The end of what a process wrote to stderr.
#[derive(Default)]
pub(super) struct StderrTail(VecDeque<u8>);

impl StderrTail {
    /// Adds what was read.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.0.extend(bytes);
        self.0.drain(..self.0.len().saturating_sub(KEPT));
    }

    /// The tail, without blanks around it.
    pub(super) fn text(&self) -> String {
        let (head, tail) = self.0.as_slices();
        String::from_utf8_lossy(&[head, tail].concat()).trim().to_owned()
    }

    /// `text`, followed by the tail unless that is blank.
    pub(super) fn append_to(&self, text: &str) -> String {
        followed_by(text, &self.text())
    }
}

/// `text` and what was written to stderr, if anything was.
pub(super) fn followed_by(text: &str, stderr: &str) -> String {
    if stderr.is_empty() { text.to_owned() } else { format!("{text}: {stderr}") }
}

/// What is known of a process that has ended.
pub(super) struct Exit {
    /// How it ended, if the kernel said so in time.
    pub(super) status: Option<ExitStatus>,
    /// The trial that ran, and its stage.
    pub(super) running: Option<(Arc<Job>, Running)>,
    /// The end of what it wrote to stderr.
    pub(super) stderr: StderrTail,
}

/// How a process ended, for people.
pub(super) fn describe_exit(status: Option<ExitStatus>) -> String {
    let Some(status) = status else { return "its process was killed and has not ended yet".to_owned() };
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

/// Whether a process may have been killed from outside, through no fault of the trial that ran.
pub(super) fn may_be_from_outside(status: Option<ExitStatus>) -> bool {
    status.and_then(|status| status.signal()) == Some(consts::SIGKILL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_long_text_is_kept() {
        let mut stderr = StderrTail::default();
        assert_eq!(stderr.append_to("it ended"), "it ended");
        stderr.push(&[b'x'; 3 * KEPT]);
        stderr.push("\nthe end \u{1f600}\n".as_bytes());
        let text = stderr.append_to("it ended");
        assert!(text.starts_with("it ended: xxx") && text.ends_with("x\nthe end \u{1f600}"), "{text}");
        assert!(text.len() < KEPT + 20);
    }

    #[test]
    fn exits_are_described() {
        let aborted = Some(ExitStatus::from_raw(6));
        assert_eq!(describe_exit(aborted), "its process ended with signal 6 (SIGABRT)");
        assert_eq!(describe_exit(Some(ExitStatus::from_raw(3 << 8))), "its process ended with exit code 3");
        assert!(
            !may_be_from_outside(aborted)
                && may_be_from_outside(Some(ExitStatus::from_raw(9)))
                && !may_be_from_outside(None)
        );
    }
}
