//! The queue: when it is read, and what its answers say.

use std::collections::{BTreeSet, VecDeque};

use super::{Act, Core, Entry, Job, Phase};
use crate::{
    job::JobId,
    journal::Ending,
    systems::{JobState, Queued},
};

/// An answer that does not come within this time, in seconds, does not come.
const ANSWER_SECS: f64 = 600.0;
/// A job in doubt does not exist if two readable answers lack it that are this many seconds apart.
const DOUBT_SECS: f64 = 60.0;
/// A worker that is connected although the queue has lacked its job for this many seconds is a ghost.
const UNLISTED_SECS: f64 = 900.0;
/// Least seconds between two questions when a launch ends.
const END_SECS: f64 = 2.0;
/// Questions in an hour from which on the end is no reason for another one.
const FEW: usize = 30;

/// Answers that must have been unreadable before the queue is given up.
const LOOKS: u32 = 10;

/// What is known of the queue itself.
#[derive(Debug, Default)]
pub(super) struct Reading {
    /// When it was asked, while there is no answer.
    asked: Option<f64>,
    /// When it was last asked.
    last: Option<f64>,
    /// When it was asked the last times, up to [`FEW`] of them.
    times: VecDeque<f64>,
    /// When it was asked for the latest answer that could be read.
    read: Option<f64>,
    /// Since when its answers have been unreadable, and how many they were.
    unreadable: Option<(f64, u32)>,
    /// Jobs asked for since it was last read.
    pub(super) submitted: u32,
}

impl Reading {
    /// Whether it has been unreadable for this many seconds, and not only because the launcher stood still.
    pub(super) fn unreadable_for(&self, now: f64, secs: f64) -> bool {
        self.unreadable.is_some_and(|(since, count)| now - since >= secs && count >= LOOKS)
    }

    pub(super) fn unreadable_since(&self) -> Option<f64> {
        self.unreadable.map(|(since, _)| since)
    }

    pub(super) fn read_at(&self) -> Option<f64> {
        self.read
    }
}

impl Core {
    /// Asks for the queue if it is time to. The workers' Hello says more and sooner, so the queue is read often only while
    /// something is expected of it.
    pub(super) fn query(&mut self, acts: &mut Vec<Act>) {
        let fast = self.reading.read.is_none()
            || self.reading.unreadable.is_some()
            || self.closing_unconfirmed()
            || self.jobs.values().any(|job| match job.phase {
                Phase::Asked => false,
                Phase::Doubtful { .. } | Phase::Waiting => true,
                Phase::Running => {
                    let silent = job.present.is_none() && self.away.is_none();
                    silent || !job.listed || job.id.is_none() || job.cancelled.is_some() || self.closing.is_some()
                }
            });
        let every = match fast {
            true => self.policy.poll.as_secs_f64().min(self.end_pause()),
            false if !self.jobs.is_empty() => self.policy.slow_poll.max(self.policy.poll).as_secs_f64(),
            false => return,
        };
        let due = self.reading.last.is_none_or(|last| self.now - last >= every);
        if due && self.reading.asked.is_none() {
            self.reading.asked = Some(self.now);
            self.reading.last = Some(self.now);
            self.reading.times.push_back(self.now);
            if self.reading.times.len() > FEW {
                self.reading.times.pop_front();
            }
            acts.push(Act::Query);
        }
    }

    /// Least seconds between two questions while the launch ends: half of the time since, so that a person does not wait a whole
    /// `poll` for workers that leave at once. Only if the last hour had few questions.
    fn end_pause(&self) -> f64 {
        let few = self.reading.times.iter().filter(|at| self.now - **at < 3_600.0).count() < FEW;
        match self.closing {
            Some(since) if self.reading.unreadable.is_none() && few => (0.5 * (self.now - since)).max(END_SECS),
            _ => f64::INFINITY,
        }
    }

    /// A query or submission whose answer was lost between the core and the command.
    pub(super) fn give_up_waiting_for_answers(&mut self) {
        let late = |since: f64| self.now - since > ANSWER_SECS;
        if self.reading.asked.is_some_and(late) {
            self.reading.asked = None;
        }
        let late: Vec<String> = self
            .jobs
            .values()
            .filter(|job| job.phase == Phase::Asked && late(job.asked))
            .map(|job| job.name.clone())
            .collect();
        for name in late {
            self.doubt(&name);
        }
    }

    pub(super) fn take_queue(&mut self, answer: Result<Vec<Queued>, String>, acts: &mut Vec<Act>) {
        // An answer that comes twice says nothing new.
        let Some(asked) = self.reading.asked.take() else { return };
        match answer {
            Err(text) => {
                let (since, count) = self.reading.unreadable.unwrap_or((self.now, 0));
                self.reading.unreadable = Some((since, count + 1));
                // One answer that fails is not worth a line.
                if count == 1 {
                    self.note(acts, Entry::Unreadable { text });
                }
            }
            Ok(listed) => {
                if self.reading.unreadable.take().is_some_and(|(_, count)| count > 1) {
                    self.note(acts, Entry::Readable);
                }
                self.reading.read = Some(asked);
                self.reading.submitted = 0;
                self.take_listed(&listed, asked, acts);
            }
        }
    }

    fn take_listed(&mut self, listed: &[Queued], asked: f64, acts: &mut Vec<Act>) {
        let mut twice = Vec::new();
        let mut found = BTreeSet::new();
        for queued in listed.iter().filter(|queued| queued.state != JobState::Ended) {
            if self.number(&queued.name).is_none() {
                continue;
            }
            let known = self.jobs.get(&queued.name).and_then(|job| job.id.clone());
            let again = found.contains(&queued.name);
            if known.as_ref().is_some_and(|id| *id != queued.id && (again || lists(listed, id))) {
                // One submission became two jobs: the one that the journal knows stays.
                twice.push(queued.id.clone());
                continue;
            }
            found.insert(queued.name.clone());
            self.take_one(queued, asked, acts);
        }
        if !twice.is_empty() {
            let text = "one submission became two jobs; the second is cancelled".to_owned();
            self.note(acts, Entry::Warning { text });
            acts.push(Act::Cancel(twice));
        }
        // An ended job stays listed for a while; the list knows where and for how long it ran.
        for queued in listed.iter().filter(|queued| queued.state == JobState::Ended) {
            if let Some(job) = self.jobs.get_mut(&queued.name).filter(|job| job.id.as_ref() == Some(&queued.id)) {
                job.ran = queued.ran_secs.filter(|secs| secs.is_finite());
                if !queued.host.is_empty() {
                    queued.host.clone_into(&mut job.host);
                }
            }
        }
        let missing: Vec<String> = self.jobs.keys().filter(|name| !found.contains(*name)).cloned().collect();
        for name in missing {
            self.take_missing(&name, asked, acts);
        }
    }

    /// A job that the queue lists.
    fn take_one(&mut self, queued: &Queued, asked: f64, acts: &mut Vec<Act>) {
        let now = self.now;
        if !self.jobs.contains_key(&queued.name) {
            self.find(&queued.name, Some(queued.id.clone()), self.policy.cpus, acts);
        }
        let (away, look) = (self.away.is_some(), 2.0 * self.policy.poll.as_secs_f64());
        let Some(job) = self.jobs.get_mut(&queued.name) else { return };
        if job.id.as_ref() != Some(&queued.id) {
            job.id = Some(queued.id.clone());
            acts.push(Act::Note(Entry::Accepted { name: job.name.clone(), id: queued.id.clone() }));
        }
        job.seen = now;
        job.unlisted = None;
        queued.reason.clone_into(&mut job.reason);
        queued.start.clone_into(&mut job.start);
        if !queued.host.is_empty() {
            queued.host.clone_into(&mut job.host);
        }
        let anew = queued.restarts > job.restart;
        match (queued.state, job.phase) {
            (JobState::Running, Phase::Running) if !anew && !job.runs_anew(asked, queued.ran_secs) => {
                job.live(now, away);
                job.began_before(asked, queued.ran_secs, look);
            }
            (JobState::Running, Phase::Running) => {
                let restart = queued.restarts.max(job.restart);
                self.requeue(&queued.name, restart, acts);
                self.begin(&queued.name, restart, acts);
            }
            (JobState::Running, _) => {
                let restart = queued.restarts.max(job.restart);
                self.begin(&queued.name, restart, acts);
                if let Some(job) = self.jobs.get_mut(&queued.name) {
                    job.began_before(asked, queued.ran_secs, look);
                }
            }
            (JobState::Waiting, Phase::Running) => {
                // The worker said Hello after the queue was asked, or the job was put back.
                let stale = !anew && job.began.is_some_and(|began| began >= asked);
                if !stale {
                    let restart = queued.restarts.max(job.restart);
                    self.requeue(&queued.name, restart, acts);
                }
            }
            (JobState::Waiting, _) => {
                job.phase = Phase::Waiting;
                job.earliest = job.earliest.max(asked);
                job.restart = job.restart.max(queued.restarts);
            }
            (JobState::Unknown | JobState::Ended, _) if job.in_doubt() => job.phase = Phase::Waiting,
            (JobState::Unknown | JobState::Ended, _) => {}
        }
    }

    /// A job that a readable answer of the queue lacks.
    fn take_missing(&mut self, name: &str, asked: f64, acts: &mut Vec<Act>) {
        let now = self.now;
        let Some(job) = self.jobs.get_mut(name) else { return };
        match &mut job.phase {
            Phase::Asked => {}
            // It was there, or came into doubt, after the queue was asked.
            _ if job.seen > asked && job.present.is_none() => {}
            Phase::Doubtful { absent: absent @ None } => {
                *absent = Some(now);
                self.note(acts, Entry::Unlisted { name: name.to_owned() });
            }
            Phase::Doubtful { absent: Some(since) } => {
                if now - *since >= DOUBT_SECS {
                    self.jobs.remove(name);
                    self.note(acts, Entry::Absent { name: name.to_owned() });
                    self.asking.was_absent(now);
                }
            }
            Phase::Running if job.present.is_some() => {
                let since = *job.unlisted.get_or_insert(now);
                if now - since >= UNLISTED_SECS {
                    self.finish(name, acts);
                }
            }
            Phase::Waiting | Phase::Running => self.finish(name, acts),
        }
    }

    /// A job of this launch of which nothing is known: the journal was lost, or its submission was given up too early.
    pub(super) fn find(&mut self, name: &str, id: Option<JobId>, cpus: u32, acts: &mut Vec<Act>) {
        let Some(number) = self.number(name) else { return };
        self.next = self.next.max(number.saturating_add(1));
        self.ended.remove(name);
        let walltime = self.policy.walltime.as_secs_f64();
        let mut job = Job::new(name.to_owned(), cpus.max(1), walltime, self.now, Phase::Waiting);
        job.id.clone_from(&id);
        job.found = true;
        job.earliest = f64::NEG_INFINITY;
        self.jobs.insert(name.to_owned(), job);
        self.note(acts, Entry::Found { name: name.to_owned(), id, cpus: cpus.max(1) });
    }

    /// A job runs, as the queue or its worker says.
    pub(super) fn begin(&mut self, name: &str, restart: u32, acts: &mut Vec<Act>) {
        let now = self.now;
        let Some(job) = self.jobs.get_mut(name) else { return };
        if job.began.is_none() && !job.requeued && !job.found {
            self.totals.began_after(now - job.asked);
        }
        job.begin(now, restart);
        acts.push(Act::Note(Entry::Started { name: name.to_owned(), restart, host: job.host.clone() }));
    }

    /// A job was put back into the queue and may run again already.
    pub(super) fn requeue(&mut self, name: &str, restart: u32, acts: &mut Vec<Act>) {
        let (now, trial) = (self.now, self.trial());
        let Some(job) = self.jobs.get_mut(name) else { return };
        let lost = job.joined.is_some() && job.leaving.is_none();
        if lost {
            job.account.lose(job.cores() * trial.unwrap_or(0.0));
        }
        close(job, now, self.away.is_some(), &self.policy);
        let costs = job.account.costs();
        job.requeue(now, restart);
        self.totals.requeue(&costs);
        self.note(acts, Entry::Requeued { name: name.to_owned(), restart, costs });
        if lost {
            self.lost_a_job(acts);
        }
    }

    /// A job has ended: the queue does not list it any more.
    pub(super) fn finish(&mut self, name: &str, acts: &mut Vec<Act>) {
        let now = self.now;
        let Some(mut job) = self.jobs.remove(name) else { return };
        self.ended.insert(name.to_owned(), (now, job.restart));
        close(&mut job, now, self.away.is_some(), &self.policy);
        let ran = job.account.until() - job.began.unwrap_or(now);
        // Workers leave before the end of their time, when no further trial fits.
        let early = 300.0_f64.max(3.0 * self.trial().unwrap_or(0.0)).min(0.5 * job.walltime);
        let how = match (job.began, job.joined) {
            _ if job.cancelled.is_some() => Ending::Cancelled,
            (None, _) => Ending::Gone,
            (Some(_), _) if ran >= job.walltime - early => Ending::TimeLimit,
            (Some(_), None) => Ending::NotJoined,
            (Some(_), Some(_)) if job.leaving.is_some() || job.idle => Ending::Left,
            (Some(_), Some(_)) => Ending::Lost,
        };
        if how == Ending::Lost {
            job.account.lose(job.cores() * self.trial().unwrap_or(0.0));
        }
        let costs = job.account.costs();
        self.totals.end(how, &costs);
        self.note(acts, Entry::Ended { name: name.to_owned(), how, costs });
        self.asking.one_has_ended();
        match how {
            Ending::Lost => self.lost_a_job(acts),
            Ending::Gone | Ending::NotJoined if !job.suspicious => {
                self.did_not_join(&job.name, &job.host, job.began, acts);
            }
            _ => {}
        }
    }
}

/// Whether a job of this id is listed and has not ended.
fn lists(listed: &[Queued], id: &JobId) -> bool {
    listed.iter().any(|queued| queued.id == *id && queued.state != JobState::Ended)
}

/// Closes the account of a job that does not run any more.
fn close(job: &mut Job, now: f64, away: bool, policy: &super::Policy) {
    if let Some(ran) = job.ran {
        if job.began.is_none() && ran > 0.0 {
            job.begin(now - ran, job.restart);
        }
        job.settle(ran);
        return;
    }
    match (job.began, job.missing) {
        // The worker left first; the coordinator's answers say when.
        (Some(_), Some(missing)) if missing >= job.account.until() => job.live(missing, away),
        (Some(began), _) => job.account.pass_unseen(now.min(began + job.walltime), job.cores()),
        // It may have begun and ended between two looks.
        (None, _) => {
            let short = now - job.earliest <= 2.0 * policy.poll.as_secs_f64();
            job.account = super::ledger::Account::new(job.earliest);
            if !(short && job.cancelled.is_some()) {
                job.account.pass_unseen(now.min(job.earliest + job.walltime), job.cores());
            }
        }
    }
}
