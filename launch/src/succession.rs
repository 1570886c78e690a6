//! A coordinator in jobs of its own, one after the other: a successor waits in the queue before the first has ended.
//!
//! All of these jobs have one name. The successor begins when its predecessor has ended, or a little before it must end, so
//! that it stands by. It is looked for again and again, since a person may have cancelled it.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use crate::{
    driver::System,
    job::{After, Job, JobId},
    runner::Runner,
    systems::{JobState, Queued, RefusalClass},
};

/// A coordinator leaves so long before its job must end, and its successor is there by then.
pub const HANDOVER: Duration = Duration::from_secs(120);

/// The jobs of a coordinator.
pub struct Succession {
    system: Arc<System>,
    runner: Runner,
    /// What is asked for.
    job: Job,
    /// The job that this process is in; `None` outside of any.
    own: Option<JobId>,
    /// Time between two looks at the queue.
    every: Duration,
    looked: Option<Instant>,
}

/// What became of a job that was to be in the queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standby {
    /// One is there.
    There(JobId),
    /// None was there, and one was asked for.
    Asked(JobId),
    /// None was there, and none could be asked for now.
    None(String),
}

impl Succession {
    /// The jobs like `job`, seen from the job `own`.
    pub fn new(system: Arc<System>, runner: Runner, job: Job, own: Option<JobId>, every: Duration) -> Self {
        Succession { system, runner, job, own, every, looked: None }
    }

    /// Makes sure that another job than ours is in the queue, if it is time to look. Blocks.
    pub fn look(&mut self) -> Option<Standby> {
        if self.looked.is_some_and(|at| at.elapsed() < self.every) {
            return None;
        }
        self.looked = Some(Instant::now());
        Some(self.ensure())
    }

    /// Makes sure that another job than ours is in the queue. Blocks.
    pub fn ensure(&mut self) -> Standby {
        match self.others() {
            // It may be there.
            Err(why) => Standby::None(why),
            Ok(others) => match &others[..] {
                [] => self.ask(),
                [first, further @ ..] => {
                    // Two were asked for, as the first answer was lost.
                    let waiting = further.iter().filter(|job| job.state == JobState::Waiting);
                    self.cancel(&waiting.map(|job| job.id.clone()).collect::<Vec<_>>());
                    Standby::There(first.id.clone())
                }
            },
        }
    }

    /// Whether another one of these jobs runs. Blocks.
    ///
    /// # Errors
    /// The queue cannot be read.
    pub fn is_another_running(&mut self) -> Result<bool, String> {
        Ok(self.others()?.iter().any(|job| job.state != JobState::Waiting))
    }

    /// Takes all others of these jobs out of the queue. Blocks.
    pub fn end(&mut self) {
        if let Ok(others) = self.others() {
            self.cancel(&others.into_iter().map(|job| job.id).collect::<Vec<_>>());
        }
    }

    fn ask(&mut self) -> Standby {
        let walltime = self.job.walltime;
        let mut job = self.job.clone();
        job.after = self.own.clone().map(|own| After { job: own, at_latest: at_latest(walltime) });
        let call = match self.system.submit(&job) {
            Ok(call) => call,
            Err(refusal) => return Standby::None(refusal.text),
        };
        match self.system.read_submit(&job, &self.runner.run(&call)) {
            Ok(id) => Standby::Asked(id),
            Err(refusal) if refusal.class == RefusalClass::Doubtful => {
                Standby::None(format!("it is unknown whether the job was accepted: {}", refusal.text))
            }
            Err(refusal) => Standby::None(refusal.text),
        }
    }

    fn others(&mut self) -> Result<Vec<Queued>, String> {
        let mut all = Vec::new();
        for output in self.runner.run_all(&self.system.query(&[]), self.system.at_once()) {
            all.extend(self.system.read_query(&output).map_err(|unreadable| unreadable.to_string())?);
        }
        Ok(others(all, &self.job.name, self.own.as_ref()))
    }

    fn cancel(&mut self, ids: &[JobId]) {
        if !ids.is_empty() {
            self.runner.run_all(&self.system.cancel(ids), self.system.at_once());
        }
    }
}

/// The jobs of this name but our own that have not ended; those that run first.
fn others(all: Vec<Queued>, name: &str, own: Option<&JobId>) -> Vec<Queued> {
    let mut others: Vec<Queued> = all
        .into_iter()
        .filter(|job| job.name == name && Some(&job.id) != own && job.state != JobState::Ended)
        .collect();
    others.sort_by_key(|job| job.state == JobState::Waiting);
    others
}

/// How long after the start of a job of this walltime its successor begins at the latest: before the hand-over.
fn at_latest(walltime: Duration) -> Duration {
    let minutes = walltime.saturating_sub(HANDOVER).as_secs() / 60;
    Duration::from_secs(60 * minutes.saturating_sub(1).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queued(id: &str, name: &str, state: JobState) -> Queued {
        Queued {
            id: JobId(id.to_owned()),
            name: name.to_owned(),
            state,
            reason: String::new(),
            start: String::new(),
            restarts: 0,
            host: String::new(),
            ran_secs: None,
        }
    }

    #[test]
    fn a_successor_is_another_job_of_the_name_that_has_not_ended() {
        let queue = vec![
            queued("1", "rq-a-head", JobState::Running),
            queued("2", "rq-a-head", JobState::Waiting),
            queued("3", "rq-b-head", JobState::Waiting),
            queued("4", "rq-a-head", JobState::Ended),
            queued("5", "rq-a-head", JobState::Unknown),
        ];
        let ids = |own: Option<&str>| -> Vec<String> {
            let own = own.map(|own| JobId(own.to_owned()));
            others(queue.clone(), "rq-a-head", own.as_ref()).into_iter().map(|job| job.id.0).collect()
        };
        assert_eq!(ids(Some("1")), ["5", "2"]);
        assert_eq!(ids(None), ["1", "5", "2"]);
    }

    #[test]
    fn a_successor_begins_before_the_hand_over() {
        for (walltime, minutes) in [(24 * 60, 24 * 60 - 3), (10, 7), (4, 1), (3, 1), (1, 1)] {
            assert_eq!(at_latest(Duration::from_secs(60 * walltime)).as_secs(), 60 * minutes, "{walltime} min");
        }
    }
}
