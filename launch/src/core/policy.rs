//! What a person allows and wants.

use std::time::Duration;

/// The limits of a launch. They may differ from one start of the launcher to the next.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// Jobs to keep while work is left, even if it could do with fewer; at most `max`.
    pub min: u32,
    /// Most jobs at once, whatever they do, those in doubt included.
    pub max: u32,
    /// Most jobs that wait in the queue at once, at least 1.
    pub waiting: u32,
    /// Most jobs of this launch that the batch system takes at once; like `max`, but a fact about the site.
    pub max_submit: u32,
    /// Threads that a job gives, at least 1.
    pub cpus: u32,
    /// Longest time that a job may ask for.
    pub walltime: Duration,
    /// Least time between two queries while something is expected to change.
    pub poll: Duration,
    /// Time between two queries while jobs run undisturbed.
    pub slow_poll: Duration,
    /// A worker without work for this long may be told to leave although work will come.
    pub idle: Duration,
    /// A job whose worker has not said Hello for this long after its start is suspicious.
    pub start_timeout: Duration,
    /// Time from the first start of the launch within which the work should be done; as fast as it can be if `None`.
    pub finish_within: Option<Duration>,
    /// Core-seconds that all jobs of the launch together may be allocated.
    pub budget: Option<f64>,
}

impl Policy {
    /// Up to `max` jobs of `cpus` threads and `walltime`, with the usual times and neither a budget nor a time to finish in.
    pub fn new(max: u32, cpus: u32, walltime: Duration) -> Self {
        Policy {
            min: 0,
            max,
            waiting: 2,
            max_submit: u32::MAX,
            cpus,
            walltime,
            poll: Duration::from_secs(60),
            slow_poll: Duration::from_mins(10),
            idle: Duration::from_mins(5),
            start_timeout: Duration::from_mins(3),
            finish_within: None,
            budget: None,
        }
    }

    /// Most jobs at once.
    pub(super) fn most(&self) -> u32 {
        self.max.min(self.max_submit)
    }

    /// Threads of a job as a number to calculate with.
    pub(super) fn cores(&self) -> f64 {
        f64::from(self.cpus.max(1))
    }
}
