//! The simulated world: one clock, one list of what is to happen, a network that does its worst, and what must hold.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    time::Duration,
};

use coordinator::{
    core::{self, Action, Core, Dismissal, Event, Note, RunState},
    ids::{SessionId, StageKey},
    ranges::RangeSet,
    rows::{Cells, Rows},
};

use crate::{
    chance::{Chance, mix},
    disk::{Command, Contents, Disk, RUN, Reply, Shapes, truth},
    fleet::{Batch, Fate, Time, Worker, fate},
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
    Hello,
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
        let (failing, killing) = (some(3), some(4));
        World {
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
                    self.tell(Event::Tick);
                    self.after(SECOND / 4, Occurrence::Tick(life));
                }
            }
            Occurrence::Write(life) => self.write(life),
            Occurrence::Boss => self.start_boss(),
            Occurrence::Fault => self.fault(),
            Occurrence::Calm => self.calm(),
        }
    }

    // The network.

    fn send(&mut self, connection: u64, message: Result<Up, Down>) {
        let Some(c) = self.connections.get(&connection) else { return };
        if c.cut || self.chance.once_in(self.weather.lost_once_in) {
            return;
        }
        if self.chance.once_in(self.weather.doubled_once_in) {
            self.carry(connection, message.clone());
        }
        self.carry(connection, message);
    }

    fn carry(&mut self, connection: u64, message: Result<Up, Down>) {
        let delay = self.chance.between(100, self.weather.delay);
        match message {
            Ok(up) => self.after(delay, Occurrence::Up(connection, up)),
            Err(down) => self.after(delay, Occurrence::Down(connection, down)),
        }
    }

    /// A connection dies; each side sees it when it sees it.
    fn cut(&mut self, connection: u64) {
        if let Some(c) = self.connections.get_mut(&connection) {
            c.cut = true;
            let (above, below) = (self.chance.below(20 * SECOND), self.chance.below(20 * SECOND));
            let (above, below) = (above / (1 + self.chance.below(1_000)), below / (1 + self.chance.below(1_000)));
            // A machine that lost its power closes no connection: only its silence says so.
            if !self.chance.once_in(3) {
                self.after(above, Occurrence::BrokenAbove(connection));
            }
            self.after(below, Occurrence::BrokenBelow(connection));
        }
    }

    // The coordinator.

    fn start_boss(&mut self) {
        if self.boss.is_some() {
            return;
        }
        self.bosses += 1;
        let core = Core::new(Duration::from_micros(HEARTBEAT));
        let sessions = BTreeMap::new();
        self.boss = Some(Boss { life: self.bosses, core, started: self.now, sessions, next_session: 1 });
        self.jumped = 0;
        let found = self.disk.contents.found();
        self.tell(Event::RunOpened(Box::new(found)));
        let life = self.bosses;
        self.after(SECOND / 4, Occurrence::Tick(life));
    }

    fn kill_boss(&mut self) {
        if self.boss.take().is_none() {
            return;
        }
        self.disk.crash(&mut self.chance);
        let open: Vec<u64> = self.connections.iter().filter(|(_, c)| c.above).map(|(&id, _)| id).collect();
        for connection in open {
            self.cut(connection);
            if let Some(c) = self.connections.get_mut(&connection) {
                c.above = false;
            }
        }
        let back = self.chance.below(8 * SECOND);
        self.after(back, Occurrence::Boss);
    }

    fn tell(&mut self, event: Event) {
        let Some(boss) = &mut self.boss else { return };
        let clock = Duration::from_micros(self.now - boss.started + self.jumped);
        let mut actions = Vec::new();
        boss.core.handle(clock, event, &mut actions);
        boss.core.check();
        actions.iter().for_each(|action| self.act(action));
    }

    fn act(&mut self, action: &Action) {
        if let Some(log) = &mut self.log {
            let _ = writeln!(log, "  {action:?}");
        }
        let Some(boss) = &self.boss else { return };
        let line = |session: &SessionId| boss.sessions.get(session).copied();
        match action {
            Action::Lease { session, stage, trials, .. } => {
                if let Some(connection) = line(session) {
                    self.send(connection, Err(Down::Lease { stage: stage.stage, trials: trials.clone() }));
                }
            }
            Action::Ack { session, batch } => {
                if let Some(connection) = line(session) {
                    self.acknowledged(connection, *batch);
                    self.send(connection, Err(Down::Ack(*batch)));
                }
            }
            Action::Forget { session, stage } => {
                if let Some(connection) = line(session) {
                    self.send(connection, Err(Down::Forget(stage.stage)));
                }
            }
            Action::Dismiss { session, why } => {
                let gone = matches!(why, Dismissal::Distrusted(_));
                assert!(!matches!(why, Dismissal::Misfit(_)), "an honest shape was refused");
                if let Some(connection) = line(session) {
                    self.send(connection, Err(Down::Dismissed(gone)));
                    // Should the word get lost, the closed connection says it.
                    self.after(5 * SECOND, Occurrence::BrokenBelow(connection));
                    if let Some(c) = self.connections.get_mut(&connection) {
                        c.above = false;
                        c.session = None;
                    }
                    if let Some(boss) = &mut self.boss {
                        boss.sessions.remove(session);
                    }
                }
            }
            Action::StoreFailure { stage, trial, quarantine: true, error, .. } => {
                if error.contains("died") {
                    self.excused.insert((stage.stage, *trial));
                }
                self.command(action);
            }
            Action::Note { note, .. } => match note {
                Note::AuditSkipped { stage, .. } => drop(self.unchecked.insert(*stage)),
                Note::CopyIssued { .. } => self.copies += 1,
                _ => {}
            },
            Action::CloseStage(stage) => {
                self.closing(*stage);
                self.command(action);
            }
            _ => self.command(action),
        }
    }

    fn command(&mut self, action: &Action) {
        if let (Some(command), Some(boss)) = (Command::of(action), &self.boss) {
            let life = boss.life;
            self.disk.hand_over(command);
            let wait = self.chance.between(100, 60_000);
            self.after(wait, Occurrence::Write(life));
        }
    }

    fn write(&mut self, life: u64) {
        if self.boss.as_ref().is_none_or(|boss| boss.life != life) || !self.disk.is_busy() {
            return;
        }
        let Ok(replies) = self.disk.write(&mut self.chance) else {
            if !self.disk.troubled {
                self.disk.troubled = true;
                self.tell(Event::StoreTrouble { run: RUN, why: "disk full".to_owned() });
            }
            return self.after(SECOND, Occurrence::Write(life));
        };
        if self.disk.troubled {
            self.disk.troubled = false;
            self.tell(Event::StoreRecovered(RUN));
        }
        if self.disk.is_busy() {
            self.after(1_000, Occurrence::Write(life));
        }
        for reply in replies {
            let event = match reply {
                Reply::Committed { ticket, repeats } => Event::Committed { ticket, repeats },
                Reply::Retracted { stage, trials } => Event::Retracted { stage, trials },
                Reply::Closed(next) => Event::StageClosed { run: RUN, next },
            };
            self.tell(event);
        }
    }

    /// A batch is acknowledged: what it holds must be on the disk.
    fn acknowledged(&self, connection: u64, number: u64) {
        let c = &self.connections[&connection];
        let batch = &self.sent[&(c.worker, c.life, number)];
        let contents: &Contents = &self.disk.contents;
        let stage = &contents.stages[batch.stage as usize];
        // Of a cancelled run results are dropped, even if the word of it is still on its way to the disk.
        if stage.fold.is_some() || contents.state.is_ended() || (self.calm && self.cancels) {
            return;
        }
        for (trial, ..) in &batch.rows {
            let there = stage.rows.contains_key(trial) || contents.retracted.contains(&(batch.stage, *trial));
            assert!(there, "trial {trial} of stage {} was acknowledged and is not on the disk", batch.stage);
        }
    }

    /// A stage is about to be closed: everything of it that is on the disk must be right.
    fn closing(&self, key: StageKey) {
        let stage = &self.disk.contents.stages[key.stage as usize];
        for (&trial, (value, worker)) in &stage.rows {
            let right = *value == truth(stage.salt, trial);
            assert!(
                right || self.unchecked.contains(&key.stage),
                "trial {trial} of stage {} by {worker} is wrong and nobody noticed",
                key.stage
            );
            assert!(!self.failing.contains(&trial) && !self.killing.contains(&trial), "trial {trial} has no result");
        }
        for &trial in &stage.quarantined {
            let culprit = self.failing.contains(&trial) || self.killing.contains(&trial);
            assert!(culprit || self.excused.contains(&(key.stage, trial)), "trial {trial} was given up for nothing");
        }
    }

    fn hear_above(&mut self, connection: u64, message: Up) {
        let Some(boss) = &mut self.boss else { return };
        let Some(c) = self.connections.get_mut(&connection).filter(|c| c.above && c.boss == boss.life) else { return };
        let Some(session) = c.session else {
            if matches!(message, Up::Hello) {
                let session = SessionId(boss.next_session);
                boss.next_session += 1;
                boss.sessions.insert(session, connection);
                c.session = Some(session);
                let w = &self.workers[c.worker];
                let worker = core::Worker { name: w.name.clone(), threads: w.threads as u32 };
                self.send(connection, Err(Down::Welcome));
                self.tell(Event::SessionOpened { session, worker });
            }
            return;
        };
        match message {
            Up::Hello => {}
            Up::Beat { oldest, outbox, idle } => {
                self.tell(Event::Heartbeat { session, oldest: Duration::from_micros(oldest), outbox, idle });
            }
            Up::Results { number, batch } => {
                let rows = Rows {
                    trials: batch.rows.iter().map(|row| row.0).collect(),
                    elapsed_us: batch.rows.iter().map(|row| row.2).collect(),
                    columns: vec![Cells::Ints(batch.rows.iter().map(|row| row.1).collect())],
                };
                let stage = StageKey { run: RUN, stage: batch.stage };
                self.tell(Event::Results { session, batch: number, stage, rows });
            }
            Up::Failed { stage, trial } => {
                let (stage, error) = (StageKey { run: RUN, stage }, "no result".to_owned());
                self.tell(Event::TrialFailed { session, stage, trial, error });
            }
            Up::HandBack { stage, trials } => {
                let trials = trials.into_iter().map(|t| t..t + 1).collect();
                self.tell(Event::HandedBack { session, stage: StageKey { run: RUN, stage }, trials });
            }
            Up::Bye => self.close_above(connection),
        }
    }

    fn close_above(&mut self, connection: u64) {
        let Some(boss) = &mut self.boss else { return };
        let Some(c) = self.connections.get_mut(&connection).filter(|c| c.above && c.boss == boss.life) else { return };
        c.above = false;
        if let Some(session) = c.session.take() {
            boss.sessions.remove(&session);
            self.tell(Event::SessionClosed(session));
        }
    }

    // The workers.

    fn start(&mut self, worker: usize) {
        if self.workers[worker].up || self.workers[worker].gone {
            return;
        }
        self.workers[worker].start();
        let life = self.workers[worker].life;
        self.connect(worker, life);
    }

    fn connect(&mut self, worker: usize, life: u64) {
        let w = &mut self.workers[worker];
        if w.life != life || !w.up || w.connection.is_some() {
            return;
        }
        let Some(boss) = &self.boss else {
            let pause = self.chance.between(SECOND / 10, 3 * SECOND);
            return self.after(pause, Occurrence::Connect(worker, life));
        };
        let id = self.next;
        let (session, above, below, cut) = (None, true, true, false);
        self.connections.insert(id, Connection { worker, life, boss: boss.life, session, above, below, cut });
        w.connection = Some(id);
        w.welcomed = false;
        self.send(id, Ok(Up::Hello));
        self.after(WELCOME_TIMEOUT, Occurrence::Unwelcome(worker, life, id));
    }

    fn hear_below(&mut self, connection: u64, message: Down) {
        let Some(c) = self.connections.get(&connection).filter(|c| c.below) else { return };
        let (worker, life) = (c.worker, c.life);
        let w = &mut self.workers[worker];
        if w.life != life || w.connection != Some(connection) {
            return;
        }
        if !w.welcomed {
            match message {
                Down::Welcome => {
                    w.welcome();
                    self.after(0, Occurrence::Beat(worker, life, connection));
                    self.deliver(worker);
                }
                Down::Dismissed(gone) => self.dismissed(connection, worker, gone),
                // Overtook the Welcome: as if it were lost.
                _ => {}
            }
            return;
        }
        match message {
            Down::Welcome => {}
            Down::Lease { stage, trials } => {
                if w.leaving {
                    let trials = trials.iter().flatten().collect();
                    return self.send(connection, Ok(Up::HandBack { stage, trials }));
                }
                w.lease(stage, trials.iter().flatten());
                self.begin(worker);
            }
            Down::Ack(number) => {
                w.batches.remove(&number);
                self.begin(worker);
                self.perhaps_end(worker);
            }
            Down::Forget(stage) => w.forget(stage),
            Down::Dismissed(gone) => self.dismissed(connection, worker, gone),
        }
    }

    fn dismissed(&mut self, connection: u64, worker: usize, gone: bool) {
        if gone {
            self.workers[worker].die();
            self.workers[worker].gone = true;
        }
        self.close_below(connection);
    }

    fn close_below(&mut self, connection: u64) {
        let Some(c) = self.connections.get_mut(&connection).filter(|c| c.below) else { return };
        c.below = false;
        let (worker, life) = (c.worker, c.life);
        if !c.cut {
            self.after(0, Occurrence::BrokenAbove(connection));
        }
        let w = &mut self.workers[worker];
        if w.life == life && w.connection == Some(connection) {
            w.connection = None;
            w.welcomed = false;
            let pause = self.chance.between(SECOND / 20, 2 * SECOND);
            self.after(pause, Occurrence::Connect(worker, life));
        }
    }

    fn begin(&mut self, worker: usize) {
        let w = &mut self.workers[worker];
        let life = w.life;
        for (thread, cost) in w.begin(self.now, &mut self.chance) {
            self.after(cost, Occurrence::Finish(worker, life, thread));
        }
    }

    fn finish(&mut self, worker: usize, life: u64, thread: usize) {
        let w = &mut self.workers[worker];
        if w.life != life {
            return;
        }
        let Some(((stage, trial), _)) = w.running[thread] else { return };
        let salt = self.disk.contents.stages[stage as usize].salt;
        let fate = fate(salt, trial, self.failing.contains(&trial), self.killing.contains(&trial));
        match fate {
            Fate::Kills => return self.kill(worker),
            Fate::Fails => {
                w.outcome(thread, fate, self.now, &mut self.chance);
                if let Some(connection) = w.connection.filter(|_| w.welcomed) {
                    self.send(connection, Ok(Up::Failed { stage, trial }));
                }
            }
            Fate::Value(_) => {
                w.outcome(thread, fate, self.now, &mut self.chance);
                let linger = self.chance.below(100_000);
                self.after(linger, Occurrence::Deliver(worker, life));
            }
        }
        self.begin(worker);
        self.perhaps_end(worker);
    }

    fn deliver(&mut self, worker: usize) {
        let w = &mut self.workers[worker];
        let Some(connection) = w.connection.filter(|_| w.welcomed) else { return };
        let life = w.life;
        for (number, batch) in w.take_due(self.now) {
            self.sent.insert((worker, life, number), batch.clone());
            self.send(connection, Ok(Up::Results { number, batch }));
        }
    }

    fn beat(&mut self, worker: usize, life: u64, connection: u64) {
        let w = &self.workers[worker];
        if w.life != life || w.connection != Some(connection) {
            return;
        }
        let (oldest, outbox, idle) = w.beat(self.now);
        self.send(connection, Ok(Up::Beat { oldest, outbox, idle }));
        self.deliver(worker);
        self.after(HEARTBEAT, Occurrence::Beat(worker, life, connection));
    }

    /// Told to stop, and done.
    fn perhaps_end(&mut self, worker: usize) {
        let w = &self.workers[worker];
        if !w.up || !w.leaving || !w.is_done() {
            return;
        }
        if let Some(connection) = w.connection {
            self.send(connection, Ok(Up::Bye));
            self.after(SECOND, Occurrence::BrokenAbove(connection));
        }
        self.workers[worker].die();
        let back = self.chance.between(SECOND / 10, 10 * SECOND);
        self.after(back, Occurrence::Start(worker));
    }

    fn kill(&mut self, worker: usize) {
        if let Some(connection) = self.workers[worker].connection {
            self.cut(connection);
        }
        self.workers[worker].die();
        let back = self.chance.between(SECOND / 10, 10 * SECOND);
        self.after(back, Occurrence::Start(worker));
    }

    // What goes wrong.

    fn fault(&mut self) {
        if self.calm {
            return;
        }
        self.faults += 1;
        let worker = self.chance.below(self.workers.len() as u64) as usize;
        match self.chance.below(20) {
            0..=2 => self.kill(worker),
            3 => {
                self.kill(worker);
                // A machine that is never heard of again, as long as enough stay to settle a dispute.
                let last = self.workers.len() - 1;
                self.workers[last].gone |= worker == last && last >= 3;
            }
            4 | 5 => self.kill_boss(),
            6 | 7 => {
                let until = self.now + self.chance.below(15 * SECOND);
                self.workers[worker].frozen_until = until;
            }
            8..=10 => {
                if let Some(connection) = self.workers[worker].connection {
                    self.cut(connection);
                }
            }
            11 => {
                let w = &mut self.workers[worker];
                if w.up && !w.leaving {
                    w.leaving = true;
                    let connection = w.connection.filter(|_| w.welcomed);
                    for (stage, trials) in w.hand_back() {
                        if let Some(connection) = connection {
                            self.send(connection, Ok(Up::HandBack { stage, trials }));
                        }
                    }
                    self.perhaps_end(worker);
                }
            }
            12 => self.disk.full = true,
            13 | 14 => self.disk.full = false,
            15 => self.tell(Event::Pause(RUN)),
            16 | 17 => self.tell(Event::Resume(RUN)),
            18 => {
                // A machine that slept, or whose clock was set: leases may end early, nothing may be lost.
                self.jumped += self.chance.below(3_600 * SECOND);
                self.tell(Event::Tick);
            }
            _ => {
                self.weather = Weather {
                    lost_once_in: [0, 50, 10, 4][self.chance.below(4) as usize],
                    doubled_once_in: [0, 20, 4][self.chance.below(3) as usize],
                    delay: [1_000, 50_000, 3 * SECOND][self.chance.below(3) as usize],
                };
            }
        }
        let next = self.chance.between(SECOND / 50, 3 * SECOND);
        self.after(next, Occurrence::Fault);
    }

    /// Faults end: the network works, everybody is there.
    fn calm(&mut self) {
        self.calm = true;
        self.weather = CALM;
        self.disk.full = false;
        self.start_boss();
        if self.cancels {
            self.tell(Event::Cancel(RUN));
        } else {
            self.tell(Event::Resume(RUN));
        }
        for worker in 0..self.workers.len() {
            self.workers[worker].frozen_until = 0;
            self.start(worker);
        }
    }
}
