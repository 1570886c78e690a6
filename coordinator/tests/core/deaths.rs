//! Deaths of workers and the trials that are suspected of them.

use super::*;

#[test]
fn a_trial_that_ends_worker_after_worker_runs_alone_and_is_quarantined() {
    let mut world = World::new(40);
    let held = leased(&world.join(1, "w1", 1));
    assert_eq!(held[0], 0);
    world.beats_and_dies(1, &[]);
    world.join(2, "w2", 1);
    world.beats_and_dies(2, &[]);
    let suspects = held.len() as u64;
    assert!(world.events.contains(&RunEvent::Suspected { stage: 0, trials: suspects }));
    assert_eq!(leased(&world.join(9, "both", 4)), held, "nothing beside them");
    world.beats_and_dies(9, &[]);
    // Each alone; the other one proves innocent.
    assert_eq!(leased(&world.join(3, "next", 4)), [0]);
    assert!(!is_quarantined(&world.beats_and_dies(3, &[]), 0));
    assert_eq!(leased(&world.join(4, "another", 4)), [1]);
    assert_eq!(leased(&world.results(4, 1, &[1])), [0]);
    assert!(!is_quarantined(&world.beats_and_dies(4, &[]), 0));
    assert_eq!(leased(&world.join(5, "third", 4)), [0]);
    assert!(is_quarantined(&world.beats_and_dies(5, &[]), 0));
    assert!(leased(&world.join(6, "last", 1)).len() >= 2, "the rest follows");
}

#[test]
fn a_lost_connection_is_held_against_nothing() {
    let mut world = World::new(2);
    world.join(1, "w", 1);
    for session in 2..50 {
        assert!(!is_quarantined(&world.beats_and_is_cut(session - 1), 0));
        // Longer than an absence may last, but never in one go.
        for _ in 0..RETURN_HEARTBEATS {
            world.now += HEARTBEAT;
            world.tell(Input::Tick);
        }
        world.come(session, 1, "w", 1, &[0]);
    }
    assert!(!world.events.iter().any(|event| matches!(event, RunEvent::Suspected { .. })), "{:?}", world.events);
    assert_eq!(world.view().quarantined, 0);
}

#[test]
fn a_suspect_waits_until_its_worker_returns_or_counts_as_dead() {
    let mut world = World::new(1);
    for session in [1, 2] {
        world.join(session, "w", 1);
        world.beats_and_dies(session, &[]);
    }
    assert_eq!(leased(&world.join(3, "w", 1)), [0], "alone");
    world.beats_and_is_cut(3);
    assert!(leased(&world.join(4, "other", 1)).is_empty(), "it may come back");
    world.come(5, 3, "w", 1, &[0]);
    let arrived = world.results(5, 1, &[0]);
    assert!(world.commit(&arrived, Vec::new()).contains(&Action::CloseStage(STAGE)));
}

#[test]
fn a_new_process_of_the_same_name_makes_a_lost_one_count_as_dead() {
    let mut world = World::new(1);
    for session in [1, 2, 3] {
        assert_eq!(leased(&world.join(session, "w", 1)), [0]);
        world.beats_and_is_cut(session);
    }
    // Two deaths made it a suspect; then it ran alone, and this is the first strike.
    let actions = world.join(4, "w", 1);
    assert!(actions.iter().any(|a| matches!(a, Action::StoreFailure { trial: 0, attempt: 1, .. })), "{actions:?}");
}

#[test]
fn a_trial_quarantined_for_deaths_that_did_not_happen_runs_again() {
    let mut world = World::new(2);
    let fail = |world: &mut World, session| {
        let session = SessionId(session);
        world.tell(Input::TrialFailed { session, stage: STAGE, trial: 0, error: "boom".to_owned() })
    };
    for session in [1, 2] {
        assert_eq!(leased(&world.join(session, "w", 1))[0], 0);
        world.beats_and_dies(session, &[]);
    }
    // The other trial keeps the stage open.
    for session in [3, 4] {
        let next = leased(&world.join(session, "w", 1));
        assert_eq!(next[0], 0, "{next:?}");
        world.beats_and_dies(session, &[]);
    }
    assert_eq!(leased(&world.join(5, "w", 1))[0], 0);
    let failed = fail(&mut world, 5);
    assert!(is_quarantined(&failed, 0), "{failed:?}");
    let actions = world.come(6, 4, "w", 1, &[]);
    assert!(actions.contains(&Action::StoreAcquittal { stage: STAGE, trial: 0, attempt: 2 }), "{actions:?}");
    assert_eq!(world.view().quarantined, 0);
    assert!(!is_quarantined(&actions, 0));
}

#[test]
fn a_suspect_is_run_by_another_worker_than_the_one_that_died() {
    let mut world = World::new(2);
    for session in [1, 2, 5] {
        world.join(session, "w", 2);
        world.beats_and_dies(session, &[]);
    }
    assert_eq!(leased(&world.join(3, "w", 2)), [0]);
    world.join(4, "other", 1);
    world.beats_and_dies(3, &[4]);
    let again = world.join(6, "w", 2);
    assert!(!leased(&again).contains(&0), "{again:?}");
}

#[test]
fn the_loss_of_a_worker_that_never_spoke_is_no_evidence() {
    let mut world = World::new(40);
    for session in 1..20 {
        let held = leased(&world.join(session, &format!("deaf-{session}"), 2));
        assert!(held.len() > 1 && held[0] == 0, "{held:?}");
        let actions = world.tell(Input::SessionClosed(SessionId(session)));
        assert_eq!(actions, [], "nothing is held against a trial");
    }
    assert!(!world.events.iter().any(|event| matches!(event, RunEvent::Suspected { .. })));
}
