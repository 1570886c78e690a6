//! What people see of a launch.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Core, Costs, Duration, Phase};
use crate::{job::JobId, journal::Ending};

/// A launch at one moment. Times are in seconds, costs in core-seconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct View {
    /// Jobs that the work that is left could use, within the limits.
    pub wanted: u32,
    /// Jobs whose worker is connected and stays.
    pub running: u32,
    /// Jobs that run without a connected worker.
    pub starting: Vec<Starting>,
    /// Jobs that wait in the queue, oldest first.
    pub waiting: Vec<Waiting>,
    /// Names of jobs of which it is unknown whether they exist.
    pub in_doubt: Vec<String>,
    /// Names of jobs that were cancelled or whose worker was told to leave.
    pub draining: Vec<String>,
    /// Jobs that have ended, by how.
    pub ended: BTreeMap<Ending, u32>,
    /// How often jobs were put back into the queue.
    pub requeued: u32,
    /// Core-seconds that all jobs were allocated.
    pub allocated: f64,
    /// What for; the sum is `allocated`.
    pub costs: Costs,
    /// What is left of the budget, if there is one.
    pub budget_left: Option<f64>,
    /// Why no jobs are asked for at present.
    pub paused: Option<String>,
    /// For how long the queue could not be read.
    pub unreadable: Option<f64>,
    /// For how long the coordinator has not answered.
    pub away: Option<f64>,
    /// How long jobs wait in the queue: the median, if one has started or waits.
    pub queue_delay: Option<f64>,
    /// Machines that are left out.
    pub excluded: Vec<String>,
    /// Seconds until the work should be done; negative if it should have been.
    pub finish_in: Option<f64>,
    /// No more jobs are asked for: all runs have ended, or a person stopped the launch.
    pub ending: bool,
    /// Core-seconds of work left, if known.
    pub left: Option<f64>,
}

/// A job that waits.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Waiting {
    /// Its name.
    pub name: String,
    /// The batch system's name for it.
    pub id: Option<JobId>,
    /// For how long.
    pub secs: f64,
    /// Why, in the batch system's words; empty if unknown.
    pub reason: String,
    /// When it is expected to start, in the batch system's words; empty if unknown.
    pub start: String,
}

/// A job that runs and whose worker is not connected.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Starting {
    /// Its name.
    pub name: String,
    /// The batch system's name for it, if known.
    pub id: Option<JobId>,
    /// Its machine; empty if unknown.
    pub host: String,
    /// For how long it has run.
    pub secs: f64,
}

impl Core {
    /// What all jobs have cost by time `now`.
    pub fn costs(&self, now: Duration) -> Costs {
        let now = now.as_secs_f64().max(self.now);
        let mut costs = *self.totals.costs();
        for job in self.jobs.values().filter(|job| job.began.is_some()) {
            let mut account = job.clone();
            if job.missing.is_none() {
                account.live(now, self.away.is_some());
            }
            costs.add(&account.account.costs());
        }
        costs
    }

    /// The launch at time `now`.
    pub fn view(&self, now: Duration) -> View {
        let costs = self.costs(now);
        let now = now.as_secs_f64().max(self.now);
        let in_phase = |phase: fn(&Phase) -> bool| self.staying().filter(move |job| phase(&job.phase));
        let mut waiting: Vec<&super::Job> = in_phase(|phase| *phase == Phase::Waiting).collect();
        waiting.sort_by(|a, b| a.asked.total_cmp(&b.asked));
        View {
            wanted: self.wanted(),
            running: self.count(|job| job.present.is_some()),
            starting: in_phase(|phase| *phase == Phase::Running)
                .filter(|job| job.present.is_none())
                .map(|job| Starting {
                    name: job.name.clone(),
                    id: job.id.clone(),
                    host: job.host.clone(),
                    secs: now - job.began.unwrap_or(now),
                })
                .collect(),
            waiting: waiting
                .into_iter()
                .map(|job| Waiting {
                    name: job.name.clone(),
                    id: job.id.clone(),
                    secs: now - job.asked,
                    reason: job.reason.clone(),
                    start: job.start.clone(),
                })
                .collect(),
            in_doubt: self.jobs.values().filter(|job| job.in_doubt()).map(|job| job.name.clone()).collect(),
            draining: self.jobs.values().filter(|job| job.going()).map(|job| job.name.clone()).collect(),
            ended: self.totals.ended().clone(),
            requeued: self.totals.requeued(),
            allocated: costs.allocated(),
            costs,
            budget_left: self.policy.budget.map(|budget| (budget - costs.allocated()).max(0.0)),
            paused: self.why_paused(),
            unreadable: self.reading.unreadable_since().map(|since| now - since),
            away: self.away.map(|since| now - since),
            queue_delay: self.totals.delay(self.waiting_ages()),
            excluded: self.suspects.excluded(),
            finish_in: self.finish_at.map(|at| at - now),
            ending: self.closing.is_some(),
            left: self.demand.and_then(|demand| demand.left),
        }
    }
}
