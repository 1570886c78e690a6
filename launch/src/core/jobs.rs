//! The jobs of a launch that exist or may exist.

use std::collections::BTreeMap;

use super::ledger::{Account, Doing};
use crate::job::JobId;

/// A time in the queue's list that differs by more, in seconds, is another one.
const ANEW_SECS: f64 = 60.0;
/// A worker that is gone stays listed for at most this many seconds.
const STALE_SECS: f64 = 120.0;

/// How far a job has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Phase {
    /// It was asked for and there is no answer yet.
    Asked,
    /// Whether it exists is unknown.
    Doubtful {
        /// When a readable queue first lacked it, since the doubt arose.
        absent: Option<f64>,
    },
    /// It waits in the queue.
    Waiting,
    /// It runs.
    Running,
}

/// What the coordinator said of a job's worker last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Presence {
    pub(super) threads: u32,
    /// Seconds since it had work; `None` while it has some.
    pub(super) idle_secs: Option<f64>,
}

/// A job. Times are in seconds on the core's clock and may be negative: before the launcher started.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) name: String,
    pub(super) id: Option<JobId>,
    pub(super) cpus: u32,
    /// Longest duration in seconds.
    pub(super) walltime: f64,
    pub(super) asked: f64,
    pub(super) phase: Phase,
    /// How often it has begun before, as far as the batch system says.
    pub(super) restart: u32,
    /// It was put back into the queue at least once.
    pub(super) requeued: bool,
    /// Until when its old worker may still be listed although it waits again.
    pub(super) stale_until: Option<f64>,
    /// It was found without a journal, so that it may have run for a while already.
    pub(super) found: bool,
    /// The queue showed it running since it last began.
    pub(super) listed: bool,
    /// For how many seconds it ran, as the queue says of a job that has ended.
    pub(super) ran: Option<f64>,
    /// It cannot have begun before: it was seen to wait then.
    pub(super) earliest: f64,
    /// When it last began to run.
    pub(super) began: Option<f64>,
    /// When its worker joined, since it last began.
    pub(super) joined: Option<f64>,
    /// Its worker in the last answer of the coordinator.
    pub(super) present: Option<Presence>,
    /// The worker had nothing to do when it was last seen.
    pub(super) idle: bool,
    /// The first answer of the coordinator in which a worker that had joined was missing.
    pub(super) missing: Option<f64>,
    /// When it was last known to exist.
    pub(super) seen: f64,
    /// When a readable queue first lacked it although its worker is connected.
    pub(super) unlisted: Option<f64>,
    /// When its worker was last told to leave.
    pub(super) leaving: Option<f64>,
    /// When it was last cancelled.
    pub(super) cancelled: Option<f64>,
    /// The present beginning counts as one whose worker did not join.
    pub(super) suspicious: bool,
    pub(super) host: String,
    pub(super) reason: String,
    pub(super) start: String,
    pub(super) account: Account,
}

impl Job {
    pub(super) fn new(name: String, cpus: u32, walltime: f64, now: f64, phase: Phase) -> Self {
        Job {
            name,
            id: None,
            cpus,
            walltime,
            asked: now,
            phase,
            restart: 0,
            requeued: false,
            stale_until: None,
            found: false,
            ran: None,
            listed: false,
            earliest: now,
            began: None,
            joined: None,
            present: None,
            idle: false,
            missing: None,
            seen: now,
            unlisted: None,
            leaving: None,
            cancelled: None,
            suspicious: false,
            host: String::new(),
            reason: String::new(),
            start: String::new(),
            account: Account::new(now),
        }
    }

    pub(super) fn cores(&self) -> f64 {
        f64::from(self.cpus)
    }

    /// It will be gone before long, as it was cancelled or its worker was told to leave.
    pub(super) fn going(&self) -> bool {
        self.leaving.is_some() || self.cancelled.is_some()
    }

    pub(super) fn in_doubt(&self) -> bool {
        matches!(self.phase, Phase::Asked | Phase::Doubtful { .. })
    }

    /// Marks that it runs since `now`, for the first time or again.
    pub(super) fn begin(&mut self, now: f64, restart: u32) {
        self.phase = Phase::Running;
        self.restart = restart;
        self.began = Some(now);
        self.account = if self.found { Account::found(now) } else { Account::new(now) };
        self.found = false;
        self.stale_until = None;
        self.forget_run();
    }

    /// Marks that it waits again after it had run.
    pub(super) fn requeue(&mut self, now: f64, restart: u32) {
        self.phase = Phase::Waiting;
        self.requeued = true;
        self.earliest = now;
        self.account = Account::new(now);
        self.stale_until = (restart == self.restart).then_some(now + STALE_SECS);
        self.restart = restart;
        self.began = None;
        self.forget_run();
    }

    fn forget_run(&mut self) {
        self.joined = None;
        self.present = None;
        self.idle = false;
        self.missing = None;
        self.unlisted = None;
        self.leaving = None;
        self.suspicious = false;
        self.listed = false;
    }

    /// Counts the time until `now`, at which it was seen to run.
    pub(super) fn live(&mut self, now: f64, away: bool) {
        let doing = match (self.joined, away) {
            (None, _) => Doing::Starting,
            (Some(_), true) => Doing::Away,
            (Some(_), false) => Doing::Working,
        };
        // It ends with its time, whatever the clock says.
        let last = self.began.map_or(now, |began| began + self.walltime);
        self.account.pass(now.min(last), f64::from(self.cpus), doing);
    }

    /// Takes over for how long it had run at a moment; it began before that was noticed. If that is unknown, it began after
    /// it was last seen to wait, at most a `look` before.
    pub(super) fn began_before(&mut self, moment: f64, ran_secs: Option<f64>, look: f64) {
        let first = !std::mem::replace(&mut self.listed, true);
        let Some(began) = self.began else { return };
        let since = match ran_secs.filter(|ran| ran.is_finite()) {
            Some(ran) => moment - ran,
            None if first => began - look,
            None => return,
        };
        let earlier = began - since.max(self.earliest);
        if earlier > 0.0 {
            self.began = Some(began - earlier);
            self.account.began_earlier(earlier * self.cores());
        } else if earlier < -ANEW_SECS {
            // The wall clock jumped while the launcher was away, or the job was suspended for a while.
            self.began = Some(began - earlier);
            self.account.agree((moment - (began - earlier)) * self.cores(), moment);
        }
    }

    /// Whether it has run for so short a time at a moment that it must have begun anew after its worker was lost.
    pub(super) fn runs_anew(&self, moment: f64, ran_secs: Option<f64>) -> bool {
        let lost = self.joined.is_some() && self.missing.is_some();
        lost && self.began.zip(ran_secs).is_some_and(|(began, ran)| moment - ran > began + ANEW_SECS)
    }

    /// Closes the account of a job that ran for this many seconds.
    pub(super) fn settle(&mut self, ran: f64) {
        let more = ran * self.cores() - self.account.costs().allocated();
        let doing = if self.joined.is_some() { Doing::Working } else { Doing::Starting };
        if self.began.is_some() && more > 0.0 {
            self.account.pass(self.account.until() + more / self.cores(), self.cores(), doing);
        }
    }

    /// Core-seconds that it can still be allocated.
    pub(super) fn reserve(&self, now: f64) -> f64 {
        let rest = match self.began {
            Some(began) => (began + self.walltime - now).max(0.0),
            None => self.walltime,
        };
        self.cores() * rest
    }

    /// Core-seconds allocated since it last began, up to `now`.
    pub(super) fn allocated(&self, now: f64) -> f64 {
        match self.began {
            Some(began) => {
                let last = now.min(began + self.walltime);
                self.account.costs().allocated() + (last - self.account.until()).max(0.0) * self.cores()
            }
            None => 0.0,
        }
    }
}

/// Jobs by name.
pub(super) type Jobs = BTreeMap<String, Job>;
