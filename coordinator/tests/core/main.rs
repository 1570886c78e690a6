//! The core, driven by scripts (tests/simulation drives it at random). Its invariant is checked after every input.

mod deaths;
mod leases;
mod left;
mod looked_at;
mod places;
mod results;
mod sessions;
mod shares;

use std::{collections::BTreeMap, time::Duration};

use coordinator::{
    core::{Action, Core, Dismissal, Input, Load, OpenRun, Quota, Repeat, RunEvent, RunState, StageView, Worker},
    ids::{ProcessId, RunId, SessionId, StageKey, Ticket},
    ranges::RangeSet,
    rows::{Cells, Rows},
};
use record::{Column, ColumnType, Shape};

const HEARTBEAT: Duration = Duration::from_secs(1);
/// Heartbeats after which a lost worker counts as dead.
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

/// A core with a clock, and the events that it recorded.
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
            quota: Quota::default(),
        };
        assert_eq!(world.tell(Input::RunOpened(Box::new(open))), []);
        world
    }

    /// The actions that follow from an input; events are kept apart.
    fn tell(&mut self, input: Input) -> Vec<Action> {
        let mut actions = Vec::new();
        self.core.handle(self.now, input, &mut actions);
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

    /// Reports the batch of `actions` as durable.
    fn commit(&mut self, actions: &[Action], repeats: Vec<Repeat>) -> Vec<Action> {
        self.tell(Input::Committed { ticket: ticket(actions), repeats })
    }

    /// A new process joins, whose identity is the number of its first session.
    fn join(&mut self, session: u64, name: &str, threads: u32) -> Vec<Action> {
        self.come(session, session, name, threads, &[])
    }

    /// A process opens a session and claims trials of the stage.
    fn come(&mut self, session: u64, process: u64, name: &str, threads: u32, held: &[u64]) -> Vec<Action> {
        let worker = Worker { name: name.to_owned(), process: identity(process), threads, place: Default::default() };
        let held: RangeSet = held.iter().map(|&trial| trial..trial + 1).collect();
        let held = if held.is_empty() { Vec::new() } else { vec![(STAGE, held)] };
        self.tell(Input::SessionOpened { session: SessionId(session), worker, held })
    }

    fn beat(&mut self, session: u64) {
        let session = SessionId(session);
        self.tell(Input::Heartbeat { session, load: Load::default(), executed: Duration::ZERO, holds: None });
    }

    /// A worker sends a heartbeat and loses its connection.
    fn beats_and_is_cut(&mut self, session: u64) -> Vec<Action> {
        self.beat(session);
        self.tell(Input::SessionClosed(SessionId(session)))
    }

    /// A worker sends a heartbeat and dies; the workers of `others` stay.
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

fn is_quarantined(actions: &[Action], which: u64) -> bool {
    let quarantines = |a: &Action| matches!(a, Action::StoreFailure { trial, quarantine: true, .. } if *trial == which);
    actions.iter().any(quarantines)
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
