//! Asking for jobs: when, how long, and what follows from refusals.

use super::{
    Act, Core, Entry, Job, Phase,
    scale::{self, Situation, Span},
};
use crate::{
    job::JobId,
    systems::{Refusal, RefusalClass},
};

/// Least time between two bursts of submissions, in seconds.
const BURST_SECS: f64 = 60.0;
/// Wait after the first refusal that passes; it doubles with each further one, up to [`LONGEST_SECS`].
const SHORTEST_SECS: f64 = 60.0;
/// Longest wait after refusals that pass.
const LONGEST_SECS: f64 = 1_800.0;
/// Wait after a refusal for too many jobs, if none of this launch ends before: others of the account may.
const LIMIT_SECS: f64 = 600.0;
/// The work that is left is known for this long, in seconds.
const FRESH_SECS: f64 = 120.0;

/// What is known of submissions.
#[derive(Debug, Default)]
pub(super) struct Asking {
    /// When the latest burst began.
    burst_at: Option<f64>,
    /// Submissions that it may still make.
    burst: u32,
    /// When a job was last asked for.
    pub(super) last: Option<f64>,
    /// Nothing is asked for before this time.
    not_before: Option<f64>,
    /// The next wait after a refusal.
    wait: f64,
    /// The account has as many jobs as it may have; until this time or the end of a job.
    limit_until: Option<f64>,
    /// Why such jobs will never be accepted.
    pub(super) refused: Option<String>,
}

impl Asking {
    /// Nothing is asked for until a wait is over that is twice as long as the last one.
    pub(super) fn back_off(&mut self, now: f64) {
        self.wait = (2.0 * self.wait).clamp(SHORTEST_SECS, LONGEST_SECS);
        self.not_before = Some(now + self.wait);
        self.burst = 0;
    }

    /// A job in doubt does not exist.
    pub(super) fn was_absent(&mut self, now: f64) {
        self.back_off(now);
    }

    /// The account has as many jobs as it may have.
    pub(super) fn limit(&mut self, now: f64) {
        self.limit_until = Some(now + LIMIT_SECS);
    }

    /// A job was accepted.
    pub(super) fn was_accepted(&mut self) {
        self.wait = 0.0;
    }

    /// A job is asked for.
    pub(super) fn asked(&mut self, now: f64) {
        self.last = Some(now);
    }

    /// A job of the launch is gone, so that another one may fit.
    pub(super) fn one_has_ended(&mut self) {
        self.limit_until = None;
    }

    fn waits(&self, now: f64) -> bool {
        self.not_before.is_some_and(|until| now < until) || self.limit_until.is_some_and(|until| now < until)
    }
}

impl Core {
    /// What the number of jobs depends on; `None` before the coordinator has answered.
    fn situation(&self) -> Option<Situation> {
        let demand = self.demand?;
        let delay = self.delay();
        // A worker does what its job has time for.
        let ours = self.staying().filter_map(|job| {
            let rest = job.reserve(self.now) / job.cores();
            Some(f64::from(job.present?.threads) * rest.min(delay))
        });
        Some(Situation {
            left: demand.left.filter(|left| left.is_finite()),
            width: f64::from(demand.width),
            time_left: self.finish_at.map(|at| at - self.now),
            cores: self.policy.cores(),
            others: self.others,
            meanwhile: self.others * delay + ours.sum::<f64>(),
            have: self.have(),
            coming: self.count(|job| job.present.is_none()),
            waiting: self.count(|job| job.phase != Phase::Running),
            live: self.jobs.len() as u32,
            min: self.policy.min,
            max: self.policy.most(),
            waiting_limit: self.policy.waiting.max(1),
        })
    }

    /// Seconds that jobs usually wait in the queue.
    fn delay(&self) -> f64 {
        self.totals.delay(self.waiting_ages()).unwrap_or(0.0)
    }

    /// Jobs that will stay for longer than another one would wait in the queue.
    pub(super) fn have(&self) -> u32 {
        let until = self.now + self.delay().min(self.policy.walltime.as_secs_f64() / 2.0);
        self.count(|job| job.began.is_none_or(|began| began + job.walltime > until))
    }

    /// Jobs that there should be.
    pub(super) fn wanted(&self) -> u32 {
        match (self.situation(), self.closing) {
            (Some(situation), None) => scale::wanted(&situation),
            _ => 0,
        }
    }

    /// For how long jobs have waited that never ran.
    pub(super) fn waiting_ages(&self) -> impl Iterator<Item = f64> {
        let waiting = self.jobs.values().filter(|job| job.phase == Phase::Waiting && !job.requeued && !job.found);
        waiting.map(|job| self.now - job.asked)
    }

    /// Asks for a job if one is wanted and may be asked for. The next one of a burst follows the answer.
    pub(super) fn grow(&mut self, acts: &mut Vec<Act>) {
        let known = self.away.is_none() && self.fleet_at.is_some_and(|at| self.now - at <= FRESH_SECS);
        let read = self.reading.read_at().is_some();
        let blind = self.reading.unreadable_since().is_some() && self.reading.submitted >= self.policy.waiting.max(1);
        let doubt = self.jobs.values().any(Job::in_doubt);
        if !known || !read || blind || doubt || self.closing.is_some() || self.asking.refused.is_some() {
            return;
        }
        if self.asking.waits(self.now) || !self.suspects.allow(self.now, self.count(|job| job.joined.is_none()), acts) {
            return;
        }
        let Some(situation) = self.situation() else { return };
        let more = scale::submit(&situation);
        if self.asking.burst_at.is_none_or(|at| self.now - at >= BURST_SECS) && more > 0 {
            self.asking.burst_at = Some(self.now);
            self.asking.burst = more;
        }
        if more == 0 || self.asking.burst == 0 {
            return;
        }
        let name = format!("{}{:04}", self.prefix, self.next);
        let Some(walltime) = scale::walltime(&self.span(&situation), &name) else { return };
        self.next += 1;
        self.asking.burst -= 1;
        self.asking.asked(self.now);
        self.reading.submitted += 1;
        let secs = walltime.as_secs_f64();
        let job = Job::new(name.clone(), self.policy.cpus.max(1), secs, self.now, Phase::Asked);
        let cpus = job.cpus;
        self.jobs.insert(name.clone(), job);
        self.note(acts, Entry::Asked { name: name.clone(), cpus, walltime: walltime.as_secs() });
        acts.push(Act::Submit { name, walltime, exclude: self.suspects.excluded() });
    }

    fn span(&self, situation: &Situation) -> Span {
        let trial = self.trial();
        let (have, wanted) = (f64::from(situation.have + 1), f64::from(scale::wanted(situation)));
        Span {
            longest: self.suspects.longest(self.policy.walltime.as_secs_f64(), trial),
            left: situation.left,
            fleet: situation.others + have * situation.cores,
            wanted: situation.others + wanted.max(have) * situation.cores,
            growth: f64::from(situation.waiting_limit) * situation.cores / self.delay().max(BURST_SECS),
            trial,
            affordable: self.free().map(|free| free / situation.cores),
        }
    }

    /// Whether the budget suffices for no further job.
    pub(super) fn spent(&self) -> bool {
        self.situation().is_some_and(|situation| {
            let span = Span { left: None, ..self.span(&situation) };
            span.affordable.is_some() && scale::walltime(&span, "").is_none()
        })
    }

    pub(super) fn take_submitted(&mut self, name: &str, answer: Result<JobId, Refusal>, acts: &mut Vec<Act>) {
        let now = self.now;
        let Some(job) = self.jobs.get_mut(name) else {
            // A late answer for a job that was given up: if it exists, the queue lists it.
            if let (Ok(id), false) = (answer, self.ended.contains_key(name)) {
                self.find(name, Some(id), self.policy.cpus, acts);
            }
            return;
        };
        match answer {
            Ok(id) => {
                if job.in_doubt() {
                    job.phase = Phase::Waiting;
                    job.seen = now;
                }
                if job.id.is_none() {
                    job.id = Some(id.clone());
                    acts.push(Act::Note(Entry::Accepted { name: name.to_owned(), id }));
                }
                self.asking.was_accepted();
            }
            // The answer came before: this one says nothing new.
            Err(_) if job.phase != Phase::Asked => {}
            Err(refusal) => self.take_refusal(name, refusal, acts),
        }
    }

    fn take_refusal(&mut self, name: &str, refusal: Refusal, acts: &mut Vec<Act>) {
        let (now, Refusal { class, text }) = (self.now, refusal);
        self.note(acts, Entry::Refused { name: name.to_owned(), class, text: text.clone() });
        self.asking.burst = 0;
        if class == RefusalClass::Doubtful {
            self.doubt(name);
            return;
        }
        self.jobs.remove(name);
        match class {
            RefusalClass::Permanent => self.asking.refused = Some(text),
            RefusalClass::Limit => self.asking.limit(now),
            RefusalClass::Busy | RefusalClass::Doubtful => self.asking.back_off(now),
        }
    }

    /// Whether a job exists is unknown from now on.
    pub(super) fn doubt(&mut self, name: &str) {
        if let Some(job) = self.jobs.get_mut(name) {
            job.phase = Phase::Doubtful { absent: None };
            job.seen = self.now;
        }
    }

    /// Why no jobs are asked for, for people.
    pub(super) fn why_paused(&self) -> Option<String> {
        let until = |at: Option<f64>| at.filter(|at| *at > self.now).map(|at| super::time(at - self.now));
        if let Some(text) = &self.asking.refused {
            return Some(format!("the batch system refuses the jobs: {text}"));
        }
        if let Some(job) = self.jobs.values().find(|job| matches!(job.phase, Phase::Doubtful { .. })) {
            return Some(format!("it is unknown whether {} was accepted", job.name));
        }
        if self.away.is_some() {
            return Some("the coordinator does not answer".to_owned());
        }
        if self.reading.read_at().is_none() {
            return Some("the queue has not been read yet".to_owned());
        }
        if let Some(why) = self.suspects.why(self.now) {
            return Some(why);
        }
        if let Some(rest) = until(self.asking.limit_until) {
            return Some(format!("the account has as many jobs as it may have; next try in {rest}"));
        }
        if let Some(rest) = until(self.asking.not_before) {
            return Some(format!("the batch system does not serve; next try in {rest}"));
        }
        self.spent().then(|| "the budget does not suffice for another job".to_owned())
    }
}
