//! How far a run is: a bar on a terminal, lines otherwise.

use std::{
    io::{IsTerminal as _, stderr},
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressStyle};
use redqueen_wire::RunStatus;

use crate::output::{span, thousands};

/// Pause between two lines.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Shows a run's status as it changes, on stderr.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    last_line: Option<Instant>,
    last_note: String,
    last_headline: Option<String>,
    /// Whether to say why nothing moves. A run in one process explains itself.
    notes: bool,
}

impl Progress {
    pub(crate) fn new(notes: bool) -> Self {
        let bar = stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(1);
            let style = ProgressStyle::with_template("{prefix} {wide_bar:.cyan/blue} {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar
        });
        Progress { bar, last_line: None, last_note: String::new(), last_headline: None, notes }
    }

    pub(crate) fn show(&mut self, status: &RunStatus) {
        self.show_headline(&status.headline);
        let done = status.stored + status.quarantined;
        let mut left =
            if status.seconds_left >= 0.0 { format!(", {} left", span(status.seconds_left)) } else { String::new() };
        // A stage is seldom the whole run.
        if status.seconds_left_in_all > status.seconds_left + 0.5 {
            left.push_str(&format!(", about {} in all", span(status.seconds_left_in_all)));
        }
        let rate = if status.rate > 0.0 { format!(", {:.0}/s", status.rate) } else { String::new() };
        let text = format!("{}/{}{rate}{left}", thousands(done), thousands(status.trials));
        if let Some(bar) = &self.bar {
            bar.set_length(status.trials);
            bar.set_position(done);
            bar.set_prefix(status.stage_name.clone());
            bar.set_message(text);
            return;
        }
        let noted = self.notes && !status.note.is_empty() && status.note != self.last_note;
        if done == 0 && !noted {
            return;
        }
        let due = self.last_line.is_none_or(|at| at.elapsed() >= LINE_EVERY);
        if due || noted || done == status.trials {
            self.last_line = Some(Instant::now());
            self.last_note.clone_from(&status.note);
            let note = if !noted { String::new() } else { format!(" ({})", status.note) };
            eprintln!("{}: {text}{note}", status.stage_name);
        }
    }

    /// Says what the stage that was closed last came to, once.
    fn show_headline(&mut self, headline: &str) {
        let known = self.last_headline.replace(headline.to_owned());
        // A run that is taken up again said it before.
        if headline.is_empty() || known.is_none_or(|known| known == headline) {
            return;
        }
        match &self.bar {
            Some(bar) => bar.println(headline),
            None => eprintln!("{headline}"),
        }
    }

    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
