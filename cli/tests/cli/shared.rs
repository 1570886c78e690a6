//! Runs on a file system that machines share (docs/failures.md, row 32), as `REDQUEEN_FILE_SYSTEM` says it is.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use serde_json::Value;

use crate::common::{
    files::{place, write},
    process::{coordinator_by, free_port, worker},
    program::{self, redqueen, succeed, text},
    runs::{digest, run_status, submit, wait_for_end},
    wait::wait,
};

/// Some seconds of two threads, whatever the machine.
const SLOW: &str =
    "format = 1\nname = \"slow\"\nkind = \"synthetic\"\nseed = 4\n[synthetic]\ntrials = 300\nsleep-us = 20000\n";

fn shared() -> Command {
    let mut command = redqueen();
    command.env("REDQUEEN_FILE_SYSTEM", "nfs");
    command
}

#[track_caller]
fn ask(arguments: &[&str]) -> Value {
    let output = shared().args(arguments).arg("--json").output().expect("it runs");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("one JSON value")
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("read").flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Digest of [`SLOW`], undisturbed.
fn undisturbed(place: &tempfile::TempDir) -> String {
    let (file, out) = (write(place, "undisturbed.toml", SLOW), place.path().join("undisturbed"));
    let quick = ["--set", "synthetic.sleep-us=0", "--no-tables", "--threads", "1"];
    succeed(&[&["run", text(&file), "--out", text(&out)], quick.as_slice()].concat());
    // Read where machines share it, a run that was made elsewhere gets no new file.
    let before = names(&out);
    assert_eq!(ask(&["status", text(&out)])["state"], "finished");
    let found = ask(&["digest", text(&out)])["digest"].as_str().expect("a text").to_owned();
    assert_eq!(names(&out), before);
    assert_eq!(found, digest(&out));
    found
}

#[test]
fn commands_read_a_shared_run_in_use_and_a_killed_coordinator_is_followed_at_once() {
    let place = place();
    let wanted = undisturbed(&place);
    let (file, data, port) = (write(&place, "slow.toml", SLOW), place.path().join("data"), free_port());
    let start = || coordinator_by(shared(), &data, port, &[], Stdio::null());
    let (mut first, url) = start();
    let (run, directory) = submit(&file, &url);
    let _worker = worker(&url, "w", 2, &[]);
    let count = || run_status(&run, &url).and_then(|status| status["stored"].as_u64());
    wait("some results", || count().filter(|&stored| stored > 20));
    let there = text(&directory);
    let status = ask(&["status", there]);
    assert_eq!((&status["state"], &status["file_system"]), (&Value::from("running"), &Value::from("nfs")), "{status}");
    ask(&["events", there]);
    assert!(ask(&["digest", there])["trials"].as_u64().is_some_and(|trials| trials > 0));
    // Its tables lack a closed stage; the copy is whole.
    let copied = place.path().join("copy");
    program::run(&["export", &run, "--coordinator", &url, "--out", text(&copied)]);
    assert_eq!(ask(&["status", text(&copied)])["state"], "interrupted");
    let files = names(&directory);
    assert!(!files.iter().any(|name| name.ends_with("-wal") || name.ends_with("-shm")), "{files:?}");
    assert!(files.iter().any(|name| name == "redqueen.owner"), "{files:?}");
    first.kill();
    // Its process has certainly ended, so the next one need not wait for its lease.
    let (_second, _) = start();
    assert_eq!(wait_for_end(&run, &url), "finished");
    assert_eq!(digest(&directory), wanted);
    // A run of this kind has no tables, but analysis has read its stage.
    let _ = shared().args(["analyze", there]).output().expect("it runs");
    assert!(directory.join("results/synthetic/stage=00000.parquet").exists());
    assert!(!names(&directory).iter().any(|name| name.ends_with("-shm")));
}

#[test]
fn a_run_is_refused_where_files_show_when_they_are_closed() {
    let place = place();
    let (file, out) = (write(&place, "slow.toml", SLOW), place.path().join("out"));
    let output = redqueen()
        .env("REDQUEEN_FILE_SYSTEM", "afs")
        .args(["run", text(&file), "--out", text(&out)])
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("is on afs") && said.contains("local disk") && !out.exists(), "{said}");
}
