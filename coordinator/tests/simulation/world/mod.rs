//! The simulated world: one clock, one list of what is to happen, a network that does its worst, and what must hold.

mod faults;
mod network;
mod sim_coordinator;
mod workers;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    time::Duration,
};

use coordinator::{
    core::{Core, Input, RunState},
    ids::SessionId,
    ranges::RangeSet,
};

use crate::{
    chance::{Chance, mix},
    disk::{Disk, Shapes},
    fleet::{Batch, Time, Worker},
};

const SECOND: Time = 1_000_000;
const HEARTBEAT: Time = SECOND;
/// A worker that was not welcomed after so long tries again.
const WELCOME_TIMEOUT: Time = 15 * SECOND;
/// Once faults have stopped, the run must end within this.
const LIVENESS: Time = 1_800 * SECOND;

/// What workers say.
#[derive(Clone, Debug)]
enum Up {
    Hello {
        /// By stage: what it runs, or has run and not seen acknowledged.
        held: BTreeMap<u32, RangeSet>,
    },
    Beat {
        oldest: Time,
        outbox: u64,
        idle: bool,
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
    /// The process has closed the stream, in order.
    Bye,
}

/// What the coordinator says.
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
    /// The end of the stream; true if the worker is never to come back.
    Dismissed(bool),
}

/// What is to happen.
#[derive(Debug)]
enum Occurrence {
    Up(u64, Up),
    Down(u64, Down),
    /// One side sees that a connection is gone.
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
    Boss,
    Fault,
    Calm,
}

struct Connection {
    worker: usize,
    life: u64,
    boss: u64,
    session: Option<SessionId>,
    /// The coordinator's side is open; the worker's side.
    above: bool,
    below: bool,
    /// Nothing comes through any more.
    cut: bool,
}

struct Boss {
    life: u64,
    core: Core,
    started: Time,
    sessions: BTreeMap<SessionId, u64>,
    next_session: u64,
}

/// How bad the network is: a message in so many is lost, doubled; and the longest delay.
#[derive(Clone, Copy)]
struct Weather {
    lost_once_in: u64,
    doubled_once_in: u64,
    delay: Time,
}

const CALM: Weather = Weather { lost_once_in: 0, doubled_once_in: 0, delay: 2_000 };

/// What a seed has come to.
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
    /// What the coordinator's clock is ahead by.
    jumped: Time,
    agenda: BTreeMap<(Time, u64), Occurrence>,
    next: u64,
    disk: Disk,
    boss: Option<Boss>,
    bosses: u64,
    workers: Vec<Worker>,
    connections: BTreeMap<u64, Connection>,
    weather: Weather,
    calm: bool,
    /// Connections are cut and names are shared, and no process dies: nothing may be held against any trial.
    gentle: bool,
    cancels: bool,
    /// Trials that fail everywhere, and trials that end whatever process runs them.
    failing: BTreeSet<u64>,
    killing: BTreeSet<u64>,
    /// By (worker, life, batch): what it holds.
    sent: BTreeMap<(usize, u64, u64), Batch>,
    /// Trials that were in the hands of a worker alone when it was lost.
    excused: BTreeSet<(u32, u64)>,
    /// Stages of which the sample was not checked whole.
    unchecked: BTreeSet<u32>,
    log: Option<String>,
    steps: u64,
    faults: u64,
    copies: u64,
}

impl World {
    pub(crate) fn new(seed: u64, keep_log: bool) -> Self {
        let mut chance = Chance::new(mix(seed));
        let liar = chance.once_in(4);
        let count = chance.between(if liar { 4 } else { 2 }, 7);
        let mut workers: Vec<Worker> = (0..count)
            .map(|index| {
                let threads = chance.between(1, 4) as usize;
                let slowness = if chance.once_in(4) { 10 } else { 1 };
                Worker::new(format!("w{index}"), threads, slowness, 0)
            })
            .collect();
        if liar {
            let lies = chance.between(1, 12);
            let Worker { name, threads, .. } = &workers[0];
            workers[0] = Worker::new(name.clone(), *threads, 1, lies);
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
            boss: None,
            bosses: 0,
            workers,
            connections: BTreeMap::new(),
            weather: CALM,
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
        }
    }

    /// What happens under a seed, as far as it goes.
    pub(crate) fn log_of(seed: u64) -> String {
        let mut world = World::new(seed, true);
        // The log is wanted of a seed that fails, most of all.
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| world.play()));
        world.log.unwrap_or_default()
    }

    /// Runs until the run has ended and everybody is rid of what they had to say.
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
        self.at(0, Occurrence::Boss);
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
            if self.calm && self.is_over() {
                break;
            }
            assert!(at < storm + LIVENESS, "the run does not end once faults have stopped: {}", self.describe());
        }
        self.verify();
    }

    fn describe(&self) -> String {
        let mut text = String::new();
        if let Some(boss) = &self.boss {
            let _ = write!(text, "{:?}", boss.core.views(self.clock(boss)));
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
            && self.workers.iter().filter(|w| w.up && w.connection.is_some()).all(Worker::is_done)
    }

    /// What must be true of a run that has ended.
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

    fn clock(&self, boss: &Boss) -> Duration {
        Duration::from_micros(self.now - boss.started + self.jumped)
    }

    fn happen(&mut self, occurrence: Occurrence) {
        // A frozen process does nothing; what is for it waits.
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
                if self.boss.as_ref().is_some_and(|boss| boss.life == life) {
                    self.tell(Input::Tick);
                    self.after(SECOND / 4, Occurrence::Tick(life));
                }
            }
            Occurrence::Write(life) => self.write(life),
            Occurrence::Boss => self.start_boss(),
            Occurrence::Fault => self.fault(),
            Occurrence::Calm => self.calm(),
        }
    }
}
