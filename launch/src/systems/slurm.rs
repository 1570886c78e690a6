//! Slurm: `sbatch`, `squeue` and `scancel`.
//!
//! Tested on a real Slurm 22.05 (`launch/tests/slurm`); what other versions say, after its sources and
//! reports of users.
//!
//! - The worker is a step (`srun`), not the batch shell: only steps are warned before every end, be it a cancellation,
//!   a pre-emption or the time limit. `--export=NONE` keeps the submitter's environment out of the job; for the step it
//!   has to be taken back. From 22.05 on a step does not inherit `--cpus-per-task`.
//! - `squeue` prints its header: an empty list with a header is an answer, an empty text is none. It lists jobs that
//!   have ended, too, for MinJobAge seconds.

use super::{
    BatchSystem, JobState, Queued, Refusal, RefusalClass, Unreadable, elapsed,
    refusals::{self, Rows},
    script::{self, Script},
};
use crate::{
    call::{Call, Output},
    job::{After, Job, JobId},
};

/// Slurm, and what a site wants to be asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slurm {
    /// The partition.
    pub partition: Option<String>,
    /// The account that pays.
    pub account: Option<String>,
    /// The quality of service.
    pub qos: Option<String>,
    /// Features that nodes must have.
    pub constraint: Option<String>,
    /// The reservation.
    pub reservation: Option<String>,
    /// The cluster, where commands reach several.
    pub cluster: Option<String>,
    /// Whether a job gets all of its node, whatever number of cores it asks for.
    pub exclusive: bool,
    /// Options verbatim.
    pub extra: Vec<String>,
    /// Options of ours that the site refuses.
    pub skip: Vec<String>,
}

/// What `squeue -O` prints of a job: widths are given, since some versions cut at 20 characters without them.
const FIELDS: [&str; 8] =
    ["JobID:24", "RestartCnt:8", "State:24", "TimeUsed:20", "StartTime:24", "NodeList:64", "Reason:80", "Name:64"];
const BETWEEN: &str = "<|>";
const BEHIND: &str = "<end>";
/// Most jobs that one `scancel` ends.
const CANCELLED_AT_ONCE: usize = 100;

const REFUSALS: Rows = &[
    // Sent, perhaps received.
    ("socket timed out", RefusalClass::Doubtful),
    ("timed out reading", RefusalClass::Doubtful),
    ("timed out writing", RefusalClass::Doubtful),
    ("receive failure", RefusalClass::Doubtful),
    ("send failure", RefusalClass::Doubtful),
    ("shutdown failure", RefusalClass::Doubtful),
    ("zero bytes were transmitted", RefusalClass::Doubtful),
    ("unexpected message received", RefusalClass::Doubtful),
    ("insane message length", RefusalClass::Doubtful),
    ("header lengths are longer", RefusalClass::Doubtful),
    ("delayed socket error", RefusalClass::Doubtful),
    // As many jobs as there may be. The words of accounting name the limit, before a line that is the same for all.
    ("submitjob", RefusalClass::Limit),
    ("maxsubmit", RefusalClass::Limit),
    ("maxjobcount", RefusalClass::Limit),
    ("job limit", RefusalClass::Limit),
    ("perjob", RefusalClass::Permanent),
    ("qosmax", RefusalClass::Permanent),
    ("assocmax", RefusalClass::Permanent),
    ("violates accounting/qos policy", RefusalClass::Limit),
    // Not now.
    ("unable to contact slurm controller", RefusalClass::Busy),
    ("communication connection failure", RefusalClass::Busy),
    ("connection timed out establishing", RefusalClass::Busy),
    ("rate limit exceeded", RefusalClass::Busy),
    ("temporarily", RefusalClass::Busy),
    ("standby", RefusalClass::Busy),
    ("shutting down", RefusalClass::Busy),
    ("submissions disabled", RefusalClass::Busy),
    ("partition not available", RefusalClass::Busy),
    ("reservation is in use", RefusalClass::Busy),
    ("reservation not usable now", RefusalClass::Busy),
    ("error writing script", RefusalClass::Busy),
    ("authentication", RefusalClass::Busy),
    ("credential", RefusalClass::Busy),
    ("munge", RefusalClass::Busy),
    ("talking to database", RefusalClass::Busy),
    ("unable to connect to database", RefusalClass::Busy),
    ("transport endpoint", RefusalClass::Busy),
    ("connection refused", RefusalClass::Busy),
    ("no space left", RefusalClass::Busy),
    // All else that sbatch itself refuses: accounts, partitions, options, a site's own rules.
    ("sbatch:", RefusalClass::Permanent),
    ("submission failed", RefusalClass::Permanent),
];

impl Slurm {
    fn command(&self, name: &str) -> Vec<String> {
        let cluster = self.cluster.as_ref().map(|cluster| format!("--clusters={cluster}"));
        std::iter::once(name.to_owned()).chain(cluster).collect()
    }
}

impl BatchSystem for Slurm {
    fn submit(&self, job: &Job) -> Result<Call, Refusal> {
        let mut script = Script::new("#SBATCH");
        script.option(format!("--job-name={}", escape(&job.name)));
        script.option("--nodes=1");
        script.option("--ntasks=1");
        if self.exclusive {
            script.option("--exclusive");
        } else {
            script.option(format!("--cpus-per-task={}", job.cpus));
        }
        script.valued("--mem=", job.memory_mb.map(|mb| format!("{mb}M")));
        script.option(format!("--time={}", script::minutes(job)));
        script.valued(
            "--dependency=",
            job.after.as_ref().map(|After { job, at_latest }| {
                format!("afterany:{}?after:{}+{}", job.0, job.0, at_latest.as_secs() / 60)
            }),
        );
        script.option(format!("--output={}", escape(&pattern(job)?)));
        script.option("--open-mode=append");
        script.option("--requeue");
        script.option("--signal=TERM@45");
        script.option("--export=NONE");
        script.valued("--partition=", self.partition.as_deref().map(escape));
        script.valued("--account=", self.account.as_deref().map(escape));
        script.valued("--qos=", self.qos.as_deref().map(escape));
        script.valued("--constraint=", self.constraint.as_deref().map(escape));
        script.valued("--reservation=", self.reservation.as_deref().map(escape));
        script.valued("--clusters=", self.cluster.as_deref().map(escape));
        script.valued("--exclude=", (!job.exclude.is_empty()).then(|| escape(&job.exclude.join(","))));
        script.amend(&self.skip, &self.extra);
        let step = "srun --export=ALL -N1 -n1 -c \"${SLURM_CPUS_PER_TASK:-$SLURM_CPUS_ON_NODE}\" --overlap \
                    --kill-on-bad-exit=0";
        script.worker(job, step)?;
        Ok(Call::new(["sbatch", "--parsable"]).reading(script.text()?))
    }

    fn read_submit(&self, _job: &Job, output: &Output) -> Result<JobId, Refusal> {
        // Site wrappers print lines of their own, or drop `--parsable`; the answer stands last.
        let id = output.stdout.lines().rev().find_map(|line| {
            let line = line.trim();
            let line = line.strip_prefix("Submitted batch job ").unwrap_or(line);
            let id = line.split([';', ' ']).next().unwrap_or_default();
            (!id.is_empty() && id.bytes().all(|b| b.is_ascii_digit())).then(|| JobId(id.into()))
        });
        match (output.code, id) {
            (Some(0), Some(id)) => Ok(id),
            _ => Err(refusals::read(output, "sbatch", &cause(&output.stderr), REFUSALS, RefusalClass::Doubtful)),
        }
    }

    fn query(&self, _known: &[JobId]) -> Vec<Call> {
        let format = format!("{}{BEHIND}", FIELDS.join(&format!("{BETWEEN},")));
        let mut argv = self.command("squeue");
        argv.extend(["--me".into(), "--states=all".into(), format!("--Format={format}")]);
        vec![Call::new(argv)]
    }

    fn read_query(&self, output: &Output) -> Result<Vec<Queued>, Unreadable> {
        let unreadable = || Unreadable(output.words());
        if output.code != Some(0) {
            return Err(unreadable());
        }
        // Before the header stands what login scripts and wrappers print.
        let header = output.stdout.match_indices("JOBID").map(|(at, _)| at).find(|at| {
            let line = output.stdout[*at..].lines().next().unwrap_or_default();
            (*at == 0 || output.stdout[..*at].ends_with('\n'))
                && line.trim_end().ends_with(BEHIND)
                && line.split(BETWEEN).count() == FIELDS.len()
        });
        let (_, rows) = output.stdout[header.ok_or_else(unreadable)?..].split_once('\n').ok_or_else(unreadable)?;
        // A name may hold line breaks, so rows end where they say so.
        let mut jobs = Vec::new();
        let mut rest = rows;
        while let Some((row, behind)) = rest.split_once(BEHIND) {
            jobs.push(read_row(row).ok_or_else(|| Unreadable(format!("squeue printed `{}`", row.trim())))?);
            rest = behind;
        }
        let refused = jobs.is_empty() && output.stderr.contains("error:");
        if !rest.trim().is_empty() || refused {
            return Err(unreadable());
        }
        Ok(jobs)
    }

    fn cancel(&self, ids: &[JobId]) -> Vec<Call> {
        let some = ids.chunks(CANCELLED_AT_ONCE);
        some.map(|some| {
            let mut argv = self.command("scancel");
            argv.extend(some.iter().map(|id| id.0.clone()));
            Call::new(argv)
        })
        .collect()
    }
}

/// The part of a complaint that says why: its last word on the submission, without the retries before. The words of
/// accounting stand in lines of their own before that one.
fn cause(stderr: &str) -> String {
    let verdict = stderr.lines().rev().find(|line| line.contains("submission failed:"));
    verdict.filter(|line| !line.contains("accounting/QOS")).unwrap_or(stderr).into()
}

fn read_row(row: &str) -> Option<Queued> {
    let fields: Vec<&str> = row.splitn(FIELDS.len(), BETWEEN).map(str::trim).collect();
    let [id, restarts, state, ran, start, host, reason, name] = fields.as_slice() else { return None };
    if !id.starts_with(|first: char| first.is_ascii_digit()) || id.contains(char::is_whitespace) || state.is_empty() {
        return None;
    }
    let known = |text: &str| match text {
        "N/A" | "None" | "(null)" | "n/a" => String::new(),
        text => text.into(),
    };
    let state = read_state(state);
    Some(Queued {
        id: JobId((*id).into()),
        name: (*name).into(),
        state,
        reason: known(reason),
        start: known(start),
        restarts: restarts.parse().ok()?,
        host: known(host),
        ran_secs: elapsed::seconds(ran).filter(|_| state == JobState::Running),
    })
}

fn read_state(state: &str) -> JobState {
    match state {
        "PENDING" | "REQUEUED" | "REQUEUE_HOLD" | "REQUEUE_FED" | "SPECIAL_EXIT" | "RESV_DEL_HOLD" => JobState::Waiting,
        // A job that is requeued completes first.
        "CONFIGURING" | "RUNNING" | "SUSPENDED" | "STOPPED" | "SIGNALING" | "RESIZING" | "STAGE_OUT" | "COMPLETING" => {
            JobState::Running
        }
        "COMPLETED" | "CANCELLED" | "FAILED" | "TIMEOUT" | "OUT_OF_MEMORY" | "BOOT_FAIL" | "DEADLINE" | "NODE_FAIL"
        | "PREEMPTED" | "REVOKED" | "LAUNCH_FAILED" | "RECONFIG_FAIL" => JobState::Ended,
        cancelled if cancelled.starts_with("CANCELLED by") => JobState::Ended,
        _ => JobState::Unknown,
    }
}

/// A value as Slurm's reader of script options has to find it: in double quotes, where a backslash takes the next
/// character as it is. Outside of them a blank ends the value and `#` begins a comment.
fn escape(value: &str) -> String {
    if !value.contains([' ', '\t', '\\', '\'', '"', '#']) {
        return value.into();
    }
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The log's path as `--output` has to have it: a per cent sign begins a pattern, and a backslash makes it none.
fn pattern(job: &Job) -> Result<String, Refusal> {
    let log = script::log(job)?;
    if log.contains('\\') {
        return Err(script::unwritable(&format!("Slurm cannot print to {log}: the path has a backslash")));
    }
    Ok(log.replace('%', "%%"))
}
