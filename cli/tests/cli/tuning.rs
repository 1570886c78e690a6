//! A tuning with real processes: the same candidates, winner and results with any deaths, and a winner that is a
//! player's spec.

use std::{path::Path, process::Stdio};

use crate::common::{
    files::{place, write},
    process::{Process, coordinator, free_port, worker},
    program::{json, redqueen, run, succeed, text},
    runs::{digest, facts, look, stored, submit, wait_for_end},
    wait::wait,
};

/// A second or two of one core in a test build: 10 generations and the final test.
const TUNING: &str = r#"
format = 1
name = "test-tuning"
kind = "tuning"
game = "dodgem:size=3"
seed = 5
[players]
mcts-20 = "mcts:playouts=20"
random = "random"
[tuning]
player = "mcts:playouts=20,c=3.0"
population = 10
generations = 10
games = 6
mutation-rate = 0.6
[tuning.parameters]
playouts = { type = "integer", min = 10, max = 160, scale = "log" }
c = { type = "real", min = 0.05, max = 4.0, scale = "log" }
ties = { type = "category", values = ["first", "random"] }
[tuning.final]
games = 60
"#;

/// Trials of a generation, and of all stages.
const GENERATION: u64 = 10 * 2 * 6;
const TRIALS: u64 = 10 * GENERATION + 5 * 60;

/// A run with its tables.
fn reference(file: &Path, out: &Path, threads: &str) -> String {
    succeed(&["run", text(file), "--threads", threads, "--no-tables", "--out", text(out)]);
    digest(out)
}

/// Rows of the run so far.
fn rows(directory: &Path) -> Option<u64> {
    look(directory, |conn| conn.query_row("SELECT COUNT(*) FROM results_match", [], |row| row.get::<_, i64>(0)))
        .map(|rows| rows as u64)
}

#[test]
fn threads_and_kill_9_change_nothing() {
    let place = place();
    let file = write(&place, "tuning.toml", TUNING);
    let one = place.path().join("one");
    let wanted = reference(&file, &one, "1");
    assert_eq!(reference(&file, &place.path().join("three"), "3"), wanted);
    // `run` is killed in the middle of the fourth generation, and goes on.
    let out = place.path().join("killed");
    let start = || {
        let child = redqueen()
            .args(["run", text(&file), "--no-tables", "--threads", "2", "--out", text(&out)])
            .stderr(Stdio::null())
            .spawn()
            .expect("starts");
        Process(child)
    };
    let mut first = start();
    wait("a generation half done", || rows(&out).filter(|&rows| rows >= 3 * GENERATION + GENERATION / 3));
    first.kill();
    assert!(rows(&out).expect("a database") < TRIALS);
    assert_eq!(start().end(), Some(0));
    assert_eq!(facts(&out), facts(&one));
    assert_eq!(digest(&out), wanted);
    // The same of a coordinator with workers, then of both.
    let (data, port) = (place.path().join("data"), free_port());
    let (mut server, url) = coordinator(&data, port, &[]);
    let mut workers =
        vec![worker(&url, "w1", 1, &["--patience-secs", "60"]), worker(&url, "w2", 2, &["--patience-secs", "60"])];
    let (id, directory) = submit(&file, &url);
    for (kill, generation) in [1, 4, 7].into_iter().enumerate() {
        wait("progress", || rows(&directory).filter(|&rows| rows >= generation * GENERATION + GENERATION / 2));
        server.kill();
        if kill == 1 {
            workers.iter_mut().for_each(Process::kill);
            workers = vec![worker(&url, "w3", 2, &["--patience-secs", "60"])];
        }
        server = coordinator(&data, port, &[]).0;
    }
    assert_eq!(wait_for_end(&id, &url), "finished");
    assert_eq!(stored(&directory, "match").0, TRIALS);
    assert_eq!(facts(&directory), facts(&one));
    assert_eq!(digest(&directory), wanted);
}

#[test]
fn the_winner_is_shown_tested_and_plays() {
    let place = place();
    let file = write(&place, "tuning.toml", TUNING);
    let out = place.path().join("run");
    let checked = json(&["check", text(&file)]);
    assert_eq!((&checked["trials"], &checked["kind"]), (&TRIALS.into(), &"tuning".into()));
    let ended = redqueen().args(["run", text(&file), "--out", text(&out)]).output().expect("starts");
    assert_eq!(ended.status.code(), Some(0), "{}", String::from_utf8_lossy(&ended.stderr));
    // The tables are of the final test: winner and defaults against both, and one another.
    let tables = String::from_utf8(ended.stdout).expect("UTF-8").split_whitespace().collect::<Vec<_>>().join(" ");
    for pair in ["| winner | mcts-20 |", "| defaults | mcts-20 |", "| winner | defaults |"] {
        assert!(tables.contains(pair), "{pair}: {tables}");
    }
    let status = json(&["status", text(&out)]);
    assert!(status["headline"].as_str().is_some_and(|line| line.starts_with("final: winner 0.")), "{status}");

    let champion = json(&["champion", text(&out)]);
    assert_eq!(champion["generation"], 9);
    assert_eq!(champion["scores"].as_array().map(Vec::len), Some(5));
    let shown = succeed(&["champion", text(&out)]);
    let spec = champion["player"].as_str().expect("a spec");
    assert!(shown.starts_with("winner of test-tuning: candidate-") && shown.ends_with(&format!("{spec}\n")), "{shown}");
    let played = json(&["play", "dodgem:size=3", "--first", spec, "--second", "random", "--games", "2"]);
    assert_eq!(played["first"], spec);
    let early = json(&["champion", text(&out), "--generation", "0"]);
    assert_eq!((&early["generation"], &early["leader"]["games"]), (&0.into(), &12.into()));
    let late = run(&["champion", text(&out), "--generation", "10"]);
    assert_eq!(late.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&late.stderr).contains("generations 0 to 9 are closed"), "{late:?}");
    let lineage = run(&["champion", text(&out), "--lineage"]);
    assert_eq!(lineage.status.code(), Some(2));

    // A trial again, of a generation and of the final test, as the database has it.
    for (stage, trial) in [(4i64, 7i64), (10, 250)] {
        let again = json(&["replay", text(&out), &stage.to_string(), &trial.to_string()]);
        let sql = "SELECT first_points, plies, moves_hash FROM results_match WHERE stage = ?1 AND trial = ?2";
        let kept: (f64, i64, i64) =
            look(&out, |conn| conn.query_row(sql, [stage, trial], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))))
                .expect("a row");
        let result = &again["result"];
        let found = (result["first_points"].as_f64(), result["plies"].as_i64(), result["moves_hash"].as_i64());
        assert_eq!(found, (Some(kept.0), Some(kept.1), Some(kept.2)));
    }
}
