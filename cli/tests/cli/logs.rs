//! Logs: JSON with `--log-format json`, on stderr alone, and no line that is repeated for ever.

use std::{
    io::{BufRead as _, BufReader},
    net::TcpListener,
    process::Stdio,
};

use serde_json::Value;

use crate::common::{
    files::place,
    process::Process,
    program::{redqueen, text},
    wait::wait,
};

/// Lines of a log, each a JSON object with these.
#[track_caller]
fn objects(process: &mut Process) -> Vec<Value> {
    let stderr = process.0.stderr.take().expect("piped");
    let lines = BufReader::new(stderr).lines().map(|line| line.expect("UTF-8"));
    let objects: Vec<Value> = lines.map(|line| serde_json::from_str(&line).expect("JSON")).collect();
    for object in &objects {
        assert!(object["level"].is_string() && object["timestamp"].is_string(), "{object}");
    }
    objects
}

#[test]
fn a_worker_without_a_coordinator_says_so_once() {
    // A listener that closes each connection counts the attempts: one every few hundred milliseconds at first.
    let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
    let url = format!("http://{}", listener.local_addr().expect("bound"));
    let child = redqueen()
        .args(["worker", "--coordinator", &url, "--threads", "1", "--patience-secs", "600", "--log-format", "json"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the worker starts");
    let mut worker = Process(child);
    for _ in 0..5 {
        drop(listener.accept().expect("an attempt"));
    }
    worker.kill();
    let log = objects(&mut worker);
    let complaints: Vec<&Value> =
        log.iter().filter(|o| o["fields"]["message"].as_str().is_some_and(|m| m.contains("not connected"))).collect();
    assert_eq!(complaints.len(), 1, "{log:#?}");
    assert_eq!(complaints[0]["level"], "WARN");
}

#[test]
fn a_coordinator_logs_json_on_stderr() {
    let place = place();
    let child = redqueen()
        .args(["coordinator", "--data", text(place.path()), "--listen", "127.0.0.1:0", "--log-format", "json"])
        .env("RUST_LOG", "info")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the coordinator starts");
    let mut server = Process(child);
    let mut line = String::new();
    let mut stdout = BufReader::new(server.0.stdout.take().expect("piped"));
    stdout.read_line(&mut line).expect("a line");
    assert!(line.starts_with("listening on http://127.0.0.1:"), "{line}");
    server.signal("TERM");
    let child = &mut server.0;
    wait("its end", || child.try_wait().expect("a child of ours"));
    let log = objects(&mut server);
    let stopping = |o: &Value| o["fields"]["message"].as_str().is_some_and(|m| m.starts_with("stopping"));
    assert!(log.iter().any(stopping), "{log:#?}");
}
