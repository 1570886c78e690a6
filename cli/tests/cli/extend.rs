//! Runs that are made longer, with real processes: kills in between, and a coordinator with workers.

use std::{path::Path, process::Stdio};

use crate::common::{
    self,
    experiments::{EVOLUTION, GRID},
    files::{place, write},
    process::{Process, coordinator, worker},
    program::{json, redqueen, run, succeed, text},
    runs::{digest, look, status, stored, submit, wait_for_end},
    wait::wait,
};

/// [`GRID`] with so many games a pair.
fn grid(games: u64) -> String {
    GRID.replace("games-per-pair = 200", &format!("games-per-pair = {games}"))
}

fn of(file: &Path, out: &Path) -> Vec<String> {
    let words = ["run", text(file), "--no-tables", "--threads", "2", "--out", text(out)];
    words.map(str::to_owned).to_vec()
}

#[track_caller]
fn go(file: &Path, out: &Path, more: &[&str]) {
    let words = of(file, out);
    succeed(&words.iter().map(String::as_str).chain(more.iter().copied()).collect::<Vec<_>>());
}

#[test]
fn a_longer_experiment_is_refused_by_key_until_it_is_said() {
    let place = place();
    let (short, long) = (write(&place, "short.toml", &grid(20)), write(&place, "long.toml", &grid(30)));
    let (out, whole) = (place.path().join("out"), place.path().join("whole"));
    go(&long, &whole, &[]);
    go(&short, &out, &[]);
    let before = (digest(&out), json(&["status", text(&out)])["run"].clone());
    let refused = |file: &Path, more: &[&str], wanted: &[&str]| {
        let words = of(file, &out);
        let output = run(&words.iter().map(String::as_str).chain(more.iter().copied()).collect::<Vec<_>>());
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(wanted.iter().all(|part| stderr.contains(part)), "{stderr}");
        assert_eq!((digest(&out), json(&["status", text(&out)])["run"].clone()), before);
    };
    refused(&long, &[], &["`match-grid.games-per-pair` is 20 there and 30 here", "add --extend"]);
    refused(&long, &["--extend", "--seed", "4"], &["`seed` is 11 there and 4 here"]);
    go(&long, &out, &["--extend"]);
    assert_eq!(digest(&out), digest(&whole));
    // The same command again finds it done.
    go(&long, &out, &["--extend"]);
    go(&long, &out, &[]);
    assert_eq!(digest(&out), digest(&whole));
    let shorter = of(&short, &out);
    let output = run(&shorter.iter().map(String::as_str).chain(["--extend"]).collect::<Vec<_>>());
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("is 30 there and 20 here"));
    assert_eq!(stored(&out, "match"), (90, 90));
    let nothing = place.path().join("nothing");
    let output = run(&["run", text(&long), "--extend", "--out", text(&nothing)]);
    assert_eq!((output.status.code(), nothing.exists()), (Some(2), false));
}

#[test]
fn kill_9_while_a_run_is_made_longer_leaves_it_whole() {
    let place = place();
    // Some thousand rows that all move, so that there is something to kill.
    let rows = "format = 1\nname = \"g\"\nkind = \"match-grid\"\ngame = \"dodgem:size=3\"\n[players]\na = \"random\"\n\
                b = \"random\"\nc = \"random\"\n[match-grid]\npairing = \"round-robin\"\n";
    let [short, long] = [1_000, 1_010]
        .map(|games| write(&place, &format!("{games}.toml"), &format!("{rows}games-per-pair = {games}\n")));
    let (first, whole) = (place.path().join("first"), place.path().join("whole"));
    go(&short, &first, &[]);
    go(&long, &whole, &[]);
    let (old, new) = (digest(&first), digest(&whole));
    let id = |directory: &Path| {
        look(directory, |conn| conn.query_row("SELECT id FROM run", [], |row| row.get::<_, String>(0)))
    };
    let ids = [id(&first), id(&whole)];
    for attempt in 0..8u32 {
        let out = place.path().join(format!("out-{attempt}"));
        std::fs::create_dir(&out).expect("made");
        for entry in std::fs::read_dir(&first).expect("read").flatten() {
            if entry.path().is_file() {
                std::fs::copy(entry.path(), out.join(entry.file_name())).expect("copied");
            }
        }
        let child =
            redqueen().args(of(&long, &out)).arg("--extend").stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let mut process = Process(child.expect("starts"));
        // At another moment each time: the new files stand beside the old ones, or the log grows, or rows have come.
        let log = out.join("redqueen.sqlite-wal");
        let next = out.join("resolved.next.toml");
        let size = |path: &Path| std::fs::metadata(path).map_or(0, |found| found.len());
        wait("a moment", || {
            let ended = process.0.try_wait().expect("a child of ours").is_some();
            let due = match attempt {
                0 => next.exists(),
                1..=5 => size(&log) >= 20_000 * u64::from(attempt * attempt),
                _ => id(&out) == ids[1],
            };
            (ended || due).then_some(())
        });
        process.kill();
        // One or the other, for readers as well.
        let now = id(&out);
        assert!(ids.contains(&now), "{now:?}");
        if now == ids[0] {
            assert_eq!(digest(&out), old);
        }
        json(&["status", text(&out)]);
        go(&long, &out, &["--extend"]);
        assert_eq!(digest(&out), new, "attempt {attempt}");
        assert_eq!(id(&out), ids[1]);
    }
}

#[test]
fn a_coordinator_s_run_goes_on_for_longer_while_workers_are_at_it() {
    let place = place();
    let files = [200, 300].map(|games| write(&place, &format!("{games}.toml"), &grid(games)));
    let whole = place.path().join("whole");
    go(&files[1], &whole, &[]);
    let data = place.path().join("data");
    let (mut server, url) = coordinator(&data, 0, &[]);
    let _workers: Vec<_> = (0..2).map(|i| worker(&url, &format!("w{i}"), 1, &[])).collect();
    let (short, directory) = submit(&files[0], &url);
    wait("some results", || status(&short, &url)["stored"].as_u64().filter(|stored| *stored >= 100));
    let extend = |file: &Path, id: &str| json(&["submit", text(file), "--coordinator", &url, "--extend", id]);
    let grown = extend(&files[1], &short);
    let id = grown["run"].as_str().expect("an id").to_owned();
    assert_ne!(id, short);
    assert_eq!(grown["trials"], 900);
    assert_eq!(grown["directory"], text(&directory));
    let output = run(&["status", &short, "--coordinator", &url]);
    assert_eq!(output.status.code(), Some(2), "it has the other id now");
    assert_eq!(extend(&files[1], &short)["run"], id.as_str(), "done already");
    assert_eq!(wait_for_end(&id, &url), "finished");
    assert_eq!(digest(&directory), digest(&whole));
    assert_eq!(stored(&directory, "match"), (900, 900));
    // The run has finished, and the coordinator was restarted.
    let longest = write(&place, "longest.toml", &grid(310));
    let last = extend(&longest, &id)["run"].as_str().expect("an id").to_owned();
    assert_eq!(wait_for_end(&last, &url), "finished");
    server.signal("TERM");
    assert_eq!(server.end(), Some(0));
    let (_server, url) = coordinator(&data, 0, &[]);
    assert_eq!(status(&last, &url)["state"], "finished");
    assert_eq!(submit(&longest, &url), (last, directory.clone()), "the same run");
    let output = run(&["submit", text(&files[0]), "--coordinator", &url]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && stderr.contains("is 310 there and 200 here"), "{stderr}");
}

#[test]
fn a_coordinator_s_evolution_goes_on_for_more_generations() {
    let place = place();
    let evolution = EVOLUTION.replace("generations = 14", "generations = 3").replace("every = 4", "every = 2");
    let longer = evolution.replace("generations = 3", "generations = 5");
    let files = [write(&place, "short.toml", &evolution), write(&place, "long.toml", &longer)];
    let whole = place.path().join("whole");
    go(&files[1], &whole, &[]);
    let (_server, url) = coordinator(&place.path().join("data"), 0, &[]);
    let _worker = worker(&url, "w", 2, &[]);
    let (id, directory) = submit(&files[0], &url);
    assert_eq!(wait_for_end(&id, &url), "finished");
    let output = run(&["submit", text(&files[1]), "--seed", "9", "--coordinator", &url, "--extend", &id]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("`seed` is 5 there and 9 here"), "{stderr}");
    assert_eq!(status(&id, &url)["state"], "finished");
    let id = json(&["submit", text(&files[1]), "--coordinator", &url, "--extend", &id])["run"].clone();
    assert_eq!(wait_for_end(id.as_str().expect("an id"), &url), "finished");
    assert_eq!(digest(&directory), digest(&whole));
    assert_eq!(common::runs::facts(&directory), common::runs::facts(&whole));
}
