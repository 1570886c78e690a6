//! States of a run in every command: exit code, text and JSON. A run that was cancelled, failed or interrupted is not
//! done, and each can be continued.

use std::{
    path::{Path, PathBuf},
    process::{Output, Stdio},
};

use serde_json::Value;

use crate::common::{
    experiments::SMALL_EVOLUTION,
    files::{place, write},
    process::{Process, coordinator, worker},
    program::{json, redqueen, run, succeed, text},
    runs::{digest, status, submit, wait_for_end},
    wait::wait,
};

/// Trials of [`SLOW`].
const COUNT: u64 = 200;
/// Some seconds of one thread, whatever the machine.
const SLOW: &str =
    "format = 1\nname = \"slow\"\nkind = \"synthetic\"\nseed = 4\n[synthetic]\ntrials = 200\nsleep-us = 20000\n";

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn value(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", said(output)))
}

/// Exit code of a command, with what it prints.
fn ask(arguments: &[&str]) -> (Option<i32>, Output) {
    let output = run(arguments);
    (output.status.code(), output)
}

fn events(directory: &Path) -> Vec<String> {
    let events = json(&["events", text(directory), "--kind", "cancelled", "--kind", "running", "--kind", "finished"]);
    let kinds = events["events"].as_array().expect("a list").iter();
    kinds.map(|event| event["kind"].as_str().expect("a text").to_owned()).collect()
}

/// Digest of [`SLOW`], undisturbed.
fn undisturbed(place: &tempfile::TempDir) -> String {
    let (file, out) = (write(place, "undisturbed.toml", SLOW), place.path().join("undisturbed"));
    succeed(&[
        "run",
        text(&file),
        "--set",
        "synthetic.sleep-us=0",
        "--no-tables",
        "--threads",
        "1",
        "--out",
        text(&out),
    ]);
    digest(&out)
}

#[test]
fn what_is_shown_of_a_run_names_its_state() {
    let place = place();
    let (file, out) = (write(&place, "small.toml", SMALL_EVOLUTION), place.path().join("out"));
    succeed(&["run", text(&file), "--no-tables", "--threads", "2", "--out", text(&out)]);
    let run_directory = text(&out);
    // As stored, as shown, and a word of what it means; a directory that no process has is not running.
    for (stored, shown, word) in [
        ("finished", "finished", ""),
        ("failed", "failed", "the run failed"),
        ("cancelled", "cancelled", "the run was cancelled"),
        ("paused", "paused", "the run is paused"),
        ("running", "interrupted", "the run was interrupted"),
    ] {
        let conn = rusqlite::Connection::open(out.join("redqueen.sqlite")).expect("opens");
        conn.execute("UPDATE run SET state = ?1", [stored]).expect("done");
        drop(conn);
        let copy = place.path().join(format!("copy-{shown}"));
        let table: [(&[&str], &str); 5] = [
            (&["digest", run_directory], "/state"),
            (&["champion", run_directory], "/state"),
            (&["export", run_directory, "--out", text(&copy)], "/state"),
            (&["compare", run_directory, "--paper", "evomcts/table-7"], "/state"),
            (&["analyze", run_directory, "--no-figures"], "/runs/0/state"),
        ];
        for (command, place) in table {
            let (code, output) = ask(command);
            assert_eq!(code, Some(0), "{command:?}, {shown}: {}", said(&output));
            let note = said(&output);
            assert_eq!(note.contains("note: the run"), !word.is_empty(), "{command:?}, {shown}: {note}");
            assert!(note.contains(word), "{command:?}, {shown}: {note}");
            assert_eq!(json(command).pointer(place), Some(&shown.into()), "{command:?}");
        }
        assert_eq!(json(&["status", run_directory])["state"], shown);
        let text = succeed(&["status", run_directory]);
        assert!(text.contains(&format!("): {shown}, stage")), "{text}");
        assert_eq!(json(&["digest", run_directory])["complete"], matches!(shown, "finished" | "failed"), "{shown}");
    }
}

#[test]
fn a_coordinator_s_run_is_done_when_it_has_finished_and_not_before() {
    let place = place();
    let (_server, url) = coordinator(&place.path().join("data"), 0, &[]);
    let at = ["--coordinator", url.as_str()];
    let with = |arguments: &[&str]| ask(&[arguments, &at[..]].concat());
    let file = |name: &str, more: &str| {
        let text = format!("format = 1\nname = \"{name}\"\nkind = \"synthetic\"\n[synthetic]\ntrials = 20\n{more}");
        write(&place, &format!("{name}.toml"), &text)
    };
    let failing = file("fails", "fails = [3]\n");
    let fine = file("fine", "");
    let _worker = worker(&url, "w", 1, &[]);
    let ids = [&failing, &fine].map(|file| submit(file, &url).0);
    assert_eq!(ids.each_ref().map(|id| wait_for_end(id, &url)), ["failed", "finished"]);
    // A worker serves earlier runs first; these have none of their own to wait for.
    let (paused, cancelled) = (file("paused", "sleep-us = 1000000\n"), file("cancelled", "sleep-us = 1000000\n"));
    let [paused_id, cancelled_id] = [&paused, &cancelled].map(|file| submit(file, &url).0);
    succeed(&["pause", &paused_id, "--coordinator", &url]);
    succeed(&["cancel", &cancelled_id, "--coordinator", &url]);
    let rows = [
        (&fine, &ids[1], "finished", 0, ""),
        (&failing, &ids[0], "failed", 1, "redqueen resume --retry-quarantined"),
        (&cancelled, &cancelled_id, "cancelled", 1, "redqueen resume"),
        (&paused, &paused_id, "paused", 0, "redqueen resume"),
    ];
    for (file, id, state, wanted, way) in rows {
        let (code, output) = with(&["submit", text(file)]);
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(code, Some(wanted), "submit, {state}: {shown}");
        assert!(shown.contains(&format!("): {state}, stage")) && shown.contains(way), "{shown}");
        let (code, output) = with(&["submit", text(file), "--json"]);
        assert_eq!((code, &value(&output)["state"]), (Some(wanted), &state.into()));
        assert_eq!(status(id, &url)["state"], state);
        if state != "paused" {
            let (code, output) = with(&["watch", id]);
            assert_eq!(code, Some(wanted), "watch, {state}: {}", said(&output));
            let (code, output) = with(&["watch", id, "--json"]);
            assert_eq!((code, &value(&output)["state"]), (Some(wanted), &state.into()));
        }
        let copy = place.path().join(state);
        let (code, output) = with(&["export", id, "--out", text(&copy), "--json"]);
        if matches!(state, "cancelled" | "paused") {
            // Nothing of these is closed, so that there is nothing to export.
            assert_eq!(code, Some(1));
            assert!(
                said(&output).contains(&format!(
                    "note: the run {}",
                    if state == "paused" { "is paused" } else { "was cancelled" }
                ))
            );
        } else {
            assert_eq!((code, &value(&output)["state"]), (Some(0), &state.into()));
        }
        let list = json(&["list", "--coordinator", &url]);
        let entry = list["runs"].as_array().expect("a list").iter().find(|run| run["run"] == id.as_str());
        assert_eq!(entry.expect("listed")["state"], state);
    }
    // What cannot go on says so; what can says how.
    for (id, command, words) in [
        (&ids[1], "resume", "the run is finished: nothing is left to run"),
        (&ids[0], "resume", "--retry-quarantined"),
        (&ids[1], "cancel", "the run is finished"),
        (&cancelled_id, "pause", "the run is cancelled"),
    ] {
        let (code, output) = with(&[command, id]);
        assert_eq!(code, Some(2), "{command}");
        assert!(said(&output).contains(words), "{command}: {}", said(&output));
    }
    let (code, output) = with(&["cancel", &cancelled_id]);
    assert_eq!(code, Some(0), "it is cancelled already: {}", said(&output));
}

#[test]
fn a_watched_run_whose_coordinator_stops_is_not_done() {
    let place = place();
    let (server, url) = coordinator(&place.path().join("data"), 0, &[]);
    let (id, _) = submit(&write(&place, "slow.toml", SLOW), &url);
    let watch = redqueen()
        .args(["watch", &id, "--coordinator", &url, "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut watch = Process(watch);
    let mut first = [0];
    std::io::Read::read_exact(watch.0.stdout.as_mut().expect("piped"), &mut first).expect("a status");
    server.signal("TERM");
    assert_eq!(watch.end(), Some(1));
}

/// A run of [`SLOW`] that was cancelled at a coordinator with some of its trials stored.
fn cancelled(place: &tempfile::TempDir) -> (Process, String, String, PathBuf) {
    let (server, url) = coordinator(&place.path().join("data"), 0, &[]);
    let _worker = worker(&url, "w", 2, &[]);
    let (id, directory) = submit(&write(place, "slow.toml", SLOW), &url);
    wait("some trials", || (status(&id, &url)["stored"].as_u64() > Some(5)).then_some(()));
    succeed(&["cancel", &id, "--coordinator", &url]);
    let now = status(&id, &url);
    assert_eq!((&now["state"], &now["rate"]), (&"cancelled".into(), &0.0.into()), "{now}");
    assert!(now["stored"].as_u64() < Some(COUNT), "{now}");
    (server, url, id, directory)
}

#[test]
fn a_cancelled_run_goes_on_at_its_coordinator() {
    let place = place();
    let wanted = undisturbed(&place);
    let (_server, url, id, directory) = cancelled(&place);
    let before = status(&id, &url)["stored"].as_u64();
    let resumed = json(&["resume", &id, "--coordinator", &url]);
    assert_eq!(resumed["state"], "running");
    // Results that had been received by then may have been stored meanwhile.
    assert!(resumed["stored"].as_u64() >= before, "{resumed}");
    // Cancelled again at once, and taken up by who submits it.
    succeed(&["cancel", &id, "--coordinator", &url]);
    let file = place.path().join("slow.toml");
    let again = ["submit", text(&file), "--resume-cancelled", "--coordinator", &url];
    assert_eq!(json(&again)["state"], "running");
    assert_eq!(json(&again)["state"], "running", "what runs is not taken up again");
    let _worker = worker(&url, "w", 4, &[]);
    assert_eq!(wait_for_end(&id, &url), "finished");
    assert_eq!(json(&again)["state"], "finished");
    assert_eq!(digest(&directory), wanted);
    assert_eq!(events(&directory), ["cancelled", "running", "cancelled", "running", "finished"]);
}

#[test]
fn a_cancelled_run_goes_on_in_its_directory() {
    let place = place();
    let wanted = undisturbed(&place);
    let (mut server, _, _, directory) = cancelled(&place);
    server.signal("TERM");
    assert_eq!(server.end(), Some(0));
    let file = place.path().join("slow.toml");
    let go = ["run", text(&file), "--threads", "4", "--out", text(&directory)];
    let stored = json(&["status", text(&directory)])["stored"].as_u64().expect("a number");
    for more in [&[][..], &["--no-tables"], &["--retry-quarantined"]] {
        let (code, output) = ask(&[&go, more].concat());
        let words = said(&output);
        assert_eq!(code, Some(1), "{words}");
        assert!(words.contains("the run was cancelled") && words.contains("--resume-cancelled"), "{words}");
        assert!(words.contains(&format!("{stored} of {COUNT} trials")) && !words.contains("finished"), "{words}");
        assert!(output.stdout.is_empty());
        let (code, output) = ask(&[&go, more, &["--json"]].concat());
        let value = value(&output);
        assert_eq!((code, &value["state"], &value["trials_run"]), (Some(1), &"cancelled".into(), &0.into()), "{value}");
        assert_eq!(value["trials"], stored);
    }
    let ended = json(&[&go[..], &["--resume-cancelled"]].concat());
    assert_eq!(
        (&ended["state"], &ended["trials"], &ended["trials_before"]),
        (&"finished".into(), &COUNT.into(), &stored.into())
    );
    assert_eq!(ended["trials_run"], COUNT - stored);
    assert_eq!(digest(&directory), wanted);
    assert_eq!(events(&directory), ["cancelled", "running", "finished"]);
    // `resume` is for coordinators; for a directory it names the command to run.
    for command in ["resume", "cancel", "watch"] {
        let (code, output) = ask(&[command, text(&directory)]);
        assert_eq!(code, Some(2));
        assert!(said(&output).contains("--resume-cancelled"), "{}", said(&output));
    }
    // The flag stays harmless on a run that is done.
    assert_eq!(json(&[&go[..], &["--resume-cancelled"]].concat())["state"], "finished");
}

#[test]
fn an_interrupted_run_says_so_and_counts_each_session_s_trials() {
    let place = place();
    let (file, out) = (write(&place, "slow.toml", SLOW), place.path().join("out"));
    let go = ["run", text(&file), "--threads", "2", "--no-tables", "--out", text(&out)];
    let child = redqueen().args(go).arg("--json").stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut process = Process(child.expect("it starts"));
    let stored = || {
        let output = run(&["status", text(&out), "--json"]);
        output.status.success().then(|| value(&output))
    };
    let now = wait("some trials", || stored().filter(|now| now["stored"].as_u64() > Some(5)));
    assert_eq!(now["state"], "running");
    process.signal("INT");
    assert_eq!(process.end(), Some(130));
    let mut printed = String::new();
    std::io::Read::read_to_string(process.0.stdout.as_mut().expect("piped"), &mut printed).expect("UTF-8");
    let first: Value = serde_json::from_str(&printed).expect("one JSON value");
    let before = first["trials"].as_u64().expect("a number");
    assert_eq!(
        (&first["state"], &first["trials_before"], &first["trials_run"]),
        (&"interrupted".into(), &0.into(), &before.into())
    );
    assert_eq!(json(&["status", text(&out)])["state"], "interrupted");
    let (code, output) = ask(&go);
    let words = said(&output);
    assert_eq!(code, Some(0), "{words}");
    let (here, all) = (format!("\n{} trials in ", COUNT - before), format!("; {before} were stored before"));
    assert!(words.contains(&here) && words.contains(&all), "{words}");
    let third = json(&go);
    assert_eq!(
        (&third["trials"], &third["trials_run"], &third["state"]),
        (&COUNT.into(), &0.into(), &"finished".into())
    );
}
