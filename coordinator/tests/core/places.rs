//! Workers that say where they run: jobs that end, workers that are told to leave, machines that compute wrongly.

use std::{collections::BTreeSet, sync::Arc};

use coordinator::core::Place;

use super::*;

impl World {
    /// A new process joins from a place.
    fn join_from(&mut self, session: u64, name: &str, threads: u32, place: Place) -> Vec<Action> {
        let worker = Worker { name: name.to_owned(), process: identity(session), threads, place: Arc::new(place) };
        self.tell(Input::SessionOpened { session: SessionId(session), worker, held: Vec::new() })
    }

    /// A world in which a worker has run two trials of 100 ms.
    fn timed(trials: u64) -> Self {
        let mut world = World::new(trials);
        let probe = leased(&world.join(1, "first", 1));
        let arrived = world.results(1, 1, &probe);
        world.tell(committed(&arrived));
        world
    }
}

fn job(name: &str) -> Place {
    Place { host: "n1".to_owned(), allocation: name.to_owned(), ..Place::default() }
}

fn until(millis: u64) -> Place {
    Place { stays: Some(Duration::from_millis(millis)), ..Place::default() }
}

/// Sessions that are told to leave.
fn told_to_leave(actions: &[Action]) -> Vec<u64> {
    let leave = |action: &Action| match action {
        Action::Leave { session, .. } => Some(session.0),
        _ => None,
    };
    actions.iter().filter_map(leave).collect()
}

#[test]
fn a_worker_gets_what_it_ends_before_its_job_does() {
    for (stays, threads, trials) in [(50, 2, 0), (250, 2, 4), (1_050, 1, 10), (3_600_000, 1, 20)] {
        let mut world = World::timed(10_000);
        let got = leased(&world.join_from(2, "second", threads, until(stays))).len();
        assert_eq!(got, trials, "{stays} ms for {threads} threads");
    }
}

#[test]
fn a_worker_whose_job_ends_too_soon_for_any_trial_is_told_to_leave() {
    let mut world = World::timed(10_000);
    world.join_from(2, "second", 1, until(250));
    assert_eq!(told_to_leave(&world.tell(Input::Tick)), [0; 0], "it has work");
    world.join_from(3, "third", 1, until(50));
    assert_eq!(told_to_leave(&world.tell(Input::Tick)), [3]);
    assert_eq!(told_to_leave(&world.tell(Input::Tick)), [0; 0], "once");
}

/// Before any result nobody knows how long a trial takes.
#[test]
fn an_unknown_trial_is_tried() {
    let mut world = World::new(10);
    assert!(!leased(&world.join_from(1, "first", 1, until(1))).is_empty());
}

#[test]
fn workers_of_a_job_are_told_to_leave_and_get_nothing_more() {
    let mut world = World::new(3);
    assert_eq!(leased(&world.join_from(1, "busy", 3, job("rq-1"))).len(), 3);
    world.join_from(2, "idle", 1, job("rq-2"));
    world.join_from(3, "other", 1, job("rq-3"));
    let of = |names: &[&str], only_idle| Input::Leave {
        allocations: names.iter().map(|&name| name.to_owned()).collect::<BTreeSet<_>>(),
        only_idle,
    };
    assert_eq!(told_to_leave(&world.tell(of(&["rq-1", "rq-2", "rq-9"], true))), [2], "a busy one stays");
    assert_eq!(told_to_leave(&world.tell(of(&["rq-1", "rq-2"], false))), [1], "the other is told already");
    // What it hands back goes to the one that stays.
    let back = std::iter::once(1..3).collect();
    let handed = world.tell(Input::HandedBack { session: SessionId(1), stage: STAGE, trials: back });
    assert_eq!(leased(&handed), [1]);
    let fleet = world.core.members(world.now);
    let leaving: Vec<bool> = fleet.iter().map(|member| member.leaving).collect();
    assert_eq!(leaving, [true, true, false]);
    assert_eq!(fleet[2].held(), 1);
}

#[test]
fn a_machine_that_computes_wrongly_is_refused_whatever_its_workers_are_called() {
    let on = |host: &str| Place { host: host.to_owned(), ..Place::default() };
    let differs = |agrees_with: &[&str]| Repeat {
        trial: 0,
        stored_by: "liar".to_owned(),
        equal: false,
        agrees_with: agrees_with.iter().map(|&name| name.to_owned()).collect(),
    };
    let dismissed = |actions: &[Action]| -> Vec<u64> {
        let session = |action: &Action| match action {
            Action::Dismiss { session, why: Dismissal::Distrusted(_) } => Some(session.0),
            _ => None,
        };
        actions.iter().filter_map(session).collect()
    };
    // Where all workers are on one machine, it is right as well as wrong, and only names tell.
    for (others, gone, refused) in [("n2", vec![1, 2], true), ("n1", vec![1], false)] {
        let mut world = World::audited(3, 1.0);
        world.join_from(1, "liar", 3, on("n1"));
        world.join_from(2, "neighbour", 1, on("n1"));
        let arrived = world.results(1, 1, &[0, 1, 2]);
        world.join_from(3, "b", 3, on(others));
        world.commit(&arrived, Vec::new());
        let second = world.results(3, 1, &[0]);
        world.commit(&second, vec![differs(&[])]);
        world.join_from(4, "c", 1, on(others));
        let third = world.results(4, 1, &[0]);
        let settled = world.commit(&third, vec![differs(&["b"])]);
        assert_eq!(dismissed(&settled), gone, "{others}");
        let retracted = settled.iter().filter(|action| matches!(action, Action::Retract { .. })).count();
        assert_eq!(retracted, gone.len(), "{others}");
        assert_eq!(dismissed(&world.join_from(5, "renamed", 1, on("n1"))) == [5], refused, "{others}");
        assert_eq!(dismissed(&world.join_from(6, "liar", 1, on("n9"))), [6], "{others}");
        assert_eq!(dismissed(&world.join_from(7, "another", 1, on("n3"))), [0; 0], "{others}");
    }
}
