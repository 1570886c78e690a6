//! Where a worker runs and until when, as its options and its batch system say.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use clap::Args;
use worker::Place;

use crate::error::CliError;

/// Options of a worker in a job.
#[derive(Args)]
pub(crate) struct PlaceArgs {
    /// Name of the job that this worker is in, for `redqueen launch`; the batch system's if not given.
    #[arg(long, value_name = "NAME")]
    allocation: Option<String>,
    /// When the job ends, in seconds since 1970. The worker takes no trial that would take longer, and leaves in time.
    /// SLURM_JOB_END_TIME if not given.
    #[arg(long, value_name = "SECS")]
    ends_at: Option<u64>,
}

impl PlaceArgs {
    pub(crate) fn place(&self) -> Result<Place, CliError> {
        let variable = |name: &str| std::env::var(name).ok().filter(|text| !text.is_empty());
        let number = |name: &str| variable(name).and_then(|text| text.trim().parse::<u64>().ok());
        let allocation =
            self.allocation.clone().or_else(|| JOBS.iter().find_map(|name| variable(name))).unwrap_or_default();
        let restart = number("SLURM_RESTART_COUNT").and_then(|count| u32::try_from(count).ok()).unwrap_or(0);
        let ends = self.ends_at.or_else(|| number("SLURM_JOB_END_TIME")).map(at).transpose()?;
        Ok(Place { host: host(), allocation, restart, ends })
    }
}

/// Where batch systems say which job a process is in: Slurm, Grid Engine, PBS and LSF.
const JOBS: [&str; 4] = ["SLURM_JOB_ID", "JOB_ID", "PBS_JOBID", "LSB_JOBID"];

/// The name of this machine.
pub(crate) fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// A time of the wall clock on the clock that only goes forward.
fn at(secs: u64) -> Result<Instant, CliError> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let left = Duration::from_secs(secs).saturating_sub(since);
    Instant::now().checked_add(left).ok_or_else(|| {
        CliError::usage(format!("--ends-at {secs} is too far ahead")).hint("give seconds since 1970: `date +%s` is now")
    })
}
