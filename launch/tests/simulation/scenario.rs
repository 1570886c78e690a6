//! What a seed stands for: work, machines, a batch system and what goes wrong.

use std::time::Duration;

use launch::core::Policy;

use crate::chance::Chance;

/// A time in which something does not work.
pub(crate) type Window = (f64, f64);

/// All that is drawn before a simulation begins. Times are in seconds.
#[derive(Clone, Debug)]
pub(crate) struct Scenario {
    pub(crate) policy: Policy,
    /// Time between two answers of the coordinator.
    pub(crate) step: f64,
    /// Core-seconds of each stage.
    pub(crate) stages: Vec<f64>,
    /// Length of a trial.
    pub(crate) trial: f64,
    /// Factor by which the coordinator's estimate of what is left is wrong.
    pub(crate) estimate: f64,
    /// Threads of a worker that a person started.
    pub(crate) others: u32,
    /// Machines, and how many of them let no worker join: on the first half jobs end at once, on the others they hang.
    pub(crate) hosts: usize,
    pub(crate) bad: usize,
    /// Median time in the queue; the least and the greatest are a tenth and ten times of it at most.
    pub(crate) delay: f64,
    /// Times in the queue of the first jobs; those of others are drawn.
    pub(crate) delays: Vec<f64>,
    /// Jobs that the account may have.
    pub(crate) limit: usize,
    /// Mean time between pre-emptions of a job, and whether it goes back into the queue.
    pub(crate) preemption: f64,
    pub(crate) requeue: bool,
    /// Whether the queue says how often jobs began anew, and for how long they have run.
    pub(crate) restarts: bool,
    pub(crate) elapsed: bool,
    /// Whether it lists jobs for five minutes after their end.
    pub(crate) remembers: bool,
    /// Probability that the answer of a submission is lost; half of the jobs exist.
    pub(crate) lost_answers: f64,
    /// Probability that an answer of the queue is unreadable, and that an answer comes twice.
    pub(crate) unreadable: f64,
    pub(crate) twice: f64,
    /// When the queue cannot be read, the batch system is busy, the coordinator is away, the launcher is frozen.
    pub(crate) blind: Vec<Window>,
    pub(crate) busy: Vec<Window>,
    pub(crate) away: Vec<Window>,
    pub(crate) frozen: Vec<Window>,
    /// From when on every submission is refused for good.
    pub(crate) permanent: Option<f64>,
    /// When the launcher is killed, for how long it is away, and what becomes of its journal.
    pub(crate) kills: Vec<(f64, f64, Fate)>,
    /// When the wall clock jumps, and how far.
    pub(crate) jumps: Vec<(f64, f64)>,
    /// The launcher is started each minute, takes one look and ends.
    pub(crate) once: bool,
    /// When a person stops the launch, and whether at once.
    pub(crate) stop: Option<(f64, bool)>,
}

/// What becomes of a journal when the launcher is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Intact,
    Lost,
}

/// Until when faults happen.
pub(crate) const FAULTS_SECS: f64 = 6.0 * 3_600.0;

impl Scenario {
    pub(crate) fn draw(chance: &mut Chance) -> Self {
        let cpus = chance.one(&[1, 4, 16, 64]);
        let max = 1 + chance.below(12) as u32;
        let walltime = (chance.spread(600.0, 8.0 * 3_600.0) / 60.0).round() * 60.0;
        let mut policy = Policy::new(max, cpus, Duration::from_secs_f64(walltime));
        policy.waiting = chance.one(&[1, 2, 2, 4]);
        policy.min = if chance.with(0.2) { chance.below(3) as u32 } else { 0 };
        policy.idle = Duration::from_secs(chance.one(&[120, 300, 600]));
        let cores = f64::from(cpus) * f64::from(max);
        let trial = chance.spread(0.01, walltime / 10.0);
        let count = 1 + chance.below(6);
        let all = cores * chance.spread(60.0, 3.0 * 3_600.0) + trial;
        let stages: Vec<f64> = (0..count).map(|_| all / count as f64 * chance.between(0.5, 1.5)).collect();
        let work: f64 = stages.iter().sum();
        if chance.with(0.3) {
            policy.finish_within = Some(Duration::from_secs_f64(chance.spread(1_200.0, 12.0 * 3_600.0)));
        }
        if chance.with(0.3) {
            policy.budget = Some(work * chance.spread(0.3, 10.0) + 600.0 * f64::from(cpus));
        }
        if chance.with(0.2) {
            policy.max_submit = 1 + chance.below(u64::from(max)) as u32;
        }
        let delay = chance.spread(2.0, 3_600.0);
        let hosts = max as usize + 1 + chance.below(6) as usize;
        let mut windows = |probability: f64, longest: f64| {
            let mut all = Vec::new();
            while chance.with(probability) {
                let last = FAULTS_SECS * chance.share();
                let from = chance.between(0.0, last);
                all.push((from, from + chance.spread(20.0, longest)));
            }
            all
        };
        let (blind, busy) = (windows(0.3, 7_200.0), windows(0.3, 3_600.0));
        let (away, frozen) = (windows(0.3, 3_600.0), windows(0.15, 3_600.0));
        let kills = windows(0.4, 3_600.0);
        let jumps = windows(0.2, 3_600.0);
        let kills = kills
            .into_iter()
            .map(|(from, until)| (from, until - from, chance.one(&[Fate::Intact, Fate::Intact, Fate::Lost])))
            .collect();
        let jumps = jumps.into_iter().map(|(from, _)| (from, chance.between(-36_000.0, 36_000.0))).collect();
        // Workers that join and leave between two looks count as not joined, so those of a launcher that looks once a minute do
        // not leave at once for want of time for a trial.
        let once = chance.with(0.1);
        let trial = if once { trial.min(30.0) } else { trial };
        Scenario {
            step: (delay / 10.0).clamp(5.0, 30.0),
            stages,
            trial,
            estimate: chance.spread(0.5, 2.0),
            others: if chance.with(0.2) { 1 + chance.below(u64::from(2 * cpus)) as u32 } else { 0 },
            bad: if chance.with(0.3) { 1 + chance.below(hosts as u64 / 2) as usize } else { 0 },
            hosts,
            delay,
            delays: Vec::new(),
            limit: if chance.with(0.2) { 1 + chance.below(u64::from(max)) as usize } else { usize::MAX },
            preemption: if chance.with(0.3) { chance.spread(900.0, 36_000.0) } else { f64::INFINITY },
            requeue: chance.with(0.7),
            restarts: chance.with(0.7),
            elapsed: chance.with(0.7),
            remembers: chance.with(0.5),
            lost_answers: if chance.with(0.3) { chance.between(0.05, 0.5) } else { 0.0 },
            unreadable: if chance.with(0.3) { chance.between(0.02, 0.4) } else { 0.0 },
            twice: if chance.with(0.3) { 0.2 } else { 0.0 },
            blind,
            busy,
            away,
            frozen,
            once,
            permanent: chance.with(0.05).then(|| chance.between(0.0, FAULTS_SECS)),
            kills,
            jumps,
            stop: chance.with(0.1).then(|| (chance.between(0.0, FAULTS_SECS), chance.with(0.5))),
            policy,
        }
    }

    pub(crate) fn work(&self) -> f64 {
        self.stages.iter().sum()
    }

    /// Whether nothing goes wrong that hides from a launcher what jobs cost. Restarts do not, while the journal is there.
    pub(crate) fn accounts_are_known(&self) -> bool {
        let seen = self.blind.is_empty() && self.frozen.is_empty() && self.away.is_empty() && self.unreadable == 0.0;
        let kept = self.jumps.is_empty() && self.kills.iter().all(|(_, _, fate)| *fate == Fate::Intact);
        seen && kept && self.elapsed
    }

    /// Seconds for which the launcher is away after it was killed.
    pub(crate) fn down(&self) -> f64 {
        self.kills.iter().map(|(_, down, _)| down).sum()
    }
}

/// Whether a time is inside one of the windows.
pub(crate) fn within(windows: &[Window], at: f64) -> bool {
    windows.iter().any(|&(from, until)| from <= at && at < until)
}
