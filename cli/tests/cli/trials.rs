//! Trials that hang, die or eat memory cost only themselves, and what dies beside them costs nothing.

use std::{
    collections::BTreeMap,
    path::Path,
    process::{Command, Output, Stdio},
    time::{Duration, Instant},
};

use crate::common::{
    files::{place, write},
    process::{Process, coordinator, worker},
    program::{redqueen, succeed, text},
    runs::{digest, run_status, stored, submit, wait_for_end},
    wait::wait,
};

/// A synthetic experiment.
fn synthetic(trials: u64, timeout_secs: f64, more: &str) -> String {
    format!(
        "format = 1\nname = \"test-trials\"\nkind = \"synthetic\"\ntrial-timeout-secs = {timeout_secs:?}\n[synthetic]\n\
         trials = {trials}\n{more}\n"
    )
}

/// Runs an experiment in one process.
/// Runs to the end, with patience: what is tested here is that there is one.
#[track_caller]
fn run_here(file: &Path, out: &Path, more: &[&str]) -> Output {
    let arguments = ["run", text(file), "--no-tables", "--threads", "2", "--out", text(out)];
    let told = out.with_extension("stderr");
    let stderr = std::fs::File::create(&told).expect("created");
    let child = redqueen().args(arguments).args(more).stdout(Stdio::null()).stderr(stderr).spawn();
    let mut process = Process(child.expect("starts"));
    process.end();
    let status = process.0.wait().expect("it has ended");
    Output { status, stdout: Vec::new(), stderr: std::fs::read(&told).expect("read") }
}

fn database(directory: &Path) -> rusqlite::Connection {
    rusqlite::Connection::open(directory.join("redqueen.sqlite")).expect("the database opens")
}

/// Value of every stored trial.
fn values(directory: &Path) -> BTreeMap<i64, i64> {
    let conn = database(directory);
    let mut rows = conn.prepare("SELECT trial, value FROM results_synthetic").expect("there are results");
    rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("read").collect::<Result<_, _>>().expect("rows")
}

/// (trial, error) of every failure, in order.
fn failures(directory: &Path) -> Vec<(i64, String)> {
    let conn = database(directory);
    let mut rows = conn.prepare("SELECT trial, error FROM failures ORDER BY trial, attempt").expect("there are some");
    rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("read").collect::<Result<_, _>>().expect("rows")
}

/// Words of a process's line in /proc behind its name: state, parent, group.
fn stat(pid: u32) -> Option<Vec<String>> {
    let line = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    Some(line.rsplit_once(')')?.1.split_whitespace().map(str::to_owned).collect())
}

/// Whether a process runs or could: one that is dead and not yet collected does not.
fn lives(pid: u32) -> bool {
    stat(pid).is_some_and(|words| words[0] != "Z" && words[0] != "X")
}

/// The processes that run trials for a worker.
fn executors(worker: &Process) -> Vec<u32> {
    let parent = worker.0.id().to_string();
    let every = std::fs::read_dir("/proc").expect("/proc").flatten();
    let pids = every.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|&pid| lives(pid) && stat(pid).is_some_and(|words| words[1] == parent)).collect()
}

fn signal(pid: u32, name: &str) {
    // It may have gone meanwhile.
    let _ = Command::new("kill").args(["-s", name, &pid.to_string()]).stderr(Stdio::null()).status();
}

fn start(file: &Path, out: &Path, threads: &str) -> Process {
    let child = redqueen()
        .args(["run", text(file), "--no-tables", "--threads", threads, "--out", text(out)])
        .stderr(Stdio::null())
        .stdout(Stdio::null())
        .spawn();
    Process(child.expect("starts"))
}

/// Waits until some trials are stored.
fn wait_for_results(out: &Path, some: usize) {
    wait("results", || {
        let conn = out.join("redqueen.sqlite").exists().then(|| database(out))?;
        let count = conn.query_row("SELECT COUNT(*) FROM results_synthetic", [], |row| row.get::<_, i64>(0)).ok()?;
        (count as usize >= some).then_some(())
    });
}

#[test]
fn each_way_to_fail_costs_only_its_trial() {
    let place = place();
    let trials = 400;
    let plain = write(&place, "plain.toml", &synthetic(trials, 1.0, ""));
    let wild =
        "sleep-us = 500\nhangs = [0, 100]\noverflows = [101]\naborts = [102, 250]\npanics = [251, 252]\nfails = [399]";
    let wild = write(&place, "wild.toml", &synthetic(trials, 0.25, wild));
    let (good, bad) = (place.path().join("good"), place.path().join("bad"));
    assert!(run_here(&plain, &good, &[]).status.success());
    let output = run_here(&wild, &bad, &[]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{told}");
    let blamed = [
        (0, "timed out after 0.25 s"),
        (100, "timed out after 0.25 s"),
        (101, "signal 6 (SIGABRT): "),
        (101, "has overflowed its stack"),
        (102, "its process ended with signal 6 (SIGABRT)"),
        (250, "its process ended with signal 6 (SIGABRT)"),
        (251, "panicked: trial 251 was told to panic"),
        (252, "panicked: trial 252 was told to panic"),
        (399, "trial 399 was told to fail"),
    ];
    for (trial, error) in blamed {
        let line = format!("trial {trial} of stage 0 is quarantined: ");
        let line = told.lines().find(|found| found.starts_with(&line)).unwrap_or_else(|| panic!("{line} in {told}"));
        assert!(line.contains(error), "{line}");
        assert!(told.contains(&format!("redqueen replay {} 0 {trial}\n", text(&bad))), "{told}");
    }
    // Three attempts of each of these trials, and of no other.
    let culprits: Vec<i64> = failures(&bad).into_iter().map(|(trial, _)| trial).collect();
    assert_eq!(culprits, [0, 100, 101, 102, 250, 251, 252, 399].map(|trial| [trial; 3]).concat());
    let mut wanted = values(&good);
    wanted.retain(|trial, _| !culprits.contains(trial));
    assert_eq!(values(&bad), wanted);
}

/// The digest is what it was when trials ran in threads of the worker.
#[test]
fn where_trials_run_does_not_matter() {
    let place = place();
    let file = write(&place, "plain.toml", &synthetic(300, 3_600.0, "long = { every = 50, cost-us = 20000 }"));
    let out = place.path().join("out");
    succeed(&["run", text(&file), "--no-tables", "--out", text(&out)]);
    assert_eq!(digest(&out), "633b653284b11cba728cb564295290eb3da1f30c6d92d6234a78a06ea8cd570a");
}

#[test]
fn a_hoarder_is_refused_and_named() {
    let place = place();
    let file = write(&place, "hoard.toml", &synthetic(200, 60.0, "hoards = [77]"));
    let out = place.path().join("out");
    let output = run_here(&file, &out, &["--memory-mb", "512"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stored(&out, "synthetic"), (199, 199));
    for (trial, error) in failures(&out) {
        assert_eq!(trial, 77, "{error}");
        assert!(error.contains("signal 6 (SIGABRT): memory allocation of 16777216 bytes failed"), "{error}");
    }
}

#[test]
fn too_little_memory_to_run_anything_ends_the_worker_with_a_reason() {
    let place = place();
    let file = write(&place, "plain.toml", &synthetic(10, 60.0, ""));
    let output = run_here(&file, &place.path().join("out"), &["--memory-mb", "64"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("were lost in a row before any ran") && told.contains("raise --memory-mb"), "{told}");
}

#[test]
fn processes_killed_from_outside_cost_nothing() {
    let place = place();
    let file = write(&place, "plain.toml", &synthetic(1_200, 60.0, "sleep-us = 2000"));
    let out = place.path().join("out");
    let mut process = start(&file, &out, "2");
    for kill in 1..=8 {
        wait_for_results(&out, kill * 100);
        if let Some(&victim) = executors(&process).get(kill % 2) {
            signal(victim, "KILL");
        }
    }
    assert_eq!(process.end(), Some(0));
    assert_eq!(stored(&out, "synthetic"), (1_200, 1_200));
    assert_eq!(failures(&out), [], "no trial is blamed for the faults of others");
}

#[test]
fn a_process_that_is_stopped_is_a_trial_that_takes_too_long() {
    let place = place();
    let file = write(&place, "plain.toml", &synthetic(300, 0.5, "sleep-us = 5000"));
    let out = place.path().join("out");
    let mut process = start(&file, &out, "1");
    wait_for_results(&out, 50);
    let stopped = wait("a process", || executors(&process).first().copied());
    signal(stopped, "STOP");
    assert_eq!(process.end(), Some(0), "the slot goes on with another process");
    assert!(!lives(stopped));
    assert_eq!(stored(&out, "synthetic"), (300, 300));
    assert!(failures(&out).len() <= 1, "one attempt at most: {:?}", failures(&out));
}

#[test]
fn no_process_outlives_its_worker() {
    let place = place();
    let file = write(&place, "hang.toml", &synthetic(4, 600.0, "hangs = [0, 1, 2, 3]"));
    let mut process = start(&file, &place.path().join("out"), "2");
    // Set up to the last: from then on the kernel ends one with its worker.
    let ready = |pid: &u32| {
        std::fs::read_to_string(format!("/proc/{pid}/oom_score_adj"))
            .is_ok_and(|score| score.trim().parse::<i32>().is_ok_and(|score| score >= 500))
    };
    let orphans =
        wait("two processes", || Some(executors(&process)).filter(|pids| pids.len() == 2 && pids.iter().all(ready)));
    // One that is stopped cannot see that it is alone.
    signal(orphans[0], "STOP");
    process.kill();
    wait("their end", || (!orphans.iter().any(|&pid| lives(pid))).then_some(()));
}

#[test]
fn being_told_to_stop_ends_trials_after_the_grace_and_their_processes() {
    let place = place();
    let file = write(&place, "hang.toml", &synthetic(100, 600.0, "sleep-us = 1000\nhangs = [99]"));
    let (_coordinator, url) = coordinator(&place.path().join("data"), 0, &[]);
    let mut fleet = worker(&url, "w", 2, &["--grace-secs", "1"]);
    let (run, directory) = submit(&file, &url);
    wait_for_results(&directory, 99);
    let executors = executors(&fleet);
    // As a batch system does: every process of the job gets the signal.
    executors.iter().for_each(|&pid| signal(pid, "TERM"));
    assert!(executors.iter().all(|&pid| lives(pid)), "only the worker is asked");
    let begun = Instant::now();
    fleet.signal("TERM");
    assert_eq!(fleet.end(), Some(0));
    assert!(begun.elapsed() >= Duration::from_secs(1), "the grace was for the trial");
    assert!(!executors.iter().any(|&pid| lives(pid)));
    assert_eq!(run_status(&run, &url).expect("a status")["stored"], 99);
    assert_eq!(failures(&directory), [], "leaving is not a failure");
}

#[test]
fn a_cancelled_run_frees_its_slots() {
    let place = place();
    let hang = write(&place, "hang.toml", &synthetic(2, 600.0, "hangs = [0, 1]"));
    let plain = write(&place, "plain.toml", &synthetic(50, 600.0, ""));
    let (_coordinator, url) = coordinator(&place.path().join("data"), 0, &[]);
    let fleet = worker(&url, "w", 1, &[]);
    let (run, _) = submit(&hang, &url);
    wait("the trial to run", || (!executors(&fleet).is_empty()).then_some(()));
    succeed(&["cancel", &run, "--coordinator", &url]);
    let (next, directory) = submit(&plain, &url);
    assert_eq!(wait_for_end(&next, &url), "finished");
    assert_eq!(stored(&directory, "synthetic"), (50, 50));
}

/// A batch system signals every process of a job; which trials end is for the worker to say.
#[test]
fn signals_to_every_process_of_a_job_end_no_trial() {
    let place = place();
    let (_server, url) = coordinator(&place.path().join("data"), 0, &[]);
    let (id, _) = submit(&write(&place, "long.toml", &synthetic(100_000, 60.0, "sleep-us = 20000")), &url);
    let results = || run_status(&id, &url).and_then(|status| status["stored"].as_u64()).unwrap_or(0);
    let worker = worker(&url, "w", 2, &[]);
    wait("results", || (results() > 0).then_some(()));
    let before = executors(&worker);
    for name in ["TERM", "INT", "HUP", "USR1", "USR2", "XCPU"] {
        before.iter().for_each(|&pid| signal(pid, name));
    }
    let signalled = results();
    wait("more results", || (results() > signalled + 200).then_some(()));
    assert_eq!((before.len(), executors(&worker)), (2, before));
}
