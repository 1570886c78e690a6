//! PBS Pro, OpenPBS and Torque: `qsub`, `qselect` and `qstat`, `qdel`.
//!
//! Tested with answers written after the manuals and reports of users, not on a real PBS.
//!
//! - PBS cannot be told on which machines a job must not run.
//! - `qselect` names the jobs of this account, since `qstat -u` cuts names; a job may end before `qstat` asks for it.

use super::{
    BatchSystem, JobState, Queued, Refusal, RefusalClass, Unreadable, elapsed,
    refusals::{self, Rows},
    script::{self, Script},
};
use crate::{
    call::{Call, Output},
    job::{Job, JobId},
};

/// PBS, and what a site wants to be asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pbs {
    /// Whether it is Torque, whose words for cores and memory are other ones.
    pub torque: bool,
    /// The queue.
    pub queue: Option<String>,
    /// The account that pays.
    pub account: Option<String>,
    /// The project.
    pub project: Option<String>,
    /// Whether a job gets all of its node.
    pub exclusive: bool,
    /// Options verbatim.
    pub extra: Vec<String>,
    /// Options of ours that the site refuses.
    pub skip: Vec<String>,
}

/// What the list of jobs begins and ends with, so that half of it is none.
const FIRST: &str = "rq-list";
const LAST: &str = "rq-end";
/// Lists this account's jobs. Exit codes 153 and 35: a job has ended meanwhile.
const LIST: &str = "ids=$(qselect -u \"$(id -un)\") || exit\n\
                    echo rq-list\n\
                    [ -z \"$ids\" ] || qstat -f $ids || case $? in 153|35) ;; *) exit 1 ;; esac\n\
                    echo rq-end\n";
/// Most jobs that one `qdel` ends.
const CANCELLED_AT_ONCE: usize = 100;

const REFUSALS: Rows = &[
    ("end of file", RefusalClass::Doubtful),
    ("premature end of message", RefusalClass::Doubtful),
    ("communication failure", RefusalClass::Doubtful),
    ("timed out", RefusalClass::Doubtful),
    ("timeout", RefusalClass::Doubtful),
    ("protocol", RefusalClass::Doubtful),
    ("would exceed", RefusalClass::Limit),
    ("maximum number of jobs", RefusalClass::Limit),
    ("max_queued", RefusalClass::Limit),
    ("job limit", RefusalClass::Limit),
    ("queue is not enabled", RefusalClass::Busy),
    ("connection refused", RefusalClass::Busy),
    ("cannot connect to server", RefusalClass::Busy),
    ("could not connect", RefusalClass::Busy),
    ("no default server", RefusalClass::Permanent),
    ("server shutting down", RefusalClass::Busy),
    ("invalid credential", RefusalClass::Busy),
    ("resource temporarily unavailable", RefusalClass::Busy),
    ("qsub:", RefusalClass::Permanent),
];

impl BatchSystem for Pbs {
    fn submit(&self, job: &Job) -> Result<Call, Refusal> {
        let (cpus, minutes) = (job.cpus, script::minutes(job));
        let mut script = Script::new("#PBS");
        script.option(format!("-N {}", job.name));
        script.option("-S /bin/sh");
        if self.torque {
            script.option(format!("-l nodes=1:ppn={cpus}"));
            script.valued("-l mem=", job.memory_mb.map(|mb| format!("{mb}mb")));
            script.valued("-n", self.exclusive.then_some(""));
        } else {
            let memory = job.memory_mb.map(|mb| format!(":mem={mb}mb")).unwrap_or_default();
            script.option(format!("-l select=1:ncpus={cpus}{memory}"));
            script.option(if self.exclusive { "-l place=excl" } else { "-l place=pack" });
        }
        script.option(format!("-l walltime={}:{:02}:00", minutes / 60, minutes % 60));
        script.valued("-W depend=afterany:", job.after.as_ref().map(|after| &after.job.0));
        script.option("-r y");
        script.option("-j oe");
        script.option("-o /dev/null");
        script.option("-m n");
        script.valued("-q ", self.queue.as_ref());
        script.valued("-A ", self.account.as_ref());
        script.valued("-P ", self.project.as_ref());
        script.amend(&self.skip, &self.extra);
        script.log(job)?;
        script.worker(job, "")?;
        Ok(Call::new(["qsub"]).reading(script.text()?))
    }

    fn read_submit(&self, _job: &Job, output: &Output) -> Result<JobId, Refusal> {
        let id = output.stdout.lines().rev().map(str::trim).find(|line| is_id(line)).map(|line| JobId(line.into()));
        match (output.code, id) {
            (Some(0), Some(id)) => Ok(id),
            _ => Err(refusals::read(output, "qsub", &output.stderr, REFUSALS, RefusalClass::Doubtful)),
        }
    }

    fn query(&self, _known: &[JobId]) -> Vec<Call> {
        vec![Call::new(["sh"]).reading(LIST)]
    }

    fn read_query(&self, output: &Output) -> Result<Vec<Queued>, Unreadable> {
        let unreadable = || Unreadable(output.words());
        let text = output.stdout.replace('\r', "");
        let (_, list) = text.split_once(&format!("{FIRST}\n")).ok_or_else(unreadable)?;
        let list = list.trim_end().strip_suffix(LAST).ok_or_else(unreadable)?;
        if output.code != Some(0) {
            return Err(unreadable());
        }
        // A long value goes on in a line that begins with a tab.
        let list = list.replace("\n\t", "");
        let mut jobs = list.split("Job Id:");
        if jobs.next().is_some_and(|before| !before.trim().is_empty()) {
            return Err(unreadable());
        }
        jobs.map(|job| read_job(job).ok_or_else(|| Unreadable(format!("qstat printed `{}`", job.trim())))).collect()
    }

    fn cancel(&self, ids: &[JobId]) -> Vec<Call> {
        let some = ids.chunks(CANCELLED_AT_ONCE);
        some.map(|some| Call::new(["qdel"].into_iter().chain(some.iter().map(|id| id.0.as_str())))).collect()
    }
}

/// Whether a word is a job's id, such as `4711.head` or `4711[].head`.
fn is_id(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_digit())
        && word.bytes().all(|b| b.is_ascii_alphanumeric() || b".[]-_".contains(&b))
}

fn read_job(job: &str) -> Option<Queued> {
    let mut lines = job.lines();
    let id = lines.next().map(str::trim).filter(|id| is_id(id))?;
    let fields: Vec<(&str, &str)> = lines.filter_map(|line| line.trim().split_once(" = ")).collect();
    let field = |name: &str| fields.iter().find(|(key, _)| *key == name).map(|(_, value)| value.trim());
    let runs: u32 =
        field("run_count").or_else(|| field("start_count")).and_then(|count| count.parse().ok()).unwrap_or(0);
    let state = read_state(field("job_state")?);
    Some(Queued {
        id: JobId(id.into()),
        name: field("Job_Name")?.into(),
        state,
        reason: field("comment").unwrap_or_default().into(),
        start: field("estimated.start_time").unwrap_or_default().into(),
        restarts: runs.saturating_sub(1),
        ran_secs: field("resources_used.walltime").and_then(elapsed::seconds).filter(|_| state == JobState::Running),
        host: field("exec_host").and_then(|hosts| hosts.split(['/', '+']).next()).unwrap_or_default().into(),
    })
}

fn read_state(state: &str) -> JobState {
    match state {
        "Q" | "H" | "W" | "T" => JobState::Waiting,
        // A job that is requeued exits first.
        "R" | "S" | "U" | "B" | "E" => JobState::Running,
        "F" | "C" | "X" | "M" => JobState::Ended,
        _ => JobState::Unknown,
    }
}
