//! The deciding core, by script and by chance. After every event its invariant is checked.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use coordinator::{
    core::{Action, Core, Dismissal, Event, OpenRun, RunState, StageView, Worker},
    ids::{RunId, SessionId, StageKey, Ticket},
    ranges::RangeSet,
    rows::{Cells, Rows},
};
use experiments::value::{Column, ColumnType, Shape};
use proptest::prelude::*;

const HEARTBEAT: Duration = Duration::from_secs(1);
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
}

impl World {
    fn new(trials: u64) -> Self {
        let mut world = World { core: Core::new(HEARTBEAT), now: Duration::ZERO };
        let open = OpenRun {
            run: RUN,
            state: RunState::Running,
            stage: stage(0, trials),
            stored: RangeSet::new(),
            quarantined: RangeSet::new(),
            failures: BTreeMap::new(),
            by: BTreeMap::new(),
        };
        assert_eq!(world.tell(Event::RunOpened(Box::new(open))), []);
        world
    }

    fn tell(&mut self, event: Event) -> Vec<Action> {
        let mut actions = Vec::new();
        self.core.handle(self.now, event, &mut actions);
        self.core.check();
        actions
    }

    fn join(&mut self, session: u64, name: &str, threads: u32) -> Vec<Action> {
        let worker = Worker { name: name.to_owned(), threads };
        self.tell(Event::SessionOpened { session: SessionId(session), worker })
    }

    fn results(&mut self, session: u64, batch: u64, trials: &[u64]) -> Vec<Action> {
        self.tell(Event::Results { session: SessionId(session), batch, stage: STAGE, rows: rows(trials) })
    }

    fn view(&self) -> coordinator::core::RunView {
        self.core.views(self.now).remove(0)
    }
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
    let committed = world.tell(Event::Committed(ticket(&arrived)));
    assert_eq!(acks(&committed), [1]);
    assert!(committed.contains(&Action::CloseStage(STAGE)));
    assert_eq!(world.tell(Event::StageClosed { run: RUN, next: Ok(stage(1, 3)) }).len(), 1, "the next stage is leased");
    assert_eq!(world.view().stage, 1);
    // A late result of the closed stage is acknowledged and dropped.
    assert_eq!(world.results(1, 2, &[0]), [Action::Ack { session: SessionId(1), batch: 2 }]);
}

#[test]
fn a_lost_worker_s_trials_go_to_the_front() {
    let mut world = World::new(100);
    let first = leased(&world.join(1, "a", 1));
    assert!(!first.is_empty() && first[0] == 0);
    world.tell(Event::SessionClosed(SessionId(1)));
    let second = leased(&world.join(2, "b", 1));
    assert_eq!(second[..first.len()], first[..]);
}

#[test]
fn a_silent_worker_is_given_up_after_three_heartbeats() {
    let mut world = World::new(10);
    let held = leased(&world.join(1, "a", 1));
    world.now = HEARTBEAT * 3;
    assert_eq!(world.tell(Event::Tick), []);
    world.now += Duration::from_millis(1);
    let gone = Action::Dismiss { session: SessionId(1), why: Dismissal::Silent };
    assert_eq!(world.tell(Event::Tick), [gone]);
    assert_eq!(leased(&world.join(2, "b", 1))[..held.len()], held[..]);
    // What it did deliver counts, whoever holds the trial now.
    let late = world.results(1, 5, &[0]);
    assert_eq!(late, [], "a dismissed session is not heard");
}

#[test]
fn a_new_session_under_a_name_fences_the_old() {
    let mut world = World::new(10);
    let held = leased(&world.join(1, "same", 1));
    let actions = world.join(2, "same", 1);
    assert_eq!(actions[0], Action::Dismiss { session: SessionId(1), why: Dismissal::Fenced });
    assert_eq!(leased(&actions)[..held.len()], held[..]);
}

#[test]
fn the_same_batch_twice_counts_once_and_is_acknowledged_twice() {
    let mut world = World::new(4);
    world.join(1, "w", 4);
    let first = world.results(1, 1, &[0, 1]);
    let again = world.results(1, 1, &[0, 1]);
    assert_eq!(acks(&world.tell(Event::Committed(ticket(&first)))), [1]);
    assert_eq!(acks(&world.tell(Event::Committed(ticket(&again)))), [1]);
    assert_eq!((world.view().stored, world.view().leased), (2, 2));
}

#[test]
fn three_failures_quarantine_a_trial_and_the_stage_goes_on() {
    let mut world = World::new(2);
    world.join(1, "w", 2);
    let fail = |world: &mut World| {
        world.tell(Event::TrialFailed { session: SessionId(1), stage: STAGE, trial: 1, error: "boom".to_owned() })
    };
    for attempt in 1..=3 {
        let actions = fail(&mut world);
        let noted = actions.iter().any(|action| {
            matches!(action, Action::StoreFailure { attempt: a, quarantine, .. } if *a == attempt && *quarantine == (attempt == 3))
        });
        assert!(noted, "{actions:?}");
        assert_eq!(leased(&actions).is_empty(), attempt == 3, "leased again until given up");
    }
    let stored = world.results(1, 1, &[0]);
    assert!(world.tell(Event::Committed(ticket(&stored))).contains(&Action::CloseStage(STAGE)));
    assert_eq!(world.view().quarantined, 1);
}

#[test]
fn pausing_takes_work_back_and_keeps_what_arrives() {
    let mut world = World::new(50);
    let held = leased(&world.join(1, "w", 1));
    let paused = world.tell(Event::Pause(RUN));
    assert!(paused.contains(&Action::Forget { session: SessionId(1), stage: STAGE }));
    let late = world.results(1, 1, &held[..1]);
    world.tell(Event::Committed(ticket(&late)));
    assert_eq!((world.view().stored, world.view().leased), (1, 0));
    let resumed = leased(&world.tell(Event::Resume(RUN)));
    assert!(!resumed.is_empty() && !resumed.contains(&held[0]));
    world.tell(Event::Cancel(RUN));
    assert_eq!(acks(&world.results(1, 2, &[40])), [2], "acknowledged and dropped");
    assert_eq!(world.view().stored, 1);
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
        let event = Event::Results { session: SessionId(1), batch: 1, stage: STAGE, rows: bad };
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

/// What may happen to a fleet of four names.
#[derive(Clone, Debug)]
enum Happening {
    Join(u8),
    Leave(u8),
    /// Delivers some of what it holds; again with the same number if `true`.
    Deliver(u8, u8, bool),
    Fail(u8),
    HandBack(u8),
    /// The store finishes its oldest or newest batch.
    Commit(bool),
    Pause,
    Resume,
    Wait(u8),
    Forged(u8, u64),
}

fn happening() -> impl Strategy<Value = Happening> {
    let who = || 0u8..4;
    prop_oneof![
        2 => who().prop_map(Happening::Join),
        1 => who().prop_map(Happening::Leave),
        8 => (who(), 1u8..8, any::<bool>()).prop_map(|(w, n, twice)| Happening::Deliver(w, n, twice)),
        1 => who().prop_map(Happening::Fail),
        1 => who().prop_map(Happening::HandBack),
        6 => any::<bool>().prop_map(Happening::Commit),
        1 => Just(Happening::Pause),
        2 => Just(Happening::Resume),
        1 => (1u8..40).prop_map(Happening::Wait),
        1 => (who(), 0u64..60).prop_map(|(w, t)| Happening::Forged(w, t)),
    ]
}

/// A fleet and a store that may do anything, and what is true of them.
struct Fleet {
    world: World,
    /// By name: session and what it holds.
    workers: BTreeMap<u8, (u64, BTreeSet<u64>)>,
    sessions: u64,
    batches: u64,
    committing: Vec<(Ticket, Vec<u64>)>,
    /// Durable trials.
    stored: BTreeSet<u64>,
    acknowledged: BTreeMap<u64, Vec<u64>>,
    sent: BTreeMap<u64, Vec<u64>>,
    closed: u32,
    quarantined: BTreeSet<u64>,
}

impl Fleet {
    fn new(trials: u64) -> Self {
        Fleet {
            world: World::new(trials),
            workers: BTreeMap::new(),
            sessions: 0,
            batches: 0,
            committing: Vec::new(),
            stored: BTreeSet::new(),
            acknowledged: BTreeMap::new(),
            sent: BTreeMap::new(),
            closed: 0,
            quarantined: BTreeSet::new(),
        }
    }

    fn tell(&mut self, event: Event) {
        for action in self.world.tell(event) {
            match action {
                Action::Lease { session, trials, .. } => {
                    if let Some((_, held)) = self.workers.values_mut().find(|(s, _)| *s == session.0) {
                        held.extend(trials.iter().flatten());
                    }
                }
                Action::Forget { session, .. } => {
                    if let Some((_, held)) = self.workers.values_mut().find(|(s, _)| *s == session.0) {
                        held.clear();
                    }
                }
                Action::Dismiss { session, .. } => self.workers.retain(|_, (s, _)| *s != session.0),
                Action::Store { ticket, rows, .. } => self.committing.push((ticket, rows.trials)),
                Action::Ack { batch, .. } => {
                    let trials = self.sent[&batch].clone();
                    let durable = trials.iter().all(|t| self.stored.contains(t));
                    assert!(durable || self.closed > 0, "batch {batch} was acknowledged before it was durable");
                    self.acknowledged.insert(batch, trials);
                }
                Action::StoreFailure { trial, quarantine: true, .. } => {
                    self.quarantined.insert(trial);
                }
                Action::CloseStage(_) => self.closed += 1,
                Action::StoreFailure { .. } | Action::StoreState { .. } => {}
            }
        }
        assert!(self.closed <= 1, "a stage closes once");
    }

    fn results(&mut self, session: u64, trials: &[u64], twice: bool) {
        self.batches += 1;
        self.sent.insert(self.batches, trials.to_vec());
        for _ in 0..1 + u8::from(twice) {
            let (batch, rows) = (self.batches, rows(trials));
            self.tell(Event::Results { session: SessionId(session), batch, stage: STAGE, rows });
        }
    }

    fn happen(&mut self, happening: &Happening) {
        match *happening {
            Happening::Join(name) => {
                self.sessions += 1;
                let session = self.sessions;
                // The old session ends with the new one's opening.
                self.workers.remove(&name);
                self.workers.insert(name, (session, BTreeSet::new()));
                let worker = Worker { name: name.to_string(), threads: 1 + u32::from(name) };
                self.tell(Event::SessionOpened { session: SessionId(session), worker });
            }
            Happening::Leave(name) => {
                if let Some((session, _)) = self.workers.remove(&name) {
                    self.tell(Event::SessionClosed(SessionId(session)));
                }
            }
            Happening::Deliver(name, count, twice) => {
                if let Some((session, held)) = self.workers.get_mut(&name) {
                    let session = *session;
                    let trials: Vec<u64> = held.iter().copied().take(count.into()).collect();
                    held.retain(|t| !trials.contains(t));
                    self.results(session, &trials, twice);
                }
            }
            Happening::Fail(name) => {
                if let Some((session, held)) = self.workers.get_mut(&name)
                    && let Some(trial) = held.pop_first()
                {
                    let session = SessionId(*session);
                    self.tell(Event::TrialFailed { session, stage: STAGE, trial, error: String::new() });
                }
            }
            Happening::HandBack(name) => {
                if let Some((session, held)) = self.workers.get_mut(&name) {
                    let trials = std::mem::take(held).into_iter().map(|t| t..t + 1).collect();
                    let session = SessionId(*session);
                    self.tell(Event::HandedBack { session, stage: STAGE, trials });
                }
            }
            Happening::Commit(oldest) => {
                if !self.committing.is_empty() {
                    let index = if oldest { 0 } else { self.committing.len() - 1 };
                    let (ticket, trials) = self.committing.remove(index);
                    self.stored.extend(trials);
                    self.tell(Event::Committed(ticket));
                }
            }
            Happening::Pause => self.tell(Event::Pause(RUN)),
            Happening::Resume => self.tell(Event::Resume(RUN)),
            Happening::Wait(tenths) => {
                self.world.now += Duration::from_millis(100 * u64::from(tenths));
                self.tell(Event::Tick);
            }
            // Results of a trial that the session was never given.
            Happening::Forged(name, trial) => {
                if let Some((session, _)) = self.workers.get(&name) {
                    self.results(*session, &[trial], false);
                }
            }
        }
    }

    /// Faults end: one good worker and a working store finish the stage.
    fn settle(&mut self) {
        self.happen(&Happening::Resume);
        (1..4).for_each(|name| self.happen(&Happening::Leave(name)));
        self.happen(&Happening::Join(0));
        for _ in 0..1_000 {
            self.happen(&Happening::Deliver(0, 8, false));
            self.happen(&Happening::Commit(true));
            if self.closed == 1 {
                return;
            }
        }
        panic!("the stage does not close: {:?}", self.world.view());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// Messages doubled and reordered, workers dying, a slow store: nothing is lost, acknowledged early or closed
    /// twice, and once faults stop the stage closes with every trial stored or given up.
    #[test]
    fn whatever_happens_nothing_is_lost(happenings in prop::collection::vec(happening(), 0..120)) {
        const TRIALS: u64 = 60;
        let mut fleet = Fleet::new(TRIALS);
        for happening in &happenings {
            fleet.happen(happening);
        }
        if fleet.closed == 0 {
            fleet.settle();
        }
        for trial in 0..TRIALS {
            prop_assert!(fleet.stored.contains(&trial) || fleet.quarantined.contains(&trial), "trial {} is lost", trial);
        }
    }
}
