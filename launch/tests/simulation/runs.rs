//! The work: stages with a barrier between them, each a pool of trials, and the workers that take them.

use launch::core::{Demand, Member};

use crate::{
    batch::Batch,
    scenario::{Scenario, within},
};

/// A worker without a coordinator leaves after this many seconds.
const ALONE_SECS: f64 = 900.0;

#[derive(Debug)]
pub(crate) struct Runs {
    /// Core-seconds left of each stage, the open one first.
    stages: Vec<f64>,
    done: f64,
    all: f64,
}

impl Runs {
    pub(crate) fn new(scenario: &Scenario) -> Self {
        Runs { stages: scenario.stages.clone(), done: 0.0, all: scenario.work() }
    }

    pub(crate) fn ended(&self) -> bool {
        self.stages.is_empty()
    }

    /// Trials of the open stage that are not done.
    fn width(&self, scenario: &Scenario) -> f64 {
        self.stages.first().map_or(0.0, |left| (left / scenario.trial).ceil())
    }

    /// Lets the workers run trials for `secs` until `now`.
    pub(crate) fn pass(&mut self, now: f64, secs: f64, scenario: &Scenario, batch: &mut Batch) {
        if let Some(open) = self.stages.first_mut() {
            *open += std::mem::take(&mut batch.lost);
        }
        let away = within(&scenario.away, now);
        let mut free = if away { 0.0 } else { self.width(scenario) };
        let mut did = free.min(f64::from(scenario.others)) * secs;
        free -= free.min(f64::from(scenario.others));
        let cpus = f64::from(scenario.policy.cpus);
        for job in batch.jobs.iter_mut().filter(|job| job.runs()) {
            let over = job.began + job.walltime;
            let Some(worker) = &mut job.worker else { continue };
            // A worker leaves in time: no trial is cut off by the end of its job.
            let lead = 60.0_f64.max(2.0 * scenario.trial);
            if now >= over - lead && !worker.draining {
                worker.draining = true;
            }
            if away {
                let since = *worker.alone_since.get_or_insert(now);
                if now - since >= ALONE_SECS {
                    worker.draining = true;
                }
            } else {
                worker.alone_since = None;
            }
            if worker.draining {
                if worker.leaves_at.is_none() {
                    // It finishes the trials that it runs.
                    worker.leaves_at = Some(now + if worker.busy > 0.0 { scenario.trial.min(lead) } else { 1.0 });
                }
                let left = if now < worker.leaves_at.unwrap_or(now) { worker.busy } else { 0.0 };
                did += left * secs;
                worker.useful += left * secs;
                continue;
            }
            worker.busy = free.min(cpus);
            free -= worker.busy;
            did += worker.busy * secs;
            worker.useful += worker.busy * secs;
            if worker.busy > 0.0 {
                worker.idle_since = None;
            } else if !away {
                let since = *worker.idle_since.get_or_insert(now);
                if now - since >= scenario.policy.idle.as_secs_f64() || self.stages.is_empty() {
                    worker.draining = true;
                }
            }
        }
        if let Some(open) = self.stages.first_mut() {
            self.done += did.min(*open);
            *open -= did;
            if *open <= 1e-9 {
                // The next stage begins with the next step: a barrier.
                self.stages.remove(0);
            }
        }
    }

    pub(crate) fn demand(&self, scenario: &Scenario) -> Demand {
        let left: f64 = self.stages.iter().sum();
        let known = self.done > 0.01 * self.all;
        Demand {
            left: known.then_some(left * scenario.estimate),
            width: self.width(scenario).min(1e6) as u32,
            ended: self.ended(),
            trial_secs: known.then_some(scenario.trial),
        }
    }

    /// The workers that the coordinator knows of.
    pub(crate) fn members(&self, now: f64, scenario: &Scenario, batch: &Batch) -> Vec<Member> {
        let member = |allocation: &str, restart, threads, idle_secs, useful_secs| Member {
            allocation: allocation.into(),
            restart,
            host: "somewhere".into(),
            threads,
            idle_secs,
            useful_secs,
        };
        let cpus = scenario.policy.cpus;
        let mut members: Vec<Member> = batch
            .jobs
            .iter()
            .filter(|job| job.runs())
            .filter_map(|job| {
                let worker = job.worker.as_ref()?;
                let idle = worker.idle_since.map(|since| now - since);
                let restart = if scenario.restarts { job.restarts } else { 0 };
                Some(member(&job.name, restart, cpus, idle, worker.useful))
            })
            .collect();
        members.extend(
            batch
                .ghosts
                .iter()
                .map(|(name, restart, _)| member(name, if scenario.restarts { *restart } else { 0 }, cpus, None, 1.0)),
        );
        if scenario.others > 0 {
            members.push(member("", 0, scenario.others, None, 1.0));
        }
        members
    }
}
