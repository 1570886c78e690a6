//! Handling replies of the writer thread.

use super::{encode::forget, state::State};
use crate::{
    core::{Input, RunState},
    ids::{RunId, StageKey},
    store::Reply,
};

impl State {
    /// Handles a reply of the writer thread.
    pub(super) fn reply(&mut self, reply: Reply) {
        match reply {
            Reply::Closed { run, headline, next } => {
                if !headline.is_empty() {
                    tracing::info!(run = %run, "{headline}");
                }
                if let Some(info) = self.runs.get_mut(&run) {
                    info.headline = headline;
                }
                let next = next.map(|(view, opened)| {
                    if let Some(info) = self.runs.get_mut(&run) {
                        info.opened = *opened;
                    }
                    view
                });
                if let Err(state) = next {
                    tracing::info!(run = %run, state = state.name(), "run ended");
                }
                let goes_on = next.is_ok();
                self.event(Input::StageClosed { run, next });
                if goes_on {
                    self.expect(run);
                }
                self.report();
            }
            Reply::Wrote { rows, duration } => self.metrics.commit(duration, rows),
            Reply::Committed { ticket, repeats } => {
                repeats.iter().filter(|repeat| !repeat.equal).for_each(|_| self.metrics.alarm());
                self.event(Input::Committed { ticket, repeats });
            }
            Reply::Retracted { stage, trials } => self.event(Input::Retracted { stage, trials }),
            Reply::Trouble { run, message } => {
                self.event(Input::StoreTrouble { run, why: message });
                self.report();
            }
            Reply::Recovered { run } => {
                self.event(Input::StoreRecovered(run));
                self.report();
            }
            Reply::Reopened { run, open, opened, headline } => {
                self.renew(run, opened.stage.index);
                if let Some(info) = self.runs.get_mut(&run) {
                    (info.opened, info.headline, info.stuck) = (*opened, headline, None);
                }
                self.event(Input::RunReopened(open));
                self.expect(run);
                self.report();
            }
            Reply::Changed { run, experiment, open, opened } => {
                self.renew(run, 0);
                if let Some(info) = self.runs.get_mut(&run) {
                    info.name = experiment.name().to_owned();
                    info.resolved = experiment.to_resolved_toml();
                    info.trial_timeout = experiment.trial_timeout();
                    info.opened = *opened;
                }
                self.event(Input::RunReopened(open));
                self.expect(run);
                self.report();
            }
            Reply::Released { run } => {
                self.runs.remove(&run);
                self.event(Input::RunLeft(run));
                self.report();
            }
            // A coordinator cannot do its work without the writer thread, so it ends with the same panic.
            Reply::Panicked(panic) => std::panic::resume_unwind(panic),
            Reply::Stuck { run, why } => {
                if let Some(info) = self.runs.get_mut(&run) {
                    info.stuck = Some(why);
                }
                self.event(Input::StageClosed { run, next: Err(RunState::Failed) });
                self.report();
            }
        }
    }

    /// Tells the core the expected costs of the open stage of a run.
    pub(super) fn expect(&mut self, run: RunId) {
        let Some(info) = self.runs.get(&run) else { return };
        let Some((experiment, speeds)) = &info.measured else { return };
        let costs = experiment.costs(&info.opened.stage, speeds);
        self.event(Input::Expected { run, costs });
    }

    /// Makes every worker request the plans of a run again, from stage `first` on, before any of it is leased.
    pub(super) fn renew(&mut self, run: RunId, first: u32) {
        if let Some(info) = self.runs.get_mut(&run) {
            info.renewed = Some(info.renewed.map_or(first, |stage| stage.min(first)));
        }
        for &session in self.outbound.keys() {
            self.tell(session, forget(StageKey { run, stage: first }));
        }
    }
}
