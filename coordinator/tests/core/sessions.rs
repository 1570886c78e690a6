//! Sessions: opened, lost, silent, claimed.

use super::*;

#[test]
fn a_lost_worker_s_trials_go_to_the_front() {
    let mut world = World::new(100);
    let first = leased(&world.join(1, "a", 1));
    assert!(!first.is_empty() && first[0] == 0);
    world.tell(Input::SessionClosed(SessionId(1)));
    let second = leased(&world.join(2, "b", 1));
    assert_eq!(second[..first.len()], first[..]);
}

#[test]
fn a_silent_worker_is_dismissed_after_three_heartbeats() {
    let mut world = World::new(10);
    let held = leased(&world.join(1, "a", 1));
    world.now = HEARTBEAT * 3;
    assert_eq!(world.tell(Input::Tick), []);
    world.now += Duration::from_millis(1);
    let gone = Action::Dismiss { session: SessionId(1), why: Dismissal::Silent };
    assert_eq!(world.tell(Input::Tick), [gone]);
    assert_eq!(leased(&world.join(2, "b", 1))[..held.len()], held[..]);
    // What it delivered before counts, whichever worker holds the trial now.
    let late = world.results(1, 5, &[0]);
    assert_eq!(late, [], "a dismissed session is not heard");
}

#[test]
fn a_new_session_of_a_process_ends_its_old_one_and_a_name_may_be_shared() {
    let mut world = World::new(10);
    let held = leased(&world.join(1, "same", 1));
    let other = leased(&world.join(2, "same", 1));
    assert!(!other.is_empty() && !other.contains(&held[0]), "two processes of one name work side by side");
    let actions = world.come(3, 1, "same", 1, &[]);
    assert_eq!(actions[0], Action::Dismiss { session: SessionId(1), why: Dismissal::Fenced });
    assert_eq!(leased(&actions)[..held.len()], held[..]);
    assert_eq!(world.view().workers, 2);
}

#[test]
fn what_a_worker_that_comes_back_still_runs_is_not_leased_again() {
    let mut world = World::new(100);
    let held = leased(&world.join(1, "a", 2));
    world.beats_and_is_cut(1);
    // Somebody else comes first and is given it.
    let taken = leased(&world.join(2, "b", 2));
    assert_eq!(taken[..2], held[..2]);
    let actions = world.come(3, 1, "a", 2, &held[..2]);
    let withdrawn = actions.iter().find_map(|action| match action {
        Action::Withdraw { session: SessionId(2), trials, .. } => Some(trials.iter().flatten().collect::<Vec<_>>()),
        _ => None,
    });
    assert_eq!(withdrawn.as_deref(), Some(&held[..2]));
    assert!(leased(&actions).iter().all(|trial| !held[..2].contains(trial)), "{actions:?}");
    // If it is lost again, its trials wait again.
    world.beats_and_is_cut(3);
    assert_eq!(leased(&world.join(4, "c", 2))[..2], held[..2]);
}

#[test]
fn claims_of_a_worker_are_bounded_and_checked() {
    let mut world = World::new(4);
    world.join(1, "a", 4);
    let arrived = world.results(1, 1, &[0]);
    world.commit(&arrived, Vec::new());
    let pending = world.results(1, 2, &[1]);
    world.beats_and_is_cut(1);
    // One is stored, one on its way to the store, one beyond the stage.
    world.come(2, 1, "a", 4, &[0, 1, 2, 9]);
    assert_eq!(world.view().leased, 2, "2 by its word, 3 by a lease");
    assert_eq!(acks(&world.commit(&pending, Vec::new())), [2], "over the new connection");
    let other = StageKey { run: RunId([9; 16]), stage: 0 };
    let worker = Worker { name: "b".to_owned(), process: identity(7), threads: 1, place: Default::default() };
    let held = vec![(other, std::iter::once(0..5).collect())];
    let actions = world.tell(Input::SessionOpened { session: SessionId(3), worker, held });
    assert!(actions.contains(&Action::Forget { session: SessionId(3), stage: other }), "{actions:?}");
}

#[test]
fn a_lease_that_an_idle_worker_has_lost_waits_again() {
    let mut world = World::new(4);
    let held = leased(&world.join(1, "w", 2));
    let beat = |holds: &[StageKey]| Input::Heartbeat {
        session: SessionId(1),
        load: Load::default(),
        executed: Duration::ZERO,
        holds: Some(holds.iter().copied().collect()),
    };
    world.tell(beat(&[]));
    assert_eq!(world.view().leased, held.len() as u64, "the lease may still be on its way");
    for _ in 0..4 {
        world.now += HEARTBEAT;
        world.tell(beat(&[STAGE]));
    }
    assert_eq!(leased(&world.tell(beat(&[])))[..2], held[..2]);
    assert!(world.events.iter().any(|event| matches!(event, RunEvent::LeaseDropped { .. })));
}
