//! Jobs that run and whose workers do not join, machines on which that happens, and jobs that are taken away early.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::{Act, Core, Entry, Phase};

/// Failures on one machine after which it is left out.
const FALSE_STARTS_HOST: u32 = 2;
/// Machines left out, or failures in a row anywhere, after which nothing is asked for.
const FALSE_STARTS: u32 = 3;
/// For how long nothing is asked for then, in seconds; after that, one job at a time is tried.
const PAUSE_SECS: f64 = 1_800.0;
/// A job whose worker has not joined after this many start timeouts is cancelled.
const TIMEOUTS: f64 = 5.0;
/// Jobs taken away within [`LOSS_SECS`] after which shorter ones are asked for.
const LOSSES: usize = 3;
/// The time within which losses are counted, in seconds.
const LOSS_SECS: f64 = 3_600.0;
/// Jobs become longer again after this many seconds without a loss.
const CALM_SECS: f64 = 6.0 * 3_600.0;
/// Jobs do not become shorter than this, in seconds.
const SHORTEST_SECS: f64 = 1_800.0;

/// What went wrong lately.
#[derive(Debug, Default)]
pub(super) struct Suspects {
    hosts: BTreeMap<String, u32>,
    excluded: BTreeSet<String>,
    /// Machines left out since the last pause.
    fresh: u32,
    /// Jobs in a row whose workers did not join.
    row: u32,
    /// Nothing is asked for before this time, and why.
    pause: Option<(f64, String)>,
    losses: VecDeque<f64>,
    last_loss: Option<f64>,
    /// Times by which the longest time of a job is halved.
    halved: u32,
}

impl Suspects {
    /// A worker joined from this machine.
    pub(super) fn joined(&mut self, host: &str, acts: &mut Vec<Act>) {
        self.hosts.remove(host);
        self.row = 0;
        self.fresh = 0;
        if self.pause.take().is_some() {
            acts.push(Act::Note(Entry::Resumed));
        }
    }

    /// Whether a job may be asked for while `coming` ones have not joined.
    pub(super) fn allow(&mut self, now: f64, coming: u32, acts: &mut Vec<Act>) -> bool {
        if self.pause.as_ref().is_some_and(|(until, _)| now < *until) {
            return false;
        }
        if self.pause.take().is_some() {
            acts.push(Act::Note(Entry::Resumed));
        }
        self.row < FALSE_STARTS || coming == 0
    }

    pub(super) fn why(&self, now: f64) -> Option<String> {
        self.pause.as_ref().filter(|(until, _)| now < *until).map(|(_, why)| why.clone())
    }

    pub(super) fn excluded(&self) -> Vec<String> {
        self.excluded.iter().cloned().collect()
    }

    /// The longest time that a job should have.
    pub(super) fn longest(&self, walltime: f64, trial: Option<f64>) -> f64 {
        let floor = SHORTEST_SECS.max(4.0 * trial.unwrap_or(0.0)).min(walltime);
        (walltime * 0.5_f64.powi(self.halved.min(20) as i32)).max(floor)
    }

    pub(super) fn fail(&mut self, now: f64, name: &str, host: &str, acts: &mut Vec<Act>) {
        self.row += 1;
        if !host.is_empty() {
            let failures = self.hosts.entry(host.to_owned()).or_default();
            *failures += 1;
            if *failures >= FALSE_STARTS_HOST && self.excluded.insert(host.to_owned()) {
                self.fresh += 1;
                acts.push(Act::Note(Entry::Excluded { host: host.to_owned() }));
            }
        }
        let why = if self.fresh >= FALSE_STARTS {
            format!("jobs started on {} machines and no worker joined", self.fresh)
        } else if self.row >= FALSE_STARTS {
            format!("{} jobs in a row began and no worker joined", self.row)
        } else {
            return;
        };
        if self.pause.as_ref().is_none_or(|(until, _)| *until <= now) {
            let why = format!("{why}; the log of {name} may say why");
            acts.push(Act::Note(Entry::Paused { why: why.clone() }));
            self.pause = Some((now + PAUSE_SECS, why));
            self.fresh = 0;
        }
    }
}

impl Core {
    /// Looks for jobs that run and whose workers should have joined.
    pub(super) fn suspect(&mut self, acts: &mut Vec<Act>) {
        let now = self.now;
        if self.suspects.last_loss.is_some_and(|last| now - last > CALM_SECS) {
            self.suspects.last_loss = None;
            self.suspects.halved = 0;
        }
        // Only an answer of this moment says that a worker is not there.
        if self.fleet_at != Some(now) || self.away.is_some() {
            return;
        }
        let (timeout, back) = (self.policy.start_timeout.as_secs_f64(), self.back);
        let late = |began: f64| now - began.max(back);
        let mut failed = Vec::new();
        let mut hopeless = Vec::new();
        for job in self.jobs.values_mut().filter(|job| job.phase == Phase::Running && job.joined.is_none()) {
            let Some(began) = job.began else { continue };
            if late(began) >= timeout && !job.suspicious {
                job.suspicious = true;
                failed.push((job.name.clone(), job.host.clone()));
            }
            if late(began) >= TIMEOUTS * timeout {
                hopeless.push(job.name.clone());
            }
        }
        for (name, host) in failed {
            self.note(acts, Entry::NotJoined { name: name.clone(), host: host.clone() });
            self.suspects.fail(now, &name, &host, acts);
        }
        self.cancel(&hopeless, "they began and no worker joined", acts);
    }

    /// A job ended before its worker joined.
    pub(super) fn did_not_join(&mut self, name: &str, host: &str, began: Option<f64>, acts: &mut Vec<Act>) {
        // Without a coordinator none can join.
        if self.away.is_none() && self.closing.is_none() && began.unwrap_or(self.now) >= self.back {
            self.suspects.fail(self.now, name, host, acts);
        }
    }

    /// A job was taken away while its worker was busy.
    pub(super) fn lost_a_job(&mut self, acts: &mut Vec<Act>) {
        let now = self.now;
        self.suspects.last_loss = Some(now);
        self.suspects.losses.push_back(now);
        self.suspects.losses.retain(|at| now - at <= LOSS_SECS);
        if self.suspects.losses.len() < LOSSES {
            return;
        }
        let (walltime, trial) = (self.policy.walltime.as_secs_f64(), self.trial());
        let before = self.suspects.longest(walltime, trial);
        self.suspects.halved += 1;
        self.suspects.losses.clear();
        let after = self.suspects.longest(walltime, trial);
        if after < before {
            let text = format!(
                "{LOSSES} jobs were taken away within an hour; from now on they ask for {}",
                super::time(after)
            );
            self.note(acts, Entry::Warning { text });
        }
    }
}
