//! Runs: what a coordinator and their directories say of them.

use std::path::{Path, PathBuf};

use super::{
    program::{redqueen, succeed},
    wait::wait,
};

/// A run's status by `redqueen status --json`.
#[track_caller]
pub(crate) fn status(run: &str, url: &str) -> serde_json::Value {
    let text = succeed(&["status", run, "--coordinator", url, "--json"]);
    serde_json::from_str(&text).expect("one JSON value")
}

/// Submits an experiment; gives the run's id and directory.
#[track_caller]
pub(crate) fn submit(file: &Path, url: &str) -> (String, PathBuf) {
    let file = file.to_str().expect("UTF-8");
    let text = succeed(&["submit", file, "--coordinator", url, "--json"]);
    let value: serde_json::Value = serde_json::from_str(&text).expect("one JSON value");
    let field = |name: &str| value[name].as_str().expect("a text").to_owned();
    (field("run"), PathBuf::from(field("directory")))
}

/// Waits until a run has ended; gives its state.
#[track_caller]
pub(crate) fn wait_for_end(run: &str, url: &str) -> String {
    wait("the run to end", || {
        let output = run_status(run, url)?;
        let state = output["state"].as_str()?.to_owned();
        (state != "running").then_some(state)
    })
}

/// Status, or nothing while no coordinator answers.
pub(crate) fn run_status(run: &str, url: &str) -> Option<serde_json::Value> {
    let output = redqueen().args(["status", run, "--coordinator", url, "--json"]).output().ok()?;
    output.status.success().then(|| serde_json::from_slice(&output.stdout).ok()).flatten()
}

/// Digest of a run that has ended.
#[track_caller]
pub(crate) fn digest(directory: &Path) -> String {
    let text = succeed(&["digest", directory.to_str().expect("UTF-8"), "--json"]);
    let value: serde_json::Value = serde_json::from_str(&text).expect("one JSON value");
    assert_eq!(value["complete"], true, "{value}");
    value["digest"].as_str().expect("a text").to_owned()
}

/// Rows of a run's results and different trials among them.
#[track_caller]
pub(crate) fn stored(directory: &Path, shape: &str) -> (u64, u64) {
    let conn = rusqlite::Connection::open(directory.join("redqueen.sqlite")).expect("the database opens");
    let sql = format!("SELECT COUNT(*), COUNT(DISTINCT trial) FROM results_{shape}");
    conn.query_row(&sql, [], |row| Ok((row.get::<_, i64>(0)? as u64, row.get::<_, i64>(1)? as u64))).expect("counted")
}

/// Reads a run's database; nothing while it is being made. It is opened so that reading makes no file.
pub(crate) fn look<T>(directory: &Path, read: impl Fn(&rusqlite::Connection) -> rusqlite::Result<T>) -> Option<T> {
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
    let conn = rusqlite::Connection::open_with_flags(directory.join("redqueen.sqlite"), flags).ok()?;
    read(&conn).ok()
}

/// An evolution without its games: every stage with its fold, and the hash of every artifact.
#[track_caller]
pub(crate) fn facts(directory: &Path) -> (Vec<(String, Option<String>)>, Vec<String>) {
    let stages = look(directory, |conn| {
        let mut stages = conn.prepare("SELECT spec, fold FROM stages ORDER BY stage")?;
        stages.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
    });
    let artifacts = look(directory, |conn| {
        let mut artifacts = conn.prepare("SELECT hash FROM artifacts ORDER BY hash")?;
        artifacts.query_map([], |row| row.get(0))?.collect()
    });
    (stages.expect("a table of stages"), artifacts.expect("a table of artifacts"))
}
