//! What must hold at every step, seen from the world and not from the core.

use std::collections::{BTreeMap, VecDeque};

use launch::{
    core::{Act, Ended, Outcome, Seen, View},
    systems::{JobState, RefusalClass},
};

use crate::{
    batch::Batch,
    runs::Runs,
    scenario::{Fate, Scenario},
};

/// A job in doubt must be lacked by two readable answers that are this many seconds apart.
const DOUBT_SECS: f64 = 60.0;

#[derive(Debug, Default)]
pub(crate) struct Checks {
    /// Submissions of which the core cannot know whether they exist, with when a readable answer first lacked them.
    doubts: BTreeMap<String, Option<f64>>,
    pub(crate) doubted: u64,
    pub(crate) submitted: u64,
    pub(crate) stopped: bool,
    asked: VecDeque<f64>,
    queries: VecDeque<f64>,
    count: u64,
    lost_journal: bool,
    ended: bool,
    /// When the coordinator last said something.
    told: f64,
}

impl Checks {
    pub(crate) fn queries(&self) -> u64 {
        self.count
    }

    /// Before the core is told something.
    pub(crate) fn told(&mut self, now: f64, seen: &Seen) {
        match seen {
            Seen::Fleet { members, demand } => {
                self.told = now;
                self.ended = demand.ended;
                self.doubts.retain(|name, _| !members.iter().any(|member| member.allocation == *name));
            }
            Seen::Queue(Ok(listed)) => {
                let listed = |name: &str| listed.iter().any(|q| q.name == name && q.state != JobState::Ended);
                self.doubts.retain(|name, absent| {
                    let since = *absent.get_or_insert(now);
                    !listed(name) && now - since < DOUBT_SECS
                });
            }
            Seen::Submitted { name, answer } => {
                let doubtful = answer.as_ref().is_err_and(|refusal| refusal.class == RefusalClass::Doubtful);
                if doubtful && self.doubts.contains_key(name) {
                    self.doubted += 1;
                } else if !doubtful {
                    self.doubts.remove(name);
                }
            }
            _ => {}
        }
    }

    /// The launcher died: of what it had asked for it knows nothing.
    pub(crate) fn died(&mut self, fate: Fate) {
        self.queries.clear();
        self.asked.clear();
        if fate == Fate::Lost {
            self.doubts.clear();
            self.lost_journal = true;
        }
    }

    pub(crate) fn act(&mut self, now: f64, act: &Act, scenario: &Scenario, batch: &Batch) {
        match act {
            Act::Submit { name, walltime, .. } => {
                assert!(self.doubts.is_empty(), "{name} is asked for while in doubt: {:?}", self.doubts);
                assert!(!self.stopped && !self.ended, "{name} is asked for at the end");
                assert!(*walltime <= scenario.policy.walltime && walltime.as_secs().is_multiple_of(60), "{walltime:?}");
                self.doubts.insert(name.clone(), None);
                self.submitted += 1;
                self.asked.push_back(now);
                while self.asked.front().is_some_and(|at| now - at >= 600.0) {
                    self.asked.pop_front();
                }
                let most = 11 * scenario.policy.waiting.max(scenario.policy.min).max(1) as usize;
                assert!(self.asked.len() <= most, "{} submissions in ten minutes", self.asked.len());
            }
            Act::Query => {
                self.count += 1;
                self.queries.push_back(now);
                while self.queries.front().is_some_and(|at| now - at >= 3_600.0) {
                    self.queries.pop_front();
                }
                // A launcher that is started each minute asks when it starts, and once more if an answer is late.
                let most = if scenario.once { 90 } else { 60 };
                assert!(self.queries.len() <= most, "{} queries in an hour", self.queries.len());
            }
            Act::Leave(names) if !self.stopped && !nearly_spent(now, scenario, batch) => {
                for name in names {
                    let workers = batch.live().filter(|job| job.name == *name).filter_map(|job| job.worker.as_ref());
                    let busy = workers.into_iter().any(|worker| worker.busy > 0.0 && !worker.draining);
                    // It may have become busy since the coordinator's last answer.
                    assert!(!busy || self.told < now, "{name} is busy and told to leave");
                }
            }
            Act::Cancel(ids) if !self.stopped && !self.ended && !nearly_spent(now, scenario, batch) => {
                for job in batch.live().filter(|job| ids.contains(&job.id)) {
                    let busy = job.worker.as_ref().is_some_and(|worker| worker.busy > 0.0);
                    // It may have joined since the coordinator's last answer.
                    assert!(!busy || now - job.joins_at < 600.0, "{} is busy and cancelled", job.name);
                }
            }
            _ => {}
        }
    }

    pub(crate) fn step(&self, now: f64, scenario: &Scenario, batch: &Batch) {
        let most = scenario.policy.max.min(scenario.policy.max_submit) as usize;
        let live = batch.live().count();
        assert!(live <= most, "{live} jobs exist and {most} may");
        if let Some(budget) = scenario.policy.budget.filter(|_| !self.lost_journal) {
            let allocated = batch.allocated(now, f64::from(scenario.policy.cpus));
            let beyond = tolerance(scenario, batch);
            assert!(allocated <= budget + beyond, "{allocated} core-seconds of {budget} and {beyond}");
        }
    }

    #[expect(clippy::too_many_arguments, reason = "all that is known at the end")]
    pub(crate) fn end(
        &self,
        ended: &Ended,
        view: &View,
        now: f64,
        allocated: f64,
        scenario: &Scenario,
        batch: &Batch,
        runs: &Runs,
    ) {
        let left: Vec<&str> = batch.live().map(|job| job.name.as_str()).collect();
        let confirmed = ended.unconfirmed.is_empty();
        assert!(left.is_empty() || !confirmed, "left in the queue: {left:?}");
        assert!(confirmed || scenario.blind.iter().any(|(from, until)| until - from > 1_500.0), "{ended:?}");
        match &ended.outcome {
            Outcome::Finished => assert!(runs.ended()),
            Outcome::Stopped => assert!(self.stopped),
            Outcome::Refused(text) => {
                assert_eq!(text, "invalid account");
                assert!(scenario.permanent.is_some_and(|from| now >= from));
            }
            Outcome::Budget => {
                let budget = scenario.policy.budget.expect("there is one");
                if scenario.accounts_are_known() {
                    let cpus = f64::from(scenario.policy.cpus);
                    let least = (2.0 * scenario.trial + 120.0).max(300.0) + 60.0;
                    let unsure = self.submitted as f64 * cpus * 120.0;
                    assert!(allocated + least * cpus + unsure >= budget, "{allocated} of {budget} core-seconds");
                }
            }
        }
        let costs = view.costs;
        assert!((costs.allocated() - view.allocated).abs() <= 1e-6 * view.allocated.max(1.0));
        let parts = [costs.useful, costs.start, costs.waiting, costs.lost, costs.away, costs.unseen];
        assert!(parts.iter().all(|part| *part >= -1e-6), "{costs:?}");
        if scenario.accounts_are_known() {
            // A job that begins or ends between two looks is counted until the next one.
            let unsure = f64::from(scenario.policy.cpus)
                * (60.0 + 6.0 * scenario.step)
                * (self.submitted as f64 + f64::from(batch.requeued))
                // Jobs that began and ended while the launcher was away.
                + scenario.down() * f64::from(scenario.policy.cpus) * f64::from(scenario.policy.max);
            let off = (view.allocated - allocated).abs();
            assert!(off <= unsure, "{} core-seconds in the ledger, {allocated} in truth", view.allocated);
        }
    }
}

/// Core-seconds by which the budget may be exceeded. A job that is put back into the queue begins anew with all of its
/// time, for which nothing was reserved; then workers leave or are cancelled as soon as that is seen.
fn tolerance(scenario: &Scenario, batch: &Batch) -> f64 {
    let cpus = f64::from(scenario.policy.cpus);
    let look = 60.0 + 6.0 * scenario.step;
    let windows = [&scenario.blind, &scenario.busy, &scenario.away, &scenario.frozen];
    let mut blind: f64 = windows.iter().flat_map(|all| all.iter()).map(|(from, until)| until - from).sum();
    blind += scenario.down();
    let requeued = f64::from(batch.requeued);
    let all = cpus * f64::from(scenario.policy.max);
    let restarted = if scenario.kills.is_empty() && !scenario.once { 0.0 } else { all * (600.0 + blind) };
    // If the queue does not say how long jobs have run, or not before they end, those that began while nothing was seen may have begun early.
    let shown = scenario.elapsed && scenario.blind.is_empty();
    let restarted = if shown { restarted } else { restarted + all * blind };
    if batch.requeued == 0 { cpus * look + restarted } else { all * (look + 180.0 + blind) + cpus * look * requeued }
}

/// Whether little of the budget is left, so that workers may be told to leave.
fn nearly_spent(now: f64, scenario: &Scenario, batch: &Batch) -> bool {
    let Some(budget) = scenario.policy.budget else { return false };
    // Without the queue's word a jump of the wall clock looks like time that passed while the launcher was away.
    if !scenario.jumps.is_empty() && !scenario.kills.is_empty() && !scenario.elapsed {
        return true;
    }
    let cpus = f64::from(scenario.policy.cpus);
    let lead = 120.0 + 2.0 * scenario.trial + 120.0 + 12.0 * scenario.step;
    let jobs = batch.jobs.len() as f64;
    batch.allocated(now, cpus) + lead * cpus * (f64::from(scenario.policy.max) + jobs) >= budget
}
