//! Several runs on one fleet: they get thread time by priority, which people set and which is kept.

use std::{path::Path, time::Duration};

use crate::common::{
    files::{place, write},
    process::{coordinator, worker},
    program::{json, run, succeed, text},
    runs::{digest, look, status, submit, wait_for_end},
    wait::wait,
};

/// Trials that sleep, so that a busy machine does not make them longer than they are.
fn sleeping(name: &str, trials: u64, sleep_us: u64) -> String {
    format!(
        "format = 1\nname = \"{name}\"\nkind = \"synthetic\"\n[synthetic]\ntrials = {trials}\nsleep-us = {sleep_us}\n"
    )
}

/// Executor seconds of the stored trials of a run, and how many there are.
fn seconds(directory: &Path) -> Option<f64> {
    look(directory, |conn| {
        conn.query_row("SELECT COALESCE(SUM(elapsed_us), 0) FROM results_synthetic", [], |row| row.get::<_, i64>(0))
    })
    .map(|us| us as f64 * 1e-6)
}

/// `REDQUEEN_SHARES_SECS=60 cargo test --workspace --test cli -- priority::` measures over that many seconds for each of
/// eight threads, instead of eight.
#[test]
fn three_runs_get_executor_seconds_by_priority() {
    let secs = std::env::var("REDQUEEN_SHARES_SECS").map_or(8.0, |text| text.parse().expect("seconds"));
    let place = place();
    let (_server, url) = coordinator(&place.path().join("data"), 0, &[]);
    // (priority, microseconds of a trial)
    let kinds = [(2, 2_000), (1, 150_000), (1, 30_000)];
    let runs = kinds.map(|(priority, sleep_us)| {
        let file =
            write(&place, &format!("{sleep_us}.toml"), &sleeping(&format!("of-{sleep_us}"), 10_000_000, sleep_us));
        let value = json(&["submit", text(&file), "--priority", &priority.to_string(), "--coordinator", &url]);
        assert_eq!((&value["priority"], &value["changed"]), (&priority.into(), &"".into()));
        (value["run"].as_str().expect("an id").to_owned(), value["directory"].as_str().expect("a path").to_owned())
    });
    let _workers = [worker(&url, "a", 3, &[]), worker(&url, "b", 5, &[])];
    let all = || -> Option<Vec<f64>> { runs.iter().map(|(_, directory)| seconds(Path::new(directory))).collect() };
    let sum = |all: &[f64]| all.iter().sum::<f64>();
    // The stretch begins when the time of every kind of trial is known and the first leases are done.
    let is_steady = |all: &Vec<f64>| sum(all) > 24.0 && all.iter().all(|&secs| secs > 1.0);
    let begin = wait("results of each", || all().filter(is_steady));
    let end = wait("the stretch", || all().filter(|all| sum(all) >= sum(&begin) + 8.0 * secs));
    let had: Vec<f64> = end.iter().zip(&begin).map(|(end, begin)| end - begin).collect();
    let shares: Vec<f64> = had.iter().map(|secs| secs / sum(&had)).collect();
    println!("executor seconds {had:.2?}, shares {shares:.4?}, after {begin:.2?}");
    for (share, wanted) in shares.iter().zip([0.5, 0.25, 0.25]) {
        assert!((share - wanted).abs() <= 0.1 * wanted, "{shares:.4?}: executor seconds {had:.2?}");
    }
    for (run, _) in &runs {
        succeed(&["cancel", run, "--coordinator", &url]);
    }
}

#[test]
fn a_priority_is_shown_changed_kept_and_changes_no_result() {
    let place = place();
    let data = place.path().join("data");
    let (mut server, url) = coordinator(&data, 0, &[]);
    let at = ["--coordinator", url.as_str()];
    let ask = |command: &[&str]| json(&[command, &at[..]].concat());
    let file = write(&place, "a.toml", &sleeping("a", 40, 1_000));
    let (id, directory) = submit(&file, &url);
    let is = |value: &serde_json::Value, priority: u32, most: Option<u32>| {
        assert_eq!((&value["priority"], &value["max_threads"]), (&priority.into(), &most.into()), "{value}");
    };
    is(&ask(&["priority", &id]), 1, None);
    let shown = |run: &str| succeed(&["priority", run, "--coordinator", &url]);
    assert!(shown(&id[..8]).contains("priority 1, on any number of threads"), "{}", shown(&id));
    assert!(!succeed(&["status", &id, "--coordinator", &url]).contains("priority"));
    is(&ask(&["priority", &id, "7"]), 7, None);
    is(&ask(&["priority", &id, "--max-threads", "3"]), 7, Some(3));
    let said = succeed(&["status", &id, "--coordinator", &url]);
    assert!(said.contains("priority 7") && said.contains("at most 3 threads"), "{said}");
    // Submitting again changes what is named, and says so.
    let again = ask(&["submit", text(&file), "--priority", "9"]);
    assert_eq!(again["changed"], "`priority` was 7 and is 9 now");
    is(&again, 9, Some(3));
    assert_eq!(ask(&["submit", text(&file), "--priority", "9"])["changed"], "");
    let again = ask(&["submit", text(&file), "--max-threads", "none"]);
    assert_eq!(again["changed"], "`max-threads` was 3 and is none now");
    is(&ask(&["priority", &id, "1000", "--max-threads", "2"]), 1_000, Some(2));
    // Wrong numbers, and a run that is not there.
    for (wrong, why) in [
        (&["priority", &id, "0"][..], "whole number from 1 to 1000"),
        (&["priority", &id, "1001"], "whole number from 1 to 1000"),
        (&["priority", &id, "--max-threads", "0"], "at least 1, or `none`"),
        (&["priority", "ffff", "2"], "no run has this id"),
    ] {
        let output = run(&[wrong, &at[..]].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains(why), "{wrong:?}: {said}");
    }
    // It is kept over a restart that nobody announced.
    let stored = || {
        look(&directory, |conn| {
            conn.query_row("SELECT priority, max_threads FROM quota", [], |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))
            })
        })
    };
    wait("the store", || stored().filter(|stored| *stored == (1_000, 2)));
    server.kill();
    let (_server, url) = coordinator(&data, 0, &[]);
    is(&status(&id, &url), 1_000, Some(2));
    let events = json(&["events", &id, "--kind", "prioritized", "--coordinator", &url]);
    let details: Vec<_> = events["events"].as_array().expect("a list").iter().map(|event| &event["detail"]).collect();
    assert_eq!(details.len(), 5, "{events}");
    assert_eq!(*details[4], serde_json::json!({ "priority": 1_000, "max_threads": 2 }));
    // Id and digest are those of a run of its own that has no priority.
    let _worker = worker(&url, "w", 4, &[]);
    assert_eq!(wait_for_end(&id, &url), "finished");
    let alone = place.path().join("alone");
    succeed(&["run", text(&file), "--no-tables", "--threads", "1", "--out", text(&alone)]);
    assert_eq!(digest(&directory), digest(&alone));
    assert_eq!(json(&["status", text(&alone)])["run"], id.as_str());
    // Nothing of it is run any more.
    let output = run(&["priority", &id, "2", "--coordinator", &url]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && said.contains("the run is finished"), "{said}");
    assert!(shown_at(&url, &id).contains("priority 1000, on at most 2 threads"));
}

fn shown_at(url: &str, run: &str) -> String {
    succeed(&["priority", run, "--coordinator", url])
}

#[test]
fn a_second_run_does_not_wait_for_the_first_and_limits_hold() {
    let place = place();
    let (_server, url) = coordinator(&place.path().join("data"), 0, &[]);
    let long = write(&place, "long.toml", &sleeping("long", 1_000_000, 20_000));
    let short = write(&place, "short.toml", &sleeping("short", 200, 5_000));
    let (first, directory) = submit(&long, &url);
    let _worker = worker(&url, "w", 4, &[]);
    wait("results of the first", || seconds(&directory).filter(|&secs| secs > 0.5));
    let (second, _) = submit(&short, &url);
    assert_eq!(wait_for_end(&second, &url), "finished");
    assert_eq!(status(&first, &url)["state"], "running");
    // One thread at a time, from when the trials that were leased before are done: as many executor seconds as seconds.
    succeed(&["priority", &first, "--max-threads", "1", "--coordinator", &url]);
    wait("the limit", || (status(&first, &url)["leased"].as_u64()? <= 60).then_some(()));
    let (begun, before) = (std::time::Instant::now(), seconds(&directory).expect("read"));
    wait("a while", || (begun.elapsed() > Duration::from_secs(3)).then_some(()));
    let had = seconds(&directory).expect("read") - before;
    let rate = had / begun.elapsed().as_secs_f64();
    assert!((0.5..=1.3).contains(&rate), "{rate} threads");
    succeed(&["cancel", &first, "--coordinator", &url]);
}
