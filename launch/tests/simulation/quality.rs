//! How well the fleet grows, against a rule that knows everything in advance.
//!
//! `REDQUEEN_LAUNCH_QUALITY=20 cargo test --release -p launch --test simulation quality -- --nocapture` prints a table from
//! 20 seeds a row; by default the shortest work is run once, and only the bound is checked.

use std::time::Duration;

use launch::core::{Outcome, Policy};

use crate::{chance::Chance, number, scenario::Scenario, tamper::Tamper, world::World};

/// Cores of a job.
const CPUS: u32 = 16;
/// Most jobs.
const JOBS: u32 = 16;
/// Longest time of a job.
const WALLTIME_SECS: f64 = 8.0 * 3_600.0;
/// Mean time between the start of a job and its worker's Hello in the model.
const START_SECS: f64 = 21.5;

/// A world in which nothing goes wrong: jobs wait for about `delay`, and all jobs together would need `hours`.
fn scenario(delay: f64, hours: f64, stages: usize, chance: &mut Chance) -> Scenario {
    let mut scenario = Scenario::draw(chance);
    let work = f64::from(CPUS * JOBS) * hours * 3_600.0;
    scenario.policy = Policy::new(JOBS, CPUS, Duration::from_secs_f64(WALLTIME_SECS));
    scenario.stages = vec![work / stages as f64; stages];
    scenario.step = if hours > 1.0 { 20.0 } else { 5.0 };
    (scenario.trial, scenario.estimate, scenario.delay) = (1.0, 1.0, delay);
    scenario.delays = (0..1_000).map(|_| delay * chance.spread(0.1, 10.0)).collect();
    (scenario.others, scenario.bad, scenario.hosts, scenario.limit) = (0, 0, 2 * JOBS as usize, usize::MAX);
    (scenario.preemption, scenario.lost_answers, scenario.unreadable, scenario.twice) = (f64::INFINITY, 0.0, 0.0, 0.0);
    (scenario.restarts, scenario.elapsed, scenario.remembers) = (true, true, true);
    (scenario.permanent, scenario.stop, scenario.once) = (None, None, false);
    for windows in [&mut scenario.blind, &mut scenario.busy, &mut scenario.away, &mut scenario.frozen] {
        windows.clear();
    }
    scenario.kills.clear();
    scenario.jumps.clear();
    scenario
}

/// Core-seconds and finish of a rule with the same limits that knows each delay and when the work ends: as many jobs wait as
/// may, a job that waited for a place starts when one is free, jobs that would find less than ten minutes of work are not asked
/// for, and all end with the work.
fn clairvoyant(scenario: &Scenario) -> (f64, f64) {
    let cores = f64::from(CPUS);
    let mut slots = vec![0.0_f64; scenario.policy.waiting as usize];
    // Jobs by when they start, and what all have done until the last of them starts.
    let mut starts: Vec<f64> = Vec::new();
    let done = |starts: &[f64], at: f64| {
        let spans = starts.iter().map(|start| (at - start).clamp(0.0, WALLTIME_SECS) - START_SECS);
        cores * spans.map(|span| span.max(0.0)).sum::<f64>()
    };
    for delay in &scenario.delays {
        slots.sort_by(f64::total_cmp);
        let mut start = slots[0] + delay;
        let mut ends: Vec<f64> = starts.iter().map(|start| start + WALLTIME_SECS).filter(|end| *end > start).collect();
        ends.sort_by(f64::total_cmp);
        if ends.len() >= JOBS as usize {
            start = ends[ends.len() - JOBS as usize];
        }
        slots[0] = start;
        if done(&starts, start + 600.0) >= scenario.work() {
            break;
        }
        starts.push(start);
    }
    let (mut low, mut high) = (0.0, 1e8);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if done(&starts, middle) >= scenario.work() { high = middle } else { low = middle }
    }
    (scenario.work() + starts.len() as f64 * START_SECS * cores, high)
}

#[test]
fn growth_quality() {
    let seeds = number("REDQUEEN_LAUNCH_QUALITY", 0);
    let (seeds, rows): (u64, &[f64]) = if seeds == 0 { (1, &[0.25]) } else { (seeds, &[0.25, 2.0, 12.0]) };
    println!(
        "| queue delay | work / fleet | stages | core-hours | of clairvoyant | finish | of clairvoyant | useful |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    let (mut worst, mut late) = (0.0_f64, 0.0_f64);
    for (delay, name) in [(10.0, "10 s"), (60.0, "1 min"), (600.0, "10 min"), (3_600.0, "1 h"), (21_600.0, "6 h")] {
        for &hours in rows {
            for stages in [1, 20] {
                let (mut cost, mut best, mut finish, mut soonest, mut useful) = (0.0, 0.0, 0.0, 0.0, 0.0);
                for seed in 0..seeds {
                    let mut chance = Chance::new(seed);
                    let scenario = scenario(delay, hours, stages, &mut chance);
                    let (least, first) = clairvoyant(&scenario);
                    let outcome = World::of(scenario, chance, Tamper::None, false).run().0;
                    assert_eq!(outcome.ended.outcome, Outcome::Finished);
                    cost += outcome.allocated;
                    best += least;
                    finish += outcome.done_at;
                    soonest += first;
                    useful += outcome.view.costs.useful;
                }
                let n = seeds as f64;
                println!(
                    "| {name} | {hours} h | {stages} | {:.1} | {:+.1} % | {:.2} h | {:+.0} % | {:.1} % |",
                    cost / n / 3_600.0,
                    100.0 * (cost / best - 1.0),
                    finish / n / 3_600.0,
                    100.0 * (finish / soonest - 1.0),
                    100.0 * useful / cost,
                );
                worst = worst.max(cost / best);
                late = late.max(finish / soonest);
            }
        }
    }
    println!("at most {:+.1} % core-hours and {:+.0} % time", 100.0 * (worst - 1.0), 100.0 * (late - 1.0));
    assert!(worst <= 1.10, "{worst} times the core-hours of a rule that knows all");
}
