//! Workers, connections and coordinators that die in mid-work (docs/failures.md, rows 1, 2, 3, 4, 13 and 15): what was
//! acknowledged is stored once, what was not runs again, and nothing waits longer than it must.

use std::{
    collections::BTreeMap,
    path::Path,
    time::{Duration, Instant},
};

use crate::common::{
    experiments::{EVOLUTION, GRID},
    files::{place, write},
    process::{Process, coordinator, free_port, worker},
    program::{json, redqueen, succeed, text},
    proxy::Proxy,
    random::Draws,
    runs::{digest, facts, look, run_status, stored, submit, wait_for_end},
    wait::{PATIENCE, wait},
};

fn number(directory: &Path, sql: &str) -> u64 {
    look(directory, |conn| conn.query_row(sql, [], |row| row.get::<_, i64>(0))).unwrap_or(0) as u64
}

/// Trials that sleep, so that many workers fit a small machine.
fn sleepy(seed: u64, trials: u64) -> String {
    format!(
        "format = 1\nname = \"sleepy\"\nkind = \"synthetic\"\nseed = {seed}\n[synthetic]\ntrials = {trials}\n\
         sleep-us = 8000\n"
    )
}

/// Digest of a run of `sleepy`, by as many threads as you like.
fn slept(place: &tempfile::TempDir, trials: u64) -> String {
    let (file, out) = (write(place, "slept.toml", &sleepy(0, trials)), place.path().join("slept"));
    succeed(&["run", text(&file), "--threads", "16", "--no-tables", "--out", text(&out)]);
    digest(&out)
}

/// Results of games that are stored.
fn rows(directory: &Path) -> u64 {
    number(directory, "SELECT COUNT(*) FROM results_match")
}

/// Results of a shape that a worker delivered.
fn rows_of(directory: &Path, shape: &str, worker: &str) -> u64 {
    let sql = format!("SELECT COUNT(*) FROM results_{shape} JOIN workers USING (worker) WHERE name = '{worker}'");
    number(directory, &sql)
}

fn is_running(run: &str, url: &str) -> bool {
    run_status(run, url).is_none_or(|status| status["state"] == "running")
}

/// Why a worker left, as the run's events have it, and how many trials it held; once it did.
fn left(directory: &Path, worker: &str) -> Option<(String, u64)> {
    let sql = "SELECT json_extract(detail, '$.why'), json_extract(detail, '$.lost') FROM events \
               WHERE kind = 'worker-left' AND json_extract(detail, '$.worker') = ?1";
    look(directory, |conn| conn.query_row(sql, [worker], |row| Ok((row.get(0)?, row.get::<_, i64>(1)? as u64))))
}

fn reference(file: &Path, out: &Path) -> String {
    succeed(&["run", text(file), "--threads", "1", "--no-tables", "--out", text(out)]);
    digest(out)
}

/// A worker that gets SIGTERM delivers what it has, and ends.
#[track_caller]
fn leaves_empty_handed(process: &mut Process) {
    process.signal("TERM");
    assert_eq!(process.end(), Some(0));
}

#[test]
fn a_dead_worker_s_trials_are_leased_again_at_once_and_a_silent_one_s_after_three_heartbeats() {
    const TRIALS: u64 = 6_000;
    let place = place();
    let wanted = slept(&place, TRIALS);
    let seed = std::process::id();
    println!("seed {seed}");
    let mut draws = Draws::new(seed);
    let (_server, url) = coordinator(&place.path().join("data"), 0, &[]);
    let _steady = worker(&url, "steady", 1, &[]);
    let (run, directory) = submit(&write(&place, "sleepy.toml", &sleepy(0, TRIALS)), &url);
    let mut times = Vec::new();
    for kill in 0..10u64 {
        let name = format!("victim-{kill}");
        let mut victim = worker(&url, &name, 2, &[]);
        // In mid-lease: it has delivered something and holds more.
        let some = 1 + draws.below(20);
        wait("its first results", || (rows_of(&directory, "synthetic", &name) >= some).then_some(()));
        victim.kill();
        let killed = Instant::now();
        let (why, lost) = wait("the coordinator to see it", || left(&directory, &name));
        times.push(killed.elapsed());
        assert_eq!(why, "its connection ended", "{lost} trials were lost");
    }
    times.sort();
    println!("seen after {times:?}");
    // One look in ten may come late on a machine with much else to do.
    assert!(times[8] < Duration::from_secs(1), "{times:?}");
    let silent = worker(&url, "silent", 2, &[]);
    wait("it to be at work", || (rows_of(&directory, "synthetic", "silent") >= 1).then_some(()));
    silent.signal("STOP");
    let stopped = Instant::now();
    let (why, _) = wait("its end", || left(&directory, "silent"));
    // Heartbeats of tests are a second.
    assert!(why.contains("three heartbeats"), "{why}");
    assert!(stopped.elapsed() < Duration::from_secs(6), "{:?}", stopped.elapsed());
    assert!(is_running(&run, &url), "more trials are needed");
    let _more: Vec<_> = (0..4).map(|index| worker(&url, &format!("more-{index}"), 4, &[])).collect();
    assert_eq!(wait_for_end(&run, &url), "finished");
    assert_eq!(stored(&directory, "synthetic"), (TRIALS, TRIALS));
    assert_eq!(digest(&directory), wanted, "seed {seed}");
}

#[test]
fn results_whose_acknowledgement_is_lost_are_sent_again_and_count_once() {
    const TRIALS: u64 = 6_000;
    let place = place();
    let wanted = slept(&place, TRIALS);
    let (_server, url) = coordinator(&place.path().join("data"), 0, &[]);
    let proxy = Proxy::start(&url);
    let mut process = worker(&proxy.url, "worker", 2, &[]);
    let (run, directory) = submit(&write(&place, "sleepy.toml", &sleepy(0, TRIALS)), &url);
    let rows = || number(&directory, "SELECT COUNT(*) FROM results_synthetic");
    for lost in 1..=20u64 {
        wait("the worker to be back", || (run_status(&run, &url)?["workers"] == 1).then_some(()));
        let before = rows();
        wait("it to be at work", || (rows() > before).then_some(()));
        proxy.deaf.shut(true);
        let now = rows();
        // A commit whose acknowledgement does not get through. What was leased before may be all delivered.
        wait("a commit, or silence", || {
            let idle = run_status(&run, &url).is_some_and(|status| status["leased"] == 0);
            (rows() > now || idle).then_some(())
        });
        proxy.cut();
        proxy.deaf.shut(false);
        assert!(rows() < TRIALS, "the run is over after {lost} acknowledgements");
    }
    let _more: Vec<_> = (0..4).map(|index| worker(&url, &format!("more-{index}"), 4, &[])).collect();
    assert_eq!(wait_for_end(&run, &url), "finished");
    assert_eq!(stored(&directory, "synthetic"), (TRIALS, TRIALS));
    assert_eq!(digest(&directory), wanted);
    leaves_empty_handed(&mut process);
}

#[test]
fn a_worker_that_was_frozen_past_its_lease_is_rid_of_its_results_and_goes_on() {
    const TRIALS: u64 = 600;
    let place = place();
    let wanted = slept(&place, TRIALS);
    let (_server, url) = coordinator(&place.path().join("data"), 0, &[]);
    let mut frozen = worker(&url, "frozen", 1, &[]);
    let _other = worker(&url, "other", 1, &[]);
    // The stage is sealed while it is away; the run is cancelled while it is away.
    for (round, cancelled) in (0..).zip([false, true]) {
        let first = write(&place, "first.toml", &sleepy(round, TRIALS));
        let (run, directory) = submit(&first, &url);
        wait("it to be at work", || (rows_of(&directory, "synthetic", "frozen") >= 3).then_some(()));
        frozen.signal("STOP");
        if cancelled {
            succeed(&["cancel", &run, "--coordinator", &url]);
        } else {
            assert_eq!(wait_for_end(&run, &url), "finished");
            assert_eq!(digest(&directory), wanted);
        }
        wait("it to be quarantined", || {
            let alone = run_status(&run, &url)?["workers"] == 1;
            (alone || left(&directory, "frozen").is_some()).then_some(())
        });
        let next = write(&place, "next.toml", &sleepy(round, TRIALS * 4));
        let (late, next) = submit(&next, &url);
        frozen.signal("CONT");
        wait("new work", || {
            assert!(is_running(&late, &url), "over without it");
            (rows_of(&next, "synthetic", "frozen") > 0).then_some(())
        });
        succeed(&["cancel", &late, "--coordinator", &url]);
        let alarms = json(&["events", text(&directory), "--kind", "alarm"]);
        assert_eq!(alarms["events"].as_array().map(Vec::len), Some(0), "{alarms}");
    }
    leaves_empty_handed(&mut frozen);
}

/// Stored rows of the evolution, and how many trials of its open stage are not stored.
fn progress(directory: &Path) -> Option<(u64, u64)> {
    look(directory, |conn| {
        let count = |sql| conn.query_row(sql, [], |row| row.get::<_, i64>(0).map(|n| n as u64));
        let all = count("SELECT (SELECT COUNT(*) FROM results_generation) + (SELECT COUNT(*) FROM results_match)")
            .or_else(|_| count("SELECT COUNT(*) FROM results_generation"))?;
        let missing = count(
            "SELECT trials - (SELECT COUNT(*) FROM results_generation r WHERE r.stage = s.stage) FROM stages s \
             WHERE state = 'open' AND shape = 'generation'",
        );
        Ok((all, missing.unwrap_or(u64::MAX)))
    })
}

#[test]
fn twenty_dead_coordinators_lose_nothing_that_was_acknowledged() {
    let place = place();
    // Enough generations for all kills.
    let file = write(&place, "evolution.toml", &EVOLUTION.replace("generations = 14", "generations = 28"));
    let one = place.path().join("one");
    let wanted = reference(&file, &one);
    let seed = std::process::id();
    println!("seed {seed}");
    let mut draws = Draws::new(seed);
    let (data, port) = (place.path().join("data"), free_port());
    let (mut server, url) = coordinator(&data, port, &[]);
    let _workers = [0, 1].map(|index| worker(&url, &format!("w{index}"), 1, &["--patience-secs", "60"]));
    let (run, directory) = submit(&file, &url);
    let (mut closing, mut mark) = (0, 0);
    for kill in 0..22u64 {
        mark += 15 + draws.below(35);
        let over = || run_status(&run, &url).is_some_and(|status| status["state"] != "running");
        if kill % 3 == 0 {
            // When all is stored and the stage is still open: inside the transaction that closes it, or just before.
            // Looked for without a pause, for that time is short; and over two stages (of 56 games) at most, for the
            // kills to come need what is left of the run.
            let begun = Instant::now();
            let missing = loop {
                assert!(begun.elapsed() < PATIENCE, "seed {seed}: no progress");
                match progress(&directory) {
                    Some((all, missing)) if all >= mark && (missing == 0 || all >= mark + 60) => break missing,
                    _ => {}
                }
            };
            closing += u64::from(missing == 0);
        } else {
            wait("progress", || progress(&directory).filter(|&(all, _)| all >= mark));
        }
        server.kill();
        let before = progress(&directory);
        server = coordinator(&data, port, &[]).0;
        let after = progress(&directory);
        assert!(after.map(|p| p.0) >= before.map(|p| p.0), "seed {seed}, kill {kill}: {before:?} then {after:?}");
        assert!(kill > 18 || !over(), "seed {seed}: the run is over after {kill} kills");
        mark = after.map_or(mark, |(all, _)| all);
    }
    println!("{closing} kills while a stage was being closed");
    assert!(closing >= 1, "seed {seed}: no stage was hit while it was being closed");
    assert_eq!(wait_for_end(&run, &url), "finished");
    assert_eq!(facts(&directory), facts(&one), "seed {seed}");
    assert_eq!(digest(&directory), wanted, "seed {seed}");
    let rows = progress(&directory).expect("a database").0;
    assert_eq!(rows, number(&directory, "SELECT SUM(trials) FROM stages"), "seed {seed}");
    // What is exported is what is stored.
    succeed(&["analyze", text(&directory), "--no-figures"]);
    let shapes = std::fs::read_dir(directory.join("results")).expect("exported").flatten();
    let files = shapes.flat_map(|shape| std::fs::read_dir(shape.path()).expect("a shape").flatten());
    let exported: usize = files
        .filter(|file| file.path().extension().is_some_and(|e| e == "parquet"))
        .map(|file| {
            let file = std::fs::File::open(file.path()).expect("a file");
            polars_io::SerReader::new(file)
        })
        .map(|mut reader: polars_io::parquet::read::ParquetReader<std::fs::File>| reader.num_rows().expect("Parquet"))
        .sum();
    assert_eq!(exported as u64, rows, "seed {seed}");
}

/// A grid of five.
const FIVE: &str = r#"
format = 1
name = "five"
kind = "match-grid"
game = "reversi"
seed = 11
[players]
a = "mcts:playouts=40"
b = "mcts:playouts=30"
c = "mcts:playouts=20"
d = "mcts:playouts=10"
e = "random"
[match-grid]
pairing = "round-robin"
games-per-pair = 150
opening-plies = 2
"#;

#[test]
fn a_grid_that_was_killed_plays_exactly_what_it_lacks() {
    let place = place();
    let file = write(&place, "five.toml", FIVE);
    let wanted = reference(&file, &place.path().join("one"));
    let data = place.path().join("data");
    let (trials, port) = (10 * 150, free_port());
    let (mut server, url) = coordinator(&data, port, &[]);
    let mut fleet = [2, 1].map(|threads| worker(&url, &format!("first-{threads}"), threads, &[]));
    let (run, directory) = submit(&file, &url);
    // Early: on a busy machine a kill comes late.
    wait("a sixth", || (rows(&directory) >= trials / 6).then_some(()));
    fleet.iter_mut().for_each(Process::kill);
    server.kill();
    let all = || -> BTreeMap<i64, (String, i64)> {
        look(&directory, |conn| {
            let sql = "SELECT trial, name, elapsed_us FROM results_match JOIN workers USING (worker)";
            let mut rows = conn.prepare(sql)?;
            rows.query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?.collect()
        })
        .expect("a database")
    };
    let before = all();
    assert!(before.len() as u64 >= trials / 6 && (before.len() as u64) < trials, "{}", before.len());
    let _server = coordinator(&data, port, &[]);
    let _fleet =
        [1, 1, 3].into_iter().enumerate().map(|(i, threads)| worker(&url, &format!("second-{i}"), threads, &[]));
    let _fleet: Vec<Process> = _fleet.collect();
    assert_eq!(wait_for_end(&run, &url), "finished");
    let after = all();
    for (trial, row) in &before {
        assert_eq!(after.get(trial), Some(row), "trial {trial} stays as it was");
    }
    let second = after.values().filter(|(worker, _)| worker.starts_with("second")).count();
    assert_eq!((after.len() as u64, before.len() + second), (trials, after.len()));
    // Both games of every pair of swapped seats are there, once.
    assert!((0..trials as i64).all(|trial| after.contains_key(&trial)));
    assert_eq!(digest(&directory), wanted);
}

#[test]
fn a_worker_leaves_when_it_is_told_and_its_name_is_free_at_once() {
    let place = place();
    let file = write(&place, "grid.toml", &GRID.replace("games-per-pair = 200", "games-per-pair = 2000"));
    let (_server, url) = coordinator(&place.path().join("data"), 0, &["--heartbeat-secs", "30"]);
    let mut first = worker(&url, "name", 1, &[]);
    let (run, directory) = submit(&file, &url);
    wait("it to be at work", || (rows(&directory) > 0).then_some(()));
    // It left in order: its leases wait again, and nothing was lost.
    leaves_empty_handed(&mut first);
    let (why, lost) = wait("its end to be noted", || left(&directory, "name"));
    assert_eq!((why.as_str(), lost), ("left", 0));
    wait("nothing to be leased", || (run_status(&run, &url)?["leased"] == 0).then_some(()));
    // Twice: at once, whatever it was doing.
    let mut second = worker(&url, "hasty", 1, &["--grace-secs", "600"]);
    wait("it to be at work", || (rows_of(&directory, "match", "hasty") > 0).then_some(()));
    second.signal("STOP");
    second.signal("TERM");
    second.signal("INT");
    second.signal("CONT");
    let told = Instant::now();
    assert!(matches!(second.end(), Some(0 | 130)), "it ends");
    assert!(told.elapsed() < Duration::from_secs(10), "{:?}", told.elapsed());
    // A frozen process keeps its connection; another one of its name need not wait for heartbeats of half a minute.
    let third = worker(&url, "twin", 1, &[]);
    wait("it to be at work", || (rows_of(&directory, "match", "twin") > 0).then_some(()));
    third.signal("STOP");
    let before = rows_of(&directory, "match", "twin");
    let restarted = Instant::now();
    let _fourth = worker(&url, "twin", 1, &[]);
    wait("the new one to be at work", || (rows_of(&directory, "match", "twin") > before).then_some(()));
    assert!(restarted.elapsed() < Duration::from_secs(15), "{:?}", restarted.elapsed());
    // A name is for people: the old one may come back, and then both work.
    assert_eq!(left(&directory, "twin"), None);
    third.signal("CONT");
    wait("both", || (run_status(&run, &url)?["workers"] == 2).then_some(()));
    let cancelled = redqueen().args(["cancel", &run, "--coordinator", &url]).output().expect("runs");
    assert!(cancelled.status.success());
}
