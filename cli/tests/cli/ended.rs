//! A coordinator for weeks: runs that have ended cost it no open file and little memory, and are still listed.

use std::fs;

use crate::common::{
    files::{place, write},
    process::{Process, coordinator, worker},
    program::{json, succeed},
    runs::{status, submit, wait_for_end},
    wait::wait,
};

/// Open files of a process, and kilobytes of memory that it has resident.
fn cost(process: &Process) -> (usize, u64) {
    let proc = format!("/proc/{}", process.0.id());
    let files = fs::read_dir(format!("{proc}/fd")).expect("read").count();
    let text = fs::read_to_string(format!("{proc}/status")).expect("read");
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a line");
    (files, line.trim().trim_end_matches(" kB").parse().expect("a number"))
}

/// `REDQUEEN_ENDED_RUNS=300 cargo test --workspace --test cli -- ended:: --nocapture` says what more runs cost.
#[test]
#[cfg(target_os = "linux")]
fn ended_runs_leave_no_file_open_and_are_listed() {
    let count = std::env::var("REDQUEEN_ENDED_RUNS").map_or(24, |text| text.parse().expect("a number"));
    let place = place();
    let (server, url) = coordinator(&place.path().join("data"), 0, &[]);
    let _worker = worker(&url, "w", 2, &[]);
    let file = |name: &str, seed: u64| {
        // Every third one fails.
        let fails = if seed.is_multiple_of(3) { "fails = [7]\n" } else { "" };
        let text = format!(
            "format = 1\nname = \"tiny\"\nkind = \"synthetic\"\nseed = {seed}\n[synthetic]\ntrials = 200\n{fails}"
        );
        write(&place, name, &text)
    };
    let end = |seed: u64| {
        let (id, _) = submit(&file("tiny.toml", seed), &url);
        (wait_for_end(&id, &url), id)
    };
    (1..=4).for_each(|seed| drop(end(seed)));
    let before = cost(&server);
    let ended: Vec<(String, String)> = (5..5 + count).map(end).collect();
    // Calls and their connections have ended a moment after the answers.
    let after = wait("closed files", || Some(cost(&server)).filter(|after| after.0 <= before.0 + 2));
    println!("{count} runs: open files {} to {}, memory {} to {} kB", before.0, after.0, before.1, after.1);
    let grown = after.1.saturating_sub(before.1);
    assert!(grown <= 8_192 + 16 * count, "{grown} kB for {count} runs");
    let listed = json(&["list", "--coordinator", &url]);
    assert_eq!(listed["runs"].as_array().expect("a list").len() as u64, count + 4);
    // A failed one goes on from there.
    let (_, failed) = ended.iter().find(|(state, _)| state == "failed").expect("some fail");
    assert_eq!(status(failed, &url)["quarantined"], 1);
    succeed(&["resume", failed, "--retry-quarantined", "--coordinator", &url]);
    assert_eq!(wait_for_end(failed, &url), "failed");
    let kinds = json(&["events", failed, "--kind", "retried", "--coordinator", &url]);
    assert_eq!(kinds["events"].as_array().expect("a list").len(), 1);
    assert_eq!(status(failed, &url)["quarantined"], 1);
}
