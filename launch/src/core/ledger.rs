//! What jobs cost, and what for.

use serde::{Deserialize, Serialize};

/// Core-seconds by what they were used for. Their sum is what was allocated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Costs {
    /// Trials ran.
    pub useful: f64,
    /// The job ran and its worker had not joined yet.
    pub start: f64,
    /// The worker had joined and had no trial to run: it waited for a lease, for the last trials of a stage, or to leave.
    pub waiting: f64,
    /// Trials that ran when a job ended without its worker having left: at most.
    pub lost: f64,
    /// The worker had joined and the coordinator did not answer.
    pub away: f64,
    /// Between the last sign of life of a job and the moment at which its end was noticed: at most.
    pub unseen: f64,
}

impl Costs {
    /// Each with its name.
    pub fn by_cause(&self) -> [(&'static str, f64); 6] {
        [
            ("useful", self.useful),
            ("start", self.start),
            ("waiting", self.waiting),
            ("lost", self.lost),
            ("away", self.away),
            ("unseen", self.unseen),
        ]
    }

    /// The sum: core-seconds allocated.
    pub fn allocated(&self) -> f64 {
        self.by_cause().iter().map(|(_, secs)| secs).sum()
    }

    /// Adds others to these.
    pub fn add(&mut self, other: &Costs) {
        self.useful += other.useful;
        self.start += other.start;
        self.waiting += other.waiting;
        self.lost += other.lost;
        self.away += other.away;
        self.unseen += other.unseen;
    }
}

/// What one job has cost since it last began.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Account {
    /// Core-seconds until `until`, split.
    costs: Costs,
    /// Of them, those while its worker was joined, as what they were used for is known only later.
    joined: f64,
    /// The worker's count of seconds of trials when it was last looked at; `None` if what it counted before is unknown.
    counted: Option<f64>,
    /// Up to when it is split.
    until: f64,
}

/// What a running job does, as far as that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doing {
    /// Its worker has not joined.
    Starting,
    /// Its worker is joined.
    Working,
    /// Its worker was joined and the coordinator does not answer.
    Away,
}

impl Account {
    /// An account that begins at `now`.
    pub(super) fn new(now: f64) -> Self {
        Account { until: now, counted: Some(0.0), ..Account::default() }
    }

    /// An account that begins at `now` for a worker that has counted an unknown time already.
    pub(super) fn found(now: f64) -> Self {
        Account { until: now, ..Account::default() }
    }

    /// An account with these costs until `now`.
    pub(super) fn restored(costs: Costs, now: f64) -> Self {
        let (counted, joined) = (Some(costs.useful), costs.useful + costs.waiting);
        Account { costs: Costs { waiting: 0.0, ..costs }, joined, counted, until: now }
    }

    /// Adds the time until `now`, in which the job did this on `cores`.
    pub(super) fn pass(&mut self, now: f64, cores: f64, doing: Doing) {
        let spent = (now - self.until).max(0.0) * cores;
        self.until = self.until.max(now);
        match doing {
            Doing::Starting => self.costs.start += spent,
            Doing::Away => self.costs.away += spent,
            Doing::Working => self.joined += spent,
        }
    }

    /// Adds time before the beginning that was noticed.
    pub(super) fn began_earlier(&mut self, core_secs: f64) {
        self.costs.start += core_secs;
    }

    /// Takes over that this much was allocated until `moment`. Time that was counted and did not pass is taken back from where
    /// it may have been counted.
    pub(super) fn agree(&mut self, core_secs: f64, moment: f64) {
        self.until = moment;
        let mut rest = self.costs().allocated() - core_secs;
        if rest < 0.0 {
            self.costs.start -= rest;
            return;
        }
        let idle = (self.joined - self.costs.useful).max(0.0);
        for (part, most) in [
            (&mut self.joined, idle),
            (&mut self.costs.unseen, f64::INFINITY),
            (&mut self.costs.away, f64::INFINITY),
            (&mut self.costs.start, f64::INFINITY),
        ] {
            let taken = rest.min(*part).min(most);
            *part -= taken;
            rest -= taken;
        }
    }

    /// Takes over the worker's count of seconds of trials. It begins anew with each process.
    pub(super) fn count(&mut self, useful_secs: f64) {
        if useful_secs.is_finite() && useful_secs >= 0.0 {
            let before = self.counted.unwrap_or(useful_secs);
            self.costs.useful += if useful_secs < before { useful_secs } else { useful_secs - before };
            self.counted = Some(useful_secs);
        }
    }

    /// Whether a worker that has counted this much is another one than before.
    pub(super) fn is_of_another(&self, useful_secs: f64) -> bool {
        self.counted.is_some_and(|counted| useful_secs < counted)
    }

    /// Gives the costs, with what is still running counted until `now`.
    pub(super) fn costs(&self) -> Costs {
        let mut costs = self.costs;
        // Results that arrive after the coordinator was away were computed meanwhile.
        let mut over = costs.useful - self.joined;
        if over > 0.0 {
            costs.useful = self.joined;
            for part in [&mut costs.away, &mut costs.start] {
                let moved = over.min(*part);
                *part -= moved;
                costs.useful += moved;
                over -= moved;
            }
        } else {
            costs.waiting = self.joined - costs.useful;
        }
        costs
    }

    /// Closes the account of a job that ended without its worker having left, in which trials of up to `core_secs` were lost.
    pub(super) fn lose(&mut self, core_secs: f64) {
        let waiting = self.costs().waiting;
        let lost = waiting.min(core_secs.max(0.0));
        self.joined -= lost;
        self.costs.lost += lost;
    }

    /// Adds time for which it is unknown whether the job ran.
    pub(super) fn pass_unseen(&mut self, now: f64, cores: f64) {
        self.costs.unseen += (now - self.until).max(0.0) * cores;
        self.until = self.until.max(now);
    }

    /// Up to when time is counted.
    pub(super) fn until(&self) -> f64 {
        self.until
    }
}
