//! Where a worker runs and until when, as its options and its batch system say.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use clap::Args;
use launch::systems::inside::{Allocation, inside};
use worker::Place;

use crate::error::CliError;

/// Options of a worker in a job.
#[derive(Args)]
pub(crate) struct PlaceArgs {
    /// Name of the job that this worker is in, for `redqueen launch`; the batch system's if not given.
    #[arg(long, value_name = "NAME")]
    allocation: Option<String>,
    /// When the job ends, in seconds since 1970. The worker takes no trial that would take longer, and leaves in time. What
    /// the batch system says (SLURM_JOB_END_TIME) if not given.
    #[arg(long, value_name = "SECS")]
    ends_at: Option<u64>,
}

impl PlaceArgs {
    pub(crate) fn place(&self) -> Result<Place, CliError> {
        let job = job().unwrap_or_default();
        let name = self.allocation.clone().or(job.job).or(job.id.map(|id| id.0)).unwrap_or_default();
        let ends = self.ends_at.or(job.ends_at).map(at).transpose()?;
        Ok(Place { host: job.host.unwrap_or_else(host), allocation: name, restart: job.restarts, ends })
    }
}

/// The job of a batch system around this process, if there is one.
pub(crate) fn job() -> Option<Allocation> {
    inside(&std::env::vars().collect::<BTreeMap<_, _>>())
}

/// The name of this machine.
pub(crate) fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// A time of the wall clock on the clock that only goes forward.
pub(crate) fn at(secs: u64) -> Result<Instant, CliError> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let left = Duration::from_secs(secs).saturating_sub(since);
    Instant::now().checked_add(left).ok_or_else(|| {
        CliError::usage(format!("--ends-at {secs} is too far ahead")).hint("give seconds since 1970: `date +%s` is now")
    })
}
