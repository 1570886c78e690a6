//! Keys that change no result, changed between two sessions of a run.

use crate::common::{
    files::{place, write},
    process::{coordinator, worker},
    program::{json, run, succeed, text},
    runs::{digest, status, submit, wait_for_end},
};

/// Trials of which one takes a while by the clock.
const SLEEPY: &str = "format = 1\nname = \"sleepy\"\nkind = \"synthetic\"\ntrial-timeout-secs = 0.2\n[synthetic]\n\
                      trials = 3\nsleep-us = 700000\n";

#[test]
fn a_longer_ceiling_lets_trials_that_timed_out_end() {
    let place = place();
    let file = write(&place, "sleepy.toml", SLEEPY);
    let out = place.path().join("out");
    let go = ["run", text(&file), "--no-tables", "--threads", "3", "--out", text(&out)];
    let output = run(&go);
    assert_eq!(output.status.code(), Some(1), "timed out");
    let longer: Vec<&str> =
        go.iter().copied().chain(["--set", "trial-timeout-secs=60", "--retry-quarantined"]).collect();
    let output = run(&longer);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    assert!(stderr.contains("changed: `trial-timeout-secs` was 0.2 and is 60.0 now"), "{stderr}");
    let whole = place.path().join("whole");
    succeed(&["run", text(&file), "--no-tables", "--set", "trial-timeout-secs=60", "--out", text(&whole)]);
    assert_eq!(digest(&out), digest(&whole));
    assert_eq!(json(&["status", text(&out)])["run"], json(&["status", text(&whole)])["run"], "it is the same run");
}

#[test]
fn a_coordinator_s_run_takes_the_new_values_while_it_goes_on() {
    let place = place();
    let file = write(&place, "sleepy.toml", SLEEPY);
    let (_server, url) = coordinator(&place.path().join("data"), 0, &[]);
    let _worker = worker(&url, "w", 3, &[]);
    let (id, directory) = submit(&file, &url);
    assert_eq!(wait_for_end(&id, &url), "failed", "timed out");
    let submit_with = |set: &[&str]| {
        let words: Vec<&str> = ["submit", text(&file), "--coordinator", &url].iter().chain(set).copied().collect();
        let words: Vec<&str> = words.into_iter().chain(["--json"]).collect();
        // Its exit code is the run's: of a failed one 1.
        serde_json::from_slice::<serde_json::Value>(&run(&words).stdout).expect("one JSON value")
    };
    let changed = submit_with(&["--set", "trial-timeout-secs=60", "--set", "title=Longer"]);
    assert_eq!((&changed["run"], &changed["state"]), (&id.as_str().into(), &"failed".into()));
    json(&["resume", &id, "--retry-quarantined", "--coordinator", &url]);
    assert_eq!(wait_for_end(&id, &url), "finished", "the worker was told of the new ceiling");
    let event = json(&["events", text(&directory), "--kind", "changed"])["events"][0]["detail"].clone();
    assert_eq!(event["keys"]["trial-timeout-secs"], serde_json::json!(["0.2", "60.0"]));
    // A finished run: its name in tables.
    submit_with(&["--set", "trial-timeout-secs=60", "--set", "title=Last", "--set", "audit=0.5"]);
    assert_eq!(status(&id, &url)["state"], "finished");
    let resolved = std::fs::read_to_string(directory.join("resolved.toml")).expect("read");
    assert!(resolved.contains("title = \"Last\"") && resolved.contains("audit = 0.5"), "{resolved}");
}
