//! Hosts reached by ssh, one job on each. Nothing waits in a queue and nothing ends jobs in time but themselves.
//!
//! Tested with a program in place of ssh, and with a real sshd under 40 names on loopback
//! (`launch/tests/systems/ssh.rs`). On each host a job is a process as in [`local`]: it outlives the connection, and
//! its id is `HOST/PID`. Every host of the list is asked, so that jobs are found again whatever the launcher remembers.
//! A host that does not answer says nothing about its jobs, and others are read all the same.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{
    BatchSystem, JobState, Queued, Refusal, RefusalClass, Unreadable, local, refusals, refusals::Rows, script,
};
use crate::{
    call::{Call, Output},
    job::{Job, JobId},
};

/// A machine.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Host {
    /// Its name for ssh, with a user if it needs one.
    pub name: String,
    /// Cores that its worker uses; all of them if `None`.
    pub cores: Option<u32>,
}

impl std::str::FromStr for Host {
    type Err = String;

    /// `NAME` or `NAME:CORES`.
    fn from_str(text: &str) -> Result<Host, String> {
        let (name, cores) = match text.split_once(':') {
            None => (text, None),
            Some((name, cores)) => match cores.parse() {
                Ok(cores) if cores > 0 => (name, Some(cores)),
                _ => return Err(format!("`{text}`: behind the colon stands a number of cores")),
            },
        };
        // A name that begins with a dash would be an option of ssh.
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"._-@".contains(&b);
        if name.is_empty() || name.starts_with('-') || !name.bytes().all(plain) {
            return Err(format!("`{text}` is not the name of a host"));
        }
        Ok(Host { name: name.into(), cores })
    }
}

/// The hosts of a file: one a line, with comments behind `#`.
///
/// # Errors
/// The first line that is not a host.
pub fn read_hosts(text: &str) -> Result<Vec<Host>, String> {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    let numbered = lines.enumerate().filter(|(_, line)| !line.is_empty());
    numbered.map(|(n, line)| line.parse().map_err(|why| format!("line {}: {why}", n + 1))).collect()
}

/// Hosts reached by ssh. Clones are the same hosts: one of them may replace the list while another asks for jobs.
#[derive(Clone, Debug, Default)]
pub struct Ssh {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    hosts: Vec<Host>,
    /// Hosts that have a job, or may have one.
    taken: BTreeSet<String>,
    /// How often a host did not take a job.
    failed: BTreeMap<String, u32>,
}

/// The host of which an answer tells, on its first line.
const HOST: &str = "rq-host ";
/// Jobs of a host that did not answer.
const SILENT: &str = "rq-silent";
/// Runs ssh for the host that is the first argument. The others are its known jobs, for the case that it does not
/// answer.
const LIST: &str = "host=$1; shift; echo \"rq-host $host\"; ssh -T -o BatchMode=yes -o ConnectTimeout=10 \
                    -o ServerAliveInterval=15 \"$host\" sh || echo \"rq-silent $*\"";
/// The same without known jobs, with ssh's exit code.
const RUN: &str =
    "echo \"rq-host $1\"; exec ssh -T -o BatchMode=yes -o ConnectTimeout=10 -o ServerAliveInterval=15 \"$1\" sh";
/// Connections at once: sshd drops the eleventh that is not authenticated yet (MaxStartups 10:30:100).
const AT_ONCE: usize = 8;

/// What ssh says when it made no connection, so that no job began.
const REFUSALS: Rows = &[
    ("connection refused", RefusalClass::Busy),
    ("no route to host", RefusalClass::Busy),
    ("network is unreachable", RefusalClass::Busy),
    ("connection timed out", RefusalClass::Busy),
    ("could not resolve hostname", RefusalClass::Busy),
    ("permission denied", RefusalClass::Busy),
    ("host key verification failed", RefusalClass::Busy),
    ("kex_exchange_identification", RefusalClass::Busy),
    ("connection closed by", RefusalClass::Doubtful),
];

impl Ssh {
    /// Hosts, in the order in which they get jobs.
    pub fn new(hosts: Vec<Host>) -> Ssh {
        Ssh { state: Arc::new(Mutex::new(State { hosts, ..State::default() })) }
    }

    /// Replaces the list; jobs on hosts that are gone from it go on.
    pub fn set_hosts(&self, hosts: Vec<Host>) {
        self.state().hosts = hosts;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BatchSystem for Ssh {
    /// Takes the host that refused least often among those without a job.
    fn submit(&self, job: &Job) -> Result<Call, Refusal> {
        let mut state = self.state();
        let free =
            state.hosts.iter().filter(|host| !state.taken.contains(&host.name) && !job.exclude.contains(&host.name));
        let failures = |host: &&Host| state.failed.get(&host.name).copied().unwrap_or(0);
        let Some(host) = free.min_by_key(failures).cloned() else {
            return Err(Refusal { class: RefusalClass::Limit, text: "every host has a job".into() });
        };
        let cores = host.cores.map(|cores| format!("export {}={cores}\n", script::CORES)).unwrap_or_default();
        let start = local::start(job)?;
        state.taken.insert(host.name.clone());
        Ok(Call::new(["sh", "-c", RUN, "sh", &host.name]).reading(format!("{cores}{start}")))
    }

    fn read_submit(&self, _job: &Job, output: &Output) -> Result<JobId, Refusal> {
        let host = output.stdout.lines().find_map(|line| line.strip_prefix(HOST)).unwrap_or_default().to_owned();
        let mut state = self.state();
        let pid = match local::read_pid(output) {
            Ok(pid) => {
                state.failed.remove(&host);
                return Ok(JobId(format!("{host}/{pid}")));
            }
            Err(refusal) => refusal,
        };
        let refusal = match output.code {
            Some(255) => refusals::read(output, "ssh", &output.stderr, REFUSALS, RefusalClass::Doubtful),
            _ => pid,
        };
        *state.failed.entry(host.clone()).or_default() += 1;
        if refusal.class != RefusalClass::Doubtful {
            state.taken.remove(&host);
        }
        Err(Refusal { text: format!("{host}: {}", refusal.text), ..refusal })
    }

    fn query(&self, known: &[JobId]) -> Vec<Call> {
        let mut hosts: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for host in &self.state().hosts {
            hosts.entry(host.name.clone()).or_default();
        }
        for id in known {
            if let Some((host, _)) = split(id) {
                hosts.entry(host.into()).or_default().push(&id.0);
            }
        }
        let asked = hosts.iter().map(|(host, ids)| {
            Call::new(["sh", "-c", LIST, "sh", host].into_iter().chain(ids.iter().copied())).reading(local::LIST)
        });
        asked.collect()
    }

    fn read_query(&self, output: &Output) -> Result<Vec<Queued>, Unreadable> {
        let unreadable = || Unreadable(output.words());
        let (first, rest) = output.stdout.split_once('\n').ok_or_else(unreadable)?;
        let host = first.strip_prefix(HOST).filter(|_| output.code == Some(0)).ok_or_else(unreadable)?;
        let jobs = if let Some(silent) = rest.lines().find_map(|line| line.strip_prefix(SILENT)) {
            let known = silent.split_whitespace().map(|id| Queued {
                id: JobId(id.into()),
                name: String::new(),
                state: JobState::Unknown,
                reason: output.words(),
                start: String::new(),
                restarts: 0,
                host: host.into(),
                ran_secs: None,
            });
            known.collect()
        } else {
            let list = local::read_list(&Output { stdout: rest.into(), ..output.clone() })?;
            let jobs: Vec<Queued> = list
                .into_iter()
                .map(|process| {
                    let id = format!("{host}/{}", process.pid);
                    process.queued(id, host)
                })
                .collect();
            let mut state = self.state();
            if jobs.is_empty() {
                state.taken.remove(host);
            } else {
                state.taken.insert(host.into());
            }
            jobs
        };
        Ok(jobs)
    }

    fn cancel(&self, ids: &[JobId]) -> Vec<Call> {
        let mut hosts: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        for (host, pid) in ids.iter().filter_map(split) {
            hosts.entry(host).or_default().push(pid);
        }
        hosts.iter().map(|(host, pids)| Call::new(["sh", "-c", RUN, "sh", host]).reading(local::end(pids))).collect()
    }

    fn at_once(&self) -> usize {
        AT_ONCE
    }
}

/// Host and process id.
fn split(id: &JobId) -> Option<(&str, u32)> {
    let (host, pid) = id.0.rsplit_once('/')?;
    Some((host, pid.parse().ok()?)).filter(|(host, _)| host.parse::<Host>().is_ok())
}
