//! Runs that are opened, change their state, and close their stages.

use super::{Action, Core, Now, OpenRun, Quota, RunEvent, RunState, StageView, run::Run};
use crate::{
    ids::{RunId, StageKey},
    ranges::RangeSet,
};

impl Core {
    /// Adds a run.
    pub(super) fn open_run(&mut self, now: Now, open: OpenRun, actions: &mut Vec<Action>) {
        let id = open.run;
        if self.runs.contains_key(&id) {
            return;
        }
        for worker in &open.distrusted {
            let why = "it was seen before this coordinator started; `redqueen events` says when".to_owned();
            self.distrusted.entry(worker.clone()).or_insert(why);
        }
        self.order.push(id);
        self.runs.insert(id, Run::new(open));
        self.dismiss_distrusted(now, actions);
    }

    /// Replaces a run by what it is now.
    pub(super) fn reopen_run(&mut self, open: OpenRun, actions: &mut Vec<Action>) {
        let id = open.run;
        let Some(stage) = self.runs.get(&id).map(Run::key) else { return };
        self.forget(stage, actions);
        self.runs.insert(id, Run::new(open));
    }

    /// Notes which runs have not ended. Of the others, of which there may be thousands in the life of a coordinator, only
    /// what their status shows is kept.
    pub(super) fn list_open(&mut self) {
        self.open.clear();
        for id in &self.order {
            match self.runs.get_mut(id) {
                Some(run) if run.state.is_ended() => run.retire(),
                _ => self.open.push(*id),
            }
        }
    }

    /// Removes a run. Results that workers still deliver are acknowledged, as for a cancelled run.
    pub(super) fn leave_run(&mut self, id: RunId, actions: &mut Vec<Action>) {
        let Some(stage) = self.runs.get(&id).map(Run::key) else { return };
        self.forget(stage, actions);
        self.runs.remove(&id);
        self.order.retain(|run| *run != id);
    }

    /// Changes the state of a run that is in state `from`.
    pub(super) fn set_state(&mut self, id: RunId, from: RunState, to: RunState, actions: &mut Vec<Action>) {
        let Some(run) = self.runs.get_mut(&id).filter(|run| run.state == from && !run.closing) else { return };
        run.state = to;
        let stage = run.key();
        actions.push(Action::StoreState { run: id, state: to });
        if to == RunState::Running {
            run.pace.measure_anew();
        } else {
            self.forget(stage, actions);
        }
    }

    /// Gives a run that has not ended another priority or limit.
    pub(super) fn prioritize(&mut self, id: RunId, quota: Quota, actions: &mut Vec<Action>) {
        let run = self.runs.get_mut(&id).filter(|run| !run.state.is_ended());
        if let Some(run) = run.filter(|run| run.share.quota != quota) {
            run.share.quota = quota;
            actions.push(Action::StoreQuota { run: id, quota });
        }
    }

    /// Notes why the store cannot write a run, or that it can again.
    pub(super) fn trouble(&mut self, id: RunId, why: Option<String>) {
        if let Some(run) = self.runs.get_mut(&id) {
            run.trouble = why;
        }
    }

    /// Takes the trials of a stage from every session.
    pub(super) fn forget(&mut self, stage: StageKey, actions: &mut Vec<Action>) {
        let mut back = RangeSet::new();
        for id in self.sessions.ids() {
            let held = self.sessions.release_stage(id, stage);
            if !held.is_empty() {
                back.insert_all(&held);
                actions.push(Action::Forget { session: id, stage });
            }
        }
        if let Some(run) = self.runs.get_mut(&stage.run) {
            run.give_back(stage, &back, &RangeSet::new());
        }
    }

    /// Closes the stages whose trials are all stored or quarantined.
    pub(super) fn close_stages(&mut self, actions: &mut Vec<Action>) {
        for at in 0..self.open.len() {
            let id = self.open[at];
            let Some(run) = self.runs.get_mut(&id).filter(|run| run.is_complete()) else { continue };
            run.audits.drop_hopeless(|by| self.sessions.any_other_than(by));
            // Second results on their way to the store may still differ from the first.
            let key = run.key();
            if !run.audits.is_empty() || self.commits.values().any(|commit| commit.stage == key) {
                continue;
            }
            run.closing = true;
            let stage = run.key();
            if run.audits.skipped > 0 {
                let why = "no other worker was connected or could run them, or too many waited".to_owned();
                let event = RunEvent::AuditSkipped { stage: stage.stage, trials: run.audits.skipped, why };
                actions.push(Action::Event { run: id, event });
            }
            actions.push(Action::CloseStage(stage));
            self.forget(stage, actions);
        }
    }

    /// Enters the next stage of a run, or the state in which it ended.
    pub(super) fn stage_closed(&mut self, id: RunId, next: Result<StageView, RunState>) {
        if let Some(run) = self.runs.get_mut(&id) {
            match next {
                Ok(stage) => run.enter(stage),
                Err(state) => run.state = state,
            }
        }
        let runs = &self.runs;
        self.absences.forget(|stage| runs.get(&stage.run).is_some_and(|run| run.accepts(stage)));
    }
}
