//! What a launch is made of: its options over those of a profile.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    path::{Path, PathBuf},
    time::Duration,
};

use launch::{
    core::Policy,
    driver::{System, Worker},
    profile::{self, HostFile, Hosts, JobLimits, Place, Profile, Site},
    runner::Runner,
    systems::ssh::Ssh,
};

use super::DATA;
use crate::error::{CliError, EXIT_FAILED};

/// Options that are keys of a profile, too, and stronger.
#[derive(clap::Args)]
pub(super) struct SetupArgs {
    /// Profile of the cluster (TOML): partition, walltime, cores, limits. `redqueen launch profile` prints one.
    #[arg(long, value_name = "FILE")]
    profile: Option<PathBuf>,
    /// Directory of the coordinator's runs and of the launch, which every node must see.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Most jobs at once; each is a worker on one node.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    max_nodes: Option<u32>,
    /// Jobs to keep while work is left, even if it could do with fewer.
    #[arg(long, value_name = "N")]
    min_nodes: Option<u32>,
    /// Cores of a job.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4_096))]
    cpus: Option<u32>,
    /// Longest time of a job: `8h`, `90m`.
    #[arg(long, value_name = "TIME", value_parser = profile::parse_duration)]
    walltime: Option<Duration>,
    /// When the work should be done, from the launch's start: fewer jobs are asked for where that is enough.
    #[arg(long, value_name = "TIME", value_parser = profile::parse_duration)]
    finish_within: Option<Duration>,
    /// Most core-hours that all jobs together may take.
    #[arg(long, value_name = "N")]
    budget_core_hours: Option<f64>,
    /// Where the coordinator lives: `here`, beside the launcher; `job`, with the launcher in a job of its own that hands over
    /// to a successor before it ends; or the URL of one that is there already.
    #[arg(long, value_name = "here|job|URL", value_parser = profile::parse_place)]
    place: Option<Place>,
    /// Machines of `ssh`, one a line: NAME or NAME:CORES. Read again when it changes.
    #[arg(long, value_name = "FILE")]
    hosts: Option<PathBuf>,
}

/// A launch's batch system, limits and workers.
pub(super) struct Setup {
    pub(super) data: PathBuf,
    pub(super) policy: Policy,
    pub(super) system: System,
    pub(super) machines: Option<Machines>,
    pub(super) runner: Runner,
    /// Where the coordinator lives.
    pub(super) place: Place,
    /// What a job of the coordinator's own asks for.
    pub(super) head: (Site, JobLimits),
    pub(super) worker: Worker,
    /// Where the coordinator listens.
    pub(super) listen: String,
    /// Where it serves metrics, if it does, and whether to other machines.
    pub(super) http: (Option<SocketAddr>, bool),
    /// Time between two looks at the coordinator.
    pub(super) every: Duration,
}

impl SetupArgs {
    /// The setup of a launch on the batch system `system`.
    pub(super) fn setup(&self, system: &str) -> Result<Setup, CliError> {
        let mut profile = self.read(system)?;
        if let Some(hosts) = &self.hosts {
            let Site::Ssh(named) = &mut profile.site else {
                return Err(CliError::usage("--hosts is for `redqueen launch ssh`"));
            };
            *named = Hosts::File(hosts.clone());
        }
        let machines = match &profile.site {
            Site::Ssh(Hosts::File(path)) => Some(Machines::read(path)?),
            _ => None,
        };
        let batch: System = match (&machines, profile.site.batch_system()) {
            (Some(machines), _) => Box::new(machines.system.clone()),
            (None, Some(batch)) => batch,
            (None, None) => return Err(CliError::usage(format!("`{system}` takes no jobs"))),
        };
        let is_local = matches!(profile.site, Site::Local);
        let (job, scale) = (profile.job, &profile.scale);
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32);
        // Processes on this machine share its cores.
        let cpus = self.cpus.unwrap_or(if is_local && self.profile.is_none() { cores } else { job.cpus });
        let fallback = if is_local && self.profile.is_none() { 1 } else { scale.max };
        let max = self.max_nodes.unwrap_or(fallback);
        let mut policy = Policy::new(max, cpus, self.walltime.unwrap_or(job.walltime));
        policy.min = self.min_nodes.unwrap_or(scale.min).min(max);
        policy.waiting = scale.waiting;
        policy.max_submit = job.max_submit.unwrap_or(u32::MAX);
        policy.idle = scale.idle;
        policy.finish_within = self.finish_within.or(scale.finish_within);
        policy.budget = self.budget_core_hours.or(scale.budget_core_hours).map(|hours| hours * 3_600.0);
        policy.poll = if is_local { LOCAL_POLL } else { job.poll };
        if is_local {
            // Nothing else tells that a process has died, and asking costs nothing.
            policy.slow_poll = policy.poll * 5;
        }
        let worker = Worker {
            wrap: profile.worker.wrap.clone(),
            program: program()?,
            staged: if profile.worker.stage { Some(staged()?) } else { None },
            extra: if profile.worker.smt { Vec::new() } else { vec!["--physical-cores".to_owned()] },
            prologue: profile.worker.prologue.clone(),
            idle: scale.idle,
            lost: scale.lost,
            cpus,
            memory_mb: job.memory_mb,
        };
        let data = self.data.clone().or_else(|| profile.data.clone()).unwrap_or_else(|| DATA.into());
        let listen = listen(&profile, is_local);
        let http = (profile.coordinator.http, profile.coordinator.http_public);
        let runner = Runner { via: profile.via.clone(), ..Runner::default() };
        let every = if is_local { Duration::from_millis(500) } else { Duration::from_secs(2) };
        let place = self.place.clone().unwrap_or_else(|| profile.coordinator.place.clone());
        let head = profile.coordinator.job.clone();
        Ok(Setup { place, head, data, policy, system: batch, machines, runner, worker, listen, http, every })
    }

    fn read(&self, system: &str) -> Result<Profile, CliError> {
        let variables: BTreeMap<String, String> = std::env::vars().collect();
        let (name, text) = match &self.profile {
            None => ("defaults".to_owned(), String::new()),
            Some(path) => {
                let text = std::fs::read_to_string(path).map_err(|error| {
                    CliError::usage(format!("cannot read the profile `{}`: {error}", path.display()))
                        .hint("`redqueen launch profile slurm > cluster.toml` makes one to be edited")
                })?;
                (path.display().to_string(), text)
            }
        };
        Profile::read(&name, &text, &variables, Some(system))
            .map_err(|faults| CliError::usage(format!("the profile has faults\n{faults}")))
    }
}

/// Processes of this machine are listed so often.
const LOCAL_POLL: Duration = Duration::from_secs(2);

/// Machines for ssh that a file lists, which may change while the launch goes on.
pub(super) struct Machines {
    file: HostFile,
    system: Ssh,
}

impl Machines {
    fn read(path: &Path) -> Result<Self, CliError> {
        let mut file = HostFile::new(path);
        let hosts = file.changed().map_err(CliError::usage)?.unwrap_or_default();
        if hosts.is_empty() {
            return Err(CliError::usage(format!("`{}` names no machine", path.display()))
                .hint("write one a line, as ssh knows them: NAME or NAME:CORES"));
        }
        Ok(Machines { file, system: Ssh::new(hosts) })
    }

    /// Takes in what has changed in the file.
    pub(super) fn look(&mut self) {
        match self.file.changed() {
            Ok(Some(hosts)) => {
                tracing::info!("`{}` lists {} machines now", self.file.path().display(), hosts.len());
                self.system.set_hosts(hosts);
            }
            Ok(None) => {}
            Err(why) => tracing::warn!("the list of machines stays as it was: {why}"),
        }
    }
}

/// Where the coordinator listens: on loopback for processes of this machine, else on the interface of the profile or on all.
fn listen(profile: &Profile, is_local: bool) -> String {
    let ports = profile.coordinator.ports.map_or("0".to_owned(), |(first, last)| format!("{first}-{last}"));
    match &profile.coordinator.interface {
        Some(interface) => format!("{interface}:{ports}"),
        None if is_local => format!("127.0.0.1:{ports}"),
        None => format!("0.0.0.0:{ports}"),
    }
}

/// Where a machine keeps its copy of the program: named after what is in it, so that another build is another file.
fn staged() -> Result<PathBuf, CliError> {
    let bytes = std::fs::read(program()?).map_err(|error| CliError::chained(EXIT_FAILED, &error))?;
    let uid = rustix::process::getuid().as_raw();
    Ok(format!("/tmp/redqueen-{uid}/{}", launch::directory::name_of(&bytes)).into())
}

/// The program itself, which jobs run, too.
pub(super) fn program() -> Result<PathBuf, CliError> {
    std::env::current_exe().map_err(|error| CliError::chained(EXIT_FAILED, &error))
}
