//! The deciding core, by script; tests/simulation drives it by chance. After every event its invariant is checked.

use std::{collections::BTreeMap, time::Duration};

use coordinator::{
    core::{Action, Core, Dismissal, Input, OpenRun, Repeat, RunEvent, RunState, StageView, Worker},
    ids::{ProcessId, RunId, SessionId, StageKey, Ticket},
    ranges::RangeSet,
    rows::{Cells, Rows},
};
use record::{Column, ColumnType, Shape};

const HEARTBEAT: Duration = Duration::from_secs(1);
/// A lost worker counts as dead after so many.
const RETURN_HEARTBEATS: u32 = 6;
const RUN: RunId = RunId([7; 16]);
const STAGE: StageKey = StageKey { run: RUN, stage: 0 };

fn stage(index: u32, trials: u64) -> StageView {
    let value = Column { name: "value".to_owned(), kind: ColumnType::Int, pure: true, labels: None };
    StageView {
        index,
        name: "stage".to_owned(),
        trials,
        ahead: 0,
        shape: Shape { name: "s".to_owned(), columns: vec![value] },
    }
}

fn rows(trials: &[u64]) -> Rows {
    Rows {
        trials: trials.to_vec(),
        elapsed_us: vec![100_000; trials.len()],
        columns: vec![Cells::Ints(trials.iter().map(|&t| t as i64).collect())],
    }
}

/// A core with a clock, and what it said.
struct World {
    core: Core,
    now: Duration,
    events: Vec<RunEvent>,
}

impl World {
    fn new(trials: u64) -> Self {
        World::audited(trials, 0.0)
    }

    fn audited(trials: u64, audit: f64) -> Self {
        let mut world = World { core: Core::new(HEARTBEAT), now: Duration::ZERO, events: Vec::new() };
        let open = OpenRun {
            run: RUN,
            state: RunState::Running,
            stage: stage(0, trials),
            stored: BTreeMap::new(),
            quarantined: RangeSet::new(),
            failures: BTreeMap::new(),
            audit,
            disputes: BTreeMap::new(),
            distrusted: Vec::new(),
        };
        assert_eq!(world.tell(Input::RunOpened(Box::new(open))), []);
        world
    }

    /// What the core does; what it tells people is kept apart.
    fn tell(&mut self, event: Input) -> Vec<Action> {
        let mut actions = Vec::new();
        self.core.handle(self.now, event, &mut actions);
        self.core.check();
        actions.retain(|action| match action {
            Action::Event { event, .. } => {
                self.events.push(event.clone());
                false
            }
            _ => true,
        });
        actions
    }

    /// The store makes everything durable that was handed to it.
    fn commit(&mut self, actions: &[Action], repeats: Vec<Repeat>) -> Vec<Action> {
        self.tell(Input::Committed { ticket: ticket(actions), repeats })
    }

    /// A new process joins, whose identity is the number of its first session.
    fn join(&mut self, session: u64, name: &str, threads: u32) -> Vec<Action> {
        self.come(session, session, name, threads, &[])
    }

    /// A process opens a session and says what it holds of the stage.
    fn come(&mut self, session: u64, process: u64, name: &str, threads: u32, held: &[u64]) -> Vec<Action> {
        let worker = Worker { name: name.to_owned(), process: identity(process), threads };
        let held: RangeSet = held.iter().map(|&trial| trial..trial + 1).collect();
        let held = if held.is_empty() { Vec::new() } else { vec![(STAGE, held)] };
        self.tell(Input::SessionOpened { session: SessionId(session), worker, held })
    }

    fn beat(&mut self, session: u64) {
        let session = SessionId(session);
        self.tell(Input::Heartbeat { session, oldest: Duration::ZERO, outbox: 0, idle: false });
    }

    /// A worker that was alive before loses its connection.
    fn beats_and_is_cut(&mut self, session: u64) -> Vec<Action> {
        self.beat(session);
        self.tell(Input::SessionClosed(SessionId(session)))
    }

    /// A worker that was alive before goes and does not come back; those of `others` stay.
    fn beats_and_dies(&mut self, session: u64, others: &[u64]) -> Vec<Action> {
        let mut actions = self.beats_and_is_cut(session);
        for _ in 0..=RETURN_HEARTBEATS {
            self.now += HEARTBEAT;
            others.iter().for_each(|&other| self.beat(other));
        }
        actions.extend(self.tell(Input::Tick));
        actions
    }

    fn results(&mut self, session: u64, batch: u64, trials: &[u64]) -> Vec<Action> {
        self.tell(Input::Results { session: SessionId(session), batch, stage: STAGE, rows: rows(trials) })
    }

    fn view(&self) -> coordinator::core::RunView {
        self.core.views(self.now).remove(0)
    }
}

fn identity(process: u64) -> ProcessId {
    let mut id = [0; 16];
    id[..8].copy_from_slice(&process.to_le_bytes());
    ProcessId(id)
}

fn given_up(actions: &[Action], which: u64) -> bool {
    let gives_up = |a: &Action| matches!(a, Action::StoreFailure { trial, quarantine: true, .. } if *trial == which);
    actions.iter().any(gives_up)
}

fn leased(actions: &[Action]) -> Vec<u64> {
    let trials = actions.iter().filter_map(|action| match action {
        Action::Lease { trials, .. } => Some(trials.iter().flatten()),
        _ => None,
    });
    trials.flatten().collect()
}

fn ticket(actions: &[Action]) -> Ticket {
    let found = actions.iter().find_map(|action| match action {
        Action::Store { ticket, .. } => Some(*ticket),
        _ => None,
    });
    found.expect("rows go to the store")
}

fn committed(actions: &[Action]) -> Input {
    Input::Committed { ticket: ticket(actions), repeats: Vec::new() }
}

fn acks(actions: &[Action]) -> Vec<u64> {
    actions
        .iter()
        .filter_map(|action| if let Action::Ack { batch, .. } = action { Some(*batch) } else { None })
        .collect()
}

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
fn a_lost_worker_s_trials_go_to_the_front() {
    let mut world = World::new(100);
    let first = leased(&world.join(1, "a", 1));
    assert!(!first.is_empty() && first[0] == 0);
    world.tell(Input::SessionClosed(SessionId(1)));
    let second = leased(&world.join(2, "b", 1));
    assert_eq!(second[..first.len()], first[..]);
}

#[test]
fn a_silent_worker_is_given_up_after_three_heartbeats() {
    let mut world = World::new(10);
    let held = leased(&world.join(1, "a", 1));
    world.now = HEARTBEAT * 3;
    assert_eq!(world.tell(Input::Tick), []);
    world.now += Duration::from_millis(1);
    let gone = Action::Dismiss { session: SessionId(1), why: Dismissal::Silent };
    assert_eq!(world.tell(Input::Tick), [gone]);
    assert_eq!(leased(&world.join(2, "b", 1))[..held.len()], held[..]);
    // What it did deliver counts, whoever holds the trial now.
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
fn what_a_worker_says_it_holds_counts_within_reason() {
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
    let worker = Worker { name: "b".to_owned(), process: identity(7), threads: 1 };
    let held = vec![(other, std::iter::once(0..5).collect())];
    let actions = world.tell(Input::SessionOpened { session: SessionId(3), worker, held });
    assert!(actions.contains(&Action::Forget { session: SessionId(3), stage: other }), "{actions:?}");
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
        assert_eq!(leased(&actions).is_empty(), attempt == 3, "leased again until given up");
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
fn pausing_takes_work_back_and_keeps_what_arrives() {
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
fn the_rate_of_a_run_is_of_the_time_in_which_it_runs() {
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
    world.tell(Input::Heartbeat { session: SessionId(1), oldest: Duration::ZERO, outbox: 0, idle: false });
    world.tell(Input::Resume(RUN));
    assert_eq!(world.view().rate, 0.0, "nothing is known of it yet");
    (20..23).for_each(|batch| deliver(&mut world, batch));
    // Of the ten seconds behind it, it ran in three; the first batch came before the measurement.
    let rate = world.view().rate;
    assert!((8.0..=16.0).contains(&rate), "{rate}");
    world.tell(Input::Cancel(RUN));
    assert_eq!(world.view().rate, 0.0);
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
fn a_sample_is_run_by_somebody_else_before_the_stage_closes() {
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
fn an_audit_that_nobody_can_make_holds_nothing_up() {
    let mut world = World::audited(2, 1.0);
    world.join(1, "a", 2);
    let arrived = world.results(1, 1, &[0, 1]);
    assert!(world.commit(&arrived, Vec::new()).contains(&Action::CloseStage(STAGE)));
    assert!(matches!(world.events.last(), Some(RunEvent::AuditSkipped { trials: 2, .. })));
}

#[test]
fn a_worker_that_others_agree_is_wrong_is_sent_away_and_its_results_are_run_again() {
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
fn a_trial_that_ends_worker_after_worker_runs_alone_and_is_given_up() {
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
    assert!(!given_up(&world.beats_and_dies(3, &[]), 0));
    assert_eq!(leased(&world.join(4, "another", 4)), [1]);
    assert_eq!(leased(&world.results(4, 1, &[1])), [0]);
    assert!(!given_up(&world.beats_and_dies(4, &[]), 0));
    assert_eq!(leased(&world.join(5, "third", 4)), [0]);
    assert!(given_up(&world.beats_and_dies(5, &[]), 0));
    assert!(leased(&world.join(6, "last", 1)).len() >= 2, "the rest follows");
}

#[test]
fn a_lost_connection_is_held_against_nothing() {
    let mut world = World::new(2);
    world.join(1, "w", 1);
    for session in 2..50 {
        assert!(!given_up(&world.beats_and_is_cut(session - 1), 0));
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
fn a_suspect_waits_until_it_is_known_what_became_of_its_worker() {
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
fn a_new_process_under_its_name_says_that_a_lost_one_died() {
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
fn a_trial_given_up_for_deaths_that_were_none_is_run_again() {
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
    assert!(given_up(&failed, 0), "{failed:?}");
    let actions = world.come(6, 4, "w", 1, &[]);
    assert!(actions.contains(&Action::StoreAcquittal { stage: STAGE, trial: 0, attempt: 2 }), "{actions:?}");
    assert_eq!(world.view().quarantined, 0);
    assert!(!given_up(&actions, 0));
}

#[test]
fn a_suspect_is_tried_by_somebody_else_than_who_died_with_it() {
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
fn whoever_takes_trials_and_never_says_a_word_proves_nothing_against_them() {
    let mut world = World::new(40);
    for session in 1..20 {
        let held = leased(&world.join(session, &format!("deaf-{session}"), 2));
        assert!(held.len() > 1 && held[0] == 0, "{held:?}");
        let actions = world.tell(Input::SessionClosed(SessionId(session)));
        assert_eq!(actions, [], "nothing is held against a trial");
    }
    assert!(!world.events.iter().any(|event| matches!(event, RunEvent::Suspected { .. })));
}

#[test]
fn a_trial_that_failed_is_tried_by_somebody_else() {
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

#[test]
fn what_a_worker_has_lost_without_a_word_waits_again() {
    let mut world = World::new(4);
    let held = leased(&world.join(1, "w", 2));
    let beat = |idle| Input::Heartbeat { session: SessionId(1), oldest: Duration::ZERO, outbox: 0, idle };
    world.tell(beat(true));
    assert_eq!(world.view().leased, held.len() as u64, "the lease may still be on its way");
    for _ in 0..4 {
        world.now += HEARTBEAT;
        world.tell(beat(false));
    }
    assert_eq!(leased(&world.tell(beat(true)))[..2], held[..2]);
    assert!(world.events.iter().any(|event| matches!(event, RunEvent::LeaseDropped { .. })));
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
    world.tell(Input::Heartbeat { session: SessionId(1), oldest: Duration::from_secs(41), outbox: 0, idle: false });
    let obstacle = world.view().obstacle;
    let wanted = "2 workers connected, 1 idle; stage 0 waits for 2 trials on worker `n07`, the oldest running for 41 s";
    assert_eq!(obstacle, wanted);
}
