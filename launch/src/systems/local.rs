//! Processes on this machine. Nothing waits in a queue and nothing ends them in time but themselves.
//!
//! Tested with real processes (`launch/tests/systems/local.rs`). A job is a session of its own whose leader is the
//! worker, so it outlives the launcher; it is known by its process id and recognised by its name among its arguments.

use super::{
    BatchSystem, JobState, Queued, Refusal, RefusalClass, Unreadable, elapsed, refusals,
    script::{self, Script},
};
use crate::{
    call::{Call, NOT_FOUND, NulInWord, Output, quote},
    job::{Job, JobId},
};

/// Processes on this machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Local;

impl BatchSystem for Local {
    fn submit(&self, job: &Job) -> Result<Call, Refusal> {
        // Inside an allocation, workers are steps of it (docs/cluster.md).
        Ok(Call::new(["sh"]).reading(start(job)?).belonging())
    }

    fn read_submit(&self, _job: &Job, output: &Output) -> Result<JobId, Refusal> {
        read_pid(output).map(|pid| JobId(pid.to_string()))
    }

    fn query(&self, _known: &[JobId]) -> Vec<Call> {
        vec![Call::new(["sh"]).reading(LIST)]
    }

    fn read_query(&self, output: &Output) -> Result<Vec<Queued>, Unreadable> {
        Ok(read_list(output)?
            .into_iter()
            .map(|process| {
                let id = process.pid.to_string();
                process.queued(id, "")
            })
            .collect())
    }

    fn cancel(&self, ids: &[JobId]) -> Vec<Call> {
        let pids: Vec<u32> = ids.iter().filter_map(|id| id.0.parse().ok()).collect();
        if pids.is_empty() { Vec::new() } else { vec![Call::new(["sh"]).reading(end(&pids))] }
    }
}

/// How names of jobs begin.
const NAMES: &str = "rq-";
/// What the list of processes begins and ends with, so that a half of it is none.
const FIRST: &str = "rq-list";
const LAST: &str = "rq-end";
/// Lists this account's sessions.
pub(super) const LIST: &str = "echo rq-list && ps xww -o pid= -o stat= -o etime= -o args= && echo rq-end\n";

/// Shell that starts a job and prints its process id, once it is a session that [`LIST`] shows.
pub(super) fn start(job: &Job) -> Result<String, Refusal> {
    let mut script = Script::new("#");
    script.log(job)?;
    // How often a job around the launcher has begun says nothing of this one.
    script.line("unset SLURM_RESTART_COUNT LSB_RESTART RESTARTED");
    script.line("echo \"rq-pid $$\" >&3; exec 3>&-");
    script.worker(job, "")?;
    let unwritable = |nul: NulInWord| script::unwritable(&nul.to_string());
    let script = script.text()?;
    let (script, name) = (quote(&script).map_err(unwritable)?, quote(&job.name).map_err(unwritable)?);
    // Where the log cannot be opened, the job ends without a word here, and its shell says why.
    Ok(format!(
        "command -v setsid >/dev/null || exit {NOT_FOUND}\n\
         pid=$( (setsid sh -c {script} {name} </dev/null 3>&1 >/dev/null &) | head -n 1)\n\
         [ -n \"$pid\" ] && echo \"$pid\"\n"
    ))
}

/// The process id that [`start`] printed.
pub(super) fn read_pid(output: &Output) -> Result<u32, Refusal> {
    let pid = output.stdout.lines().rev().find_map(|line| line.strip_prefix("rq-pid ")?.parse().ok());
    match (output.code, pid) {
        (Some(0), Some(pid)) => Ok(pid),
        // The shell's own failures, such as a log that cannot be opened.
        _ => Err(refusals::read(output, "setsid", &output.stderr, &[], RefusalClass::Permanent)),
    }
}

/// A process that is a job.
pub(super) struct Process {
    pub(super) pid: u32,
    name: String,
    ran_secs: f64,
}

impl Process {
    /// The job that it is, under `id` on `host`.
    pub(super) fn queued(self, id: String, host: &str) -> Queued {
        let (id, host, none) = (JobId(id), host.into(), String::new());
        let (name, ran_secs) = (self.name, Some(self.ran_secs));
        Queued { id, name, state: JobState::Running, reason: none.clone(), start: none, restarts: 0, host, ran_secs }
    }
}

/// The jobs among the processes that [`LIST`] printed.
pub(super) fn read_list(output: &Output) -> Result<Vec<Process>, Unreadable> {
    let unreadable = || Unreadable(output.words());
    let lines: Vec<&str> = output.stdout.lines().map(str::trim).collect();
    let first = lines.iter().position(|line| *line == FIRST).ok_or_else(unreadable)?;
    let [rows @ .., last] = &lines[first + 1..] else { return Err(unreadable()) };
    if output.code != Some(0) || *last != LAST || rows.is_empty() {
        return Err(unreadable());
    }
    let mut jobs = Vec::new();
    for row in rows {
        let mut words = row.split_whitespace();
        let pid = words.next().and_then(|pid| pid.parse().ok());
        let (state, ran) = (words.next(), words.next().and_then(elapsed::seconds));
        let (Some(pid), Some(state), Some(ran_secs)) = (pid, state, ran) else {
            return Err(Unreadable(format!("ps printed `{row}`")));
        };
        // Others may have the name among their arguments, too, but lead no session.
        let name = words.find(|word| is_name(word));
        if let (Some(name), true) = (name, state.contains('s') && !state.starts_with('Z')) {
            jobs.push(Process { pid, name: name.to_owned(), ran_secs });
        }
    }
    Ok(jobs)
}

/// Whether a word is the name of a job, as [`Job::name`] says.
fn is_name(word: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    word.strip_prefix(NAMES)
        .and_then(|rest| rest.split_once('-'))
        .is_some_and(|(launch, number)| digits(launch) && digits(number))
}

/// Shell that ends jobs: those processes that still are jobs, since a process id is given away again.
pub(super) fn end(pids: &[u32]) -> String {
    let pids: Vec<String> = pids.iter().map(u32::to_string).collect();
    format!(
        "for pid in {}; do\n\
         case \" $(ps -ww -o args= -p $pid) \" in *\" {NAMES}\"*) kill -TERM $pid ;; esac\n\
         done\ntrue\n",
        pids.join(" ")
    )
}
