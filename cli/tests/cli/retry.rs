//! Retrying quarantined trials, by the same command or at a coordinator.

use std::path::Path;

use crate::common::{
    experiments::SMALL_EVOLUTION,
    files::{place, write},
    process::{coordinator, worker},
    program::{json, run, succeed, text},
    runs::{digest, status, submit, wait_for_end},
};

const TRIALS: &str = "format = 1\nname = \"few\"\nkind = \"synthetic\"\n[synthetic]\ntrials = 50\n";

/// Makes of a finished run one whose first stage lacks trial 7.
fn give_up(directory: &Path, shape: &str) {
    let conn = rusqlite::Connection::open(directory.join("redqueen.sqlite")).expect("opens");
    let failed = (1..=3).map(|n| format!("INSERT INTO failures VALUES (0, 7, {n}, 'w', 'it does not end', '');"));
    conn.execute_batch(&format!(
        "DELETE FROM results_{shape} WHERE stage = 0 AND trial = 7; INSERT INTO quarantined VALUES (0, 7);
         UPDATE run SET state = 'failed'; {}",
        failed.collect::<String>()
    ))
    .expect("done");
}

#[test]
fn a_failed_run_goes_on_by_the_same_command() {
    let place = place();
    let file = write(&place, "few.toml", TRIALS);
    let out = place.path().join("out");
    let go = ["run", text(&file), "--no-tables", "--threads", "1", "--out", text(&out)];
    succeed(&go);
    let wanted = digest(&out);
    give_up(&out, "synthetic");
    let output = run(&go);
    assert_eq!(output.status.code(), Some(1), "failed, and stays so unless another chance is asked for");
    assert!(String::from_utf8_lossy(&output.stderr).contains("redqueen replay"));
    let again: Vec<&str> = go.iter().copied().chain(["--retry-quarantined"]).collect();
    succeed(&again);
    assert_eq!(digest(&out), wanted);
    assert_eq!(json(&["status", text(&out)])["state"], "finished");
    let events = json(&["events", text(&out), "--kind", "retried"]);
    assert_eq!(events["events"][0]["detail"]["trials"], 1, "{events}");
    // Once more: all is well, and nothing happens.
    succeed(&again);
    assert_eq!(digest(&out), wanted);
}

#[test]
fn later_stages_are_dropped_only_if_that_is_said() {
    let place = place();
    let file = write(&place, "small.toml", SMALL_EVOLUTION);
    let out = place.path().join("out");
    let go = ["run", text(&file), "--no-tables", "--threads", "2", "--out", text(&out), "--retry-quarantined"];
    succeed(&go);
    let wanted = digest(&out);
    give_up(&out, "generation");
    let output = run(&go);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("later stages with") && stderr.contains("--discard-later"), "{stderr}");
    assert_eq!(json(&["status", text(&out)])["state"], "failed", "refused, and nothing done");
    let again: Vec<&str> = go.iter().copied().chain(["--discard-later"]).collect();
    succeed(&again);
    assert_eq!(digest(&out), wanted);
    let output = run(&["run", text(&file), "--discard-later"]);
    assert_eq!(output.status.code(), Some(2), "means nothing alone");
}

#[test]
fn a_coordinator_says_why_nothing_is_tried_again() {
    let place = place();
    let file = write(&place, "few.toml", TRIALS);
    let (_server, url) = coordinator(&place.path().join("data"), 0, &[]);
    let (id, _) = submit(&file, &url);
    let refused = |why: &str| {
        let output = run(&["resume", &id, "--retry-quarantined", "--coordinator", &url]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(why), "{stderr}");
    };
    refused("no trial of the run's open stage is quarantined");
    let _worker = worker(&url, "w", 1, &[]);
    assert_eq!(wait_for_end(&id, &url), "finished");
    refused("the run is finished");
    assert_eq!(status(&id, &url)["state"], "finished");
}

#[test]
fn a_coordinator_s_failed_run_goes_on_when_it_is_told() {
    let place = place();
    let file = write(&place, "few.toml", TRIALS);
    let data = place.path().join("data");
    let (mut server, url) = coordinator(&data, 0, &[]);
    let process = worker(&url, "w", 1, &[]);
    let (id, directory) = submit(&file, &url);
    assert_eq!(wait_for_end(&id, &url), "finished");
    let wanted = digest(&directory);
    server.signal("TERM");
    assert_eq!(server.end(), Some(0));
    drop(process);
    give_up(&directory, "synthetic");
    let (_server, url) = coordinator(&data, 0, &[]);
    assert_eq!(status(&id, &url)["state"], "failed");
    let resumed = json(&["resume", &id, "--retry-quarantined", "--coordinator", &url]);
    assert_eq!((&resumed["state"], &resumed["quarantined"]), (&"running".into(), &0.into()));
    let _process = worker(&url, "w", 1, &[]);
    assert_eq!(wait_for_end(&id, &url), "finished");
    assert_eq!(digest(&directory), wanted);
}
