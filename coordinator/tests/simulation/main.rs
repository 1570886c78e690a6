//! A simulation of the core with workers, network and disk, from one seed (docs/failures.md, row 11): messages are
//! lost, doubled, delayed and reordered, processes die, freeze and return, one worker gives wrong results, clocks jump,
//! the disk is full or keeps half of a transaction; in a tenth of the seeds other runs, of other priorities, share the fleet
//! and never end. After every step the core's invariant must hold, acknowledged
//! results must be on the disk, and each stage must close once, complete; once faults stop, the run must end.
//!
//! `REDQUEEN_SIMULATION_SEEDS=10000 cargo test --release -p coordinator --test simulation` runs more seeds;
//! `REDQUEEN_SIMULATION_FIRST=N` starts at another one, and `REDQUEEN_SIMULATION_LOG=FILE` writes the log of the first.

mod chance;
mod disk;
mod fleet;
mod world;

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use world::{Outcome, World};

/// Number of seeds by default.
const SEEDS: u64 = 3_000;

fn number(name: &str, otherwise: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is a number, and not `{text}`")),
        Err(_) => otherwise,
    }
}

fn run(seed: u64) -> Outcome {
    World::new(seed, false).run().0
}

#[test]
fn no_seed_loses_anything() {
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
                    let outcome = catch_unwind(AssertUnwindSafe(|| run(seed)));
                    let outcome = outcome.map_err(|panic| {
                        let text = panic.downcast_ref::<String>().cloned();
                        text.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned())).unwrap_or_default()
                    });
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
    println!(
        "{} seeds, {} failed; {} steps, {} faults, {} copies, {} trials quarantined, {} distrusted",
        outcomes.len(),
        failures.len(),
        sum(|o| o.steps),
        sum(|o| o.faults),
        sum(|o| o.copies),
        sum(|o| o.quarantined),
        sum(|o| o.distrusted),
    );
    let shown = failures.iter().take(20).map(|f| f.chars().take(600).collect::<String>()).collect::<Vec<_>>();
    assert!(failures.is_empty(), "{} seeds of {count} failed:\n{}", failures.len(), shown.join("\n"));
    // A simulation without faults would prove nothing.
    if count >= SEEDS {
        let kinds = [("finished", 1), ("failed", 1), ("cancelled", 1)];
        for (state, least) in kinds {
            let found = good.iter().filter(|o| o.state == state).count();
            assert!(found >= least, "{found} runs {state}");
        }
        assert!(sum(|o| o.copies) > 0 && sum(|o| o.distrusted) > 0 && sum(|o| o.quarantined) > 0);
    }
}

#[test]
fn runs_share_a_fleet_by_priority_while_nothing_goes_wrong() {
    let second = 1_000_000;
    for seed in 0..5 {
        let found = World::shares(seed, [2, 1, 1], 20 * second, 120 * second);
        let near = found.iter().zip([0.5, 0.25, 0.25]).all(|(found, wanted)| (found - wanted).abs() < 0.1 * wanted);
        assert!(near, "seed {seed}: {found:.3?}");
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    for seed in [1, 2, 3, 5, 8] {
        let (once, log) = World::new(seed, true).run();
        let (again, same) = World::new(seed, true).run();
        assert_eq!(once, again);
        assert!(!log.is_empty() && log == same, "the logs of seed {seed} differ");
    }
    assert_ne!(World::new(1, true).run().1, World::new(2, true).run().1);
}
