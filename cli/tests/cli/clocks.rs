//! Players with a time budget: their moves depend on the machine, and every output says so.

use crate::common::{
    files::{place, write},
    program::{json, redqueen, text},
};

const TIMED: &str = r#"
format = 1
name = "timed"
kind = "match-grid"
game = "dodgem:size=3"
[players]
a = "mcts:time-ms=2"
b = "random"
[match-grid]
pairing = "listed"
pairs = [["a", "b"]]
games-per-pair = 4
"#;

#[test]
fn a_time_budget_on_more_threads_than_cores_is_warned_of_and_marked() {
    let place = place();
    let file = write(&place, "timed.toml", TIMED);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let out = place.path().join("out");
    for (threads, warned) in [(cores * 2 + 1, true), (1, false)] {
        let output = redqueen()
            .args(["run", text(&file), "--threads", &threads.to_string(), "--out", text(&out), "--json"])
            .output()
            .expect("runs");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{stderr}");
        assert!(stderr.contains("not reproducible"), "{stderr}");
        // Before it starts, with both numbers.
        assert_eq!(stderr.contains(&format!("{threads} threads share {cores} cores")), warned, "{stderr}");
        let value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one JSON value");
        assert_eq!(value["reproducible"], false);
    }
    let status = json(&["status", text(&out)]);
    assert_eq!(status["reproducible"], false);
    // How fast each worker was: here a move of 2 ms, and four games.
    let shares = status["shares"].as_array().expect("a list");
    assert_eq!(shares.iter().map(|share| share["trials"].as_u64().expect("a number")).sum::<u64>(), 4);
    assert!(shares.iter().all(|share| share["secs"].as_f64() > Some(0.002)), "{status}");
}
