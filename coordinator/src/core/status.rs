//! What a person wants to know of a run.

use std::time::Duration;

use super::{Core, Now, RunState};
use crate::ids::RunId;

/// A run as it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct RunView {
    /// Its id.
    pub run: RunId,
    /// Its state.
    pub state: RunState,
    /// Index of the open stage.
    pub stage: u32,
    /// For people.
    pub stage_name: String,
    /// Trials of the stage.
    pub trials: u64,
    /// Trials that later stages are expected to have.
    pub ahead: u64,
    /// Durable ones.
    pub stored: u64,
    /// In the hands of workers.
    pub leased: u64,
    /// Given up.
    pub quarantined: u64,
    /// Results a second over the last seconds; 0 if unknown.
    pub rate: f64,
    /// Connected workers and their threads.
    pub workers: u32,
    /// Executor threads of all connected workers.
    pub threads: u32,
    /// Why nothing moves; empty if it does.
    pub note: String,
}

impl RunView {
    /// Seconds left in the stage at the present rate, if that is known.
    pub fn seconds_left(&self) -> Option<f64> {
        let left = self.trials.saturating_sub(self.stored + self.quarantined) as f64;
        (self.rate > 0.0).then(|| left / self.rate)
    }

    /// Seconds left in the whole run at the present rate, if that is known and nothing ends it early.
    pub fn seconds_left_in_all(&self) -> Option<f64> {
        self.seconds_left().map(|left| left + self.ahead as f64 / self.rate)
    }
}

impl Core {
    /// Every run, in the order they were opened.
    pub fn views(&self, now: Now) -> Vec<RunView> {
        let workers = u32::try_from(self.sessions.len()).unwrap_or(u32::MAX);
        let threads = self.sessions.values().map(|s| s.worker.threads).fold(0, u32::saturating_add);
        let runs = self.order.iter().filter_map(|id| self.runs.get(id).map(|run| (*id, run)));
        runs.map(|(id, run)| {
            let held = |s: &super::session::Session| s.held.get(&run.key()).map_or(0, crate::ranges::RangeSet::len);
            RunView {
                run: id,
                state: run.state,
                stage: run.stage.index,
                stage_name: run.stage.name.clone(),
                trials: run.stage.trials,
                ahead: run.stage.ahead,
                stored: run.stored.len(),
                leased: self.sessions.values().map(held).sum(),
                quarantined: run.quarantined.len(),
                rate: run.pace.rate(now),
                workers,
                threads,
                note: self.note(run),
            }
        })
        .collect()
    }

    fn note(&self, run: &super::run::Run) -> String {
        match run.state {
            RunState::Paused => "paused; `redqueen resume` goes on".to_owned(),
            RunState::Running if self.sessions.is_empty() => {
                "no worker is connected; start one with `redqueen worker --coordinator URL`".to_owned()
            }
            RunState::Running if run.waiting() == 0 && !run.closing => self
                .sessions
                .values()
                .filter(|s| s.held.contains_key(&run.key()))
                .max_by_key(|s| s.oldest)
                .filter(|s| s.oldest > Duration::from_secs(10))
                .map(|s| {
                    format!(
                        "the stage waits for worker `{}`; its oldest trial runs for {} s",
                        s.worker.name,
                        s.oldest.as_secs()
                    )
                })
                .unwrap_or_default(),
            _ => String::new(),
        }
    }
}
