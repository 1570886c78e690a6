//! The tables of batch systems.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use super::{
    reader::{Table, nearest},
    values,
};
use crate::systems::{
    BatchSystem,
    kubernetes::Kubernetes,
    local::Local,
    lsf::Lsf,
    pbs::Pbs,
    sge::Sge,
    slurm::Slurm,
    ssh::{Host, Ssh},
};

/// A batch system, and what the site wants to be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Site {
    /// `[slurm]`
    Slurm(Slurm),
    /// `[pbs]`
    Pbs(Pbs),
    /// `[sge]`
    Sge(Sge),
    /// `[lsf]`
    Lsf(Lsf),
    /// `[ssh]`
    Ssh(Hosts),
    /// `[kubernetes]`
    Kubernetes(Kubernetes),
    /// `[local]`
    Local,
}

/// Hosts for ssh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hosts {
    /// Those of the profile.
    Listed(Vec<Host>),
    /// Those of a file, which is read again when it changes (see [`read_hosts`](crate::systems::ssh::read_hosts)).
    File(PathBuf),
}

/// What a job asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobLimits {
    /// Cores, at least 1.
    pub cpus: u32,
    /// Memory in MiB; left to the batch system if `None`.
    pub memory_mb: Option<u64>,
    /// How long a job may last; whole minutes.
    pub walltime: Duration,
    /// Least time between two questions to the batch system.
    pub poll: Duration,
    /// Most jobs of a launch that the site takes at once.
    pub max_submit: Option<u32>,
}

impl Default for JobLimits {
    fn default() -> Self {
        let (walltime, poll) = (Duration::from_hours(1), Duration::from_mins(1));
        JobLimits { cpus: 1, memory_mb: None, walltime, poll, max_submit: None }
    }
}

/// The batch systems, as `system` and tables name them.
pub(super) const SYSTEMS: [&str; 7] = ["slurm", "pbs", "sge", "lsf", "ssh", "kubernetes", "local"];

/// The chosen batch system.
pub(super) fn choose(root: &Table, chosen: Option<&str>) -> &'static str {
    let find = |name: &str| SYSTEMS.into_iter().find(|system| *system == name);
    let written = root.text("system");
    let own = written.as_deref().and_then(find);
    if let (Some(name), None) = (&written, own) {
        root.fault("system", format!("`{name}` is not a batch system"), Some(nearest(name, &SYSTEMS)));
    }
    let has_table = SYSTEMS.into_iter().find(|system| root.get(system).is_some());
    chosen.and_then(find).or(own).or(has_table).unwrap_or("local")
}

/// Reads the tables of all batch systems, and gives that of `system`.
pub(super) fn read(root: &Table, system: &str, variables: &BTreeMap<String, String>) -> (Site, JobLimits) {
    let mut chosen = (Site::Local, JobLimits::default());
    for name in SYSTEMS {
        let table = root.table(name);
        if name == system || table.is_there() {
            let read = Site::default_of(name).read_own(table, &JobLimits::default(), variables);
            if name == system {
                if matches!(&read.0, Site::Kubernetes(kubernetes) if kubernetes.image.is_empty()) {
                    root.fault("kubernetes", "`image` has to name an image", None);
                }
                chosen = read;
            }
        }
    }
    chosen
}

impl Site {
    /// A batch system of which nothing is known but its name.
    fn default_of(name: &str) -> Site {
        match name {
            "slurm" => Site::Slurm(Slurm::default()),
            "pbs" => Site::Pbs(Pbs::default()),
            "sge" => Site::Sge(Sge::default()),
            "lsf" => Site::Lsf(Lsf::default()),
            "ssh" => Site::Ssh(Hosts::Listed(Vec::new())),
            "kubernetes" => Site::Kubernetes(Kubernetes {
                namespace: None,
                image: String::new(),
                storage_class: None,
                storage: "10Gi".into(),
                node_selector: Vec::new(),
                cpu: 1,
                memory: "2Gi".into(),
            }),
            _ => Site::Local,
        }
    }

    /// Its name, as `system` has it.
    pub fn name(&self) -> &'static str {
        match self {
            Site::Slurm(_) => "slurm",
            Site::Pbs(_) => "pbs",
            Site::Sge(_) => "sge",
            Site::Lsf(_) => "lsf",
            Site::Ssh(_) => "ssh",
            Site::Kubernetes(_) => "kubernetes",
            Site::Local => "local",
        }
    }

    /// The same without exclusive nodes.
    pub(super) fn shared(&self) -> Site {
        let mut site = self.clone();
        match &mut site {
            Site::Slurm(slurm) => slurm.exclusive = false,
            Site::Pbs(pbs) => pbs.exclusive = false,
            Site::Lsf(lsf) => lsf.exclusive = false,
            Site::Sge(_) | Site::Ssh(_) | Site::Kubernetes(_) | Site::Local => {}
        }
        site
    }

    /// What asks it for jobs; `None` for Kubernetes, which only gets manifests. For ssh with a file of hosts it has
    /// none yet: the caller makes its own [`Ssh`], keeps a clone and gives it the hosts of a
    /// [`HostFile`](super::HostFile).
    pub fn batch_system(&self) -> Option<Box<dyn BatchSystem + Send + Sync>> {
        Some(match self {
            Site::Slurm(slurm) => Box::new(slurm.clone()),
            Site::Pbs(pbs) => Box::new(pbs.clone()),
            Site::Sge(sge) => Box::new(sge.clone()),
            Site::Lsf(lsf) => Box::new(lsf.clone()),
            Site::Ssh(Hosts::Listed(hosts)) => Box::new(Ssh::new(hosts.clone())),
            Site::Ssh(Hosts::File(_)) => Box::new(Ssh::new(Vec::new())),
            Site::Local => Box::new(Local),
            Site::Kubernetes(_) => return None,
        })
    }

    /// This site, and what its jobs ask for, with what a table says of them.
    pub(super) fn read_own(
        &self,
        table: Table,
        limits: &JobLimits,
        variables: &BTreeMap<String, String>,
    ) -> (Site, JobLimits) {
        let mut site = self.clone();
        let mut limits = *limits;
        let read = |key, old: &Option<String>| table.text(key).or_else(|| old.clone());
        let list = |key, old: &Vec<String>| if table.get(key).is_some() { table.texts(key) } else { old.clone() };
        let exclusive = |old: bool| {
            let exclusive = table.flag("exclusive").unwrap_or(old);
            if exclusive && table.get("cpus").is_none() && limits.cpus == 1 {
                let why = "a job gets all cores of its node: `cpus` says how many that is";
                table.fault("exclusive", why, Some("sinfo -o %c, pbsnodes, qhost or lshosts tell".into()));
            }
            exclusive
        };
        match &mut site {
            Site::Slurm(slurm) => {
                slurm.partition = read("partition", &slurm.partition);
                slurm.account = read("account", &slurm.account);
                slurm.qos = read("qos", &slurm.qos);
                slurm.constraint = read("constraint", &slurm.constraint);
                slurm.reservation = read("reservation", &slurm.reservation);
                slurm.cluster = read("cluster", &slurm.cluster);
                slurm.exclusive = exclusive(slurm.exclusive);
                (slurm.extra, slurm.skip) = (list("extra", &slurm.extra), list("skip", &slurm.skip));
            }
            Site::Pbs(pbs) => {
                pbs.torque = table.flag("torque").unwrap_or(pbs.torque);
                pbs.queue = read("queue", &pbs.queue);
                pbs.account = read("account", &pbs.account);
                pbs.project = read("project", &pbs.project);
                pbs.exclusive = exclusive(pbs.exclusive);
                (pbs.extra, pbs.skip) = (list("extra", &pbs.extra), list("skip", &pbs.skip));
            }
            Site::Sge(sge) => {
                sge.queue = read("queue", &sge.queue);
                sge.project = read("project", &sge.project);
                let environment = table.text("parallel-environment");
                sge.parallel_environment = environment.unwrap_or_else(|| sge.parallel_environment.clone());
                let resource = table.text("memory-resource");
                sge.memory_resource = resource.unwrap_or_else(|| sge.memory_resource.clone());
                (sge.extra, sge.skip) = (list("extra", &sge.extra), list("skip", &sge.skip));
            }
            Site::Lsf(lsf) => {
                lsf.queue = read("queue", &lsf.queue);
                lsf.project = read("project", &lsf.project);
                lsf.exclusive = exclusive(lsf.exclusive);
                (lsf.extra, lsf.skip) = (list("extra", &lsf.extra), list("skip", &lsf.skip));
            }
            Site::Ssh(hosts) => *hosts = read_hosts(&table, variables),
            Site::Kubernetes(kubernetes) => read_kubernetes(kubernetes, &table),
            Site::Local => {}
        }
        if matches!(site, Site::Kubernetes(_)) {
            table.done();
            return (site, limits);
        }
        limits.cpus = table.whole("cpus", 1).unwrap_or(limits.cpus);
        limits.memory_mb = table.memory_mb("memory").or(limits.memory_mb);
        let minutes = |walltime: Duration| walltime.as_secs() / 60;
        if let Some(walltime) = table.duration("walltime") {
            if minutes(walltime) == 0 {
                table.fault("walltime", "a job lasts a minute at least", None);
            }
            limits.walltime = Duration::from_mins(minutes(walltime).max(1));
        }
        limits.poll = table.duration("poll").unwrap_or(limits.poll);
        limits.max_submit = table.whole("max-submit", 1).or(limits.max_submit);
        table.done();
        (site, limits)
    }
}

fn read_hosts(table: &Table, variables: &BTreeMap<String, String>) -> Hosts {
    let file = table
        .text("file")
        .and_then(|file| values::expand(&file, variables).map_err(|why| table.fault("file", why, None)).ok());
    let mut hosts = Vec::new();
    for host in table.texts("hosts") {
        match host.parse() {
            Ok(host) => hosts.push(host),
            Err(why) => table.fault("hosts", why, None),
        }
    }
    match file {
        Some(_) if table.get("hosts").is_some() => {
            table.fault("file", "hosts stand here or in a file, not in both", None);
            Hosts::Listed(hosts)
        }
        Some(file) => Hosts::File(file.into()),
        None => Hosts::Listed(hosts),
    }
}

fn read_kubernetes(kubernetes: &mut Kubernetes, table: &Table) {
    kubernetes.namespace = table.text("namespace");
    kubernetes.image = table.text("image").unwrap_or_default();
    kubernetes.storage_class = table.text("storage-class");
    kubernetes.storage = table.text("storage").unwrap_or_else(|| kubernetes.storage.clone());
    kubernetes.cpu = table.whole("cpu", 1).unwrap_or(kubernetes.cpu);
    kubernetes.memory = table.text("memory").unwrap_or_else(|| kubernetes.memory.clone());
    let labels = table.read("node-selector", "a table of texts", |value| {
        let pairs = value.as_table()?.iter();
        pairs.map(|(name, value)| Some((name.get_ref().to_string(), value.get_ref().as_str()?.to_owned()))).collect()
    });
    kubernetes.node_selector = labels.unwrap_or_default();
}
