//! Grid Engine: `qsub`, `qstat` and `qdel`.
//!
//! Tested on Debian's gridengine 8.1.9 on one machine (`launch/tests/systems/sge.rs`); Univa's and Altair's by their
//! manuals.
//!
//! - `qstat -xml` ends with a closing tag, so that half a list is seen, and gives names in full.
//! - `-notify` warns with SIGUSR2 before a job is killed and with SIGUSR1 before it is suspended; `s_rt` sends SIGUSR1
//!   before the walltime is over.

use super::{
    BatchSystem, JobState, Queued, Refusal, RefusalClass, Unreadable,
    refusals::{self, Rows},
    script::Script,
};
use crate::{
    call::{Call, Output},
    job::{Job, JobId},
};

/// Grid Engine, and what a site wants to be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sge {
    /// The queue.
    pub queue: Option<String>,
    /// The project.
    pub project: Option<String>,
    /// The parallel environment that gives several cores of one machine.
    pub parallel_environment: String,
    /// The resource that stands for memory; a job asks for as much for each of its cores.
    pub memory_resource: String,
    /// Options verbatim.
    pub extra: Vec<String>,
    /// Options of ours that the site refuses.
    pub skip: Vec<String>,
}

impl Default for Sge {
    fn default() -> Self {
        Sge {
            queue: None,
            project: None,
            parallel_environment: "smp".into(),
            memory_resource: "h_vmem".into(),
            extra: Vec::new(),
            skip: Vec::new(),
        }
    }
}

/// How long before its end a job is warned.
const WARNING_SECS: u64 = 60;
/// Most jobs that one `qdel` ends.
const CANCELLED_AT_ONCE: usize = 100;

const REFUSALS: Rows = &[
    ("unable to send message", RefusalClass::Doubtful),
    ("got read error", RefusalClass::Doubtful),
    ("got sync", RefusalClass::Doubtful),
    ("timeout", RefusalClass::Doubtful),
    ("jobs are allowed per user", RefusalClass::Limit),
    ("jobs are allowed in total", RefusalClass::Limit),
    ("jobs are allowed per cluster", RefusalClass::Limit),
    ("exceeds job limit", RefusalClass::Limit),
    ("unable to contact qmaster", RefusalClass::Busy),
    ("unable to initialize environment", RefusalClass::Busy),
    ("connection refused", RefusalClass::Busy),
    ("cannot connect", RefusalClass::Busy),
    ("can't connect", RefusalClass::Busy),
    ("qsub:", RefusalClass::Permanent),
    ("unable to run job", RefusalClass::Permanent),
];

impl BatchSystem for Sge {
    fn submit(&self, job: &Job) -> Result<Call, Refusal> {
        let seconds = job.walltime.as_secs();
        let mut script = Script::new("#$");
        script.option(format!("-N {}", job.name));
        script.option("-S /bin/sh");
        if job.cpus > 1 {
            script.option(format!("-pe {} {}", self.parallel_environment, job.cpus));
        }
        script.option(format!("-l h_rt={seconds}"));
        script.option(format!("-l s_rt={}", seconds.saturating_sub(WARNING_SECS).max(1)));
        let each = job.memory_mb.map(|mb| mb.div_ceil(u64::from(job.cpus.max(1))));
        script.valued(&format!("-l {}=", self.memory_resource), each.map(|mb| format!("{mb}M")));
        script.valued("-hold_jid ", job.after.as_ref().map(|after| &after.job.0));
        script.option("-notify");
        script.option("-r y");
        script.option("-j y");
        script.option("-o /dev/null");
        script.valued("-q ", self.queue.as_ref());
        script.valued("-P ", self.project.as_ref());
        script.valued("-l h=!", (!job.exclude.is_empty()).then(|| job.exclude.join("&!")));
        script.amend(&self.skip, &self.extra);
        script.log(job)?;
        script.worker(job, "")?;
        Ok(Call::new(["qsub", "-terse"]).reading(script.text()?))
    }

    fn read_submit(&self, _job: &Job, output: &Output) -> Result<JobId, Refusal> {
        let id = output.stdout.lines().rev().find_map(|line| {
            let line = line.trim();
            let line = line.strip_prefix("Your job ").and_then(|rest| rest.split(' ').next()).unwrap_or(line);
            (!line.is_empty() && line.bytes().all(|b| b.is_ascii_digit())).then(|| JobId(line.into()))
        });
        match (output.code, id) {
            (Some(0), Some(id)) => Ok(id),
            _ => Err(refusals::read(output, "qsub", &output.stderr, REFUSALS, RefusalClass::Doubtful)),
        }
    }

    fn query(&self, _known: &[JobId]) -> Vec<Call> {
        vec![Call::new(["qstat", "-xml"])]
    }

    fn read_query(&self, output: &Output) -> Result<Vec<Queued>, Unreadable> {
        let unreadable = || Unreadable(output.words());
        let (_, list) = output.stdout.split_once("<job_info").ok_or_else(unreadable)?;
        // One inside the other.
        let whole = list.trim_end().ends_with("</job_info>") && list.matches("</job_info>").count() == 2;
        if output.code != Some(0) || !whole {
            return Err(unreadable());
        }
        let mut rows = list.split("<job_list");
        rows.next();
        rows.map(|row| {
            let row = row.split_once("</job_list>").map(|(row, _)| row);
            row.and_then(read_row).ok_or_else(|| Unreadable(format!("qstat printed `{}`", row.unwrap_or_default())))
        })
        .collect()
    }

    fn cancel(&self, ids: &[JobId]) -> Vec<Call> {
        let some = ids.chunks(CANCELLED_AT_ONCE);
        some.map(|some| Call::new(["qdel"].into_iter().chain(some.iter().map(|id| id.0.as_str())))).collect()
    }
}

fn read_row(row: &str) -> Option<Queued> {
    let id = element(row, "JB_job_number").filter(|id| !id.is_empty() && id.bytes().all(|b| b.is_ascii_digit()))?;
    let state = element(row, "state").filter(|state| !state.is_empty())?;
    let queue = element(row, "queue_name").unwrap_or_default();
    Some(Queued {
        id: JobId(id),
        name: element(row, "JB_name")?,
        state: read_state(&state),
        reason: if state.contains('E') { format!("error ({state}): see qstat -explain E") } else { String::new() },
        start: element(row, "JAT_start_time").unwrap_or_default(),
        // How often, qstat does not say.
        restarts: u32::from(state.contains('R')),
        // It says since when, by its own clock.
        ran_secs: None,
        host: queue.split_once('@').map(|(_, host)| host.into()).unwrap_or_default(),
    })
}

/// The text of an element.
fn element(row: &str, name: &str) -> Option<String> {
    let (_, rest) = row.split_once(&format!("<{name}>"))?;
    let (text, _) = rest.split_once(&format!("</{name}>"))?;
    let plain = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    Some(plain.iter().fold(text.trim().to_owned(), |text, (escaped, plain)| text.replace(escaped, plain)))
}

/// A state is a set of letters: what happens to the job (deleted, held, in error, begun anew), then where it is.
fn read_state(state: &str) -> JobState {
    if state.contains('d') {
        JobState::Ended
    } else if state.contains(['q', 'w']) {
        JobState::Waiting
    } else if state.contains(['r', 't', 's', 'S', 'T']) {
        JobState::Running
    } else {
        JobState::Unknown
    }
}
