//! A simulation of the launcher's core with a batch system, a coordinator and its work, from one seed: jobs wait for seconds or
//! hours, are refused in every way, are taken away, begin anew, or run on machines where no worker joins; answers are lost,
//! late, doubled and unreadable; the coordinator is away, the launcher is killed in mid-act or frozen, its journal is torn or
//! lost, the wall clock jumps. After every step there are never more jobs than allowed, none was asked for while another one
//! was in doubt, the budget holds, no busy worker was told to leave, and the queue is not asked too often. Every launch ends,
//! with its work done unless something forbids it, and with no job left.
//!
//! `REDQUEEN_SIMULATION_SEEDS=10000 cargo test --release -p launch --test simulation` runs more seeds;
//! `REDQUEEN_SIMULATION_FIRST=N` starts at another one, and `REDQUEEN_SIMULATION_LOG=FILE` writes the log of the first.

mod batch;
mod chance;
mod checks;
mod quality;
mod runs;
mod scenario;
mod tamper;
mod world;

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use tamper::Tamper;
use world::{Outcome, World};

/// Number of seeds by default.
const SEEDS: u64 = 300;

fn number(name: &str, otherwise: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is a number, and not `{text}`")),
        Err(_) => otherwise,
    }
}

/// What comes of a seed, or why it fails.
fn run(seed: u64, tamper: Tamper) -> Result<Outcome, String> {
    catch_unwind(AssertUnwindSafe(|| World::new(seed, tamper, false).run().0)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        text.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned())).unwrap_or_default()
    })
}

#[test]
fn no_seed_breaks_a_limit_or_leaves_a_job() {
    let (first, count) = (number("REDQUEEN_SIMULATION_FIRST", 0), number("REDQUEEN_SIMULATION_SEEDS", SEEDS));
    if let Ok(path) = std::env::var("REDQUEEN_SIMULATION_LOG") {
        // The log of a failing seed ends where it fails; the seed then runs again with the others.
        let log = World::log_of(first);
        std::fs::write(&path, log).unwrap_or_else(|error| panic!("cannot write `{path}`: {error}"));
    }
    let next = AtomicU64::new(first);
    let outcomes: Mutex<BTreeMap<u64, Result<Outcome, String>>> = Mutex::default();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + count {
                        break;
                    }
                    let outcome = run(seed, Tamper::None);
                    outcomes.lock().unwrap_or_else(PoisonError::into_inner).insert(seed, outcome);
                }
            });
        }
    });
    let outcomes = outcomes.into_inner().unwrap_or_else(PoisonError::into_inner);
    let failures: Vec<String> =
        outcomes.iter().filter_map(|(seed, o)| o.as_ref().err().map(|why| format!("seed {seed}: {why}"))).collect();
    let good: Vec<&Outcome> = outcomes.values().filter_map(|o| o.as_ref().ok()).collect();
    let sum = |f: fn(&Outcome) -> u64| good.iter().map(|o| f(o)).sum::<u64>();
    let mut by: BTreeMap<String, u64> = BTreeMap::new();
    for outcome in &good {
        let word = format!("{:?}", outcome.ended.outcome);
        *by.entry(word.split('(').next().unwrap_or_default().to_owned()).or_default() += 1;
        if !outcome.ended.unconfirmed.is_empty() {
            *by.entry("unconfirmed".to_owned()).or_default() += 1;
        }
    }
    println!(
        "{} seeds, {} failed; {by:?}; {} steps, {} submissions, {} in doubt, {} queries, {} starts of the launcher, {} requeues",
        outcomes.len(),
        failures.len(),
        sum(|o| o.steps),
        sum(|o| o.submitted),
        sum(|o| o.doubts),
        sum(|o| o.queries),
        sum(|o| o.restarts),
        sum(|o| u64::from(o.requeued)),
    );
    let shown = failures.iter().take(20).map(|f| f.chars().take(600).collect::<String>()).collect::<Vec<_>>();
    assert!(failures.is_empty(), "{} seeds of {count} failed:\n{}", failures.len(), shown.join("\n"));
    // A simulation without faults would prove nothing.
    if count >= SEEDS {
        for word in ["Finished", "Budget", "Refused", "Stopped"] {
            assert!(by.contains_key(word), "no launch ended by {word}");
        }
        assert!(sum(|o| o.doubts) > 0 && sum(|o| u64::from(o.requeued)) > 0);
    }
}

#[test]
fn mistakes_are_caught() {
    for tamper in [Tamper::UnreadableIsEmpty, Tamper::DoubtIsRefusal, Tamper::BusyIsIdle, Tamper::WaitingIsForgotten] {
        let caught = (0..1_000).find_map(|seed| run(seed, tamper).err().map(|why| (seed, why)));
        let (seed, why) = caught.unwrap_or_else(|| panic!("{tamper:?} is caught by none of 1000 seeds"));
        println!("{tamper:?} is caught by seed {seed}: {}", why.chars().take(100).collect::<String>());
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    for seed in [1, 2, 3] {
        let (once, log) = World::new(seed, Tamper::None, true).run();
        let (again, same) = World::new(seed, Tamper::None, true).run();
        assert_eq!(once, again);
        assert!(!log.is_empty() && log == same, "the logs of seed {seed} differ");
    }
    assert_ne!(World::new(1, Tamper::None, true).run().1, World::new(2, Tamper::None, true).run().1);
}
