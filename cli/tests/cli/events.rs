//! `redqueen events`: from a run's directory and from a coordinator.

use std::{io::Read as _, process::Stdio};

use crate::common::{
    files::{place, write},
    process::{Process, coordinator, worker},
    program::{json, redqueen, run, succeed, text},
    runs::{submit, wait_for_end},
};

const TRIALS: &str = "format = 1\nname = \"few\"\nkind = \"synthetic\"\n[synthetic]\ntrials = 50\n";

#[test]
fn events_are_the_same_from_everywhere() {
    let place = place();
    let file = write(&place, "few.toml", TRIALS);
    let (_server, url) = coordinator(&place.path().join("data"), 0, &[]);
    let (id, directory) = submit(&file, &url);
    succeed(&["pause", &id, "--coordinator", &url]);
    // From before anything is run until the run has ended, by itself.
    let follow = |run: &str| {
        let child = redqueen()
            .args(["events", run, "--follow", "--json", "--coordinator", &url])
            .stdout(Stdio::piped())
            .spawn()
            .expect("starts");
        Process(child)
    };
    let mut followers = [follow(&id), follow(text(&directory))];
    let _worker = worker(&url, "w", 1, &[]);
    succeed(&["resume", &id, "--coordinator", &url]);
    assert_eq!(wait_for_end(&id, &url), "finished");
    let asked = json(&["events", &id[..8], "--coordinator", &url]);
    let events = asked["events"].as_array().expect("a list");
    assert_eq!(json(&["events", text(&directory)]), asked);
    let kinds: Vec<&str> = events.iter().filter_map(|event| event["kind"].as_str()).collect();
    for (i, kind) in ["created", "paused", "running", "stage-closed", "finished"].iter().enumerate() {
        let place = kinds.iter().position(|found| found == kind).unwrap_or_else(|| panic!("no {kind} in {kinds:?}"));
        assert!(place >= i, "{kinds:?}");
    }
    assert!(events.windows(2).all(|two| two[0]["event"].as_u64() < two[1]["event"].as_u64()));
    for follower in &mut followers {
        assert_eq!(follower.end(), Some(0));
        let mut lines = String::new();
        follower.0.stdout.take().expect("piped").read_to_string(&mut lines).expect("UTF-8");
        let followed: Vec<serde_json::Value> =
            lines.lines().map(|line| serde_json::from_str(line).expect("a value a line")).collect();
        assert_eq!(&followed, events);
    }
    let shown = succeed(&["events", text(&directory), "--kind", "paused", "--kind", "stage-closed"]);
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines.len(), 2, "{shown}");
    assert!(lines[0].ends_with("paused") && lines[1].contains("stage-closed   stage 0, name trials"), "{shown}");
    let output = run(&["events", "0000", "--coordinator", &url]);
    assert_eq!(output.status.code(), Some(2));
}
