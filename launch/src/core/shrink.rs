//! Fewer jobs: which wait in vain, and which workers may leave.

use std::collections::VecDeque;

use super::{Act, Core, Entry, Job, Phase, Stopping};
use crate::job::JobId;

/// Only what was not wanted for this many seconds goes, and nothing within this time after a submission.
const HYSTERESIS_SECS: f64 = 300.0;
/// Wait before a job is cancelled, or a worker told to leave, once more.
const AGAIN_SECS: f64 = 120.0;
/// A worker may leave after this many seconds without work if little is left.
const TAIL_SECS: f64 = 20.0;
/// Little is left if it keeps the fleet busy for less than this, in seconds.
const LITTLE_SECS: f64 = 600.0;
/// Time before the budget is used up at which workers are told to leave; two trials are added.
const BUDGET_SECS: f64 = 120.0;

/// The most jobs that were wanted within a time.
#[derive(Debug, Default)]
pub(super) struct Peak(VecDeque<(f64, u32)>);

impl Peak {
    pub(super) fn add(&mut self, now: f64, wanted: u32) {
        while self.0.back().is_some_and(|&(_, earlier)| earlier <= wanted) {
            self.0.pop_back();
        }
        self.0.push_back((now, wanted));
        while self.0.len() > 1 && self.0.front().is_some_and(|&(at, _)| now - at > HYSTERESIS_SECS) {
            self.0.pop_front();
        }
    }

    fn most(&self) -> Option<u32> {
        self.0.front().map(|&(_, wanted)| wanted)
    }
}

impl Core {
    pub(super) fn take_stop(&mut self, now: bool) {
        self.stop = match (now, self.stop) {
            (true, _) | (_, Some(Stopping::Now)) => Some(Stopping::Now),
            (false, _) => Some(Stopping::Drain),
        };
    }

    pub(super) fn take_cancelled(&mut self, ids: &[JobId], ok: bool) {
        if ok {
            return;
        }
        // It is tried again after a minute, not after two.
        let again = self.now - AGAIN_SECS / 2.0;
        for job in self.jobs.values_mut().filter(|job| job.id.as_ref().is_some_and(|id| ids.contains(id))) {
            if job.cancelled.is_some() {
                job.cancelled = Some(again);
            }
        }
    }

    pub(super) fn shrink(&mut self, acts: &mut Vec<Act>) {
        self.cancel_again(acts);
        self.keep_budget(acts);
        match (self.stop, self.closing) {
            (Some(Stopping::Now), _) => self.cancel_where(|_| true, "stopped", acts),
            (Some(Stopping::Drain), _) => {
                self.cancel_where(|job| job.joined.is_none(), "stopped", acts);
                self.leave_where(|_| true, "stopped", acts);
            }
            (None, Some(since)) => {
                let late = self.now - since > LITTLE_SECS;
                let unneeded = |job: &Job| job.joined.is_none() || late && job.idle;
                self.cancel_where(unneeded, "all runs have ended", acts);
                self.leave_where(|job| job.idle, "all runs have ended", acts);
            }
            (None, None) => self.shrink_to_demand(acts),
        }
    }

    fn shrink_to_demand(&mut self, acts: &mut Vec<Act>) {
        if self.away.is_some() || self.fleet_at != Some(self.now) {
            return;
        }
        // What was wanted before is unknown to a launcher that has just started.
        let Some(peak) = self.peak.most().filter(|_| self.now - self.started >= HYSTERESIS_SECS) else { return };
        let mut over = self.have().saturating_sub(peak) as usize;
        if over == 0 || self.asking.last.is_some_and(|at| self.now - at < HYSTERESIS_SECS) {
            return;
        }
        let mut waiting: Vec<&Job> =
            self.staying().filter(|job| job.phase == Phase::Waiting && job.id.is_some()).collect();
        waiting.sort_by(|a, b| b.asked.total_cmp(&a.asked).then_with(|| b.name.cmp(&a.name)));
        let names: Vec<String> = waiting.iter().take(over).map(|job| job.name.clone()).collect();
        over -= names.len();
        self.cancel(&names, "not needed any more", acts);
        let joined: f64 = self.staying().filter_map(|job| job.present).map(|p| f64::from(p.threads)).sum();
        let left = self.demand.and_then(|demand| demand.left);
        let little = left.is_some_and(|left| left < LITTLE_SECS * (joined + self.others));
        // At the barrier of a stage workers wait for work that comes.
        let patience = if little { TAIL_SECS } else { self.policy.idle.as_secs_f64() };
        let mut idle: Vec<(f64, String)> = self
            .staying()
            .filter_map(|job| Some((job.present?.idle_secs?, job.name.clone())))
            .filter(|(secs, _)| *secs >= patience)
            .collect();
        idle.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        let names: Vec<String> = idle.into_iter().take(over).map(|(_, name)| name).collect();
        self.leave(names, "no work for them", acts);
    }

    /// Takes back what the budget does not allow: jobs that began anew may take more than was reserved for them.
    fn keep_budget(&mut self, acts: &mut Vec<Act>) {
        // After a restart the queue says how long jobs have run; the wall clock may have jumped.
        let Some(budget) = self.policy.budget.filter(|_| self.reading.read_at().is_some()) else { return };
        // Jobs that wait and were cancelled will not run.
        let kept = self.jobs.values().filter(|job| job.began.is_some() || job.cancelled.is_none());
        let mut over = self.used() + kept.map(|job| job.reserve(self.now)).sum::<f64>() - budget;
        if over <= 1.0 {
            return;
        }
        let mut waiting: Vec<&Job> =
            self.staying().filter(|job| job.phase == Phase::Waiting && job.id.is_some()).collect();
        waiting.sort_by(|a, b| b.asked.total_cmp(&a.asked).then_with(|| b.name.cmp(&a.name)));
        let mut names = Vec::new();
        for job in waiting {
            if over > 0.0 {
                over -= job.reserve(self.now);
                names.push(job.name.clone());
            }
        }
        self.cancel(&names, "the budget does not suffice", acts);
        let running: f64 = self.jobs.values().filter(|job| job.began.is_some()).map(Job::cores).sum();
        let rest = budget - self.used();
        let lead = BUDGET_SECS + 2.0 * self.trial().unwrap_or(0.0);
        if rest <= 0.0 {
            self.cancel_where(|_| true, "the budget is used up", acts);
        } else if over > 0.0 && rest < lead * running {
            self.leave_where(|_| true, "the budget is nearly used up", acts);
        }
    }

    fn cancel_where(&mut self, which: impl Fn(&Job) -> bool, why: &str, acts: &mut Vec<Act>) {
        let names: Vec<String> = self.jobs.values().filter(|job| which(job)).map(|job| job.name.clone()).collect();
        self.cancel(&names, why, acts);
    }

    /// Cancels jobs that were not cancelled before and whose ids are known.
    pub(super) fn cancel(&mut self, names: &[String], why: &str, acts: &mut Vec<Act>) {
        let now = self.now;
        let (mut gone, mut ids) = (Vec::new(), Vec::new());
        for name in names {
            if let Some(job) = self.jobs.get_mut(name)
                && let (Some(id), None) = (&job.id, job.cancelled)
            {
                ids.push(id.clone());
                gone.push(name.clone());
                job.cancelled = Some(now);
            }
        }
        if !ids.is_empty() {
            self.note(acts, Entry::Cancelling { names: gone, why: why.to_owned() });
            acts.push(Act::Cancel(ids));
        }
    }

    fn cancel_again(&mut self, acts: &mut Vec<Act>) {
        let now = self.now;
        let again = self.jobs.values_mut().filter(|job| job.cancelled.is_some_and(|at| now - at >= AGAIN_SECS));
        let ids: Vec<JobId> = again
            .filter_map(|job| {
                job.cancelled = Some(now);
                job.id.clone()
            })
            .collect();
        if !ids.is_empty() {
            acts.push(Act::Cancel(ids));
        }
    }

    fn leave_where(&mut self, which: impl Fn(&Job) -> bool, why: &str, acts: &mut Vec<Act>) {
        let names = self.jobs.values().filter(|job| which(job)).map(|job| job.name.clone()).collect();
        self.leave(names, why, acts);
    }

    /// Tells workers to leave that are connected and were not told so lately.
    fn leave(&mut self, names: Vec<String>, why: &str, acts: &mut Vec<Act>) {
        let now = self.now;
        if self.away.is_some() {
            return;
        }
        let (mut told, mut first) = (Vec::new(), Vec::new());
        for name in names {
            if let Some(job) = self.jobs.get_mut(&name)
                && job.present.is_some()
                && job.leaving.is_none_or(|at| now - at >= AGAIN_SECS)
            {
                if job.leaving.is_none() {
                    first.push(name.clone());
                }
                job.leaving = Some(now);
                told.push(name);
            }
        }
        if !first.is_empty() {
            self.note(acts, Entry::Leaving { names: first, why: why.to_owned() });
        }
        if !told.is_empty() {
            acts.push(Act::Leave(told));
        }
    }
}
