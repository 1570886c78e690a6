//! Progress of a run: a bar on a terminal, lines elsewhere.

mod screen;

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use redqueen_wire::RunStatus;

use crate::output::{plain::plain, span, stderr, thousands};
use screen::Screen;

/// Time between two lines.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// The bar is drawn at most this often a second.
const DRAWINGS: u8 = 20;

/// Shows a run's status as it changes, on stderr.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    last_line: Option<Instant>,
    last_headline: Option<String>,
    obstacle: Obstacle,
}

/// What is in the run's way, so that nothing moves or less than could.
struct Obstacle {
    /// How long an obstacle must last before it is named; at the start of a run and the end of a stage it is normal.
    patience: Duration,
    /// The present obstacle without its numbers, which may change every second; since when, and whether it was named.
    now: String,
    since: Instant,
    said: bool,
}

impl Obstacle {
    /// What to report now.
    fn look(&mut self, obstacle: &str) -> Option<Said> {
        let kind: String = obstacle.chars().filter(|c| !c.is_ascii_digit()).collect();
        if kind != self.now {
            let over = self.said && kind.is_empty();
            (self.now, self.since, self.said) = (kind, Instant::now(), false);
            if over {
                return Some(Said::Over);
            }
        }
        if self.said || obstacle.is_empty() || self.since.elapsed() < self.patience {
            return None;
        }
        self.said = true;
        Some(Said::New)
    }
}

/// News of an obstacle.
#[derive(PartialEq)]
enum Said {
    New,
    Over,
}

impl Progress {
    /// Obstacles are named when they have lasted for `patience`.
    pub(crate) fn new(patience: Duration) -> Self {
        let bar = stderr::is_lively().then(|| {
            let screen = ProgressDrawTarget::term_like_with_hz(Box::<Screen>::default(), DRAWINGS);
            let bar = ProgressBar::with_draw_target(Some(1), screen);
            let style = ProgressStyle::with_template("{prefix} {wide_bar:.cyan/blue} {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar
        });
        let obstacle = Obstacle { patience, now: String::new(), since: Instant::now(), said: false };
        Progress { bar, last_line: None, last_headline: None, obstacle }
    }

    pub(crate) fn show(&mut self, status: &RunStatus) {
        self.show_headline(&status.headline);
        let done = status.stored + status.quarantined;
        let mut left =
            if status.seconds_left >= 0.0 { format!(", {} left", span(status.seconds_left)) } else { String::new() };
        // Most runs have further stages.
        if status.seconds_left_in_all > status.seconds_left + 0.5 {
            left.push_str(&format!(", about {} in all", span(status.seconds_left_in_all)));
        }
        // Long trials are less than one a second; the time left tells more then.
        let rate = if status.rate >= 0.5 { format!(", {:.0}/s", status.rate) } else { String::new() };
        let text = format!("{}/{}{rate}{left}", thousands(done), thousands(status.trials));
        let said = self.obstacle.look(&status.obstacle);
        if let Some(bar) = &self.bar {
            bar.set_length(status.trials);
            bar.set_position(done);
            bar.set_prefix(plain(&status.stage_name));
            bar.set_message(text);
            match said {
                Some(Said::New) => bar.println(plain(&status.obstacle)),
                Some(Said::Over) => bar.println("it goes on"),
                None => {}
            }
            return;
        }
        // Before any trial is stored and no time is known there is nothing to show.
        let unknown = done == 0 && status.seconds_left_in_all <= 0.0;
        if unknown && said.is_none() && !self.obstacle.said {
            return;
        }
        let due = self.last_line.is_none_or(|at| at.elapsed() >= LINE_EVERY);
        if due || said.is_some() || done == status.trials {
            self.last_line = Some(Instant::now());
            let note = match said {
                Some(Said::Over) => " (it goes on)".to_owned(),
                _ if self.obstacle.said => format!(" ({})", status.obstacle),
                _ => String::new(),
            };
            stderr::say(&format!("{}: {text}{note}", status.stage_name));
        }
    }

    /// Prints the headline of the stage that was closed last, once.
    fn show_headline(&mut self, headline: &str) {
        let known = self.last_headline.replace(headline.to_owned());
        // A resumed run printed it in its earlier session.
        if headline.is_empty() || known.is_none_or(|known| known == headline) {
            return;
        }
        match &self.bar {
            Some(bar) => bar.println(plain(headline)),
            None => stderr::say(headline),
        }
    }

    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
