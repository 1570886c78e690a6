//! A fleet under faults for as long as wanted: `REDQUEEN_SOAK_SECS=3600 cargo test --workspace --test cli soak --
//! --nocapture`.
//!
//! One coordinator, three workers of which two share a name, run after run; every few seconds something is killed,
//! frozen, stopped or cut off, and comes back; some write their log to a pipe without a reader. Every run must end with
//! the digest of an undisturbed one and without a quarantined trial, and the memory of processes that live on must not
//! grow.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use crate::common::{
    files::{place, write},
    process::{Process, coordinator_by, free_port},
    program::{redqueen, succeed, text},
    proxy::Proxy,
    random::Draws,
    runs::{digest, run_status, submit},
    wait::wait,
};

/// How long by default.
const SECS: u64 = 20;
/// Memory may grow by this over the whole time, bytes: caches, allocator, the status of runs that have ended.
const GROWTH_MAX: u64 = 48 << 20;
const WORKERS: usize = 3;

/// Many generations for a long soak, few for a short one.
fn evolution(secs: u64) -> String {
    let generations = (secs / 20).clamp(8, 120);
    format!(
        "format = 1\nname = \"soak-evolution\"\nkind = \"coevolution\"\ngame = \"reversi\"\n\
         seed = 5\naudit = 0.05\n[players]\nmcts-10 = \"mcts:playouts=10\"\n[coevolution]\n\
         player = \"evomcts:playouts=12\"\npopulation = 20\ngenerations = {generations}\ngames-as-first = 6\n\
         [coevolution.benchmark]\nevery = 4\ngames = 10\nsamples = 2\nfinal-games = 20\nfinalists = 2\n"
    )
}

/// Many trials that cost nothing: what moves is the runner.
fn tiny(secs: u64) -> String {
    let trials = (secs * 2_000).clamp(100_000, 3_000_000);
    format!(
        "format = 1\nname = \"soak-tiny\"\nkind = \"synthetic\"\nseed = 9\n[synthetic]\n\
         trials = {trials}\ncost-us = 0\n"
    )
}

type Work = fn(u64) -> String;
/// Taken in turn, and then again in another data directory: the same experiment is the same run.
const WORK: [Work; 2] = [evolution, tiny];

struct Fleet {
    data: PathBuf,
    port: u16,
    server: Process,
    url: String,
    /// Between workers and coordinator.
    proxy: Proxy,
    workers: Vec<Process>,
    kills: u64,
}

impl Fleet {
    fn start(data: &Path) -> Self {
        let port = free_port();
        let (server, url) = Fleet::server(data, port, false);
        let proxy = Proxy::start(&url);
        let workers = (0..WORKERS).map(|index| Fleet::worker(&proxy.url, index, false)).collect();
        Fleet { data: data.to_owned(), port, server, url, proxy, workers, kills: 0 }
    }

    /// Started with its log on a pipe, whose reader goes at once if it is `unread`.
    fn server(data: &Path, port: u16, unread: bool) -> (Process, String) {
        let (log, mut program) = (if unread { Stdio::piped() } else { Stdio::null() }, redqueen());
        program.env("RUST_LOG", "debug");
        let (mut server, url) = coordinator_by(program, data, port, &[], log);
        drop(server.0.stderr.take());
        (server, url)
    }

    /// The last two share a name.
    fn worker(url: &str, index: usize, unread: bool) -> Process {
        let name = format!("w{}", index.min(WORKERS - 2));
        let child = redqueen()
            .args(["worker", "--coordinator", url, "--name", &name, "--threads", "1"])
            .args(["--patience-secs", "60", "--grace-secs", "3"])
            .env("RUST_LOG", "debug")
            .stdout(Stdio::null())
            .stderr(if unread { Stdio::piped() } else { Stdio::null() })
            .spawn();
        let mut worker = Process(child.expect("the worker starts"));
        drop(worker.0.stderr.take());
        worker
    }

    /// Goes on with a new coordinator in another directory.
    fn move_to(&mut self, data: PathBuf) {
        self.server.kill();
        self.data = data;
        self.server = Fleet::server(&self.data, self.port, false).0;
    }

    /// Strikes one process with a random fault.
    fn shoot(&mut self, draws: &mut Draws) {
        self.kills += 1;
        let index = draws.below(WORKERS as u64) as usize;
        let unread = draws.below(2) == 0;
        let victim = &mut self.workers[index];
        match draws.below(14) {
            0..=3 => {
                victim.kill();
                *victim = Fleet::worker(&self.proxy.url, index, unread);
            }
            4 | 5 => {
                // The process that runs a trial; the worker lives.
                for child in children(victim.0.id()) {
                    // It may have gone meanwhile.
                    let _ = Command::new("kill").args(["-s", "KILL", &child]).stderr(Stdio::null()).status();
                }
            }
            6 => {
                victim.signal("STOP");
                // For longer than its lease lasts.
                let until = Instant::now() + Duration::from_millis(1_000 + draws.below(4_000));
                wait("the end of a freeze", || (Instant::now() >= until).then_some(()));
                victim.signal("CONT");
            }
            7 => {
                victim.signal("TERM");
                let _ = victim.end();
                *victim = Fleet::worker(&self.proxy.url, index, unread);
            }
            8..=11 => self.proxy.cut(),
            _ => {
                self.server.kill();
                self.server = Fleet::server(&self.data, self.port, unread).0;
            }
        }
    }
}

/// Processes that a process has started.
fn children(pid: u32) -> Vec<String> {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// Resident memory of a process, bytes; 0 if it is gone.
fn memory(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let kb =
        status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.split_whitespace().next()?.parse::<u64>().ok());
    kb.unwrap_or(0) << 10
}

#[test]
fn whatever_is_shot_at_ends_as_it_should() {
    let secs = match std::env::var("REDQUEEN_SOAK_SECS") {
        Ok(text) => text.parse().expect("REDQUEEN_SOAK_SECS is a number of seconds"),
        Err(_) => SECS,
    };
    let place = place();
    let wanted: Vec<String> = WORK
        .iter()
        .enumerate()
        .map(|(index, work)| {
            let (file, out) = (write(&place, "wanted.toml", &work(secs)), place.path().join(index.to_string()));
            succeed(&["run", text(&file), "--threads", "1", "--no-tables", "--out", text(&out)]);
            digest(&out)
        })
        .collect();
    let seed = std::process::id();
    println!("seed {seed}, {secs} s");
    let mut draws = Draws::new(seed);
    let mut fleet = Fleet::start(&place.path().join("data"));
    let begun = Instant::now();
    // By round: the most that coordinator and workers had.
    let mut peaks: Vec<(u64, u64)> = Vec::new();
    let mut next = begun + Duration::from_millis(500 + draws.below(4_000));
    for round in 0.. {
        let at = round % WORK.len();
        if at == 0 && round > 0 {
            fleet.move_to(place.path().join(format!("data-{round}")));
        }
        let file = write(&place, "round.toml", &WORK[at](secs));
        let (run, directory) = submit(&file, &fleet.url);
        let mut peak = (0, 0);
        let started = Instant::now();
        loop {
            peak.0 = memory(fleet.server.0.id()).max(peak.0);
            peak.1 = fleet.workers.iter().map(|w| memory(w.0.id())).max().unwrap_or(0).max(peak.1);
            if Instant::now() >= next {
                fleet.shoot(&mut draws);
                next = Instant::now() + Duration::from_millis(500 + draws.below(4_000));
            }
            match run_status(&run, &fleet.url) {
                Some(status) if status["state"] == "finished" => break,
                Some(status) => assert_eq!(status["state"], "running", "seed {seed}, round {round}: {status}"),
                None => {}
            }
            assert!(started.elapsed() < Duration::from_secs(600), "seed {seed}: round {round} does not end");
            // The pause between two looks.
            std::thread::sleep(Duration::from_millis(50));
        }
        assert_eq!(digest(&directory), wanted[at], "seed {seed}, round {round}");
        let events = redqueen().args(["events", text(&directory), "--kind", "alarm"]).output().expect("runs");
        assert!(events.stdout.is_empty(), "seed {seed}: {}", String::from_utf8_lossy(&events.stdout));
        println!(
            "{:>5} s  round {round:>3}  {:>6.1} s  {} shots so far  coordinator {} MB, workers {} MB",
            begun.elapsed().as_secs(),
            started.elapsed().as_secs_f64(),
            fleet.kills,
            peak.0 >> 20,
            peak.1 >> 20,
        );
        peaks.push(peak);
        if begun.elapsed() >= Duration::from_secs(secs) && round > 0 {
            break;
        }
    }
    // The first rounds fill caches; after that nothing may grow.
    let quarter = (peaks.len() / 4).max(2);
    let most = |peaks: &[(u64, u64)], of: fn(&(u64, u64)) -> u64| peaks.iter().map(of).max().unwrap_or(0);
    let last = &peaks[peaks.len() - quarter.min(peaks.len())..];
    for (name, of) in [("coordinator", (|peak| peak.0) as fn(&(u64, u64)) -> u64), ("workers", |peak| peak.1)] {
        let (early, late) = (most(&peaks[..quarter], of), most(last, of));
        assert!(late <= early + GROWTH_MAX, "the {name} grew from {} to {} MB", early >> 20, late >> 20);
    }
}
