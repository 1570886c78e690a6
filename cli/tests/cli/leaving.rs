//! When a worker leaves by itself: at every signal that batch systems send, without work, and without a coordinator.

use std::{
    path::PathBuf,
    process::{Command, Stdio},
};

use tempfile::TempDir;

use crate::common::{
    files::{place, write},
    process::{Process, coordinator, worker},
    program::redqueen,
    runs::{status, submit, wait_for_end},
    wait::wait,
};

/// Goes on for as long as a test looks at it.
const ENDLESS: &str =
    "format = 1\nname = \"long\"\nkind = \"synthetic\"\n[synthetic]\ntrials = 100000\nsleep-us = 20000\n";

fn trials(place: &TempDir, number: u32, seconds: f64) -> PathBuf {
    let us = (seconds * 1e6) as u64;
    let text =
        format!("format = 1\nname = \"slow\"\nkind = \"synthetic\"\n[synthetic]\ntrials = {number}\nsleep-us = {us}\n");
    write(place, "slow.toml", &text)
}

#[test]
fn every_signal_of_a_batch_system_lets_a_worker_finish_what_runs() {
    let place = place();
    let (mut server, url) = coordinator(&place.path().join("data"), 0, &[]);
    let (id, _) = submit(&write(&place, "long.toml", ENDLESS), &url);
    for name in ["TERM", "INT", "HUP", "USR1", "USR2", "XCPU"] {
        let mut leaving = worker(&url, name, 1, &[]);
        wait("work", || status(&id, &url)["leased"].as_u64().filter(|&leased| leased > 0));
        leaving.signal(name);
        assert_eq!(leaving.end(), Some(0), "{name}");
        wait("its leases", || (status(&id, &url)["leased"] == 0).then_some(()));
    }
    server.signal("USR1");
    assert_eq!(server.end(), Some(0));
}

/// Slurm sends TERM to a job and to its steps; Ctrl-C is another wish.
#[test]
fn one_warning_may_come_several_times() {
    let place = place();
    let (_server, url) = coordinator(&place.path().join("data"), 0, &[]);
    let (id, _) = submit(&trials(&place, 1, 60.0), &url);
    let start = || {
        let started = worker(&url, "w", 1, &["--grace-secs", "1"]);
        wait("work", || (status(&id, &url)["leased"] == 1).then_some(()));
        started
    };
    let mut patient = start();
    patient.signal("TERM");
    patient.signal("TERM");
    patient.signal("USR2");
    assert_eq!(patient.end(), Some(0), "its grace is over, and nothing else");
    wait("its lease", || (status(&id, &url)["leased"] == 0).then_some(()));
    let mut impatient = start();
    impatient.signal("TERM");
    impatient.signal("INT");
    // Of two that it finds at once it may take either first.
    assert!(matches!(impatient.end(), Some(0 | 130)));
}

#[test]
fn what_nohup_ignores_stays_ignored() {
    let place = place();
    let (_server, url) = coordinator(&place.path().join("data"), 0, &[]);
    let (id, _) = submit(&write(&place, "long.toml", ENDLESS), &url);
    let program = redqueen();
    let mut shell = Command::new("sh");
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell.args(["-c", "trap '' HUP; exec \"$0\" \"$@\""]).arg(program.get_program());
    shell.args(["worker", "--coordinator", &url, "--threads", "1"]).stdout(Stdio::null()).stderr(Stdio::null());
    let mut kept = Process(shell.spawn().expect("sh starts"));
    let stored = || status(&id, &url)["stored"].as_u64().unwrap_or(0);
    wait("results", || (stored() > 0).then_some(()));
    kept.signal("HUP");
    let before = stored();
    wait("more results than it had leased", || (stored() > before + 200).then_some(()));
    kept.signal("TERM");
    assert_eq!(kept.end(), Some(0));
}

#[test]
fn a_worker_without_work_leaves_and_one_at_work_does_not() {
    let place = place();
    let (_server, url) = coordinator(&place.path().join("data"), 0, &[]);
    let (id, _) = submit(&trials(&place, 2, 2.5), &url);
    let mut leaving = worker(&url, "w", 1, &["--idle-secs", "1"]);
    // Each trial takes longer than it may be without work.
    assert_eq!(wait_for_end(&id, &url), "finished");
    assert_eq!(leaving.end(), Some(0));
}

/// Slurm does not enforce the cores of a task at every site.
#[test]
fn a_worker_takes_the_cores_of_its_task() {
    let place = place();
    let (_server, url) = coordinator(&place.path().join("data"), 0, &[]);
    let (id, _) = submit(&write(&place, "long.toml", ENDLESS), &url);
    let mut task = redqueen();
    task.args(["worker", "--coordinator", &url])
        .env("SLURM_JOB_ID", "7")
        .env("SLURM_CPUS_PER_TASK", "1")
        .stderr(Stdio::null());
    let _worker = Process(task.spawn().expect("it starts"));
    wait("the worker", || (status(&id, &url)["workers"] == 1).then_some(()));
    assert_eq!(status(&id, &url)["threads"], 1);
}

#[test]
fn a_worker_whose_coordinator_is_gone_leaves() {
    let place = place();
    let (mut server, url) = coordinator(&place.path().join("data"), 0, &[]);
    let (id, _) = submit(&write(&place, "long.toml", ENDLESS), &url);
    let log = place.path().join("log");
    let child = redqueen()
        .args(["worker", "--coordinator", &url, "--threads", "1", "--lost-secs", "1"])
        .stderr(std::fs::File::create(&log).expect("created"))
        .spawn();
    let mut lost = Process(child.expect("it starts"));
    wait("work", || status(&id, &url)["leased"].as_u64().filter(|&leased| leased > 0));
    server.kill();
    assert_eq!(lost.end(), Some(1));
    let said = std::fs::read_to_string(&log).expect("a log");
    assert!(said.contains("has not answered for 1 s") && said.contains("--lost-secs"), "{said}");
}
