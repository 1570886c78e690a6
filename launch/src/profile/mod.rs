//! `cluster.toml`: how jobs are asked for on a cluster, how many, and where the coordinator lives.
//!
//! Every key is optional and unknown ones are faults; all faults of a file are told at once, with their lines. `maker`
//! writes such a file for a cluster by asking its batch system.

mod hosts;
pub mod maker;
mod reader;
mod sites;
mod values;

use std::{collections::BTreeMap, net::SocketAddr, path::PathBuf, time::Duration};

use toml::de::DeTable;

pub use hosts::HostFile;
pub use reader::Fault;
use reader::{Source, Table};
pub use sites::{Hosts, JobLimits, Site};

/// A cluster, and what a person allows on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// The batch system, and what the site wants to be asked.
    pub site: Site,
    /// What a job asks for.
    pub job: JobLimits,
    /// What commands of the batch system run under, such as `ssh login1`.
    pub via: Vec<String>,
    /// Where run directories and files of launches are, seen by all nodes; variables are replaced.
    pub data: Option<PathBuf>,
    /// How many jobs.
    pub scale: Scale,
    /// Where the coordinator lives.
    pub coordinator: Coordinator,
    /// How a job becomes a worker.
    pub worker: Worker,
}

/// How many jobs.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    /// Jobs to keep while work is left.
    pub min: u32,
    /// Most jobs at once.
    pub max: u32,
    /// Most jobs that wait in the queue, at least 1.
    pub waiting: u32,
    /// A worker without work for this long leaves.
    pub idle: Duration,
    /// A worker without a coordinator for this long leaves.
    pub lost: Duration,
    /// When the work should be done, from the launch's start.
    pub finish_within: Option<Duration>,
    /// What all jobs together may cost, in core-hours.
    pub budget_core_hours: Option<f64>,
}

/// Where the coordinator lives.
#[derive(Clone, Debug, PartialEq)]
pub struct Coordinator {
    /// Its place.
    pub place: Place,
    /// Where it serves metrics by HTTP, if it does.
    pub http: Option<SocketAddr>,
    /// Whether other machines may read them.
    pub http_public: bool,
    /// The interface of the network on which it listens; the system's choice if `None`.
    pub interface: Option<String>,
    /// First and last port of those that it may take.
    pub ports: Option<(u16, u16)>,
    /// What its own job asks for, at `place = "job"`: what workers do but for one shared core and 2 GiB, unless a table
    /// below `[coordinator]` says otherwise.
    pub job: (Site, JobLimits),
}

/// A place of the coordinator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Beside the launcher.
    Here,
    /// In a job of its own.
    Job,
    /// On a server that is there already.
    Url(String),
}

/// How a job becomes a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worker {
    /// Lines of shell before the worker.
    pub prologue: Vec<String>,
    /// A program and its arguments in front of the worker, such as a container's.
    pub wrap: Vec<String>,
    /// Whether the program is copied once to each node's own disk.
    pub stage: bool,
    /// Whether hyperthreads count as cores.
    pub smt: bool,
}

/// Memory of a coordinator's own job, where jobs have to say how much they need.
const OWN_MEMORY_MB: u64 = 2_048;

/// A time such as `90s`, `8h` or `1d12h`, as an option of a command.
///
/// # Errors
/// What is expected.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    values::duration(text).ok_or_else(|| "write a time with its unit: 90s, 15m, 8h, 3d".to_owned())
}

/// A place of the coordinator, as an option of a command.
///
/// # Errors
/// What is expected.
pub fn parse_place(text: &str) -> Result<Place, String> {
    Place::read(text).ok_or_else(|| format!("write {PLACES}"))
}

/// All that is wrong with a profile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct Faults(pub Vec<Fault>);

impl Profile {
    /// The profile that `text` describes. `file` is its name in faults, `variables` replace their names in paths, and
    /// `system` is a batch system chosen elsewhere, which counts more than the text's own `system`. Without either it
    /// is the one whose table the text has, or else processes on this machine.
    ///
    /// # Errors
    /// All that is wrong with the text.
    pub fn read(
        file: &str,
        text: &str,
        variables: &BTreeMap<String, String>,
        system: Option<&str>,
    ) -> Result<Profile, Faults> {
        let source = Source::new(file, text);
        let parsed = match DeTable::parse(text) {
            Ok(parsed) => parsed,
            Err(error) => {
                source.fault(error.span().unwrap_or(0..0), "", error.message(), None);
                return Err(Faults(source.faults()));
            }
        };
        let root = Table::root(&source, parsed.get_ref());
        let system = sites::choose(&root, system);
        let (site, job) = sites::read(&root, system, variables);
        let data =
            root.read("data", "a path", |value| value.as_str()).and_then(|path| expanded(&root, path, variables));
        let profile = Profile {
            job,
            via: root.texts("via"),
            data: data.map(PathBuf::from),
            scale: Scale::read(&root.table("scale")),
            coordinator: Coordinator::read(root.table("coordinator"), &site, &job, variables),
            worker: Worker::read(root.table("worker")),
            site,
        };
        root.done();
        let faults = source.faults();
        if faults.is_empty() { Ok(profile) } else { Err(Faults(faults)) }
    }
}

/// A path with its variables replaced.
fn expanded(root: &Table, path: &str, variables: &BTreeMap<String, String>) -> Option<String> {
    values::expand(path, variables).map_err(|why| root.fault("data", why, None)).ok()
}

/// The places that a text may name.
const PLACES: &str = "\"here\", \"job\" or a URL such as \"https://host:7800\"";

impl Place {
    fn read(text: &str) -> Option<Place> {
        match text {
            "here" => Some(Place::Here),
            "job" => Some(Place::Job),
            url if url.starts_with("https://") || url.starts_with("http://") => Some(Place::Url(url.into())),
            _ => None,
        }
    }
}

impl Scale {
    fn read(table: &Table) -> Scale {
        let nodes = table.table("nodes");
        let (min, max) = (nodes.whole("min", 0), nodes.whole("max", 1));
        let scale = Scale {
            min: min.unwrap_or(0),
            max: max.unwrap_or(10).max(if max.is_none() { min.unwrap_or(0) } else { 0 }),
            waiting: nodes.whole("waiting", 1).unwrap_or(2),
            idle: table.duration("idle").unwrap_or(Duration::from_mins(5)),
            lost: table.duration("lost").unwrap_or(Duration::from_mins(15)),
            finish_within: table.duration("finish-within"),
            budget_core_hours: table.amount("budget-core-hours"),
        };
        if scale.min > scale.max {
            nodes.fault("min", format!("{} jobs are more than the {} of `max`", scale.min, scale.max), None);
        }
        nodes.done();
        scale
    }
}

impl Coordinator {
    fn read(table: Table, site: &Site, job: &JobLimits, variables: &BTreeMap<String, String>) -> Coordinator {
        let place = table.read("place", PLACES, |value| Place::read(value.as_str()?)).unwrap_or(Place::Here);
        let listen = table.table("listen");
        let (interface, ports) = (listen.text("interface"), listen.ports("ports"));
        listen.done();
        let http = table.read("http", "an address such as \"127.0.0.1:7879\"", |value| value.as_str()?.parse().ok());
        let http_public = table.flag("http-public").unwrap_or(false);
        let own = table.table(site.name());
        let one = JobLimits { cpus: 1, memory_mb: job.memory_mb.map(|_| OWN_MEMORY_MB), ..*job };
        let job = site.shared().read_own(own, &one, variables);
        table.done();
        Coordinator { place, http, http_public, interface, ports, job }
    }
}

impl Worker {
    fn read(table: Table) -> Worker {
        let worker = Worker {
            prologue: table.texts("prologue"),
            wrap: table.texts("wrap"),
            stage: table.flag("stage").unwrap_or(false),
            smt: table.flag("smt").unwrap_or(true),
        };
        table.done();
        worker
    }
}
