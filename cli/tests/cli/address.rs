//! The address file: workers and commands find a coordinator that moves, and workers know when their job ends.

use std::{
    path::{Path, PathBuf},
    process::Stdio,
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use redqueen_wire::{ADDRESS_FILE, Address, Standing};

use crate::common::{
    experiments::GRID,
    files::{place, write},
    process::{Process, coordinator, free_port},
    program::{json, redqueen, run, succeed, text},
    runs::{digest, submit},
    wait::wait,
};

/// Goes on for as long as a test looks at it.
const ENDLESS: &str =
    "format = 1\nname = \"long\"\nkind = \"synthetic\"\n[synthetic]\ntrials = 100000\nsleep-us = 20000\n";

/// A worker that finds its coordinator by the address file in `data`.
fn worker_by(data: &Path, extra: &[&str]) -> Process {
    let mut program = redqueen();
    program.args(["worker", "--access", text(data), "--threads", "1"]).args(extra);
    program.stdout(Stdio::null()).stderr(Stdio::null());
    Process(program.spawn().expect("the worker starts"))
}

/// A status by the address file; nothing while no coordinator answers.
fn seen(data: &Path, run: &str) -> Option<serde_json::Value> {
    let output = redqueen().args(["status", run, "--access", text(data), "--json"]).output().ok()?;
    output.status.success().then(|| serde_json::from_slice(&output.stdout).expect("one JSON value"))
}

fn file(data: &Path) -> PathBuf {
    data.join(ADDRESS_FILE)
}

#[test]
fn workers_and_commands_follow_a_coordinator_that_moves() {
    let place = place();
    let data = place.path().join("data");
    let grid = write(&place, "grid.toml", &GRID.replace("games-per-pair = 200", "games-per-pair = 2000"));
    let (mut first, url) = coordinator(&data, 0, &["--tls"]);
    assert!(url.starts_with("https://"));
    let value = json(&["submit", text(&grid), "--access", text(&data)]);
    let id = value["run"].as_str().expect("an id").to_owned();
    // It starts before the coordinator moves, and has the token of workers from the file.
    let mut working = worker_by(&data, &["--idle-secs", "2"]);
    wait("results", || seen(&data, &id)?["stored"].as_u64().filter(|&stored| stored > 0));
    first.signal("TERM");
    assert_eq!(first.end(), Some(0));
    assert_eq!(Address::read(&file(&data)).expect("an address").standing, Standing::Stopped);
    let refused = run(&["status", &id, "--access", text(&data)]);
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("has stopped"), "{said}");
    let (_second, elsewhere) = coordinator(&data, 0, &["--tls"]);
    assert_ne!(url, elsewhere, "it has moved");
    wait("the end", || (seen(&data, &id)?["state"] == "finished").then_some(()));
    assert_eq!(working.end(), Some(0));
    let alone = place.path().join("alone");
    succeed(&["run", text(&grid), "--out", text(&alone), "--no-tables", "--threads", "1"]);
    assert_eq!(digest(Path::new(value["directory"].as_str().expect("a path"))), digest(&alone));
}

#[test]
fn a_worker_tries_every_address_and_waits_out_a_file_that_is_cut_or_old() {
    let place = place();
    let data = place.path().join("data");
    let (mut server, url) = coordinator(&data, 0, &[]);
    let (id, _) = submit(&write(&place, "long.toml", ENDLESS), &url);
    let good = Address::read(&file(&data)).expect("an address");
    let nobody = format!("http://127.0.0.1:{}", free_port());
    Address { urls: vec![nobody, url.clone()], ..good.clone() }.write(&file(&data)).expect("written");
    let mut working = worker_by(&data, &[]);
    let workers = || seen(&data, &id).map(|status| status["workers"].clone());
    wait("the second address", || (workers()? == 1).then_some(()));
    // The coordinator moves; what the worker sees first of the file is old, then half of it.
    server.kill();
    let newest = std::fs::read_to_string(file(&data)).expect("a file");
    std::fs::write(file(&data), newest.replace("\"generation\": 2", "\"generation\": 1")).expect("written");
    let (_again, moved) = coordinator(&place.path().join("data"), 0, &[]);
    // Its generation follows that of the old file, which the worker does not believe.
    let whole = std::fs::read_to_string(file(&data)).expect("a file");
    std::fs::write(file(&data), &whole[..whole.len() / 2]).expect("written");
    let refused = run(&["status", &id, "--access", text(&data)]);
    assert_eq!(refused.status.code(), Some(2), "half a file");
    std::fs::write(file(&data), whole.replace("\"generation\": 2", "\"generation\": 3")).expect("written");
    wait("the moved coordinator", || {
        let status = json(&["status", &id, "--coordinator", &moved]);
        (status["workers"] == 1).then_some(())
    });
    working.signal("TERM");
    assert_eq!(working.end(), Some(0));
}

#[test]
fn a_worker_leaves_when_the_file_says_that_all_is_done() {
    let place = place();
    let data = place.path().join("data");
    let (mut server, _) = coordinator(&data, 0, &[]);
    let mut working = worker_by(&data, &[]);
    wait("the worker", || {
        let refused = run(&["list", "--access", text(&data)]);
        refused.status.success().then_some(())
    });
    server.signal("TERM");
    assert_eq!(server.end(), Some(0));
    let stopped = Address::read(&file(&data)).expect("an address");
    Address { standing: Standing::Finished, ..stopped }.write(&file(&data)).expect("written");
    assert_eq!(working.end(), Some(0));
}

/// Slurm tells the end of a job by a variable, redqueen's own jobs by an option.
#[test]
fn a_worker_leaves_before_its_job_ends() {
    let place = place();
    let data = place.path().join("data");
    let (_server, url) = coordinator(&data, 0, &[]);
    let (id, _) = submit(&write(&place, "long.toml", ENDLESS), &url);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs();
    // It leaves five seconds and its grace before.
    let ends = (now + 9).to_string();
    let mut by_option = worker_by(&data, &["--ends-at", &ends, "--grace-secs", "1"]);
    let mut program = redqueen();
    program.args(["worker", "--access", text(&data), "--threads", "1", "--grace-secs", "1"]);
    program.env("SLURM_JOB_ID", "7").env("SLURM_JOB_END_TIME", &ends).stderr(Stdio::null());
    let mut by_variable = Process(program.spawn().expect("it starts"));
    let begun = Instant::now();
    wait("results", || seen(&data, &id)?["stored"].as_u64().filter(|&stored| stored > 0));
    assert_eq!((by_option.end(), by_variable.end()), (Some(0), Some(0)));
    assert!(begun.elapsed().as_secs() < 9, "before the end");
    wait("its leases", || (seen(&data, &id)?["leased"] == 0).then_some(()));
}
