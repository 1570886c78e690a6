//! Commands end within their time, whatever they do with their pipes.

use std::time::{Duration, Instant};

use launch::{
    call::{Call, NOT_EXECUTABLE, NOT_FOUND},
    runner::{Runner, is_scrubbed},
};

fn sh(script: &str) -> Call {
    Call::new(["sh", "-c", script])
}

#[test]
fn output_and_exit_code() {
    let output = Runner::default().run(&sh("echo out; echo err >&2; exit 3"));
    assert_eq!((output.code, output.stdout.as_str(), output.stderr.as_str()), (Some(3), "out\n", "err\n"));
    assert_eq!(Runner::default().run(&sh("kill -9 $$")).code, None, "ended by a signal");
}

#[test]
fn a_missing_program_is_no_doubt() {
    assert_eq!(Runner::default().run(&Call::new(["rq-no-such-program"])).code, Some(NOT_FOUND));
    let via =
        Runner { via: vec!["sh".into(), "-c".into()], ..Runner::default() }.run(&Call::new(["rq-no-such-program"]));
    assert_eq!(via.code, Some(NOT_FOUND), "as a shell says it");
    assert_eq!(Runner::default().run(&Call::new(["/"])).code, Some(NOT_EXECUTABLE));
}

#[test]
fn a_command_that_hangs_is_killed_with_its_children() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("pid");
    let mut runner = Runner { limit: Duration::from_millis(300), ..Runner::default() };
    let begun = Instant::now();
    let output = runner.run(&sh(&format!("sleep 300 & echo $! > {}; echo early; wait", file.display())));
    assert!(begun.elapsed() < Duration::from_secs(60));
    assert_eq!((output.code, output.stdout.as_str()), (None, "early\n"));
    let child: u32 = std::fs::read_to_string(file).unwrap().trim().parse().unwrap();
    // Dead, or a zombie where the system's first process takes its time.
    let state = || std::fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
    while !(state().is_empty() || state().contains(") Z") || state().contains(") X")) {
        assert!(begun.elapsed() < Duration::from_secs(60), "{}", state());
    }
}

#[test]
fn large_texts_go_in_and_out_at_once() {
    let text = "x".repeat(1 << 20);
    let output = Runner::default().run(&Call::new(["cat"]).reading(text.clone()));
    assert_eq!((output.code, output.stdout.len()), (Some(0), text.len()));
    let output = Runner::default().run(&Call::new(["true"]).reading(text));
    assert_eq!(output.code, Some(0), "a command need not read");
}

#[test]
fn an_endless_answer_is_none() {
    let output = Runner::default().run(&sh("head -c 40000000 /dev/zero"));
    assert_eq!((output.code, output.stdout.len()), (None, 32 << 20));
}

#[test]
fn a_child_that_stays_does_not_hold_the_answer_back() {
    let begun = Instant::now();
    let output = Runner::default().run(&sh("echo done; setsid sleep 5 &"));
    assert_eq!((output.code, output.stdout.as_str()), (Some(0), "done\n"));
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[test]
fn several_at_once_in_order() {
    let calls: Vec<Call> = (0..20).map(|n| sh(&format!("echo {n}"))).collect();
    let outputs = Runner::default().run_all(&calls, 8);
    let printed: Vec<String> = outputs.into_iter().map(|output| output.stdout.trim().to_owned()).collect();
    assert_eq!(printed, (0..20).map(|n| n.to_string()).collect::<Vec<_>>());
}

#[test]
fn variables_of_an_outer_job_are_scrubbed() {
    for name in [
        "SLURM_MEM_PER_CPU",
        "SLURM_JOB_ID",
        "SBATCH_PARTITION",
        "SQUEUE_FORMAT",
        "SQUEUE_FORMAT2",
        "SRUN_DEBUG",
        "SACCT_FORMAT",
        "SALLOC_ACCOUNT",
        "PBS_JOBID",
        "PBS_O_WORKDIR",
        "QSUB_OPTIONS",
        "SGE_TASK_ID",
        "JOB_ID",
        "NSLOTS",
        "LSB_JOBID",
        "BSUB_QUIET",
    ] {
        assert!(is_scrubbed(name), "{name}");
    }
    for name in [
        "PATH",
        "HOME",
        "USER",
        "SLURM_CONF",
        "SLURM_JWT",
        "PBS_CONF_FILE",
        "PBS_SERVER",
        "SGE_ROOT",
        "SGE_CELL",
        "SGE_QMASTER_PORT",
        "LSF_ENVDIR",
        "KRB5CCNAME",
        "SSH_AUTH_SOCK",
    ] {
        assert!(!is_scrubbed(name), "{name}");
    }
    assert_eq!(Runner::default().run(&sh("printf %s \"$LC_ALL\"")).stdout, "C");
}
