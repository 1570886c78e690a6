//! Jobs: one worker on one machine, for a limited time.

use std::{path::PathBuf, time::Duration};

/// How a batch system names a job: `4711`, `HOST/PID`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct JobId(pub String);

/// What a job waits for beside its turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct After {
    /// It begins when this job has ended, however that was.
    pub job: JobId,
    /// It also begins so long after the start of that job, where the batch system has words for that; whole minutes.
    pub at_latest: Duration,
}

/// A job to ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Its name, which no other job of any launch has: `rq-` and the launch's eight digits, `-` and a number. The worker in it
    /// gives the name as its allocation, so that job and worker are matched whatever the batch system answered.
    pub name: String,
    /// Cores, at least 1.
    pub cpus: u32,
    /// Memory in MiB; left to the batch system if `None`.
    pub memory_mb: Option<u64>,
    /// How long it may last; whole minutes.
    pub walltime: Duration,
    /// Machines on which it must not run.
    pub exclude: Vec<String>,
    /// Lines of shell before the worker.
    pub prologue: Vec<String>,
    /// The worker: program and arguments.
    pub command: Vec<String>,
    /// What it waits for beside its turn.
    pub after: Option<After>,
    /// File for what it prints; appended to.
    pub log: PathBuf,
}
