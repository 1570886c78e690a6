//! Workers with wrong results: of another build, or wrong after they were admitted. The first are refused; the second
//! are found by running trials twice, named, refused from then on, and all their results run again.
//!
//! With `audit = 0` only copies near the end of a stage are compared, and only if both results arrive while the stage
//! is open, so they find a wrong worker by chance and have no test here. A copy that differs is handled like an audit
//! (`coordinator/src/core/audits.rs`).

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::Value;
use tokio_stream::{StreamExt as _, wrappers::TcpListenerStream};
use tonic::Code;

use crate::common::{
    self,
    fake_worker::{Behaviour, FakeWorker},
    files::{place, write},
    process::{Process, coordinator, free_port, worker},
    program::{json, redqueen, succeed, text},
    runs::{digest, status, submit, wait_for_end},
    wait::wait,
};

const TRIALS: u64 = 900;
/// Share of its trials for which the lying worker reports another result.
const LIES: f64 = 0.4;

/// Trials that sleep, so that everybody gets some; what they give does not depend on it.
fn experiment(audit: f64, sleep_us: u64) -> String {
    format!(
        "format = 1\nname = \"test-liars\"\nkind = \"synthetic\"\nseed = 8\naudit = {audit:?}\n[synthetic]\n\
         trials = {TRIALS}\nsleep-us = {sleep_us}\n"
    )
}

/// Digest of the undisturbed run: one worker.
fn wanted(place: &tempfile::TempDir) -> String {
    let (file, out) = (write(place, "wanted.toml", &experiment(0.0, 0)), place.path().join("wanted"));
    succeed(&["run", text(&file), "--threads", "1", "--no-tables", "--out", text(&out)]);
    digest(&out)
}

/// Details of a run's events of one kind.
fn events(directory: &Path, kind: &str) -> Vec<Value> {
    let value = json(&["events", text(directory), "--kind", kind]);
    value["events"].as_array().expect("a list").iter().map(|event| event["detail"].clone()).collect()
}

/// Rows by the name of the worker that ran them.
fn rows_of(directory: &Path, worker: &str) -> i64 {
    let conn = rusqlite::Connection::open(directory.join("redqueen.sqlite")).expect("the database opens");
    let sql = "SELECT COUNT(*) FROM results_synthetic JOIN workers USING (worker) WHERE name = ?";
    conn.query_row(sql, [worker], |row| row.get(0)).expect("counted")
}

fn names(value: &Value) -> Vec<&str> {
    value.as_array().expect("a list").iter().map(|name| name.as_str().expect("a name")).collect()
}

#[test]
fn a_worker_of_another_build_is_refused_once() {
    let place = place();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let connections = Arc::<AtomicUsize>::default();
    let counted = Arc::clone(&connections);
    let data = place.path().join("data");
    // In the test's process, since no program that could be started has another self-test.
    let (server, address) = runtime.block_on(async move {
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port");
        let listen: SocketAddr = listener.local_addr().expect("bound");
        let config = coordinator::Config {
            root: coordinator::Root::Data(data),
            more_ports: 0,
            listen,
            token: None,
            worker_token: None,
            tls: None,
            connections_max: coordinator::CONNECTIONS_MAX,
            http: None,
            heartbeat: Duration::from_secs(1),
            self_test: [7; 32],
        };
        let arrivals = TcpListenerStream::new(listener).map(move |arrived| {
            counted.fetch_add(1, Ordering::AcqRel);
            arrived
        });
        (coordinator::Coordinator::start_over(config, listen, arrivals).await.expect("starts"), listen)
    });
    let url = format!("http://{address}");
    let output = redqueen().args(["worker", "--coordinator", &url, "--name", "stranger"]).output().expect("starts");
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("worker `stranger`") && told.contains("install the same build on both machines"), "{told}");
    // One asks which token the coordinator wants.
    assert!(connections.load(Ordering::Acquire) <= 2, "it does not try again");
    runtime.block_on(server.stop()).expect("it ends in order");
}

/// A coordinator with a run and workers that wait for it.
struct World {
    place: tempfile::TempDir,
    runtime: tokio::runtime::Runtime,
    port: u16,
    server: Process,
    url: String,
    run: String,
    directory: std::path::PathBuf,
}

impl World {
    fn start(audit: f64) -> Self {
        let (place, port) = (common::files::place(), free_port());
        let (server, url) = coordinator(&place.path().join("data"), port, &[]);
        let (run, directory) = submit(&write(&place, "run.toml", &experiment(audit, 3_000)), &url);
        succeed(&["pause", &run, "--coordinator", &url]);
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        World { place, runtime, port, server, url, run, directory }
    }

    fn fake_worker(&self, name: &str, ways: Behaviour) -> FakeWorker {
        FakeWorker::start(self.runtime.handle(), &self.url, name, ways)
    }

    fn liar(&self) -> FakeWorker {
        self.fake_worker("liar", Behaviour { lies: LIES, ..Behaviour::default() })
    }

    /// Lets the run go when `count` workers are there.
    fn go(&self, count: u64) {
        wait("workers", || (status(&self.run, &self.url)["workers"] == count).then_some(()));
        succeed(&["resume", &self.run, "--coordinator", &self.url]);
    }

    /// The liar is known, and all that follows has followed; `honest` may have shown it.
    fn check_exposed(&self, liar: FakeWorker, honest: &[&str]) {
        let told = self.runtime.block_on(liar.end());
        assert_eq!(told.code(), Code::FailedPrecondition, "{told}");
        // Told before it is on disk; the last of what follows is the retraction.
        let retracted = wait("the retraction", || events(&self.directory, "retracted").pop());
        let alarms = events(&self.directory, "alarm");
        // Every alarm has two sides, and the liar is one of them.
        assert!(!alarms.is_empty());
        for alarm in &alarms {
            let sides = [alarm["stored_by"].as_str().expect("a name"), alarm["worker"].as_str().expect("a name")];
            assert!(sides.contains(&"liar"), "{alarm}");
            assert!(sides.iter().any(|side| honest.contains(side)), "{alarm}");
            assert!(alarm["trial"].as_u64().is_some_and(|trial| trial < TRIALS), "{alarm}");
        }
        let distrusted = events(&self.directory, "distrusted");
        assert_eq!(distrusted.len(), 1, "{distrusted:?}");
        assert_eq!(distrusted[0]["worker"], "liar");
        let agreed = names(&distrusted[0]["agreed"]);
        assert!(agreed.len() == 2 && agreed.iter().all(|name| honest.contains(name)), "{agreed:?}");
        assert_eq!(retracted["worker"], "liar");
        assert!(retracted["trials"].as_u64().is_some(), "{retracted}");
        println!("{} alarms; {} results taken back; {}", alarms.len(), retracted["trials"], told.message());
    }

    /// No worker is admitted under the liar's name.
    fn check_shut_out(&self) {
        let again = self.runtime.block_on(self.fake_worker("liar", Behaviour::default()).end());
        assert_eq!(again.code(), Code::FailedPrecondition, "{again}");
        let output = redqueen().args(["worker", "--coordinator", &self.url, "--name", "liar"]).output().expect("runs");
        assert_eq!(output.status.code(), Some(2), "a real worker ends, too");
    }

    fn finish(&self) {
        assert_eq!(wait_for_end(&self.run, &self.url), "finished");
        assert_eq!(rows_of(&self.directory, "liar"), 0, "nothing it said is left");
        assert_eq!(digest(&self.directory), wanted(&self.place));
    }
}

#[track_caller]
fn check_found_among_honest_ones(audit: f64) {
    let mut world = World::start(audit);
    let liar = world.liar();
    let _honest = ["a", "b"].map(|name| worker(&world.url, name, 1, &[]));
    world.go(3);
    world.check_exposed(liar, &["a", "b"]);
    world.check_shut_out();
    world.finish();
    // It is known on disk.
    world.server.kill();
    let (server, _) = coordinator(&world.place.path().join("data"), world.port, &[]);
    world.server = server;
    world.check_shut_out();
}

#[test]
fn a_liar_among_honest_workers_is_found_by_a_sample() {
    check_found_among_honest_ones(0.2);
}

#[test]
fn a_liar_among_honest_workers_is_found_where_everything_is_run_twice() {
    check_found_among_honest_ones(1.0);
}

#[test]
fn two_that_disagree_wait_for_a_third() {
    let world = World::start(1.0);
    let liar = world.liar();
    let _first = worker(&world.url, "a", 1, &[]);
    world.go(2);
    let obstacle = wait("an obstacle that asks for a third worker", || {
        let now = status(&world.run, &world.url);
        assert_eq!(now["state"], "running", "{now}");
        let obstacle = now["obstacle"].as_str().expect("a text");
        obstacle.contains("a worker that has not run it must decide").then(|| obstacle.to_owned())
    });
    assert!(
        obstacle.contains("`liar`") && obstacle.contains("`a`") && obstacle.contains("start another one"),
        "{obstacle}"
    );
    // Everything is stored, and the stage stays open.
    wait("everything else", || (status(&world.run, &world.url)["stored"] == TRIALS).then_some(()));
    assert_eq!(events(&world.directory, "stage-closed").len(), 0);
    assert_eq!(events(&world.directory, "distrusted").len(), 0, "one against one says nothing");
    let _third = worker(&world.url, "b", 1, &[]);
    world.check_exposed(liar, &["a", "b"]);
    world.check_shut_out();
    world.finish();
}
