//! Many trials, and connections that all drop and return at once, several times (docs/failures.md, row 10). The workers
//! run in the test's process, the coordinator is the real one.
//!
//! `REDQUEEN_SWARM=200,1000000,5 cargo test --workspace --test swarm -- --nocapture` takes 200 workers, a million
//! trials and five drops. A debug build of the coordinator checks itself after each event, which takes longer the more
//! sessions there are: measure with `--config 'profile.dev.package.coordinator.debug-assertions=false'`, or with
//! `--release`. `REDQUEEN_JOINING=1000` is the number of workers that join at once, with and without TLS;
//! `REDQUEEN_SHOWN=10000` that of workers whose pages are measured.

#[expect(dead_code, reason = "the rest is for the other tests")]
mod common;

use std::{
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use redqueen_wire::{Caller, Tls, tcp};
use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, ServerName, pem::PemObject as _},
};

use common::{
    fake_worker::{Behaviour, FakeWorker, Seen},
    files::{place, write},
    http::get,
    process::{Process, coordinator, free_port, peak_memory},
    program::{json, succeed, text},
    runs::{digest, stored, submit, wait_for_end},
    wait::wait,
};

/// Workers, trials and drops by default.
const SMALL: [u64; 3] = [40, 60_000, 3];
/// Highest memory of the coordinator, bytes, whatever the size.
const MEMORY_MAX: u64 = 200 << 20;
/// `redqueen status` must answer within this, the start of its process included.
const STATUS_MAX: Duration = Duration::from_secs(1);
/// Database and its log, bytes a trial, on top of [`DATABASE_MIN`].
const TRIAL_BYTES_MAX: u64 = 100;
/// What a log may take whatever the size of the run.
const DATABASE_MIN: u64 = 8 << 20;

fn size() -> [u64; 3] {
    let Ok(text) = std::env::var("REDQUEEN_SWARM") else { return SMALL };
    let numbers: Vec<u64> = text.split(',').filter_map(|number| number.trim().parse().ok()).collect();
    numbers.try_into().expect("REDQUEEN_SWARM is WORKERS,TRIALS,DROPS")
}

fn experiment(trials: u64, sleep_us: u64) -> String {
    format!(
        "format = 1\nname = \"test-swarm\"\nkind = \"synthetic\"\nseed = 10\naudit = 0.01\n[synthetic]\n\
         trials = {trials}\nsleep-us = {sleep_us}\n"
    )
}

/// Bytes of the database and the files beside it.
fn database_bytes(directory: &Path) -> u64 {
    let names = ["redqueen.sqlite", "redqueen.sqlite-wal"];
    names.iter().filter_map(|name| directory.join(name).metadata().ok()).map(|file| file.len()).sum()
}

/// Held by a test that measures: two at a time would measure one another.
static ALONE: Mutex<()> = Mutex::new(());

#[test]
fn connections_that_all_drop_at_once_come_back_at_once() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let [count, trials, drops] = size();
    let place = place();
    // Dropped connections count until the coordinator has noticed.
    let connections = (2 * count + 100).max(4_096).to_string();
    // A small fleet asks for five times as many heartbeats as is usual, a large one for as many.
    let heartbeat = if count < 1_000 { 1 } else { coordinator::HEARTBEAT.as_secs() }.to_string();
    let options = ["--connections-max", &connections, "--heartbeat-secs", &heartbeat];
    let (server, url) = coordinator(&place.path().join("data"), 0, &options);
    let (run, directory) = submit(&write(&place, "run.toml", &experiment(trials, 1_000)), &url);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let ways = Behaviour { probes: true, ..Behaviour::default() };
    let begun = Instant::now();
    let fakes: Vec<FakeWorker> =
        (0..count).map(|i| FakeWorker::start(runtime.handle(), &url, &format!("fake-{i}"), ways.clone())).collect();
    let sum = |of: fn(&Seen) -> u64| fakes.iter().map(|fake| of(&fake.seen)).sum::<u64>();
    let over = AtomicBool::new(false);
    let (mut returns, mut slowest, mut asked) = (Vec::new(), Duration::ZERO, 0);
    std::thread::scope(|threads| {
        let answers = threads.spawn(|| {
            let (mut slowest, mut asked) = (Duration::ZERO, 0);
            while !over.load(Ordering::Acquire) {
                let sent = Instant::now();
                json(&["status", &run, "--coordinator", &url]);
                (slowest, asked) = (slowest.max(sent.elapsed()), asked + 1);
            }
            (slowest, asked)
        });
        for drop in 1..=drops {
            wait("results", || {
                (sum(|seen| seen.ran.load(Ordering::Acquire)) >= drop * trials / (drops + 1)).then_some(())
            });
            let before = sum(Seen::sessions);
            let dropped = Instant::now();
            fakes.iter().for_each(|fake| fake.seen.drop_connection());
            wait("all connections", || (sum(Seen::sessions) >= before + count).then_some(()));
            returns.push(dropped.elapsed());
        }
        assert_eq!(wait_for_end(&run, &url), "finished");
        over.store(true, Ordering::Release);
        (slowest, asked) = answers.join().expect("every question was answered");
    });
    let elapsed = begun.elapsed();
    let late = fakes.iter().map(|fake| fake.seen.heard_after_us.load(Ordering::Acquire)).max().unwrap_or(0);
    let late = Duration::from_micros(late);
    let (peak, bytes) = (peak_memory(&server), database_bytes(&directory));
    println!(
        "{count} workers, {trials} trials, {drops} drops in {elapsed:.1?} ({:.0} trials/s)\n\
         all back after {returns:.1?}\n\
         {} heartbeats were handled at most {late:.1?} after they were sent\n\
         {asked} times `redqueen status`, {slowest:.1?} at most\n\
         coordinator: {} MB at most; database: {:.1} bytes a trial\n\
         {} trials were run for {trials}",
        trials as f64 / elapsed.as_secs_f64(),
        sum(|seen| seen.beats.load(Ordering::Acquire)),
        peak >> 20,
        bytes as f64 / trials as f64,
        sum(|seen| seen.ran.load(Ordering::Acquire)),
    );
    let suspected = json(&["events", text(&directory), "--kind", "suspected"]);
    let suspected: u64 = suspected["events"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|event| event["detail"]["trials"].as_u64())
        .sum();
    println!("{suspected} suspected");
    // Late is what comes after the next one was due.
    assert!(late < coordinator::HEARTBEAT, "a heartbeat was handled {late:?} after it was sent");
    assert!(slowest < STATUS_MAX, "a status took {slowest:?}");
    assert!(peak < MEMORY_MAX, "{} MB", peak >> 20);
    assert!(bytes < DATABASE_MIN + TRIAL_BYTES_MAX * trials, "{bytes} bytes for {trials} trials");
    let left = json(&["events", text(&directory), "--kind", "worker-left"]);
    let silent =
        |event: &&serde_json::Value| event["detail"]["why"].as_str().is_some_and(|why| why.contains("expired"));
    assert_eq!(left["events"].as_array().expect("a list").iter().filter(silent).count(), 0, "no worker was dismissed");
    assert_eq!(stored(&directory, "synthetic"), (trials, trials));
    let (file, out) = (write(&place, "wanted.toml", &experiment(trials, 0)), place.path().join("wanted"));
    succeed(&["run", text(&file), "--threads", "1", "--no-tables", "--out", text(&out)]);
    assert_eq!(digest(&directory), digest(&out));
}

/// Workers that join at once by default.
const JOINING: u64 = 60;
/// All of them must be welcome within this, with TLS within three times as long.
const JOINED: Duration = Duration::from_secs(10);

/// What callers need to check the certificate that a coordinator made for itself in `data`.
fn pinned(data: &Path) -> Tls {
    let certificate = CertificateDer::from_pem_file(data.join("redqueen.ca.pem")).expect("a certificate");
    let mut roots = RootCertStore::empty();
    roots.add(certificate).expect("a certificate");
    let config = ClientConfig::builder_with_provider(rustls::crypto::ring::default_provider().into());
    let config = config.with_safe_default_protocol_versions().expect("versions").with_root_certificates(roots);
    let mut config = config.with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec()];
    Tls { config: Arc::new(config), name: Some(ServerName::try_from("redqueen").expect("a name")) }
}

/// Seconds of CPU that a process has used.
fn cpu_secs(process: &Process) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.0.id())).expect("alive");
    let (_, rest) = stat.rsplit_once(')').expect("a name in brackets");
    let fields: Vec<f64> =
        rest.split_whitespace().skip(11).take(2).map(|ticks| ticks.parse().expect("ticks")).collect();
    fields.iter().sum::<f64>() / 100.0
}

/// A batch system may start a thousand jobs in the same second.
#[test]
fn a_fleet_that_joins_at_once_is_welcome_soon() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let count = std::env::var("REDQUEEN_JOINING").map_or(JOINING, |text| text.parse().expect("a number"));
    for tls in [false, true] {
        let place = place();
        let data = place.path().join("data");
        let connections = (2 * count + 100).max(4_096).to_string();
        let options = ["--connections-max", &connections, "--heartbeat-secs", "5", "--tls"];
        let (server, url) = coordinator(&data, 0, &options[..options.len() - usize::from(!tls)]);
        let caller = Caller::new(&url, tls.then(|| pinned(&data)), tcp()).expect("a URL");
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let ways = Behaviour::default();
        let begun = Instant::now();
        let join =
            |i: u64| FakeWorker::calling(runtime.handle(), caller.clone(), &url, &format!("fake-{i}"), ways.clone());
        let fakes: Vec<FakeWorker> = (0..count).map(join).collect();
        let welcome = || fakes.iter().filter(|fake| fake.seen.sessions() > 0).count() as u64;
        let all = wait("every worker", || (welcome() == count).then(|| begun.elapsed()));
        let dials: u64 = fakes.iter().map(|fake| fake.seen.dials.load(Ordering::Acquire)).sum();
        println!(
            "{count} workers joined {} TLS in {all:.2?}, by {dials} attempts; coordinator: {:.1} s of CPU, {} MB at most",
            if tls { "with" } else { "without" },
            cpu_secs(&server),
            peak_memory(&server) >> 20,
        );
        assert!(all < JOINED * if tls { 3 } else { 1 }, "{count} workers joined in {all:?}");
        assert!(peak_memory(&server) < 300 << 20, "{} MB", peak_memory(&server) >> 20);
    }
}

/// Workers that are shown, by default.
const SHOWN: u64 = 200;
/// Within this the page of a fleet must be there, 95 times of 100, and its bytes. A debug build takes several times as long.
const SHOWN_MAX: (Duration, usize) = (Duration::from_millis(if cfg!(debug_assertions) { 500 } else { 100 }), 150_000);

#[test]
fn pages_of_a_large_fleet_are_short_work() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let count = std::env::var("REDQUEEN_SHOWN").map_or(SHOWN, |text| text.parse().expect("a number"));
    let (place, http) = (place(), format!("127.0.0.1:{}", free_port()));
    let connections = (2 * count + 100).max(4_096).to_string();
    let options = ["--connections-max", &connections, "--heartbeat-secs", "10", "--http", &http];
    let (server, url) = coordinator(&place.path().join("data"), 0, &options);
    submit(&write(&place, "run.toml", &experiment(1_000_000, 1_000_000)), &url);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let ways = Behaviour { mute: true, ..Behaviour::default() };
    let fakes: Vec<FakeWorker> =
        (0..count).map(|i| FakeWorker::start(runtime.handle(), &url, &format!("fake-{i}"), ways.clone())).collect();
    let welcome = || fakes.iter().filter(|fake| fake.seen.sessions() > 0).count() as u64;
    wait("every worker", || (welcome() == count).then_some(()));
    let before = peak_memory(&server);
    for path in ["/workers", "/workers?from=100", "/workers/fake-7", "/"] {
        let asked = || {
            let begun = Instant::now();
            let (head, body) = get(&http, path);
            assert!(head.starts_with("http/1.1 200"), "{path}: {head}");
            (begun.elapsed(), body.len())
        };
        let mut answers: Vec<(Duration, usize)> = (0..40).map(|_| asked()).collect();
        answers.sort();
        let (slow, bytes) = (answers[37].0, answers[0].1);
        println!("{count} workers, {path}: {:.1?}, 95 % within {slow:.1?}, {bytes} bytes", answers[20].0);
        assert!(slow < SHOWN_MAX.0 && bytes < SHOWN_MAX.1, "{path}: {slow:?}, {bytes} bytes");
    }
    println!("pages took {} MB at most", (peak_memory(&server) - before) >> 20);
}
