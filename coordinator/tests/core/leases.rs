//! Leases, copies and the status.

use super::*;

#[test]
fn leases_grow_with_speed_and_shrink_towards_the_end() {
    let mut world = World::new(1_000_000);
    let probe = leased(&world.join(1, "w", 2));
    assert!(probe.len() <= 4, "nothing is known yet");
    // 100 ms a trial: about two seconds for each of two threads.
    let actions = world.results(1, 1, &probe);
    let grown = leased(&actions).len();
    assert!((20..=40).contains(&grown), "{grown}");
    let mut small = World::new(20);
    let probe = leased(&small.join(1, "w", 2));
    small.join(2, "v", 2);
    let rest = leased(&small.results(1, 1, &probe)).len();
    assert!(rest <= 10, "{rest} of what is left go to one of two workers");
}

#[test]
fn idle_workers_get_copies_of_the_oldest_leases_and_the_first_result_counts() {
    let mut world = World::new(2);
    let held = leased(&world.join(1, "slow", 1));
    let other = leased(&world.join(2, "fast", 1));
    assert_eq!((held, other), (vec![0], vec![1]));
    // 100 ms a trial: a lease is copied once it is older than that.
    let arrived = world.results(2, 1, &[1]);
    assert!(leased(&world.commit(&arrived, Vec::new())).is_empty(), "too young to be copied");
    world.now += Duration::from_millis(101);
    assert_eq!(leased(&world.tell(Input::Tick)), [0]);
    assert!(
        matches!(&world.events[..], [.., RunEvent::CopyIssued { trials: 1, of, to, .. }] if of == "slow" && to == "fast")
    );
    assert!(leased(&world.tell(Input::Tick)).is_empty(), "copied once");
    // The original dies: the copy is enough. The copy dies, too: the trial waits again.
    world.tell(Input::SessionClosed(SessionId(1)));
    assert_eq!(world.view().leased, 1);
    world.tell(Input::SessionClosed(SessionId(2)));
    assert_eq!(leased(&world.join(3, "third", 1)), [0]);
    let arrived = world.results(3, 1, &[0]);
    assert!(world.commit(&arrived, Vec::new()).contains(&Action::CloseStage(STAGE)));
}

#[test]
fn pausing_takes_leases_back_and_keeps_late_results() {
    let mut world = World::new(50);
    let held = leased(&world.join(1, "w", 1));
    let paused = world.tell(Input::Pause(RUN));
    assert!(paused.contains(&Action::Forget { session: SessionId(1), stage: STAGE }));
    let late = world.results(1, 1, &held[..1]);
    world.tell(committed(&late));
    assert_eq!((world.view().stored, world.view().leased), (1, 0));
    let resumed = leased(&world.tell(Input::Resume(RUN)));
    assert!(!resumed.is_empty() && !resumed.contains(&held[0]));
    world.tell(Input::Cancel(RUN));
    assert_eq!(acks(&world.results(1, 2, &[40])), [2], "acknowledged and dropped");
    assert_eq!(world.view().stored, 1);
}

#[test]
fn the_rate_of_a_run_does_not_count_pauses() {
    let mut world = World::new(10_000);
    world.join(1, "w", 1);
    let deliver = |world: &mut World, batch: u64| {
        // Ten results a second.
        world.now += Duration::from_secs(1);
        let trials: Vec<u64> = (10 * batch..10 * batch + 10).collect();
        let sent = world.results(1, batch, &trials);
        world.commit(&sent, Vec::new());
    };
    (0..20).for_each(|batch| deliver(&mut world, batch));
    let rate = world.view().rate;
    assert!((9.0..=11.0).contains(&rate), "{rate}");
    world.tell(Input::Pause(RUN));
    assert_eq!(world.view().rate, 0.0, "it does not run");
    world.now += Duration::from_secs(3_600);
    world.tell(Input::Heartbeat {
        session: SessionId(1),
        load: Load::default(),
        executed: Duration::ZERO,
        holds: None,
    });
    world.tell(Input::Resume(RUN));
    assert_eq!(world.view().rate, 0.0, "nothing is known of it yet");
    (20..23).for_each(|batch| deliver(&mut world, batch));
    // It ran in three of the last ten seconds; the first batch came before the measurement.
    let rate = world.view().rate;
    assert!((8.0..=16.0).contains(&rate), "{rate}");
    world.tell(Input::Cancel(RUN));
    assert_eq!(world.view().rate, 0.0);
}

#[test]
fn nothing_is_leased_while_the_store_cannot_write() {
    let mut world = World::new(4);
    world.tell(Input::StoreTrouble { run: RUN, why: "disk full at `x`".to_owned() });
    assert!(leased(&world.join(1, "w", 2)).is_empty());
    assert!(world.view().obstacle.contains("disk full at `x`"), "{}", world.view().obstacle);
    assert_eq!(leased(&world.tell(Input::StoreRecovered(RUN))), [0, 1]);
}

#[test]
fn the_status_says_what_the_end_of_a_stage_waits_for() {
    let mut world = World::new(2);
    world.join(1, "n07", 2);
    world.join(2, "n08", 1);
    world.tell(Input::Heartbeat {
        session: SessionId(1),
        load: Load { oldest: Duration::from_secs(41), ..Load::default() },
        executed: Duration::ZERO,
        holds: None,
    });
    let obstacle = world.view().obstacle;
    let wanted = "2 workers connected, 1 idle; stage 0 waits for 2 trials on worker `n07`, the oldest running for 41 s";
    assert_eq!(obstacle, wanted);
}
