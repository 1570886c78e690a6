//! How many jobs, and how long: tables.

use std::time::Duration;

use launch::core::scale::{Situation, Span, least_walltime, submit, walltime, wanted};

/// Jobs of 64 cores, 40 at most, 2 of which may wait; much work and no worker.
fn situation() -> Situation {
    Situation {
        left: Some(1e9),
        width: 1e6,
        time_left: None,
        cores: 64.0,
        others: 0.0,
        meanwhile: 0.0,
        have: 0,
        coming: 0,
        waiting: 0,
        live: 0,
        min: 0,
        max: 40,
        waiting_limit: 2,
    }
}

#[test]
fn wanted_jobs() {
    let s = situation();
    let cases = [
        ("as many as the stage feeds", Situation { width: 640.0, ..s }, 10),
        ("rounded to jobs", Situation { width: 672.0, ..s }, 11),
        ("rounded down", Situation { width: 671.0, ..s }, 10),
        ("at most the limit", s, 40),
        ("one if there is little", Situation { width: 1.0, ..s }, 1),
        ("one at a barrier without workers", Situation { width: 0.0, ..s }, 1),
        ("none if others do it", Situation { width: 1.0, others: 8.0, ..s }, 0),
        ("less what others do", Situation { width: 640.0, others: 128.0, ..s }, 8),
        ("the least that a person wants", Situation { width: 1.0, min: 3, ..s }, 3),
        ("not more than the limit even then", Situation { width: 1.0, min: 3, max: 2, ..s }, 2),
        ("none if none may be", Situation { max: 0, ..s }, 0),
        // 64 · 10 cores for 3600 s
        ("what the time to finish asks for", Situation { left: Some(2_304_000.0), time_left: Some(3_600.0), ..s }, 10),
        ("not more than the stage feeds", Situation { time_left: Some(3_600.0), width: 128.0, ..s }, 2),
        ("as fast as can be when it is late", Situation { left: Some(64.0), time_left: Some(-1.0), ..s }, 40),
        ("ten minutes are the shortest time", Situation { left: Some(76_800.0), time_left: Some(1.0), ..s }, 2),
        ("the stage if the work is unknown", Situation { left: None, time_left: Some(60.0), width: 128.0, ..s }, 2),
    ];
    for (name, situation, expected) in cases {
        assert_eq!(wanted(&situation), expected, "{name}");
    }
}

#[test]
fn jobs_to_ask_for() {
    let s = situation();
    // Ten minutes of work for one job.
    let one = 600.0 * 64.0;
    let cases = [
        ("as many as may wait", s, 2),
        ("fewer while others wait", Situation { have: 1, coming: 1, waiting: 1, live: 1, ..s }, 1),
        ("none while as many wait as may", Situation { have: 2, coming: 2, waiting: 2, live: 2, ..s }, 0),
        ("not more than wanted", Situation { width: 64.0, ..s }, 1),
        ("none if there are as many as wanted", Situation { width: 64.0, have: 1, live: 1, ..s }, 0),
        ("those that go still count for the limit", Situation { have: 38, live: 39, ..s }, 1),
        ("none at the limit", Situation { have: 30, live: 40, ..s }, 0),
        ("one for the least work", Situation { left: Some(1.0), ..s }, 1),
        ("one when all is leased", Situation { left: Some(0.0), width: 0.0, ..s }, 1),
        ("none for little work with a job", Situation { left: Some(one), have: 1, live: 1, ..s }, 0),
        ("one for enough", Situation { left: Some(one + 1.0), have: 1, live: 1, ..s }, 1),
        ("each needs its own", Situation { left: Some(2.0 * one + 1.0), have: 1, live: 1, ..s }, 2),
        ("and those that come, theirs", Situation { left: Some(one + 1.0), have: 1, coming: 1, live: 1, ..s }, 0),
        (
            "what is done until it starts is gone",
            Situation { left: Some(2.0 * one), meanwhile: one, have: 1, live: 1, ..s },
            0,
        ),
        ("those that a person wants in any case", Situation { left: Some(1.0), min: 2, ..s }, 2),
        ("unknown work is enough", Situation { left: None, have: 1, live: 1, ..s }, 2),
        ("none that others need not", Situation { width: 8.0, others: 8.0, ..s }, 0),
    ];
    for (name, situation, expected) in cases {
        assert_eq!(submit(&situation), expected, "{name}");
    }
}

#[test]
fn walltimes() {
    let hour = 3_600.0;
    let s =
        Span { longest: 8.0 * hour, left: None, fleet: 64.0, wanted: 64.0, growth: 1.0, trial: None, affordable: None };
    let minutes = |span: &Span, name: &str| walltime(span, name).map(|time| time.as_secs_f64() / 60.0);
    // Shortened by 0 to 15 %, in whole minutes, by the name alone.
    let all: Vec<f64> = (0..200).map(|n| minutes(&s, &format!("rq-12345678-{n:04}")).expect("long enough")).collect();
    assert!(all.iter().all(|m| (408.0..=480.0).contains(m) && m.fract() == 0.0), "{all:?}");
    let (low, high) = all.iter().fold((f64::INFINITY, 0.0_f64), |(l, h), &m| (l.min(m), h.max(m)));
    assert!(low < 412.0 && high > 476.0, "they do not end together: {low} to {high}");
    assert_eq!(minutes(&s, "a"), minutes(&s, "a"));
    // 1.2 · 1 h + 10 min = 82 min, less at most 15 %.
    let short = Span { left: Some(64.0 * hour), growth: 0.0, ..s };
    assert!((69.0..=82.0).contains(&minutes(&short, "x").expect("long enough")));
    // A fleet that grows by a core a second from 64 to 128: 64 s of 96 cores, then 128 of them for the rest of 1 h · 64.
    let growing = Span { wanted: 128.0, growth: 1.0, ..short };
    let expected = (1.2 * (64.0 + (64.0 * hour - 64.0 * 96.0) / 128.0) + 600.0) / 60.0;
    let found = minutes(&growing, "x").expect("long enough");
    assert!((0.85 * expected - 1.0..=expected).contains(&found), "{found} of {expected}");
    // Room for trials.
    let trial = Some(2.0 * hour);
    assert_eq!(least_walltime(8.0 * hour, trial), 4.0 * hour + 120.0);
    assert!(minutes(&Span { left: Some(1.0), trial, ..s }, "x").expect("long enough") >= 242.0);
    assert_eq!(least_walltime(hour, trial), hour, "a job cannot be longer than it may be");
    assert_eq!(least_walltime(hour, None), 300.0);
    // What the budget leaves.
    assert_eq!(walltime(&Span { affordable: Some(1_000.0), ..s }, "x"), Some(Duration::from_secs(960)));
    assert_eq!(walltime(&Span { affordable: Some(300.0), ..s }, "x"), Some(Duration::from_secs(300)));
    assert_eq!(walltime(&Span { affordable: Some(239.0), ..s }, "x"), None);
    assert_eq!(walltime(&Span { affordable: Some(-5.0), ..s }, "x"), None);
    assert_eq!(walltime(&Span { affordable: Some(hour), trial, ..s }, "x"), None, "no trial would end in it");
}
