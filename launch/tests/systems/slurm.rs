//! Slurm's answers. Those of a real one: `launch/tests/slurm`.

use launch::{
    call::Output,
    job::JobId,
    systems::{BatchSystem, JobState, Queued, RefusalClass, slurm::Slurm},
};
use proptest::prelude::*;

use crate::jobs::{check_refusals, complained, job, printed};

#[test]
fn the_script() {
    let system = Slurm {
        partition: Some("cpu".into()),
        account: Some("p 1".into()),
        cluster: Some("east".into()),
        extra: vec!["--licenses=none".into()],
        skip: vec!["--requeue".into(), "--mem".into()],
        ..Slurm::default()
    };
    let mut job = job("rq-12345678-1", &["/opt/red queen/redqueen", "worker", "--access", "it's"]);
    job.memory_mb = Some(2048);
    job.exclude = vec!["n3".into(), "n7".into()];
    job.prologue = vec!["module purge".into()];
    job.log = "/data/100% \"mine\"#1.log".into();
    let call = system.submit(&job).unwrap();
    assert_eq!(call.argv, ["sbatch", "--parsable"]);
    assert_eq!(
        call.stdin.unwrap(),
        r##"#!/bin/sh
#SBATCH --job-name=rq-12345678-1
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=2
#SBATCH --time=10
#SBATCH --output="/data/100%% \"mine\"#1.log"
#SBATCH --open-mode=append
#SBATCH --signal=TERM@45
#SBATCH --export=NONE
#SBATCH --partition=cpu
#SBATCH --account="p 1"
#SBATCH --clusters=east
#SBATCH --exclude=n3,n7
#SBATCH --licenses=none
export REDQUEEN_JOB=rq-12345678-1 REDQUEEN_JOB_ENDS_AT=$(($(date +%s) + 600))
module purge
exec srun --export=ALL -N1 -n1 -c "${SLURM_CPUS_PER_TASK:-$SLURM_CPUS_ON_NODE}" --overlap --kill-on-bad-exit=0 '/opt/red queen/redqueen' worker --access "it's"
"##
    );
    let whole = Slurm { exclusive: true, ..Slurm::default() }.submit(&job).unwrap().stdin.unwrap();
    assert!(whole.contains("#SBATCH --exclusive\n") && !whole.contains("cpus-per-task"), "{whole}");
}

#[test]
fn nothing_of_a_path_becomes_an_option_or_shell() {
    let mut broken = job("rq-1-1", &["worker"]);
    broken.log = "/data/a\nrm -rf /".into();
    assert_eq!(Slurm::default().submit(&broken).unwrap_err().class, RefusalClass::Permanent);
    broken.log = "/data/a\\b".into();
    assert_eq!(Slurm::default().submit(&broken).unwrap_err().class, RefusalClass::Permanent);
    let nul = job("rq-1-1", &["wor\0ker"]);
    assert_eq!(Slurm::default().submit(&nul).unwrap_err().class, RefusalClass::Permanent);
}

#[test]
fn accepted() {
    let rows = [
        ("4711\n", "4711"),
        ("4711;east\n", "4711"),
        ("Submitted batch job 4711\n", "4711"),
        ("Submitted batch job 4711 on cluster east\n", "4711"),
        ("---\nWelcome to cluster 9\nQuota: 12%\n---\n4711\n", "4711"),
        ("4711 \r\n\n", "4711"),
    ];
    for (text, id) in rows {
        let read = Slurm::default().read_submit(&job("rq-1-1", &["true"]), &printed(text));
        assert_eq!(read, Ok(JobId(id.into())), "{text}");
    }
}

#[test]
fn refused() {
    check_refusals(&Slurm::default(), include_str!("recorded/slurm-refused.txt"));
}

#[test]
fn no_answer_is_a_doubt() {
    let read = |output: Output| Slurm::default().read_submit(&job("rq-1-1", &["true"]), &output).unwrap_err().class;
    assert_eq!(read(Output { code: None, ..printed("") }), RefusalClass::Doubtful);
    let retries = "sbatch: error: Slurm temporarily unable to accept job, sleeping and retrying";
    assert_eq!(
        read(Output { code: None, ..complained(1, retries) }),
        RefusalClass::Doubtful,
        "the last retry may work"
    );
    assert_eq!(read(printed("")), RefusalClass::Doubtful, "accepted, but the id is lost");
    assert_eq!(read(printed("Submitted\n")), RefusalClass::Doubtful);
    let greeted = Output { stdout: "2026\n".into(), ..complained(1, "sbatch: error: Invalid qos specification") };
    assert_eq!(read(greeted), RefusalClass::Permanent, "the number of a banner is no job");
    assert_eq!(read(complained(255, "client_loop: send disconnect: Broken pipe")), RefusalClass::Doubtful);
    assert_eq!(read(complained(127, "sbatch: No such file or directory (os error 2)")), RefusalClass::Permanent);
    assert_eq!(read(complained(127, "sh: 1: sbatch: not found")), RefusalClass::Permanent);
}

const HEADER: &str = "JOBID                   <|>RESTART_<|>STATE                   <|>TIME                <|>START_TIME              <|>NODELIST        <|>REASON      <|>NAME        <end>\n";

fn row(id: &str, restarts: &str, state: &str, host: &str, reason: &str, name: &str) -> String {
    format!(
        "{id:24}<|>{restarts:8}<|>{state:24}<|>{:20}<|>{:24}<|>{host:64}<|>{reason:80}<|>{name:64}<end>\n",
        "1-00:00:41", "2026-11-29T20:29:43"
    )
}

fn read(text: &str) -> Result<Vec<Queued>, launch::systems::Unreadable> {
    Slurm::default().read_query(&printed(text))
}

#[test]
fn states() {
    use JobState::{Ended, Running, Unknown, Waiting};
    let rows = [
        ("PENDING", Waiting),
        ("REQUEUED", Waiting),
        ("REQUEUE_HOLD", Waiting),
        ("SPECIAL_EXIT", Waiting),
        ("CONFIGURING", Running),
        ("RUNNING", Running),
        ("COMPLETING", Running),
        ("SUSPENDED", Running),
        ("STOPPED", Running),
        ("SIGNALING", Running),
        ("RESIZING", Running),
        ("STAGE_OUT", Running),
        ("COMPLETED", Ended),
        ("PREEMPTED", Ended),
        ("NODE_FAIL", Ended),
        ("TIMEOUT", Ended),
        ("OUT_OF_MEMORY", Ended),
        ("BOOT_FAIL", Ended),
        ("DEADLINE", Ended),
        ("CANCELLED", Ended),
        ("CANCELLED by 1000", Ended),
        ("FAILED", Ended),
        ("LAUNCH_FAILED", Ended),
        ("EXPEDITING", Unknown),
        ("POWER_UP_NODE", Unknown),
        ("running", Unknown),
    ];
    for (word, state) in rows {
        let jobs = read(&format!("{HEADER}{}", row("12", "3", word, "n1", "None", "rq-1-1"))).unwrap();
        let expected = Queued {
            id: JobId("12".into()),
            name: "rq-1-1".into(),
            state,
            reason: String::new(),
            start: "2026-11-29T20:29:43".into(),
            restarts: 3,
            host: "n1".into(),
            ran_secs: (state == Running).then_some(86_441.0),
        };
        assert_eq!(jobs, [expected], "{word}");
    }
}

#[test]
fn none_is_only_what_says_so() {
    assert_eq!(read(HEADER), Ok(Vec::new()));
    assert_eq!(read(&format!("*** Maintenance on Monday ***\nCLUSTER: east\n{HEADER}")), Ok(Vec::new()));
    for text in ["", "\n", "Welcome\n", "JOBID\n", "x\n", "JOBID PARTITION NAME\n", &HEADER[..40]] {
        assert!(read(text).is_err(), "{text}");
    }
    let empty = |code, stderr: &str| {
        Slurm::default().read_query(&Output { code, stdout: HEADER.into(), stderr: stderr.into() })
    };
    assert!(empty(Some(0), "").is_ok());
    assert!(empty(Some(0), "squeue: error: Invalid user: nosuch\n").is_err(), "as 22.05 says it with exit code 0");
    assert!(empty(Some(1), "").is_err() && empty(None, "").is_err() && empty(Some(255), "").is_err());
}

#[test]
fn jobs_of_others_do_not_disturb() {
    let text = [
        HEADER,
        &row("99_[1-5%2]", "0", "PENDING", "", "ReqNodeNotAvail, UnavailableNodes:n[1-4]", "a b|c\nd"),
        &row("100+0", "0", "RUNNING", "n[1-4]", "None", "het"),
        &row("12", "0", "PENDING", "", "Priority", "rq-1-1"),
    ];
    let jobs = read(&text.concat()).unwrap();
    let names: Vec<&str> = jobs.iter().map(|job| job.name.as_str()).collect();
    assert_eq!(names, ["a b|c\nd", "het", "rq-1-1"]);
    assert_eq!(jobs[0].reason, "ReqNodeNotAvail, UnavailableNodes:n[1-4]");
}

#[test]
fn many_are_cancelled_in_few_calls() {
    let ids: Vec<JobId> = (0..250).map(|id| JobId(id.to_string())).collect();
    let calls = Slurm { cluster: Some("east".into()), ..Slurm::default() }.cancel(&ids);
    assert_eq!(calls.iter().map(|call| call.argv.len()).collect::<Vec<_>>(), [102, 102, 52]);
    assert_eq!(calls[0].argv[..3], ["scancel", "--clusters=east", "0"]);
    assert!(Slurm::default().cancel(&[]).is_empty(), "scancel without ids is an error");
}

proptest! {
    #[test]
    fn a_mutilated_list_is_unreadable_or_right(
        cut in 0usize..2000, length in 0usize..200, put in "[ -~\n]{0,12}", banner in "[ -~]{0,40}"
    ) {
        let jobs = [
            row("12", "0", "RUNNING", "n1", "None", "rq-1-1"),
            row("13", "1", "PENDING", "", "Priority", "rq-1-2"),
            row("14", "0", "COMPLETED", "n2", "None", "rq-1-3"),
        ];
        let text = format!("{banner}\n{HEADER}{}", jobs.concat());
        let start = cut.min(text.len());
        let end = (start + length).min(text.len());
        let broken = format!("{}{put}{}", &text[..start], &text[end..]);
        if let Ok(jobs) = read(&broken) {
            // What is cut out between two rows cannot be seen; no answer turns into no jobs unless all rows are gone.
            prop_assert!(!jobs.is_empty(), "{broken}");
        }
        let truncated = &text[..start];
        if let Ok(jobs) = read(truncated) {
            prop_assert!(truncated.trim_end().ends_with("<end>"), "{truncated}");
            let whole = truncated.matches("<end>").count() - 1;
            prop_assert_eq!(jobs.len(), whole);
        }
    }

    #[test]
    fn any_text_is_read_without_panic(text in "\\PC{0,200}|[JOBID<|>end\n 0-9]{0,300}", code in prop::option::of(-1i32..256)) {
        let output = Output { code, stdout: text.clone(), stderr: text };
        let _ = Slurm::default().read_query(&output);
        let _ = Slurm::default().read_submit(&job("rq-1-1", &["true"]), &output);
    }
}
