//! Connections that are cut, a name that two workers share, coordinators that restart (docs/failures.md, row 26): no
//! process has died, so no trial is blamed, and what a worker runs is not run again.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use crate::common::{
    files::{place, write},
    http::get,
    process::{coordinator, free_port, worker},
    program::{json, run as run_program, succeed, text},
    proxy::Proxy,
    runs::{digest, look, run_status, submit, wait_for_end},
    wait::wait,
};

fn sleepy(trials: u64, millis: u64) -> String {
    format!(
        "format = 1\nname = \"sleepy\"\nkind = \"synthetic\"\naudit = 0\n[synthetic]\ntrials = {trials}\n\
         sleep-us = {}\n",
        millis * 1_000
    )
}

/// Digest of the same experiment, undisturbed. Results do not depend on how long trials sleep.
fn undisturbed(place: &tempfile::TempDir, text_of: &str) -> String {
    let (file, out) = (write(place, "wanted.toml", text_of), place.path().join("wanted"));
    succeed(&["run", text(&file), "--threads", "8", "--no-tables", "--out", text(&out)]);
    digest(&out)
}

/// How many results a coordinator has made durable, by its metrics; a trial that ran twice counts twice.
fn results_stored(http: &str) -> u64 {
    let (_, page) = get(http, "/metrics");
    let count = page.lines().find_map(|line| line.strip_prefix("redqueen_trials_stored_total "));
    count.and_then(|count| count.parse().ok()).expect("a count")
}

/// No failure and no suspicion was recorded for any trial.
#[track_caller]
fn nothing_is_blamed(directory: &Path) {
    let failures =
        look(directory, |conn| conn.query_row("SELECT COUNT(*) FROM failures", [], |row| row.get::<_, i64>(0)));
    assert_eq!(failures, Some(0), "no trial has failed");
    for kind in ["suspected", "quarantined"] {
        let events = json(&["events", text(directory), "--kind", kind]);
        assert_eq!(events["events"].as_array().map(Vec::len), Some(0), "{events}");
    }
}

#[test]
fn a_worker_whose_connection_is_cut_goes_on_with_its_trial() {
    let place = place();
    let experiment = sleepy(3, 4_000);
    let wanted = undisturbed(&place, &experiment);
    let (_server, url) = coordinator(&place.path().join("data"), 0, &[]);
    let proxy = Proxy::start(&url);
    let _worker = worker(&proxy.url, "w", 1, &[]);
    let (run, directory) = submit(&write(&place, "cut.toml", &experiment), &url);
    let sessions =
        || json(&["events", text(&directory), "--kind", "worker-joined"])["events"].as_array().map_or(0, Vec::len);
    let begun = Instant::now();
    let mut cuts = 0;
    // Several cuts within the time of each trial: a worker that began anew after each would never end.
    loop {
        let state = run_status(&run, &url).map(|status| status["state"].clone());
        if state.is_some_and(|state| state != "running") {
            break;
        }
        let before = sessions();
        proxy.cut();
        cuts += 1;
        let back = wait("the worker to be back, or the end", || {
            let ended = run_status(&run, &url)?["state"] != "running";
            (ended || sessions() > before).then_some(!ended)
        });
        let seen = Instant::now();
        if back {
            wait("a while of work", || (seen.elapsed() > Duration::from_millis(500)).then_some(()));
        }
    }
    let elapsed = begun.elapsed();
    println!("{cuts} cuts in {elapsed:.1?}");
    assert_eq!(wait_for_end(&run, &url), "finished");
    assert!(cuts >= 6, "{cuts} cuts prove nothing");
    assert!(elapsed < Duration::from_secs(40), "three trials of four seconds took {elapsed:?}");
    nothing_is_blamed(&directory);
    assert_eq!(digest(&directory), wanted);
}

#[test]
fn a_worker_that_reconnects_says_what_it_runs_so_that_no_trial_runs_twice() {
    let place = place();
    let experiment = sleepy(2, 5_000);
    let http = format!("127.0.0.1:{}", free_port());
    let (_coordinator, url) = coordinator(&place.path().join("data"), 0, &["--http", &http]);
    let proxy = Proxy::start(&url);
    let _worker = worker(&proxy.url, "w", 1, &[]);
    let (run, directory) = submit(&write(&place, "twice.toml", &experiment), &url);
    wait("a lease", || run_status(&run, &url)?["leased"].as_u64().filter(|&leased| leased > 0));
    let sessions =
        || json(&["events", text(&directory), "--kind", "worker-joined"])["events"].as_array().map_or(0, Vec::len);
    for _ in 0..2 {
        let before = sessions();
        proxy.cut();
        wait("the worker to be back", || (sessions() > before).then_some(()));
    }
    // No result existed yet, so that none was sent twice because its acknowledgement was lost.
    assert_eq!(run_status(&run, &url).expect("a run")["stored"], 0, "both cuts fell into the first trial");
    assert_eq!(wait_for_end(&run, &url), "finished");
    // A worker that does not say so is leased its running trial again and runs it a second time before the other one.
    assert_eq!(results_stored(&http), 2, "each trial ran once");
    nothing_is_blamed(&directory);
}

#[test]
fn two_workers_of_one_name_both_work() {
    let place = place();
    let experiment = sleepy(12, 600);
    let wanted = undisturbed(&place, &experiment);
    let (_server, url) = coordinator(&place.path().join("data"), 0, &[]);
    let _workers = ["same", "same"].map(|name| worker(&url, name, 1, &[]));
    let (run, directory) = submit(&write(&place, "same.toml", &experiment), &url);
    wait("both to be connected", || (run_status(&run, &url)?["workers"] == 2).then_some(()));
    assert_eq!(wait_for_end(&run, &url), "finished");
    let left = json(&["events", text(&directory), "--kind", "worker-left"]);
    assert_eq!(left["events"].as_array().map(Vec::len), Some(0), "neither ended the other: {left}");
    nothing_is_blamed(&directory);
    assert_eq!(digest(&directory), wanted);
}

#[test]
fn commands_that_only_read_ask_again_when_their_connection_is_lost() {
    let place = place();
    let (_server, url) = coordinator(&place.path().join("data"), 0, &[]);
    let (run, _) = submit(&write(&place, "asked.toml", &sleepy(1, 1)), &url);
    let _worker = worker(&url, "w", 1, &[]);
    assert_eq!(wait_for_end(&run, &url), "finished");
    let out = place.path().join("exported");
    let questions: [&[&str]; 6] = [
        &["status", &run],
        &["list"],
        &["events", &run],
        &["events", &run, "--follow"],
        &["watch", &run],
        &["export", &run, "--out", text(&out)],
    ];
    for question in questions {
        let proxy = Proxy::start(&url);
        proxy.refuse(3);
        succeed(&[question, &["--coordinator", &proxy.url]].concat());
        assert_eq!(proxy.left_to_refuse(), 0, "{question:?}");
    }
    // A command that changes a run says so instead, since what it asked for may have been done.
    let proxy = Proxy::start(&url);
    proxy.refuse(1);
    let cancelled = run_program(&["cancel", &run, "--coordinator", &proxy.url]);
    assert_eq!((cancelled.status.code(), proxy.left_to_refuse()), (Some(1), 0), "{cancelled:?}");
}

#[test]
fn a_coordinator_that_comes_back_is_told_what_runs() {
    let place = place();
    let experiment = sleepy(4, 5_000);
    let wanted = undisturbed(&place, &experiment);
    let (data, port) = (place.path().join("data"), free_port());
    let (mut server, url) = coordinator(&data, port, &[]);
    let _workers = ["a", "b"].map(|name| worker(&url, name, 2, &[]));
    let (run, directory) = submit(&write(&place, "back.toml", &experiment), &url);
    wait("all to be leased", || (run_status(&run, &url)?["leased"] == 4).then_some(()));
    let begun = Instant::now();
    server.kill();
    let (_server, _) = coordinator(&data, port, &[]);
    wait("all to be known", || (run_status(&run, &url)?["leased"] == 4).then_some(()));
    assert_eq!(wait_for_end(&run, &url), "finished");
    // Begun anew they would take twice as long.
    assert!(begun.elapsed() < Duration::from_secs(9), "{:?}", begun.elapsed());
    nothing_is_blamed(&directory);
    assert_eq!(digest(&directory), wanted);
}
