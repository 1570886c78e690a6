//! How many jobs, and how long they should be: functions of numbers.

use std::time::Duration;

/// A job is worth asking for if it finds this many seconds of work for each of its cores.
const WORTHWHILE_SECS: f64 = 600.0;
/// The time to finish in is never taken as shorter: work in the last minutes does not justify a fleet.
const LEAST_TIME_SECS: f64 = 600.0;
/// Share by which the time of a job is shortened at most, so that not all end together.
const STAGGER: f64 = 0.15;

/// What the decision depends on. A core is a thread on which trials run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Situation {
    /// Core-seconds of work left, if known.
    pub left: Option<f64>,
    /// Cores that the open stages can feed now.
    pub width: f64,
    /// Seconds until the work should be done; as soon as possible if `None`.
    pub time_left: Option<f64>,
    /// Cores of a job.
    pub cores: f64,
    /// Cores of workers that a person started.
    pub others: f64,
    /// Core-seconds of work that the connected workers can do until a job that is asked for now would start.
    pub meanwhile: f64,
    /// Jobs that exist or may exist and will stay: joined, started, waiting and in doubt. A job whose time will be over before
    /// another one would start does not count: its successor may wait already.
    pub have: u32,
    /// Of these, jobs whose worker has not joined.
    pub coming: u32,
    /// Of these, jobs that wait or are in doubt.
    pub waiting: u32,
    /// All jobs that exist or may exist, those that are about to go included.
    pub live: u32,
    /// Fewest jobs while work is left.
    pub min: u32,
    /// Most jobs that may exist.
    pub max: u32,
    /// Most jobs that may wait.
    pub waiting_limit: u32,
}

/// How many jobs there should be in all.
pub fn wanted(s: &Situation) -> u32 {
    let cores = match (s.left, s.time_left) {
        (Some(left), Some(time)) if time > 0.0 => s.width.min(left / time.max(LEAST_TIME_SECS)),
        _ => s.width,
    };
    let jobs = ((cores - s.others) / s.cores.max(1.0)).round().max(0.0);
    // Work that no worker does needs one, however little it is.
    let least = if s.others > 0.0 { s.min } else { s.min.max(1) };
    (jobs as u32).clamp(least.min(s.max), s.max)
}

/// How many jobs to ask for now, without regard to a budget.
pub fn submit(s: &Situation) -> u32 {
    let most = wanted(s)
        .saturating_sub(s.have)
        .min(s.waiting_limit.saturating_sub(s.waiting))
        .min(s.max.saturating_sub(s.live));
    (0..most).take_while(|&more| worthwhile(s, more)).count() as u32
}

/// Whether one more job finds enough work, after `more` others that are asked for at the same time.
fn worthwhile(s: &Situation, more: u32) -> bool {
    let have = s.have + more;
    if have < s.min || (have == 0 && s.others == 0.0) {
        return true;
    }
    let Some(left) = s.left else { return true };
    // What is left when the job starts, and is shared with those that wait beside it.
    let then = left - s.meanwhile;
    then > WORTHWHILE_SECS * s.cores * f64::from(s.coming + more + 1)
}

/// What the time of a job depends on; seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// Longest time that may be asked for.
    pub longest: f64,
    /// Core-seconds of work left, if known.
    pub left: Option<f64>,
    /// Cores that work on it now, those of this job included.
    pub fleet: f64,
    /// Cores that there should be.
    pub wanted: f64,
    /// Cores that come in a second.
    pub growth: f64,
    /// How long the longest trial takes, if known.
    pub trial: Option<f64>,
    /// Time for which the budget suffices, if there is one.
    pub affordable: Option<f64>,
}

impl Span {
    /// Seconds until this work is done by a fleet that grows from the present cores to the wanted ones.
    fn time_to_finish(&self, left: f64) -> f64 {
        let (fleet, wanted) = (self.fleet.max(1.0), self.wanted.max(self.fleet).max(1.0));
        if self.growth <= 0.0 {
            return left / fleet;
        }
        let growing = (wanted - fleet) / self.growth;
        let meanwhile = growing * f64::midpoint(fleet, wanted);
        if left > meanwhile {
            return growing + (left - meanwhile) / wanted;
        }
        // left = fleet t + growth t² / 2
        ((fleet * fleet + 2.0 * self.growth * left).sqrt() - fleet) / self.growth
    }
}

/// The least time in which a job can do anything useful.
pub fn least_walltime(longest: f64, trial: Option<f64>) -> f64 {
    (2.0 * trial.unwrap_or(0.0) + 120.0).max(300.0).min(longest)
}

/// How long the job of this name should be allowed to last, in whole minutes; `None` if the budget does not suffice.
pub fn walltime(span: &Span, name: &str) -> Option<Duration> {
    let least = least_walltime(span.longest, span.trial);
    let needed = match span.left {
        Some(left) => 1.2 * span.time_to_finish(left) + 600.0 + 2.0 * span.trial.unwrap_or(0.0),
        None => span.longest,
    };
    let staggered = (span.longest.min(needed) * (1.0 - STAGGER * share(name))).max(least);
    let secs = staggered.min(span.affordable.unwrap_or(f64::INFINITY));
    // Whole minutes, rounded down: a batch system rounds up.
    let minutes = (secs / 60.0 + 1e-9).floor();
    (minutes >= 1.0 && minutes * 60.0 + 60.0 > least).then(|| Duration::from_secs(60 * minutes as u64))
}

/// A number in [0, 1) that depends on the name alone (FNV-1a, then the finaliser of MurmurHash3).
fn share(name: &str) -> f64 {
    let hash = name
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    ((hash ^ (hash >> 33)) >> 11) as f64 / (1_u64 << 53) as f64
}
