//! Batch systems, one file each: text in and text out.

mod elapsed;
pub mod inside;
pub mod kubernetes;
pub mod local;
pub mod lsf;
pub mod pbs;
mod refusals;
pub mod script;
pub mod sge;
pub mod slurm;
pub mod ssh;

use crate::{
    call::{Call, Output},
    job::{Job, JobId},
};

/// A batch system: which commands ask for jobs, and what their answers mean. It starts no process.
pub trait BatchSystem {
    /// The command that asks for a job.
    ///
    /// # Errors
    /// A word or path of it cannot be written into a script, so that no command asks for it.
    fn submit(&self, job: &Job) -> Result<Call, Refusal>;

    /// What it answered.
    ///
    /// # Errors
    /// The job was not accepted, or that is unknown.
    fn read_submit(&self, job: &Job, output: &Output) -> Result<JobId, Refusal>;

    /// The commands that list the jobs of this account, at least those of `known` that have not ended.
    fn query(&self, known: &[JobId]) -> Vec<Call>;

    /// The jobs that one of those commands lists.
    ///
    /// # Errors
    /// The answer is not understood. It says nothing then: neither that jobs are there nor that they are not.
    fn read_query(&self, output: &Output) -> Result<Vec<Queued>, Unreadable>;

    /// The commands that end jobs. They succeed if some have ended already, or fail: what is left says the next query.
    fn cancel(&self, ids: &[JobId]) -> Vec<Call>;

    /// How many of its commands may run at once.
    fn at_once(&self) -> usize {
        1
    }
}

/// Why a job was not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Refusal {
    /// What follows from it.
    pub class: RefusalClass,
    /// The batch system's own words.
    pub text: String,
}

/// What follows from a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RefusalClass {
    /// The same job will always be refused: an account, partition or option that does not exist.
    Permanent,
    /// This account has as many jobs as it may have: wait until one has ended.
    Limit,
    /// The batch system does not serve now; no job was made.
    Busy,
    /// No answer: the job may exist. It is looked up by name before another one is asked for.
    Doubtful,
}

/// An answer that is not understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the batch system's answer is not understood: {0}")]
pub struct Unreadable(pub String);

/// A job as its batch system lists it.
#[derive(Clone, Debug, PartialEq)]
pub struct Queued {
    /// The batch system's name for it.
    pub id: JobId,
    /// The name that it was given.
    pub name: String,
    /// What it does.
    pub state: JobState,
    /// Why it waits, in the batch system's words; empty if unknown.
    pub reason: String,
    /// When the batch system expects it to start, in its words; empty if unknown.
    pub start: String,
    /// How often it began anew under the same id; 0 where the batch system does not say.
    pub restarts: u32,
    /// The machine on which it runs, by the name that [`Job::exclude`] takes; empty if it waits or that is unknown.
    pub host: String,
    /// For how many seconds it has run since it last began; `None` if it waits or that is unknown.
    pub ran_secs: Option<f64>,
}

/// What a job does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JobState {
    /// It waits for a machine.
    Waiting,
    /// It runs, or starts to.
    Running,
    /// It has ended or is ending, and will not begin anew.
    Ended,
    /// The batch system has a word for it that is not known here: it is still there.
    Unknown,
}
