//! ARCHITECTURE.md, invariant 2, with real processes: the same digest whatever the fleet does, every trial stored once.

use std::path::Path;

use crate::common::{
    self,
    experiments::{GRID, GRID_TRIALS},
    files::{place, write},
    process::{coordinator, free_port, worker},
    program::{redqueen, succeed},
    random::Draws,
    runs::{digest, run_status, stored, submit, wait_for_end},
    wait::wait,
};

/// Digest of the grid, run in one process on one thread.
fn reference(file: &Path, out: &Path) -> String {
    succeed(&[
        "run",
        file.to_str().expect("UTF-8"),
        "--threads",
        "1",
        "--no-tables",
        "--out",
        out.to_str().expect("UTF-8"),
    ]);
    assert_eq!(stored(out, "match"), (GRID_TRIALS, GRID_TRIALS));
    digest(out)
}

#[test]
fn thread_and_worker_counts_do_not_matter() {
    let place = place();
    let file = write(&place, "grid.toml", GRID);
    let wanted = reference(&file, &place.path().join("one"));
    let two = place.path().join("two");
    let out = two.to_str().expect("UTF-8");
    succeed(&["run", file.to_str().expect("UTF-8"), "--threads", "2", "--no-tables", "--out", out]);
    assert_eq!(digest(&two), wanted);
    for count in [1, 3, 8] {
        let data = place.path().join(format!("fleet-{count}"));
        let (_coordinator, url) = coordinator(&data, 0, &[]);
        let _workers: Vec<_> = (0..count).map(|i| worker(&url, &format!("w{i}"), 1, &[])).collect();
        let (run, directory) = submit(&file, &url);
        assert_eq!(wait_for_end(&run, &url), "finished");
        assert_eq!(digest(&directory), wanted, "{count} workers");
        assert_eq!(stored(&directory, "match"), (GRID_TRIALS, GRID_TRIALS));
    }
}

#[test]
fn kill_9_of_anything_at_any_moment_does_not_matter() {
    let place = place();
    let file = write(&place, "grid.toml", GRID);
    let wanted = reference(&file, &place.path().join("one"));
    let seed = std::process::id();
    println!("seed {seed}");
    // Which process dies when.
    let mut draws = Draws::new(seed);
    let (data, port) = (place.path().join("data"), free_port());
    let (mut server, url) = coordinator(&data, port, &[]);
    let start = |i: u64| worker(&url, &format!("w{i}"), 1, &["--patience-secs", "60"]);
    let mut workers: Vec<_> = (0..3).map(start).collect();
    let (run, directory) = submit(&file, &url);
    for kill in 0..6u64 {
        // Moments are marked by progress, not by time: some trials more than at the last one.
        let mark = GRID_TRIALS * (kill + 1) / 8 + draws.below(20);
        wait("progress", || {
            run_status(&run, &url).filter(|s| s["stored"].as_u64() >= Some(mark) || s["state"] != "running")
        });
        if kill % 2 == 0 {
            let victim = draws.below(3) as usize;
            workers[victim].kill();
            workers[victim] = start(victim as u64);
        } else {
            server.kill();
            server = coordinator(&data, port, &[]).0;
        }
    }
    assert_eq!(wait_for_end(&run, &url), "finished");
    assert_eq!(stored(&directory, "match"), (GRID_TRIALS, GRID_TRIALS), "seed {seed}");
    assert_eq!(digest(&directory), wanted, "seed {seed}");
}

#[test]
fn an_interrupted_run_goes_on_where_it_was() {
    let place = place();
    let file = write(&place, "grid.toml", GRID);
    let wanted = reference(&file, &place.path().join("one"));
    let out = place.path().join("interrupted");
    let start = |threads: &str| {
        let child = redqueen()
            .args(["run", file.to_str().expect("UTF-8"), "--no-tables", "--threads", threads, "--out"])
            .arg(&out)
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("starts");
        common::process::Process(child)
    };
    let mut first = start("1");
    let some = |enough: u64| {
        move |directory: &Path| {
            let conn = rusqlite::Connection::open(directory.join("redqueen.sqlite")).ok()?;
            let count =
                conn.query_row("SELECT COUNT(*) FROM results_match", [], |row| row.get::<_, i64>(0)).ok()? as u64;
            (count >= enough).then_some(count)
        }
    };
    wait("the first results", || out.join("redqueen.sqlite").exists().then(|| some(50)(&out)).flatten());
    first.signal("INT");
    assert_eq!(first.end(), Some(130));
    let before = stored(&out, "match").0;
    assert!((50..GRID_TRIALS).contains(&before), "{before} trials were stored when it was interrupted");
    // Killed in the middle, too: nothing that is left behind stops the next.
    let mut second = start("2");
    wait("more results", || some(before + 50)(&out));
    second.kill();
    let mut third = start("2");
    assert_eq!(third.end(), Some(0));
    assert_eq!(stored(&out, "match"), (GRID_TRIALS, GRID_TRIALS));
    assert_eq!(digest(&out), wanted);
}
