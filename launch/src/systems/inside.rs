//! What a process inside a job knows of it from its environment.
//!
//! Slurm's and SGE's rows are from real jobs, those of other systems from their manuals.

use std::collections::BTreeMap;

use super::script;
use crate::job::JobId;

/// The job around a process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allocation {
    /// The batch system, as `cluster.toml` names it; `local` for a process that this program started.
    pub system: &'static str,
    /// The batch system's name for the job.
    pub id: Option<JobId>,
    /// The name that this program gave it; `None` for a job that a person started.
    pub job: Option<String>,
    /// How often it began anew under the same id, as far as the system says.
    pub restarts: u32,
    /// The machine, by the name that the batch system knows.
    pub host: Option<String>,
    /// Cores that a process may use.
    pub cores: Option<u32>,
    /// Memory that the job may use on this machine, in MiB.
    pub memory_mb: Option<u64>,
    /// When the job ends, in seconds since 1970.
    pub ends_at: Option<u64>,
}

/// The job in which a process with these variables runs; `None` outside of any.
pub fn inside(variables: &BTreeMap<String, String>) -> Option<Allocation> {
    let env = Env(variables);
    let found = slurm(env).or_else(|| pbs(env)).or_else(|| lsf(env)).or_else(|| sge(env)).or_else(|| kubernetes(env));
    let job = env.text(script::NAME);
    let process = || Allocation { system: "local", cores: env.number(script::CORES), ..Allocation::default() };
    let found = found.or_else(|| job.is_some().then(process));
    // The script's own reckoning begins with the script and not with the job.
    found.map(|found| Allocation { job, ends_at: found.ends_at.or_else(|| env.number(script::ENDS_AT)), ..found })
}

fn slurm(env: Env) -> Option<Allocation> {
    let id = env.id("SLURM_JOB_ID")?;
    let on_node = env.number("SLURM_CPUS_ON_NODE").or_else(|| env.leading("SLURM_JOB_CPUS_PER_NODE"));
    let per_cpu = || Some(env.number::<u64>("SLURM_MEM_PER_CPU")?.saturating_mul(on_node?));
    Some(Allocation {
        system: "slurm",
        id: Some(id),
        restarts: env.number("SLURM_RESTART_COUNT").unwrap_or(0),
        host: env.text("SLURMD_NODENAME"),
        cores: env
            .number("SLURM_CPUS_PER_TASK")
            .or(on_node.and_then(|cores| u32::try_from(cores).ok()))
            .filter(|n| *n > 0),
        memory_mb: env.number("SLURM_MEM_PER_NODE").or_else(per_cpu).filter(|mb| *mb > 0),
        ends_at: env.number("SLURM_JOB_END_TIME"),
        ..Allocation::default()
    })
}

/// PBS Pro and OpenPBS set NCPUS, Torque PBS_NP.
fn pbs(env: Env) -> Option<Allocation> {
    let id = env.id("PBS_JOBID")?;
    let cores = env.number("NCPUS").or_else(|| env.number("PBS_NP")).or_else(|| env.number("PBS_NUM_PPN"));
    Some(Allocation { system: "pbs", id: Some(id), cores, ..Allocation::default() })
}

fn lsf(env: Env) -> Option<Allocation> {
    let id = env.id("LSB_JOBID")?;
    Some(Allocation {
        system: "lsf",
        id: Some(id),
        restarts: u32::from(env.text("LSB_RESTART").is_some_and(|restart| restart.eq_ignore_ascii_case("y"))),
        host: env.text("LSB_HOSTS").and_then(|hosts| hosts.split_whitespace().next().map(String::from)),
        cores: env.number("LSB_DJOB_NUMPROC"),
        ..Allocation::default()
    })
}

fn sge(env: Env) -> Option<Allocation> {
    let (id, cores) = (env.id("JOB_ID")?, env.number("NSLOTS")?);
    env.text("SGE_ROOT").or_else(|| env.text("SGE_CELL"))?;
    Some(Allocation {
        system: "sge",
        id: Some(id),
        restarts: env.number("RESTARTED").unwrap_or(0),
        host: env.text("HOSTNAME"),
        cores: Some(cores),
        ..Allocation::default()
    })
}

/// A pod's host name is its own name.
fn kubernetes(env: Env) -> Option<Allocation> {
    env.text("KUBERNETES_SERVICE_HOST")?;
    Some(Allocation { system: "kubernetes", id: Some(env.id("HOSTNAME")?), ..Allocation::default() })
}

/// The variables, read as what they have to be.
#[derive(Clone, Copy)]
struct Env<'e>(&'e BTreeMap<String, String>);

impl Env<'_> {
    fn text(self, name: &str) -> Option<String> {
        self.0.get(name).map(|value| value.trim()).filter(|value| !value.is_empty()).map(String::from)
    }

    fn id(self, name: &str) -> Option<JobId> {
        self.text(name).map(JobId)
    }

    fn number<N: std::str::FromStr>(self, name: &str) -> Option<N> {
        self.text(name)?.parse().ok()
    }

    /// The number before `(x2)`.
    fn leading<N: std::str::FromStr>(self, name: &str) -> Option<N> {
        self.text(name)?.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    }
}
