//! LSF: `bsub`, `bjobs` and `bkill`.
//!
//! Tested with answers written after the manuals and reports of users, not on a real LSF. It needs LSF 9.1.2 or newer,
//! whose `bjobs` takes a format.

use super::{
    BatchSystem, JobState, Queued, Refusal, RefusalClass, Unreadable,
    refusals::{self, Rows},
    script::{self, Script},
};
use crate::{
    call::{Call, Output},
    job::{Job, JobId},
};

/// LSF, and what a site wants to be asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lsf {
    /// The queue.
    pub queue: Option<String>,
    /// The project.
    pub project: Option<String>,
    /// Whether a job gets all of its node.
    pub exclusive: bool,
    /// Options verbatim.
    pub extra: Vec<String>,
    /// Options of ours that the site refuses.
    pub skip: Vec<String>,
}

/// What `bjobs` prints of a job.
const FORMAT: &str = "jobid stat exec_host run_time estimated_start_time job_name pend_reason delimiter='^'";
const BETWEEN: char = '^';
/// How its first line begins.
const HEADER: &str = "JOBID^STAT^";
/// Most jobs that one `bkill` ends.
const CANCELLED_AT_ONCE: usize = 100;

const REFUSALS: Rows = &[
    ("not responding", RefusalClass::Doubtful),
    ("timed out", RefusalClass::Doubtful),
    ("timeout", RefusalClass::Doubtful),
    ("pending job threshold", RefusalClass::Limit),
    ("pending job slot", RefusalClass::Limit),
    ("job limit", RefusalClass::Limit),
    ("lsf is down", RefusalClass::Busy),
    ("unable to contact", RefusalClass::Busy),
    ("connection refused", RefusalClass::Busy),
    ("queue has been closed", RefusalClass::Busy),
    ("job not submitted", RefusalClass::Permanent),
];

impl BatchSystem for Lsf {
    fn submit(&self, job: &Job) -> Result<Call, Refusal> {
        let mut script = Script::new("#BSUB");
        script.option(format!("-J {}", job.name));
        script.option(format!("-n {}", job.cpus));
        script.option("-R \"span[hosts=1]\"");
        script.valued("-M ", job.memory_mb.map(|mb| format!("{mb}MB")));
        script.option(format!("-W {}", script::minutes(job)));
        script.option("-wa TERM");
        script.option("-wt 1");
        script.valued("-w ", job.after.as_ref().map(|after| format!("\"ended({})\"", after.job.0)));
        script.option("-r");
        script.option("-env none");
        script.option("-o /dev/null");
        script.valued("-q ", self.queue.as_ref());
        script.valued("-P ", self.project.as_ref());
        script.valued("-x", self.exclusive.then_some(""));
        let excluded: Vec<String> = job.exclude.iter().map(|host| format!("hname!='{host}'")).collect();
        script.valued("-R ", (!excluded.is_empty()).then(|| format!("\"select[{}]\"", excluded.join(" && "))));
        script.amend(&self.skip, &self.extra);
        script.log(job)?;
        script.worker(job, "")?;
        Ok(Call::new(["bsub"]).reading(script.text()?))
    }

    fn read_submit(&self, _job: &Job, output: &Output) -> Result<JobId, Refusal> {
        let id = output.stdout.lines().rev().find_map(|line| {
            let (id, rest) = line.trim().strip_prefix("Job <")?.split_once('>')?;
            let submitted = rest.contains("submitted") && !id.is_empty() && id.bytes().all(|b| b.is_ascii_digit());
            submitted.then(|| JobId(id.into()))
        });
        match (output.code, id) {
            (Some(0), Some(id)) => Ok(id),
            _ => Err(refusals::read(output, "bsub", &output.stderr, REFUSALS, RefusalClass::Doubtful)),
        }
    }

    fn query(&self, _known: &[JobId]) -> Vec<Call> {
        vec![Call::new(["bjobs", "-a", "-o", FORMAT])]
    }

    fn read_query(&self, output: &Output) -> Result<Vec<Queued>, Unreadable> {
        let unreadable = || Unreadable(output.words());
        let none = output.stderr.lines().any(|line| matches!(line.trim(), "No job found" | "No unfinished job found"));
        // Some versions exit with 255 if there are none.
        if none && matches!(output.code, Some(0 | 255)) && output.stdout.trim().is_empty() {
            return Ok(Vec::new());
        }
        if output.code != Some(0) || !output.stdout.ends_with('\n') {
            return Err(unreadable());
        }
        let mut lines = output.stdout.lines().skip_while(|line| !line.starts_with(HEADER));
        lines.next().ok_or_else(unreadable)?;
        lines.map(|line| read_row(line).ok_or_else(|| Unreadable(format!("bjobs printed `{line}`")))).collect()
    }

    fn cancel(&self, ids: &[JobId]) -> Vec<Call> {
        let some = ids.chunks(CANCELLED_AT_ONCE);
        some.map(|some| Call::new(["bkill"].into_iter().chain(some.iter().map(|id| id.0.as_str())))).collect()
    }
}

fn read_row(row: &str) -> Option<Queued> {
    let fields: Vec<&str> = row.splitn(7, BETWEEN).map(str::trim).collect();
    let [id, state, hosts, ran, start, name, reason] = fields.as_slice() else { return None };
    if id.is_empty() || !id.bytes().all(|b| b.is_ascii_digit()) || state.is_empty() {
        return None;
    }
    let known = |text: &str| if text == "-" { String::new() } else { text.into() };
    // Several cores of one host are written as `8*n1`.
    let host = hosts.split(':').next().unwrap_or_default();
    let host = host.split_once('*').map_or(host, |(_, host)| host);
    let state = read_state(state);
    Some(Queued {
        id: JobId((*id).into()),
        name: (*name).into(),
        state,
        reason: known(reason),
        start: known(start),
        restarts: 0,
        ran_secs: ran.split(' ').next().and_then(|secs| secs.parse().ok()).filter(|_| state == JobState::Running),
        host: known(host),
    })
}

fn read_state(state: &str) -> JobState {
    match state {
        "PEND" | "PSUSP" | "PROV" | "WAIT" | "FWD_PEND" => JobState::Waiting,
        "RUN" | "USUSP" | "SSUSP" => JobState::Running,
        "DONE" | "EXIT" | "ZOMBI" => JobState::Ended,
        _ => JobState::Unknown,
    }
}
