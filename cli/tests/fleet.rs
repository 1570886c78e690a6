//! Fleets of real workers: one that is slow, a coordinator that is away, workers that come and go. Trials sleep, so
//! that many workers fit two cores.
//!
//! `REDQUEEN_AWAY_SECS=300 cargo test --workspace --test fleet away -- --nocapture` keeps the coordinator away for
//! longer than the usual few seconds.

#[expect(dead_code, reason = "the rest is for the other tests")]
mod common;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use common::{
    fake_worker::{Behaviour, FakeWorker},
    files::write,
    process::{Process, coordinator, free_port, worker},
    program::{json, succeed, text, token},
    random::Draws,
    runs::{digest, status, stored, submit, wait_for_end},
    wait::wait,
};
use redqueen_wire::{Caller, RunRequest, RunStatus, control_service_client::ControlServiceClient, tcp};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tonic::service::interceptor::InterceptedService;

/// Time on top for what this machine does besides: a tick of the coordinator, a batch that waits for company, a commit,
/// processes that want one of two cores.
const MARGIN: Duration = Duration::from_secs(1);

/// Trials that may be on their way to the disk, neither leased nor stored: what eight workers run in a quarter of a
/// second.
const IN_FLIGHT: u64 = 150;

fn experiment(trials: u64, more: &str) -> String {
    format!(
        "format = 1\nname = \"test-fleet\"\nkind = \"synthetic\"\nseed = 21\naudit = 0.0\n[synthetic]\n\
         trials = {trials}\n{more}\n"
    )
}

/// Digest of the undisturbed run: one worker, and trials without the sleep, which changes no result.
fn wanted(place: &TempDir, trials: u64) -> String {
    let (file, out) = (write(place, "wanted.toml", &experiment(trials, "")), place.path().join("wanted"));
    succeed(&["run", text(&file), "--threads", "1", "--no-tables", "--out", text(&out)]);
    digest(&out)
}

/// A run that has been submitted and waits.
struct Waiting {
    place: TempDir,
    trials: u64,
    port: u16,
    server: Process,
    url: String,
    run: String,
    directory: PathBuf,
    runtime: Runtime,
}

impl Waiting {
    fn new(trials: u64, more: &str) -> Self {
        let (place, port) = (common::files::place(), free_port());
        let (server, url) = coordinator(&place.path().join("data"), port, &[]);
        let (run, directory) = submit(&write(&place, "run.toml", &experiment(trials, more)), &url);
        succeed(&["pause", &run, "--coordinator", &url]);
        Waiting { place, trials, port, server, url, run, directory, runtime: Runtime::new().expect("a runtime") }
    }

    fn worker(&self, name: &str) -> Process {
        worker(&self.url, name, 1, &["--grace-secs", "3"])
    }

    /// Lets the run go when `count` workers are there.
    fn go(&self, count: u64) {
        wait("workers", || (status(&self.run, &self.url)["workers"] == count).then_some(()));
        succeed(&["resume", &self.run, "--coordinator", &self.url]);
    }

    /// Looks at every status that is published, and when, until `look` has seen enough or the run has ended.
    fn watch(&self, mut look: impl FnMut(Instant, &RunStatus) -> bool) {
        self.runtime.block_on(async {
            let line = Caller::new(&self.url, None, tcp()).expect("a URL").connect().await.expect("connects");
            let request = RunRequest { run: self.run.clone() };
            let line = InterceptedService::new(line, token(&self.url));
            let mut statuses = ControlServiceClient::new(line).watch(request).await.expect("a run").into_inner();
            while let Some(status) = statuses.message().await.expect("a status") {
                if look(Instant::now(), &status) {
                    return;
                }
            }
        });
    }

    /// Its digest is that of the undisturbed run.
    fn check_end(&self) {
        assert_eq!(wait_for_end(&self.run, &self.url), "finished");
        assert_eq!(stored(&self.directory, "synthetic"), (self.trials, self.trials));
        assert_eq!(digest(&self.directory), wanted(&self.place, self.trials));
    }
}

fn database(directory: &Path) -> rusqlite::Connection {
    rusqlite::Connection::open(directory.join("redqueen.sqlite")).expect("the database opens")
}

/// Details of a run's events of one kind.
fn events(directory: &Path, kind: &str) -> Vec<serde_json::Value> {
    let value = json(&["events", text(directory), "--kind", kind]);
    value["events"].as_array().expect("a list").iter().map(|event| event["detail"].clone()).collect()
}

/// docs/failures.md, row 9.
#[test]
fn the_end_of_a_stage_does_not_wait_for_a_slow_worker() {
    // A long trial is 600 ms of CPU, the others sleep for 10 ms.
    let world = Waiting::new(1_400, "sleep-us = 10000\nlong = { every = 350, cost-us = 600000 }");
    let _quick: Vec<Process> = (0..7).map(|i| world.worker(&format!("quick-{i}"))).collect();
    let slow = FakeWorker::start(
        world.runtime.handle(),
        &world.url,
        "slow",
        Behaviour { slower: 10.0, ..Behaviour::default() },
    );
    world.go(8);
    let (mut waited, mut ended) = (None, Instant::now());
    world.watch(|at, status| {
        // From the first look on at which all but a batch or two on their way to the disk are stored or leased.
        if status.stored + status.leased + IN_FLIGHT >= status.trials {
            waited.get_or_insert(ended);
        }
        ended = at;
        status.stored == status.trials
    });
    world.check_end();
    let longest: i64 = database(&world.directory)
        .query_row(
            "SELECT MAX(elapsed_us) FROM results_synthetic JOIN workers USING (worker) WHERE name <> 'slow'",
            [],
            |row| row.get(0),
        )
        .expect("a row");
    let longest = Duration::from_micros(longest as u64);
    // The look before that one: it was then or later that nothing was left to lease.
    let end = ended - waited.expect("the end was seen");
    let copies: u64 = events(&world.directory, "copy-issued").iter().filter_map(|copy| copy["trials"].as_u64()).sum();
    println!(
        "the end took {end:?}, the longest trial {longest:?}; {copies} trials were copied, the slow worker ran {}",
        slow.seen.ran.load(Ordering::Acquire)
    );
    assert!(copies > 0);
    // What was run twice was compared, and equal: a difference would be an alarm.
    assert_eq!(events(&world.directory, "alarm"), [] as [serde_json::Value; 0]);
    assert!(end < 2 * longest + MARGIN, "{end:?} for {longest:?}");
}

/// A worker that lives, holds trials and never delivers one: its trials are copied when nothing else is left.
#[test]
fn the_end_of_a_stage_does_not_wait_for_a_mute_worker() {
    let world = Waiting::new(300, "sleep-us = 5000");
    let _honest = ["a", "b"].map(|name| world.worker(name));
    let mute =
        FakeWorker::start(world.runtime.handle(), &world.url, "mute", Behaviour { mute: true, ..Behaviour::default() });
    world.go(3);
    world.check_end();
    let copies = events(&world.directory, "copy-issued");
    assert!(copies.iter().any(|copy| copy["of"] == "mute"), "{copies:?}");
    assert_eq!(rows_of(&world.directory, "mute") + ran(&mute), 0);
}

/// docs/failures.md, row 21.
#[test]
fn speed_follows_the_workers() {
    const TRIALS: u64 = 6_000;
    let seed = std::process::id();
    println!("seed {seed}");
    let mut draws = Draws::new(seed);
    let world = Waiting::new(TRIALS, "sleep-us = 20000");
    let mut fleet = vec![world.worker("w0")];
    world.go(1);
    // Trials a second from the first look with `threads` workers and `from` stored trials on, until `to` are stored.
    let speed = |threads: u32, to: u64| {
        let (mut first, mut last) = (None, None);
        world.watch(|at, status| {
            if status.threads == threads && status.stored > 0 {
                let _ = first.get_or_insert((at, status.stored));
                last = Some((at, status.stored));
            }
            status.stored >= to
        });
        let ((begun, before), (ended, after)) = first.zip(last).expect("they were at work");
        (after - before) as f64 / (ended - begun).as_secs_f64()
    };
    let alone = speed(1, 80);
    fleet.extend((1..16).map(|i| world.worker(&format!("w{i}"))));
    let many = speed(16, 2_100);
    // On a busy machine leaving takes its time, and so does this call: what sixteen workers leave must last.
    succeed(&["pause", &world.run, "--coordinator", &world.url]);
    let mut leaving = Vec::new();
    // Half of those who go leave in order, the others die.
    for gone in 0..14 {
        let at = draws.below(fleet.len() as u64) as usize;
        let mut victim = fleet.swap_remove(at);
        if gone % 2 == 0 {
            victim.signal("TERM");
            leaving.push(victim);
        } else {
            victim.kill();
        }
    }
    for mut worker in leaving {
        assert_eq!(worker.end(), Some(0));
    }
    world.go(2);
    let few = speed(2, status(&world.run, &world.url)["stored"].as_u64().expect("a count") + 300);
    let _others: Vec<Process> = (16..30).map(|i| world.worker(&format!("w{i}"))).collect();
    println!("trials a second: {alone:.0} with 1 worker, {many:.0} with 16, {few:.0} with 2");
    world.check_end();
    assert!(many > 7.0 * alone, "seed {seed}: {alone} with one, {many} with 16");
    assert!(few < many / 4.0, "seed {seed}: {many} with 16, {few} with two");
}

/// Rows by the name of the worker that ran them.
fn rows_of(directory: &Path, worker: &str) -> u64 {
    let sql = "SELECT COUNT(*) FROM results_synthetic JOIN workers USING (worker) WHERE name = ?";
    let count = database(directory).query_row(sql, [worker], |row| row.get::<_, i64>(0));
    count.expect("counted") as u64
}

/// Who ran each stored trial.
fn workers_of(directory: &Path) -> BTreeMap<u64, String> {
    let conn = database(directory);
    let mut rows = conn
        .prepare("SELECT trial, name FROM results_synthetic JOIN workers USING (worker)")
        .expect("there are results");
    let rows = rows.query_map([], |row| Ok((row.get::<_, i64>(0)? as u64, row.get(1)?))).expect("read");
    rows.collect::<Result<_, _>>().expect("rows")
}

/// Results that a fake worker has finished, stored or not.
fn ran(fake: &FakeWorker) -> u64 {
    fake.seen.ran.load(Ordering::Acquire)
}

/// docs/failures.md, row 5. Half of the workers are in the test's process and count what they run.
#[test]
fn a_coordinator_that_is_away_finds_everything_that_was_finished() {
    const TRIALS: u64 = 7_000;
    let away = match std::env::var("REDQUEEN_AWAY_SECS") {
        Ok(text) => Duration::from_secs(text.parse().expect("REDQUEEN_AWAY_SECS is a number of seconds")),
        Err(_) => Duration::from_secs(8),
    };
    let mut world = Waiting::new(TRIALS, "sleep-us = 5000");
    let fleet: Vec<Process> = (0..4).map(|i| world.worker(&format!("worker-{i}"))).collect();
    let fakes: Vec<FakeWorker> = (0..4)
        .map(|i| FakeWorker::start(world.runtime.handle(), &world.url, &format!("fake-{i}"), Behaviour::default()))
        .collect();
    world.go(8);
    world.watch(|_, status| status.stored >= TRIALS / 6);
    world.server.kill();
    let left = Instant::now();
    let durable = workers_of(&world.directory);
    // Whatever they held is run, and kept.
    let all = || fakes.iter().map(ran).sum::<u64>();
    let mut last = (all(), Instant::now());
    wait("the workers to run out of work", || {
        let now = all();
        if now != last.0 {
            last = (now, Instant::now());
        }
        (last.1.elapsed() > Duration::from_secs(1)).then_some(())
    });
    let idle = last.1 - left;
    wait("the time away", || (left.elapsed() >= away).then_some(()));
    let dials: u64 = fakes.iter().map(|fake| fake.seen.dials.load(Ordering::Acquire)).sum();
    // Results that only the workers knew of when it came back.
    let known = |fake: &FakeWorker| {
        let finished = fake.seen.finished();
        finished.into_iter().filter(|trial| !durable.contains_key(trial)).collect::<Vec<_>>()
    };
    let finished: Vec<Vec<u64>> = fakes.iter().map(known).collect();
    (world.server, _) = coordinator(&world.place.path().join("data"), world.port, &[]);
    let back = Instant::now();
    world.check_end();
    let whole = back.elapsed();
    let delivered = || fakes.iter().zip(&finished).all(|(fake, trials)| fake.seen.is_rid_of(trials.iter().copied()));
    wait("everything to be delivered", || delivered().then_some(()));
    let rows = workers_of(&world.directory);
    assert!(durable.iter().all(|(trial, worker)| rows.get(trial) == Some(worker)), "what was durable is as it was");
    let stored = |(at, trials): (usize, &Vec<u64>)| {
        let name = format!("fake-{at}");
        trials.iter().filter(|trial| rows.get(trial) == Some(&name)).count()
    };
    let kept: usize = finished.iter().enumerate().map(stored).sum();
    let finished: usize = finished.iter().map(Vec::len).sum();
    println!(
        "{} stored when it went; within {idle:.1?} the workers finished {finished} more and had no work, and \
         dialled {dials} \
         times in {away:?}; {kept} of these are stored as theirs; the run ended {whole:.1?} after it was back",
        durable.len(),
    );
    assert!(finished > 0 && idle < away, "they stop when what they hold is run");
    // Who comes back first is given trials that others are about to deliver, and at 5 ms a trial it runs a few tens of
    // them in the meantime: those are delivered too, and dropped as known.
    assert!(2 * kept >= finished, "{kept} of {finished} were kept");
    // A quarter of a second apart on the average is more than they do and less than a storm.
    assert!(dials < 4 * fakes.len() as u64 * (away.as_secs() + 2), "{dials} dials");
    drop(fleet);
}
