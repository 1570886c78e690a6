//! Writes a `cluster.toml`: for a Slurm by what it says of itself, for other systems with every key to fill in. A person
//! picks from it.

use std::fmt::Write;

use crate::{
    call::{Call, Output},
    systems::Unreadable,
};

/// What Slurm is asked: partitions, their nodes, and its configuration.
pub fn calls() -> [Call; 3] {
    [
        Call::new(["scontrol", "--oneliner", "show", "partition"]),
        Call::new(["sinfo", "--noheader", "--format=%R|%D|%c|%m"]),
        Call::new(["scontrol", "show", "config"]),
    ]
}

/// Seconds for which Slurm should remember jobs that have ended, at least: two questions a minute apart.
const MIN_JOB_AGE_SECS: u64 = 120;

/// A commented profile, from the answers to [`calls`].
///
/// # Errors
/// An answer is not understood.
pub fn slurm([partitions, nodes, config]: &[Output; 3]) -> Result<String, Unreadable> {
    for output in [partitions, nodes, config] {
        if output.code != Some(0) {
            return Err(Unreadable(output.words()));
        }
    }
    let config = Config::read(&config.stdout);
    let partitions: Vec<Partition> = partitions.stdout.lines().filter_map(Partition::read).collect();
    if partitions.is_empty() {
        return Err(Unreadable("scontrol lists no partition".into()));
    }
    let mut text = String::from(
        "# Made from what scontrol and sinfo say. Pick a partition, and look at walltime, cpus and memory.\n",
    );
    let _ = writeln!(text, "# Slurm {} of cluster {}.", config.get("SLURM_VERSION"), config.get("ClusterName"));
    text += &config.notes();
    text += "system = \"slurm\"\n\
             data = \"$HOME/redqueen\"  # seen by all nodes; scratch space is better if there is some\n\n[slurm]\n";
    let usual = partitions.iter().position(|partition| partition.get("Default") == "YES").unwrap_or(0);
    for (n, partition) in partitions.iter().enumerate() {
        let sizes =
            nodes.stdout.lines().filter_map(|line| size(line, partition.get("PartitionName"))).collect::<Vec<_>>();
        text += &partition.text(&sizes, n == usual, &config);
    }
    text += "# account = \"\"      # sacctmgr show associations user=$USER names yours\n\
             # qos = \"\"\n\
             # constraint = \"\"\n";
    text += EXCLUSIVE;
    text += VERBATIM;
    text += REST;
    Ok(text)
}

/// Keys of systems that give whole nodes.
const EXCLUSIVE: &str = "# exclusive = true  # all cores of a node; `cpus` says how many that is\n";
/// Keys of every system that has options of its own.
const VERBATIM: &str = "# extra = []        # options of the command that asks for a job, verbatim\n\
                        # skip = []         # options of ours that the site refuses, such as \"--requeue\"\n\
                        # max-submit = 20   # most jobs at once, where accounts have such a limit\n\n";
/// What a job asks for.
const JOB: &str = "cpus = 1\n# memory = \"4G\"\nwalltime = \"4h\"\n";
/// The tables of every profile.
const REST: &str = "[scale]\nnodes = { min = 0, max = 10, waiting = 2 }\n\
                    # finish-within = \"12h\"\n# budget-core-hours = 500\n\n\
                    [coordinator]\nplace = \"here\"  # \"job\" where login nodes end long processes\n\
                    # listen = { interface = \"ib0\", ports = \"7800-7899\" }\n\
                    # http = \"127.0.0.1:7879\"  # metrics\n\n\
                    [worker]\n# prologue = [\"module purge\"]\n# stage = true  # each machine copies the program to its own disk\n";

/// Systems that [`blank`] knows.
pub const BLANKS: [&str; 6] = ["kubernetes", "local", "lsf", "pbs", "sge", "ssh"];

/// A profile with every key of a system, to be filled in; `None` of a system that is not one of [`BLANKS`].
pub fn blank(system: &str) -> Option<String> {
    let own = match system {
        "kubernetes" => {
            "image = \"registry/redqueen:tag\"  # docs/builds.md makes one\n\
             # namespace = \"\"\n# storage-class = \"\"\n# storage = \"10Gi\"\n# cpu = 4\n# memory = \"4Gi\"\n\
             # node-selector = { \"kubernetes.io/arch\" = \"amd64\" }\n\n"
                .to_owned()
        }
        "local" => "cpus = 1  # cores of a worker\n\n".to_owned(),
        "lsf" => format!(
            "# queue = \"\"    # bqueues names them\n# project = \"\"\n{JOB}# poll = \"60s\"\n{EXCLUSIVE}{VERBATIM}"
        ),
        "pbs" => format!(
            "# queue = \"\"    # qstat -q names them\n# account = \"\"\n# project = \"\"\n# torque = true\n{JOB}\
             # poll = \"60s\"\n{EXCLUSIVE}{VERBATIM}"
        ),
        "sge" => format!(
            "# queue = \"\"    # qconf -sql names them\n# project = \"\"\n\
             # parallel-environment = \"smp\"  # qconf -spl names them; one that gives cores of one machine\n\
             # memory-resource = \"h_vmem\"\n{JOB}# poll = \"60s\"\n{VERBATIM}"
        ),
        "ssh" => "hosts = []  # [\"n1\", \"n2:32\"], with cores where they are not `cpus`; or file = \"hosts.txt\"\ncpus = 1\n\n".to_owned(),
        _ => return None,
    };
    // Kubernetes runs the coordinator in a pod of its own, with a fixed number of workers.
    let rest = if system == "kubernetes" { "[scale]\nnodes = { max = 10 }\n" } else { REST };
    Some(format!(
        "# Keys behind # are off. docs/cluster.md says what each does.\nsystem = \"{system}\"\n\
         data = \"$HOME/redqueen\"  # seen by all machines\n\n[{system}]\n{own}{rest}"
    ))
}

/// Number of nodes, cores and MiB of a line of sinfo, if it is of this partition.
fn size(line: &str, partition: &str) -> Option<(u64, u64, u64)> {
    let fields: Vec<&str> = line.trim().split('|').collect();
    let [name, nodes, cores, memory] = fields.as_slice() else { return None };
    // A plus sign: some have more.
    let number = |text: &str| text.trim_end_matches('+').parse().ok();
    Some((number(nodes)?, number(cores)?, number(memory)?)).filter(|_| *name == partition)
}

/// A partition, as scontrol describes it in one line.
struct Partition<'t>(Vec<(&'t str, &'t str)>);

impl<'t> Partition<'t> {
    fn read(line: &'t str) -> Option<Self> {
        line.starts_with("PartitionName=")
            .then(|| Partition(line.split_whitespace().filter_map(|pair| pair.split_once('=')).collect()))
    }

    fn get(&self, key: &str) -> &'t str {
        self.0.iter().find(|(name, _)| *name == key).map_or("", |(_, value)| value)
    }

    /// Its key and what it asks and allows, behind `#` unless it is the one to use.
    fn text(&self, sizes: &[(u64, u64, u64)], used: bool, config: &Config) -> String {
        let off = if used { "" } else { "# " };
        let mut notes = Vec::new();
        if self.get("State") != "UP" {
            notes.push(format!("state {}", self.get("State")));
        }
        for (nodes, cores, memory) in sizes {
            // Slurm says 1 MiB where it was not told.
            let memory = if *memory > 1 { format!(" and {} GiB", memory / 1_024) } else { String::new() };
            notes.push(format!("{nodes} nodes of {cores} cores{memory}"));
        }
        for (key, what) in
            [("MaxTime", "at most"), ("MaxNodes", "nodes of a job:"), ("MaxCPUsPerNode", "cores of a node:")]
        {
            if !matches!(self.get(key), "" | "UNLIMITED" | "INFINITE") {
                notes.push(format!("{what} {}", self.get(key)));
            }
        }
        for (key, what) in [("AllowAccounts", "accounts"), ("AllowGroups", "groups"), ("AllowQos", "qos")] {
            if !matches!(self.get(key), "" | "ALL") {
                notes.push(format!("only {what} {}", self.get(key)));
            }
        }
        let preempted = config.get("PreemptType") != "preempt/none" && !matches!(self.get("PreemptMode"), "" | "OFF");
        if preempted {
            notes.push(format!(
                "jobs may be pre-empted ({}, {} s of grace)",
                self.get("PreemptMode"),
                self.get("GraceTime")
            ));
        }
        let mut text = format!("{off}partition = {}  # {}\n", quoted(self.get("PartitionName")), notes.join("; "));
        if used {
            let smallest = sizes.iter().min_by_key(|(_, cores, _)| *cores);
            let _ = writeln!(text, "cpus = {}", smallest.map_or(1, |(_, cores, _)| *cores).max(1));
            match smallest.map(|(_, _, memory)| memory).filter(|memory| **memory > 1) {
                // Slurm keeps some memory of a node for itself.
                Some(memory) => {
                    let _ =
                        writeln!(text, "memory = \"{}M\"  # leave out where the site refuses --mem", memory / 10 * 9);
                }
                None => text += "# memory = \"4G\"\n",
            }
            let _ = writeln!(text, "walltime = \"{}\"", if short(self.get("MaxTime")) { "1h" } else { "4h" });
        }
        text
    }
}

/// Whether a partition's limit, `DAYS-HOURS:MINUTES:SECONDS`, is below four hours.
fn short(limit: &str) -> bool {
    let hours = |clock: &str| clock.split(':').next().and_then(|hours| hours.parse::<u64>().ok());
    !limit.contains('-') && hours(limit).is_some_and(|hours| hours < 4)
}

/// Slurm's configuration.
struct Config<'t>(Vec<(&'t str, &'t str)>);

impl<'t> Config<'t> {
    fn read(text: &'t str) -> Self {
        let pairs = text.lines().filter_map(|line| line.split_once('='));
        Config(pairs.map(|(name, value)| (name.trim(), value.trim())).collect())
    }

    fn get(&self, key: &str) -> &'t str {
        self.0.iter().find(|(name, _)| *name == key).map_or("", |(_, value)| value)
    }

    fn secs(&self, key: &str) -> Option<u64> {
        self.get(key).split(' ').next()?.parse().ok()
    }

    /// What a launch meets there.
    fn notes(&self) -> String {
        let mut notes = String::new();
        if let Some(secs) = self.secs("MinJobAge").filter(|secs| *secs < MIN_JOB_AGE_SECS) {
            let _ = writeln!(
                notes,
                "# Slurm forgets ended jobs after {secs} s (MinJobAge): causes of their ends may be missed."
            );
        }
        if let Some(secs) = self.secs("KillWait") {
            let _ = writeln!(notes, "# A cancelled job has {secs} s to hand back its trials (KillWait).");
        }
        if let Some(count) = self.secs("MaxJobCount") {
            let _ = writeln!(notes, "# The cluster takes {count} jobs of all accounts (MaxJobCount).");
        }
        if self.get("AccountingStorageEnforce").contains("limits") {
            notes += "# Limits of accounts are enforced: sacctmgr show qos format=name,maxsubmitjobsperuser,maxwall\n";
        }
        notes
    }
}

/// A text as TOML has it.
fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}
