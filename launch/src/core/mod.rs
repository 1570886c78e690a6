//! How many jobs, when, and when they go: the deciding part of a launcher, without clock, process or file.
//!
//! [`Core::handle`] takes the present time and one [`Seen`] and appends the [`Act`]s that follow. Inputs form one sequence,
//! and the same sequence gives the same acts, so that a simulation can drive the core (tests/simulation).
//!
//! The time is that of a monotonic clock with an arbitrary start; wall clocks jump. The wall clock is asked once, when the
//! launcher starts, to know how old the lines of its journal are.
//!
//! Whatever the inputs, the core guarantees:
//! - never more jobs than allowed, where a job counts from before it is asked for until the queue no longer lists it, or
//!   until it was in doubt and two readable answers of the queue lacked it;
//! - one submission at a time, and none while another one is in doubt;
//! - a worker that is busy is told to leave only by a person or because the budget is used up;
//! - an answer of the queue that cannot be read says nothing: neither that jobs exist nor that they do not;
//! - at the end no job of the launch is left in the queue, or the core says which ones it could not confirm.

mod act;
mod asking;
mod end;
mod fleet;
mod jobs;
mod ledger;
mod policy;
mod queue;
mod restore;
pub mod scale;
mod seen;
mod shrink;
mod suspects;
mod totals;
mod view;

use std::{collections::BTreeMap, time::Duration};

pub use act::{Act, Ended, Outcome};
pub use ledger::Costs;
pub use policy::Policy;
pub use seen::{Demand, Member, Seen};
pub use view::{Starting, View, Waiting};

use crate::journal::{Entry, Record};
use asking::Asking;
use jobs::{Job, Jobs, Phase};
use queue::Reading;
use shrink::Peak;
use suspects::Suspects;
use totals::Totals;

/// Time between two entries of what open jobs cost, in seconds: what a restart of the launcher may lose.
const COSTS_SECS: f64 = 300.0;

/// The deciding part of a launcher.
#[derive(Debug)]
pub struct Core {
    policy: Policy,
    /// What names of jobs begin with.
    prefix: String,
    /// The latest time that was given, in seconds.
    now: f64,
    /// When the work should be done.
    finish_at: Option<f64>,
    jobs: Jobs,
    /// Names of jobs that ended not long ago, with when and how often they had begun anew: their workers may still be listed.
    ended: BTreeMap<String, (f64, u32)>,
    /// Number of the next job.
    next: u64,
    demand: Option<Demand>,
    /// Threads of workers that a person started.
    others: f64,
    /// When the coordinator answered last.
    fleet_at: Option<f64>,
    /// Since when the coordinator does not answer.
    away: Option<f64>,
    /// Since when this process runs.
    started: f64,
    /// Since when the coordinator answers without interruption.
    back: f64,
    reading: Reading,
    asking: Asking,
    peak: Peak,
    suspects: Suspects,
    totals: Totals,
    /// When costs were written last.
    costs_at: f64,
    stop: Option<Stopping>,
    /// Since when jobs are only to go.
    closing: Option<f64>,
    /// It was said that trials are longer than jobs.
    warned: bool,
    over: bool,
}

/// What a person asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stopping {
    Drain,
    Now,
}

impl Core {
    /// A core for the launch with these eight digits, which goes on from the lines of its journal. `wall` is the time in
    /// seconds since 1970-01-01 UTC, `now` the same moment on the clock of [`handle`](Core::handle). Appends the first acts.
    pub fn new(policy: Policy, launch: &str, past: &[Record], wall: u64, now: Duration, acts: &mut Vec<Act>) -> Self {
        let now = now.as_secs_f64();
        let mut core = Core {
            prefix: format!("rq-{launch}-"),
            now,
            finish_at: None,
            jobs: Jobs::new(),
            ended: BTreeMap::new(),
            next: 1,
            demand: None,
            others: 0.0,
            fleet_at: None,
            away: None,
            started: now,
            back: now,
            reading: Reading::default(),
            asking: Asking::default(),
            peak: Peak::default(),
            suspects: Suspects::default(),
            totals: Totals::default(),
            costs_at: now,
            stop: None,
            closing: None,
            warned: false,
            over: false,
            policy,
        };
        core.restore(past, wall, acts);
        core.query(acts);
        core
    }

    /// Handles one input at time `now` and appends the acts that follow from it. Time that goes back stands still.
    pub fn handle(&mut self, now: Duration, seen: Seen, acts: &mut Vec<Act>) {
        if self.over {
            return;
        }
        self.now = now.as_secs_f64().max(self.now);
        match seen {
            Seen::Fleet { demand, members } => self.take_fleet(demand, &members, acts),
            Seen::CoordinatorAway => self.lose_coordinator(acts),
            Seen::Queue(answer) => self.take_queue(answer, acts),
            Seen::Submitted { name, answer } => self.take_submitted(&name, answer, acts),
            Seen::Cancelled { ids, ok } => self.take_cancelled(&ids, ok),
            Seen::Stop { now } => self.take_stop(now),
            Seen::Tick => {}
        }
        self.decide(acts);
    }

    fn decide(&mut self, acts: &mut Vec<Act>) {
        self.give_up_waiting_for_answers();
        self.suspect(acts);
        self.warn_of_long_trials(acts);
        self.observe_end();
        self.shrink(acts);
        self.grow(acts);
        self.query(acts);
        self.write_costs(acts);
        self.forget_ended();
        self.end(acts);
    }

    fn write_costs(&mut self, acts: &mut Vec<Act>) {
        if self.now - self.costs_at < COSTS_SECS {
            return;
        }
        self.costs_at = self.now;
        let jobs = self.jobs.values().filter(|job| job.began.is_some());
        let jobs: BTreeMap<_, _> = jobs.map(|job| (job.name.clone(), job.account.costs())).collect();
        if !jobs.is_empty() {
            acts.push(Act::Note(Entry::Costs { jobs }));
        }
    }

    fn warn_of_long_trials(&mut self, acts: &mut Vec<Act>) {
        let Some(trial) = self.trial().filter(|_| !self.warned) else { return };
        let job = self.policy.walltime.as_secs_f64();
        if trial > job {
            self.warned = true;
            let text = format!("a trial of about {} does not fit into jobs of {}", time(trial), time(job));
            acts.push(Act::Note(Entry::Warning { text }));
        }
    }

    /// How long the longest trial takes, if known.
    fn trial(&self) -> Option<f64> {
        self.demand.and_then(|demand| demand.trial_secs).filter(|secs| secs.is_finite() && *secs >= 0.0)
    }

    /// Whether a name is that of a job of this launch.
    fn number(&self, name: &str) -> Option<u64> {
        name.strip_prefix(&self.prefix)?.parse().ok()
    }

    /// Jobs that will stay.
    fn staying(&self) -> impl Iterator<Item = &Job> {
        self.jobs.values().filter(|job| !job.going())
    }

    /// Core-seconds that the jobs have been allocated so far.
    fn used(&self) -> f64 {
        self.totals.costs().allocated() + self.jobs.values().map(|job| job.allocated(self.now)).sum::<f64>()
    }

    /// Core-seconds that are neither used nor reserved for the jobs that exist; negative if they may take too much.
    fn free(&self) -> Option<f64> {
        let reserved: f64 = self.jobs.values().map(|job| job.reserve(self.now)).sum();
        self.policy.budget.map(|budget| budget - self.used() - reserved)
    }

    fn forget_ended(&mut self) {
        let now = self.now;
        self.ended.retain(|_, (at, _)| now - *at < 600.0);
    }

    fn note(&self, acts: &mut Vec<Act>, entry: Entry) {
        acts.push(Act::Note(entry));
    }

    fn count(&self, phase: impl Fn(&Job) -> bool) -> u32 {
        self.staying().filter(|job| phase(job)).count() as u32
    }
}

/// A time for people.
fn time(secs: f64) -> String {
    match secs {
        s if s >= 5_400.0 => format!("{:.1} h", s / 3_600.0),
        s if s >= 90.0 => format!("{:.0} min", s / 60.0),
        s => format!("{s:.0} s"),
    }
}
