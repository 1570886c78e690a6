//! Results, failures and audits.

use super::*;

#[test]
fn an_acknowledgement_comes_after_the_commit_and_closing_after_the_last() {
    let mut world = World::new(2);
    assert_eq!(leased(&world.join(1, "w", 2)), [0, 1]);
    let arrived = world.results(1, 1, &[0, 1]);
    assert!(acks(&arrived).is_empty());
    assert!(!arrived.contains(&Action::CloseStage(STAGE)));
    let committed = world.tell(committed(&arrived));
    assert_eq!(acks(&committed), [1]);
    assert!(committed.contains(&Action::CloseStage(STAGE)));
    assert_eq!(world.tell(Input::StageClosed { run: RUN, next: Ok(stage(1, 3)) }).len(), 1, "the next stage is leased");
    assert_eq!(world.view().stage, 1);
    // A late result of the closed stage is acknowledged and dropped.
    assert_eq!(world.results(1, 2, &[0]), [Action::Ack { session: SessionId(1), batch: 2 }]);
}

#[test]
fn the_same_batch_twice_counts_once_and_is_acknowledged_once_it_is_stored() {
    let mut world = World::new(4);
    world.join(1, "w", 4);
    let first = world.results(1, 1, &[0, 1]);
    assert_eq!(world.results(1, 1, &[0, 1]), [], "it is on its way to the store");
    world.come(2, 1, "w", 4, &[]);
    assert_eq!(world.results(2, 1, &[0, 1]), [], "over another connection, too");
    let stored = world.tell(committed(&first));
    assert_eq!(acks(&stored), [1]);
    assert!(stored.contains(&Action::Ack { session: SessionId(2), batch: 1 }));
    let again = world.results(2, 1, &[0, 1]);
    assert_eq!(acks(&world.tell(committed(&again))), [1]);
    assert_eq!((world.view().stored, world.view().leased), (2, 2));
}

#[test]
fn three_failures_quarantine_a_trial_and_the_stage_goes_on() {
    let mut world = World::new(2);
    world.join(1, "w", 2);
    let fail = |world: &mut World| {
        world.tell(Input::TrialFailed { session: SessionId(1), stage: STAGE, trial: 1, error: "boom".to_owned() })
    };
    for attempt in 1..=3 {
        let actions = fail(&mut world);
        let noted = actions.iter().any(|action| {
            matches!(action, Action::StoreFailure { attempt: a, quarantine, .. } if *a == attempt && *quarantine == (attempt == 3))
        });
        assert!(noted, "{actions:?}");
        assert_eq!(leased(&actions).is_empty(), attempt == 3, "leased again until it is quarantined");
    }
    assert_eq!(world.view().quarantined, 1);
    // Somebody who was away has a result of it: that beats the verdict. A failure that comes after it is none.
    world.join(2, "late", 1);
    let late = world.results(2, 1, &[1]);
    assert_eq!(world.view().quarantined, 0);
    assert_eq!(fail(&mut world), []);
    let stored = world.results(1, 1, &[0]);
    assert!(!world.tell(committed(&late)).contains(&Action::CloseStage(STAGE)));
    assert!(world.tell(committed(&stored)).contains(&Action::CloseStage(STAGE)));
}

#[test]
fn rows_that_cannot_be_of_the_stage_end_the_session() {
    for bad in [
        rows(&[10]),
        Rows { columns: vec![], ..rows(&[0]) },
        Rows { columns: vec![Cells::Reals(vec![0.5])], ..rows(&[0]) },
    ] {
        let mut world = World::new(10);
        world.join(1, "w", 1);
        let event = Input::Results { session: SessionId(1), batch: 1, stage: STAGE, rows: bad };
        let actions = world.tell(event);
        assert!(matches!(actions[..], [Action::Dismiss { why: Dismissal::Misfit(_), .. }]), "{actions:?}");
    }
}

#[test]
fn a_sample_is_audited_by_another_worker_before_the_stage_closes() {
    let mut world = World::audited(2, 1.0);
    world.join(1, "a", 2);
    let arrived = world.results(1, 1, &[0, 1]);
    world.join(2, "b", 2);
    let stored = world.commit(&arrived, Vec::new());
    assert!(!stored.contains(&Action::CloseStage(STAGE)));
    assert_eq!(leased(&stored), [0, 1], "b checks what a delivered");
    let again = world.results(2, 1, &[0, 1]);
    let repeat = |trial| Repeat { trial, stored_by: "a".to_owned(), equal: true, agrees_with: Vec::new() };
    assert!(world.commit(&again, vec![repeat(0), repeat(1)]).contains(&Action::CloseStage(STAGE)));
}

#[test]
fn an_audit_without_another_worker_delays_nothing() {
    let mut world = World::audited(2, 1.0);
    world.join(1, "a", 2);
    let arrived = world.results(1, 1, &[0, 1]);
    assert!(world.commit(&arrived, Vec::new()).contains(&Action::CloseStage(STAGE)));
    assert!(matches!(world.events.last(), Some(RunEvent::AuditSkipped { trials: 2, .. })));
}

#[test]
fn a_worker_whose_results_are_wrong_is_dismissed_and_its_trials_run_again() {
    let mut world = World::audited(3, 1.0);
    world.join(1, "liar", 3);
    let arrived = world.results(1, 1, &[0, 1, 2]);
    world.join(2, "b", 3);
    world.commit(&arrived, Vec::new());
    let second = world.results(2, 1, &[0]);
    let differs = |trial, agrees_with: &[&str]| Repeat {
        trial,
        stored_by: "liar".to_owned(),
        equal: false,
        agrees_with: agrees_with.iter().map(|&name| name.to_owned()).collect(),
    };
    world.commit(&second, vec![differs(0, &[])]);
    let third = world.join(3, "c", 1);
    assert_eq!(leased(&third), [0], "somebody who has not run it decides");
    let arrived = world.results(3, 1, &[0]);
    let settled = world.commit(&arrived, vec![differs(0, &["b"])]);
    assert!(settled.iter().any(|a| matches!(a, Action::Retract { worker, .. } if worker == "liar")), "{settled:?}");
    assert!(
        settled
            .iter()
            .any(|action| matches!(action, Action::Dismiss { session: SessionId(1), why: Dismissal::Distrusted(_) }))
    );
    assert!(!settled.contains(&Action::CloseStage(STAGE)));
    let again = world.tell(Input::Retracted { stage: STAGE, trials: std::iter::once(0..3).collect() });
    assert_eq!(leased(&again), [0], "1 and 2 are in the hands of b already");
    assert_eq!(world.view().stored, 0);
    // It does not come back.
    let back = world.join(9, "liar", 1);
    assert!(matches!(back[..], [Action::Dismiss { session: SessionId(9), why: Dismissal::Distrusted(_) }]), "{back:?}");
}

#[test]
fn a_trial_that_failed_is_run_next_by_another_worker() {
    let mut world = World::new(4);
    world.join(1, "a", 2);
    world.join(2, "b", 1);
    world.results(2, 1, &[2]);
    let failed = Input::TrialFailed { session: SessionId(1), stage: STAGE, trial: 0, error: "boom".to_owned() };
    assert!(leased(&world.tell(failed)).is_empty(), "the other worker has enough to do");
    let next = world.results(2, 2, &[3]).into_iter().find_map(|action| match action {
        Action::Lease { session, trials, .. } if trials.contains(0) => Some(session),
        _ => None,
    });
    assert_eq!(next, Some(SessionId(2)));
}
