//! Pages of runs in a browser's place: of directories (`redqueen view`), and of a coordinator with a worker.

use std::{
    io::{BufRead as _, BufReader},
    path::Path,
    process::{ChildStdout, Stdio},
};

use crate::common::{
    experiments::GRID,
    files::{place, write},
    http::get,
    process::{Process, worker},
    program::{redqueen, run, succeed, text},
    runs::{submit, wait_for_end},
    wait::wait,
};

/// Starts a command that serves pages; gives its lines.
fn serve(arguments: &[&str]) -> (Process, std::io::Lines<BufReader<ChildStdout>>) {
    let child = redqueen().args(arguments).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut process = Process(child);
    let lines = BufReader::new(process.0.stdout.take().expect("piped")).lines();
    (process, lines)
}

/// What follows `start` in the next line that begins so.
fn after(lines: &mut std::io::Lines<BufReader<ChildStdout>>, start: &str) -> String {
    lines.find_map(|line| line.expect("UTF-8").strip_prefix(start).map(str::to_owned)).expect("such a line")
}

/// A page that must be there.
#[track_caller]
fn page(address: &str, path: &str) -> String {
    let (head, body) = get(address, path);
    assert!(head.starts_with("http/1.1 200 "), "{path}: {head}");
    body
}

/// The key of the only run on the first page.
fn only_run(address: &str) -> String {
    let body = page(address, "/");
    body.split("./runs/").nth(1).expect("a run").split('"').next().expect("an end").to_owned()
}

fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(directory)
        .expect("read")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn view_shows_runs_and_leaves_them_as_they_are() {
    let place = place();
    let file = write(&place, "grid.toml", &GRID.replace("games-per-pair = 200", "games-per-pair = 10"));
    let out = place.path().join("runs").join("grid");
    succeed(&["run", text(&file), "--out", text(&out), "--no-tables"]);
    let before = names(&out);
    let (mut viewer, mut lines) = serve(&["view", text(&place.path().join("runs")), "--http", "127.0.0.1:0"]);
    let url = after(&mut lines, "pages at http://");
    let address = url.trim_end_matches('/').to_owned();
    let key = only_run(&address);
    let body = wait("the tables", || {
        let body = page(&address, &format!("/runs/{key}"));
        (!body.contains("data-again")).then_some(body)
    });
    assert!(body.contains("Who beats whom") && body.contains("<title>finished test-grid"), "{body}");
    assert!(page(&address, &format!("/runs/{key}/trials/0/0")).contains("mcts:playouts=40"));
    assert!(get(&address, "/metrics").0.starts_with("http/1.1 404 "), "there is no coordinator to measure");
    assert_eq!(names(&out), before, "nothing was written");
    viewer.signal("TERM");
    assert_eq!(viewer.end(), Some(0));
}

#[test]
fn view_says_what_it_cannot_look_at() {
    let place = place();
    let none = place.path().join("none");
    let output = run(&["view", text(&none)]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("is no directory"));
    let output = run(&["view", text(place.path()), "--http", "0.0.0.0:0"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--http-public"));
}

#[test]
fn a_coordinators_pages_show_what_its_workers_do() {
    let place = place();
    let file = write(&place, "grid.toml", GRID);
    let (_server, mut lines) = serve(&[
        "coordinator",
        "--data",
        text(&place.path().join("data")),
        "--listen",
        "127.0.0.1:0",
        "--heartbeat-secs",
        "1",
        "--http",
        "127.0.0.1:0",
    ]);
    let url = after(&mut lines, "listening on ");
    let address = after(&mut lines, "pages at http://").trim_end_matches('/').to_owned();
    let first = page(&address, "/");
    assert!(first.contains("redqueen submit"), "a site without runs says how to make one");
    assert!(first.contains("data-stream"), "and sees the first one come");
    assert!(page(&address, "/health").contains("ok"));
    let (run, _) = submit(&file, &url);
    let key = wait("the run", || {
        let body = page(&address, "/");
        body.contains(&run[..8]).then(|| only_run(&address))
    });
    let process = worker(&url, "worker-1", 1, &[]);
    wait("the worker", || page(&address, "/workers").contains("worker-1").then_some(()));
    assert_eq!(wait_for_end(&run, &url), "finished");
    let body = wait("the tables", || {
        let body = page(&address, &format!("/runs/{key}"));
        (body.contains("Who beats whom") && body.contains("finished")).then_some(body)
    });
    assert!(body.contains(".done\">600</span> of 600 trials are done"), "{body}");
    assert!(page(&address, &format!("/runs/{key}/trials/0/17")).contains("worker-1"));
    assert!(page(&address, &format!("/runs/{key}/events")).contains("joined with 1 thread"));
    let told = page(&address, &format!("/stream?run={key}&once=1"));
    assert!(told.contains(&format!("\"{key}.stored\":\"600\"")), "{told}");
    drop(process);
}
