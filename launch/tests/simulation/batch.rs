//! A batch system in memory: jobs wait, run on machines, are taken away, and answers are lost.

use launch::{
    job::JobId,
    systems::{JobState, Queued, Refusal, RefusalClass},
};

use crate::{
    chance::Chance,
    scenario::{FAULTS_SECS, Scenario, within},
};

/// A worker that said Hello.
#[derive(Clone, Debug)]
pub(crate) struct Worker {
    /// Threads that have a trial now.
    pub(crate) busy: f64,
    /// Since when it has none.
    pub(crate) idle_since: Option<f64>,
    /// It takes no more trials.
    pub(crate) draining: bool,
    /// Seconds of trials so far.
    pub(crate) useful: f64,
    /// Since when the coordinator does not answer it.
    pub(crate) alone_since: Option<f64>,
    /// When it is gone, if it is about to go.
    pub(crate) leaves_at: Option<f64>,
}

#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) id: JobId,
    pub(crate) name: String,
    pub(crate) walltime: f64,
    pub(crate) exclude: Vec<String>,
    /// When it is listed from on: a submission whose answer was lost may take effect later.
    pub(crate) appears: f64,
    /// When it may run.
    pub(crate) start_at: f64,
    pub(crate) host: Option<usize>,
    pub(crate) began: f64,
    pub(crate) restarts: u32,
    pub(crate) joins_at: f64,
    pub(crate) taken_at: f64,
    pub(crate) worker: Option<Worker>,
    pub(crate) ended: bool,
    pub(crate) end: f64,
    pub(crate) last_host: Option<usize>,
}

impl Job {
    pub(crate) fn runs(&self) -> bool {
        self.host.is_some() && !self.ended
    }
}

#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(crate) jobs: Vec<Job>,
    /// Core-seconds allocated by beginnings that are over.
    pub(crate) spent: f64,
    /// Beginnings that were taken away and went back into the queue.
    pub(crate) requeued: u32,
    /// Core-seconds of trials that were lost, to be done again.
    pub(crate) lost: f64,
    next: u64,
    /// Workers that are gone and still listed: name, restart, threads, until when.
    pub(crate) ghosts: Vec<(String, u32, f64)>,
}

impl Batch {
    /// Jobs that exist, listed or not.
    pub(crate) fn live(&self) -> impl Iterator<Item = &Job> {
        self.jobs.iter().filter(|job| !job.ended)
    }

    /// Core-seconds allocated until `now`.
    pub(crate) fn allocated(&self, now: f64, cpus: f64) -> f64 {
        self.spent + self.jobs.iter().filter(|job| job.runs()).map(|job| cpus * (now - job.began)).sum::<f64>()
    }

    /// Lets time pass until `now`: ends, then beginnings.
    pub(crate) fn pass(&mut self, now: f64, scenario: &Scenario, chance: &mut Chance) {
        let cpus = f64::from(scenario.policy.cpus);
        self.ghosts.retain(|(_, _, until)| now < *until);
        for at in 0..self.jobs.len() {
            let job = &mut self.jobs[at];
            if !job.runs() {
                continue;
            }
            let over = job.began + job.walltime;
            let leaves = job.worker.as_ref().and_then(|worker| worker.leaves_at).unwrap_or(f64::INFINITY);
            let end = over.min(leaves).min(job.taken_at);
            if end <= now {
                let taken = job.taken_at <= end && now < FAULTS_SECS * 2.0;
                self.end(at, end, cpus, scenario.trial, chance);
                let job = &mut self.jobs[at];
                if taken && scenario.requeue && job.host.is_none() && job.joins_at.is_finite() {
                    job.ended = false;
                    job.last_host = None;
                    job.restarts += 1;
                    job.start_at = now + delay(scenario, chance);
                    self.requeued += 1;
                }
            } else if job.joins_at <= now && job.worker.is_none() && !within(&scenario.away, now) {
                job.worker = Some(Worker {
                    busy: 0.0,
                    idle_since: Some(now),
                    draining: false,
                    useful: 0.0,
                    alone_since: None,
                    leaves_at: None,
                });
            }
        }
        self.start(now, scenario, chance);
    }

    /// Ends a beginning of a job.
    fn end(&mut self, at: usize, end: f64, cpus: f64, trial: f64, chance: &mut Chance) {
        let job = &mut self.jobs[at];
        if job.host.take().is_some() {
            self.spent += cpus * (end - job.began).max(0.0);
        }
        if let Some(worker) = job.worker.take() {
            if worker.leaves_at.is_none_or(|leaves| leaves > end) {
                self.lost += worker.busy * (trial / 2.0).min(end - job.began);
            }
            if chance.with(0.5) {
                self.ghosts.push((job.name.clone(), job.restarts, end + chance.between(0.0, 45.0)));
            }
        }
        job.ended = true;
        job.end = end;
    }

    fn start(&mut self, now: f64, scenario: &Scenario, chance: &mut Chance) {
        for at in 0..self.jobs.len() {
            let job = &self.jobs[at];
            if job.ended || job.host.is_some() || job.start_at > now {
                continue;
            }
            let taken = |host: &usize| self.jobs.iter().any(|other| other.host == Some(*host));
            let free: Vec<usize> =
                (0..scenario.hosts).filter(|host| !job.exclude.contains(&format!("n{host}")) && !taken(host)).collect();
            if free.is_empty() {
                continue;
            }
            let host = chance.one(&free);
            let preempted = now + chance.wait(scenario.preemption.min(1e12));
            let job = &mut self.jobs[at];
            job.host = Some(host);
            job.last_host = Some(host);
            job.began = now;
            job.joins_at = now + chance.between(3.0, 40.0);
            job.taken_at = if preempted < FAULTS_SECS { preempted } else { f64::INFINITY };
            if host < scenario.bad {
                job.joins_at = f64::INFINITY;
                if host.is_multiple_of(2) {
                    job.taken_at = now + chance.between(1.0, 20.0);
                }
            }
        }
    }

    /// What sbatch does and answers.
    pub(crate) fn submit(
        &mut self,
        now: f64,
        (name, walltime, exclude): (String, f64, Vec<String>),
        scenario: &Scenario,
        chance: &mut Chance,
    ) -> Result<JobId, Refusal> {
        let refuse = |class, text: &str| Err(Refusal { class, text: text.into() });
        if scenario.permanent.is_some_and(|from| now >= from) {
            return refuse(RefusalClass::Permanent, "invalid account");
        }
        if within(&scenario.busy, now) {
            return refuse(RefusalClass::Busy, "try again");
        }
        let doubtful = now < FAULTS_SECS && chance.with(scenario.lost_answers);
        if doubtful && chance.with(0.5) {
            return refuse(RefusalClass::Doubtful, "timed out");
        }
        if self.live().count() >= scenario.limit {
            return refuse(RefusalClass::Limit, "too many jobs");
        }
        let known = scenario.delays.get(self.next as usize).copied();
        self.next += 1;
        let id = JobId(self.next.to_string());
        let late = if doubtful { chance.between(0.0, 50.0) } else { 0.0 };
        self.jobs.push(Job {
            id: id.clone(),
            name,
            walltime,
            exclude,
            appears: now + late,
            start_at: now + late + known.unwrap_or_else(|| delay(scenario, chance)),
            host: None,
            began: 0.0,
            restarts: 0,
            joins_at: f64::INFINITY,
            taken_at: f64::INFINITY,
            worker: None,
            ended: false,
            end: 0.0,
            last_host: None,
        });
        if doubtful { refuse(RefusalClass::Doubtful, "timed out") } else { Ok(id) }
    }

    /// What squeue answers.
    pub(crate) fn list(&self, now: f64, scenario: &Scenario, chance: &mut Chance) -> Result<Vec<Queued>, String> {
        if within(&scenario.blind, now) || now < FAULTS_SECS && chance.with(scenario.unreadable) {
            return Err("socket timed out".into());
        }
        let jobs = self.live().filter(|job| job.appears <= now);
        let mut listed: Vec<Queued> = jobs
            .map(|job| Queued {
                id: job.id.clone(),
                name: job.name.clone(),
                state: if job.host.is_some() { JobState::Running } else { JobState::Waiting },
                reason: if job.host.is_some() { String::new() } else { "Priority".into() },
                start: String::new(),
                restarts: if scenario.restarts { job.restarts } else { 0 },
                host: job.host.map(|host| format!("n{host}")).unwrap_or_default(),
                ran_secs: job.host.filter(|_| scenario.elapsed).map(|_| now - job.began),
            })
            .collect();
        // A job of another launch, and jobs that have ended.
        let other = |id: &str, name: &str, state| Queued {
            id: JobId(id.into()),
            name: name.into(),
            state,
            reason: String::new(),
            start: String::new(),
            restarts: 0,
            host: String::new(),
            ran_secs: None,
        };
        listed.push(other("x", "rq-99999999-0001", JobState::Waiting));
        let ended = self.jobs.iter().filter(|job| job.ended && scenario.remembers && now - job.end < 300.0);
        listed.extend(ended.map(|job| Queued {
            host: job.last_host.map(|host| format!("n{host}")).unwrap_or_default(),
            ran_secs: scenario.elapsed.then(|| job.last_host.map_or(0.0, |_| job.end - job.began)),
            restarts: if scenario.restarts { job.restarts } else { 0 },
            ..other(&job.id.0, &job.name, JobState::Ended)
        }));
        Ok(listed)
    }

    /// What scancel does.
    pub(crate) fn cancel(&mut self, now: f64, ids: &[JobId], scenario: &Scenario, chance: &mut Chance) -> bool {
        if within(&scenario.busy, now) {
            return false;
        }
        let cpus = f64::from(scenario.policy.cpus);
        for at in 0..self.jobs.len() {
            if ids.contains(&self.jobs[at].id) && !self.jobs[at].ended {
                self.end(at, now, cpus, scenario.trial, chance);
            }
        }
        true
    }
}

fn delay(scenario: &Scenario, chance: &mut Chance) -> f64 {
    scenario.delay * chance.spread(0.1, 10.0)
}
