//! What people see of workers, and what seeing costs.

use std::{mem::size_of, time::Instant};

use coordinator::core::{Counts, MemberView};

use super::*;

fn seen(world: &World) -> Vec<MemberView> {
    world.core.members(world.now)
}

#[test]
fn a_worker_is_seen_with_its_load_and_what_it_holds() {
    let mut world = World::new(100);
    let held = leased(&world.join(1, "a", 2));
    let load = Load { running: 2, queued: 3, oldest: Duration::from_millis(700), outbox: 4 };
    let (session, executed) = (SessionId(1), Duration::from_secs(9));
    world.tell(Input::Heartbeat { session, load, executed, holds: None });
    world.now += HEARTBEAT;
    let [seen] = &seen(&world)[..] else { panic!("one worker") };
    assert_eq!((seen.load, seen.executed, seen.silent, seen.rate), (load, executed, HEARTBEAT, 0.0));
    assert_eq!(seen.holds, [(STAGE, held.len() as u64)]);
    assert!(!seen.alone && !seen.leaving);
}

#[test]
fn what_became_of_its_trials_is_counted_over_the_connections_of_a_process() {
    let mut world = World::audited(100, 1.0);
    let held = leased(&world.join(1, "a", 4));
    assert!(held.len() >= 3, "{held:?}");
    let arrived = world.results(1, 1, &held[..1]);
    world.commit(&arrived, Vec::new());
    let error = "no result".to_owned();
    world.tell(Input::TrialFailed { session: SessionId(1), stage: STAGE, trial: held[1], error });
    let counts = |world: &World, at: usize| seen(world)[at].counts;
    assert_eq!(counts(&world, 0), Counts { delivered: 1, failed: 1, lost: 0, disputes: 0 });
    let lost: u64 = seen(&world)[0].held();
    world.beats_and_is_cut(1);
    world.come(2, 1, "a", 4, &[]);
    assert_eq!(counts(&world, 0), Counts { delivered: 1, failed: 1, lost, disputes: 0 });
    // Another process of that name has done nothing yet. A dispute is one of both parties.
    world.join(3, "b", 1);
    let second = world.results(3, 1, &held[..1]);
    let differs = Repeat { trial: held[0], stored_by: "a".to_owned(), equal: false, agrees_with: Vec::new() };
    world.commit(&second, vec![differs]);
    assert_eq!(counts(&world, 0), Counts { delivered: 1, failed: 1, lost, disputes: 1 });
    assert_eq!(counts(&world, 1), Counts { delivered: 1, failed: 0, lost: 0, disputes: 1 });
}

/// A page shows ten thousand workers at once, and the driver does nothing else meanwhile.
#[test]
fn ten_thousand_workers_cost_little_to_look_at() {
    const WORKERS: u64 = 10_000;
    let mut world = World::new(1_000_000);
    let mut actions = Vec::new();
    for number in 0..WORKERS {
        let name = format!("node-{number:05}.cluster.example-{}", 1_000_000 + number);
        let worker = Worker { name, process: identity(number), threads: 16, place: Default::default() };
        let input = Input::SessionOpened { session: SessionId(number), worker, held: Vec::new() };
        // Its invariant is not checked after each, which would take as long as the fleet is large.
        world.core.handle(world.now, input, &mut actions);
        actions.clear();
    }
    let mut times: Vec<Duration> = Vec::new();
    let mut bytes = 0;
    for _ in 0..10 {
        let begun = Instant::now();
        let seen = seen(&world);
        times.push(begun.elapsed());
        assert_eq!(seen.len() as u64, WORKERS);
        let of = |view: &MemberView| {
            size_of::<MemberView>() + view.worker.name.capacity() + view.holds.capacity() * size_of::<(StageKey, u64)>()
        };
        bytes = seen.iter().map(of).sum();
    }
    let best = times.iter().min().expect("some");
    eprintln!("{WORKERS} workers: {best:?}, {} kB", bytes / 1_000);
    assert!(bytes <= 4 << 20, "{bytes} bytes");
    // 63 ms in a test build on two cores at a load of 13; a search of the fleet for each worker would take seconds.
    assert!(*best < Duration::from_millis(400), "{best:?}");
}
