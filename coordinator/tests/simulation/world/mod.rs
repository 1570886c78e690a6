//! The simulated world: one clock, one agenda of occurrences, an unreliable network, and the checks.

mod faults;
mod network;
mod sim_coordinator;
mod workers;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    num::NonZeroU32,
    time::Duration,
};

use coordinator::{
    core::{Core, Input, Quota, RunState},
    ids::{RunId, SessionId, Ticket},
    ranges::RangeSet,
};

use crate::{
    chance::{Chance, mix},
    disk::{Disk, RUN, Shapes, other},
    fleet::{Batch, FakeWorker, Time},
};

const SECOND: Time = 1_000_000;
const HEARTBEAT: Time = SECOND;
/// Time after which a worker that got no Welcome reconnects.
const WELCOME_TIMEOUT: Time = 15 * SECOND;
/// Time within which the run must end once faults have stopped.
const LIVENESS: Time = 1_800 * SECOND;

/// Messages of workers.
#[derive(Clone, Debug)]
enum Up {
    Hello {
        /// The trials that it runs or has finished without an acknowledgement, by stage.
        held: BTreeMap<u32, RangeSet>,
    },
    Beat {
        oldest: Time,
        outbox: u64,
        stages: BTreeSet<u32>,
    },
    Results {
        number: u64,
        batch: Batch,
    },
    Failed {
        stage: u32,
        trial: u64,
    },
    HandBack {
        stage: u32,
        trials: Vec<u64>,
    },
    /// The process has closed the stream.
    Bye,
}

/// Messages of the coordinator.
#[derive(Clone, Debug)]
enum Down {
    Welcome,
    Lease {
        stage: u32,
        trials: RangeSet,
    },
    Ack(u64),
    Withdraw {
        stage: u32,
        trials: RangeSet,
    },
    Forget(u32),
    /// The end of the stream; true if the worker must not come back.
    Dismissed(bool),
}

/// An entry of the agenda.
#[derive(Debug)]
enum Occurrence {
    Up(u64, Up),
    Down(u64, Down),
    /// The coordinator, or below the worker, sees that a connection has ended.
    BrokenAbove(u64),
    BrokenBelow(u64),
    Start(usize),
    Connect(usize, u64),
    Unwelcome(usize, u64, u64),
    Finish(usize, u64, usize),
    Deliver(usize, u64),
    Beat(usize, u64, u64),
    Tick(u64),
    Write(u64),
    /// A batch of a run without a disk is durable.
    Durable(u64, Ticket),
    Coordinator,
    Fault,
    Calm,
}

struct Connection {
    worker: usize,
    life: u64,
    coordinator: u64,
    session: Option<SessionId>,
    /// Whether the coordinator's side is open, and the worker's side.
    above: bool,
    below: bool,
    /// Whether no message gets through any more.
    cut: bool,
}

struct SimCoordinator {
    life: u64,
    core: Core,
    started: Time,
    sessions: BTreeMap<SessionId, u64>,
    next_session: u64,
}

/// Conditions of the network: one message in so many is lost or doubled, and the longest delay.
#[derive(Clone, Copy)]
struct Conditions {
    lost_once_in: u64,
    doubled_once_in: u64,
    delay: Time,
}

const CALM: Conditions = Conditions { lost_once_in: 0, doubled_once_in: 0, delay: 2_000 };

/// Result of a seed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) state: &'static str,
    pub(crate) fold: u64,
    pub(crate) steps: u64,
    pub(crate) faults: u64,
    pub(crate) copies: u64,
    pub(crate) distrusted: u64,
    pub(crate) quarantined: u64,
}

pub(crate) struct World {
    chance: Chance,
    now: Time,
    /// By how much the coordinator's clock has jumped ahead.
    jumped: Time,
    agenda: BTreeMap<(Time, u64), Occurrence>,
    next: u64,
    disk: Disk,
    coordinator: Option<SimCoordinator>,
    coordinators: u64,
    workers: Vec<FakeWorker>,
    connections: BTreeMap<u64, Connection>,
    conditions: Conditions,
    calm: bool,
    /// Connections are cut and names are shared, but no process dies: no failure may be counted for any trial.
    gentle: bool,
    cancels: bool,
    /// Trials that fail on every worker, and trials that kill the process that runs them.
    failing: BTreeSet<u64>,
    killing: BTreeSet<u64>,
    /// Batches that were sent, by (worker, life, number).
    sent: BTreeMap<(usize, u64, u64), Batch>,
    /// Trials that a lost worker ran alone.
    excused: BTreeSet<(u32, u64)>,
    /// Stages whose sample was not audited completely.
    unchecked: BTreeSet<u32>,
    log: Option<String>,
    steps: u64,
    faults: u64,
    copies: u64,
    /// Runs beside the one that counts, until that has ended.
    others: Vec<Quota>,
    others_ended: bool,
    /// Thread time that each run has had.
    used: BTreeMap<RunId, Time>,
}

/// The runs beside the one that counts: some in a tenth of the seeds. They are drawn apart, so that the rest of a seed does not
/// depend on them.
fn others(seed: u64) -> Vec<Quota> {
    let mut chance = Chance::new(mix(seed ^ 0x5a5a));
    let count = [1, 2].get(chance.below(20) as usize).copied().unwrap_or(0);
    let mut quota = || Quota {
        priority: [1, 1, 2, 5, 3][chance.below(5) as usize],
        max_threads: NonZeroU32::new(chance.below(4).saturating_sub(1) as u32),
    };
    (0..count).map(|_| quota()).collect()
}

impl World {
    pub(crate) fn new(seed: u64, keep_log: bool) -> Self {
        let mut chance = Chance::new(mix(seed));
        let liar = chance.once_in(4);
        let count = chance.between(if liar { 4 } else { 2 }, 7);
        let mut workers: Vec<FakeWorker> = (0..count)
            .map(|index| {
                let threads = chance.between(1, 4) as usize;
                let slowness = if chance.once_in(4) { 10 } else { 1 };
                FakeWorker::new(format!("w{index}"), threads, slowness, 0)
            })
            .collect();
        if liar {
            let lies = chance.between(1, 12);
            let FakeWorker { name, threads, .. } = &workers[0];
            workers[0] = FakeWorker::new(name.clone(), *threads, 1, lies);
        }
        let shapes = Shapes {
            stages: chance.between(1, 4) as u32,
            trials_min: 5,
            trials_max: 70,
            audit: if liar { 1.0 } else { [0.0, 0.01, 0.2][chance.below(3) as usize] },
            seed: mix(seed ^ 1),
        };
        let mut some = |once_in: u64| -> BTreeSet<u64> {
            if chance.once_in(once_in) {
                (0..=chance.below(2)).map(|_| chance.below(70)).collect()
            } else {
                BTreeSet::new()
            }
        };
        let (failing, mut killing) = (some(3), some(4));
        if chance.once_in(4) {
            let name = workers[workers.len() - 2].name.clone();
            if let Some(last) = workers.last_mut().filter(|_| !liar || count > 3) {
                last.name = name;
            }
        }
        let gentle = chance.once_in(4);
        if gentle {
            killing.clear();
        }
        World {
            gentle,
            cancels: chance.once_in(30),
            chance,
            now: 0,
            jumped: 0,
            agenda: BTreeMap::new(),
            next: 0,
            disk: Disk::new(shapes),
            coordinator: None,
            coordinators: 0,
            workers,
            connections: BTreeMap::new(),
            conditions: CALM,
            calm: false,
            failing,
            killing,
            sent: BTreeMap::new(),
            excused: BTreeSet::new(),
            unchecked: BTreeSet::new(),
            log: keep_log.then(String::new),
            steps: 0,
            faults: 0,
            copies: 0,
            others: others(seed),
            others_ended: false,
            used: BTreeMap::new(),
        }
    }

    /// Three endless runs without faults: the shares of the thread time that they have had between `from` and `to`.
    pub(crate) fn shares(seed: u64, priorities: [u32; 3], from: Time, to: Time) -> Vec<f64> {
        let mut world = World::new(seed, false);
        world.others = priorities.map(|priority| Quota { priority, max_threads: None }).to_vec();
        world
            .workers
            .iter_mut()
            .for_each(|worker| *worker = FakeWorker::new(worker.name.clone(), worker.threads, 1, 0));
        world.failing.clear();
        world.killing.clear();
        world.start_coordinator();
        world.tell(Input::Pause(RUN));
        (0..world.workers.len()).for_each(|worker| world.start(worker));
        let mut before = BTreeMap::new();
        while let Some(((at, _), occurrence)) = world.agenda.pop_first() {
            if world.now < from && at >= from {
                before = world.used.clone();
            }
            if at >= to {
                break;
            }
            world.now = at;
            world.happen(occurrence);
        }
        let had = |number: u32| world.used[&other(number)] - before[&other(number)];
        let sum: Time = (1..=3).map(had).sum();
        (1..=3).map(|number| had(number) as f64 / sum as f64).collect()
    }

    /// The log of a seed, up to its failure if it fails.
    pub(crate) fn log_of(seed: u64) -> String {
        let mut world = World::new(seed, true);
        // The log is of interest even if the seed fails.
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| world.play()));
        world.log.unwrap_or_default()
    }

    /// Plays until the run has ended and all results are delivered.
    pub(crate) fn run(mut self) -> (Outcome, String) {
        self.play();
        let contents = &self.disk.contents;
        let outcome = Outcome {
            state: contents.state.name(),
            fold: contents.stages.iter().filter_map(|stage| stage.fold).next_back().unwrap_or(0),
            steps: self.steps,
            faults: self.faults,
            copies: self.copies,
            distrusted: contents.distrusted.len() as u64,
            quarantined: contents.stages.iter().map(|stage| stage.quarantined.len() as u64).sum(),
        };
        (outcome, self.log.unwrap_or_default())
    }

    fn play(&mut self) {
        self.at(0, Occurrence::Coordinator);
        for worker in 0..self.workers.len() {
            let when = self.chance.below(2 * SECOND);
            self.at(when, Occurrence::Start(worker));
        }
        self.at(SECOND / 2, Occurrence::Fault);
        let storm = self.chance.between(5, 60) * SECOND;
        self.at(storm, Occurrence::Calm);
        while let Some(((at, _), occurrence)) = self.agenda.pop_first() {
            self.now = at;
            self.steps += 1;
            if let Some(log) = &mut self.log {
                let _ = writeln!(log, "{at} {occurrence:?}");
            }
            self.happen(occurrence);
            if self.calm && self.disk.contents.state.is_ended() {
                self.end_others();
            }
            if self.calm && self.is_over() {
                break;
            }
            assert!(at < storm + LIVENESS, "the run does not end once faults have stopped: {}", self.describe());
        }
        self.verify();
    }

    fn describe(&self) -> String {
        let mut text = String::new();
        if let Some(coordinator) = &self.coordinator {
            let _ = write!(text, "{:?}", coordinator.core.views(self.clock(coordinator)));
        }
        for worker in self.workers.iter().filter(|w| w.up) {
            let _ = write!(text, "; {} {:?} {:?}", worker.name, worker.beat(self.now), worker.running);
        }
        text
    }

    fn is_over(&self) -> bool {
        let contents = &self.disk.contents;
        contents.state.is_ended()
            && !self.disk.is_busy()
            && self.workers.iter().filter(|w| w.up && w.connection.is_some()).all(FakeWorker::is_done)
    }

    /// Checks a run that has ended.
    fn verify(&self) {
        let contents = &self.disk.contents;
        let failed = contents.stages.iter().any(|stage| !stage.quarantined.is_empty());
        match contents.state {
            RunState::Cancelled => assert!(self.cancels),
            RunState::Finished => assert!(!failed),
            RunState::Failed => assert!(failed),
            other => panic!("the run has not ended: {other:?}"),
        }
    }

    fn at(&mut self, when: Time, occurrence: Occurrence) {
        self.agenda.insert((when, self.next), occurrence);
        self.next += 1;
    }

    fn after(&mut self, delay: Time, occurrence: Occurrence) {
        self.at(self.now + delay, occurrence);
    }

    fn clock(&self, coordinator: &SimCoordinator) -> Duration {
        Duration::from_micros(self.now - coordinator.started + self.jumped)
    }

    fn happen(&mut self, occurrence: Occurrence) {
        // A frozen process does nothing: its occurrences wait.
        let frozen = |worker: usize| self.workers[worker].frozen_until;
        let until = match &occurrence {
            Occurrence::Connect(w, ..)
            | Occurrence::Unwelcome(w, ..)
            | Occurrence::Finish(w, ..)
            | Occurrence::Deliver(w, _)
            | Occurrence::Beat(w, ..) => frozen(*w),
            Occurrence::Down(connection, _) | Occurrence::BrokenBelow(connection) => {
                self.connections.get(connection).map_or(0, |c| frozen(c.worker))
            }
            _ => 0,
        };
        if until > self.now {
            return self.at(until, occurrence);
        }
        match occurrence {
            Occurrence::Up(connection, message) => self.hear_above(connection, message),
            Occurrence::Down(connection, message) => self.hear_below(connection, message),
            Occurrence::BrokenAbove(connection) => self.close_above(connection),
            Occurrence::BrokenBelow(connection) => self.close_below(connection),
            Occurrence::Start(worker) => self.start(worker),
            Occurrence::Connect(worker, life) => self.connect(worker, life),
            Occurrence::Unwelcome(worker, life, connection) => {
                let w = &self.workers[worker];
                if w.life == life && w.connection == Some(connection) && !w.welcomed {
                    self.close_below(connection);
                }
            }
            Occurrence::Finish(worker, life, thread) => self.finish(worker, life, thread),
            Occurrence::Deliver(worker, life) => {
                if self.workers[worker].life == life {
                    self.deliver(worker);
                }
            }
            Occurrence::Beat(worker, life, connection) => self.beat(worker, life, connection),
            Occurrence::Tick(life) => {
                if self.coordinator.as_ref().is_some_and(|coordinator| coordinator.life == life) {
                    self.tell(Input::Tick);
                    self.after(SECOND / 4, Occurrence::Tick(life));
                }
            }
            Occurrence::Durable(life, ticket) => self.durable(life, ticket),
            Occurrence::Write(life) => self.write(life),
            Occurrence::Coordinator => self.start_coordinator(),
            Occurrence::Fault => self.fault(),
            Occurrence::Calm => self.calm(),
        }
    }
}
