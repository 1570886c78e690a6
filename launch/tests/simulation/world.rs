//! One seed: the core, its journal, and a world that answers it.

use std::{collections::VecDeque, fmt::Write as _, time::Duration};

use launch::{
    core::{Act, Core, Ended, Seen, View},
    journal::{Past, Record},
};

use crate::{
    batch::Batch,
    chance::Chance,
    checks::Checks,
    runs::Runs,
    scenario::{Fate, Scenario, within},
    tamper::Tamper,
};

/// What came of a seed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) ended: Ended,
    pub(crate) at: f64,
    /// When the work was done, if it was.
    pub(crate) done_at: f64,
    pub(crate) allocated: f64,
    pub(crate) view: View,
    pub(crate) submitted: u64,
    pub(crate) queries: u64,
    pub(crate) restarts: u64,
    pub(crate) requeued: u32,
    pub(crate) doubts: u64,
    pub(crate) steps: u64,
}

/// Seconds since 1970 when a simulation begins.
const EPOCH: f64 = 1_800_000_000.0;

pub(crate) struct World {
    scenario: Scenario,
    chance: Chance,
    batch: Batch,
    runs: Runs,
    checks: Checks,
    tamper: Tamper,
    now: f64,
    /// The core and when its clock stood at 0.
    core: Option<(Core, f64)>,
    journal: Vec<u8>,
    jump: f64,
    /// Lines of the journal that are not whole.
    torn: u64,
    /// Answers on their way, with when they arrive.
    answers: VecDeque<(f64, Seen)>,
    /// The launcher is about to be killed in mid-act; when it begins again, and what becomes of its journal.
    dying: Option<(f64, Fate, u32)>,
    down_until: f64,
    ended: Option<(Ended, View)>,
    done_at: f64,
    /// When the launcher began.
    began: f64,
    restarts: u64,
    steps: u64,
    log: Option<String>,
}

impl World {
    pub(crate) fn new(seed: u64, tamper: Tamper, log: bool) -> Self {
        let mut chance = Chance::new(seed);
        let scenario = Scenario::draw(&mut chance);
        World::of(scenario, chance, tamper, log)
    }

    pub(crate) fn of(scenario: Scenario, chance: Chance, tamper: Tamper, log: bool) -> Self {
        World {
            runs: Runs::new(&scenario),
            checks: Checks::default(),
            chance,
            batch: Batch::default(),
            tamper,
            now: 0.0,
            core: None,
            journal: Vec::new(),
            jump: 0.0,
            torn: 0,
            answers: VecDeque::new(),
            dying: None,
            down_until: 0.0,
            ended: None,
            done_at: 0.0,
            began: 0.0,
            restarts: 0,
            steps: 0,
            log: log.then(String::new),
            scenario,
        }
    }

    /// Runs until the core says that the launch has ended.
    pub(crate) fn run(mut self) -> (Outcome, String) {
        let horizon = self.horizon();
        while self.ended.is_none() {
            assert!(self.now < horizon, "not ended after {:.1} h: {}", self.now / 3_600.0, self.state());
            self.step();
        }
        let (ended, view) = self.ended.take().expect("it has ended");
        let cpus = f64::from(self.scenario.policy.cpus);
        let allocated = self.batch.allocated(self.now, cpus);
        self.checks.end(&ended, &view, self.now, allocated, &self.scenario, &self.batch, &self.runs);
        let outcome = Outcome {
            ended,
            at: self.now,
            done_at: self.done_at,
            allocated,
            view,
            submitted: self.checks.submitted,
            queries: self.checks.queries(),
            restarts: self.restarts,
            requeued: self.batch.requeued,
            doubts: self.checks.doubted,
            steps: self.steps,
        };
        (outcome, self.log.unwrap_or_default())
    }

    /// Runs a seed of which it is known that it fails, and returns its log until then.
    pub(crate) fn log_of(seed: u64) -> String {
        let mut world = World::new(seed, Tamper::None, true);
        let horizon = world.horizon();
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            while world.ended.is_none() && world.now < horizon {
                world.step();
            }
        }));
        let log = world.log.take().unwrap_or_default();
        format!("{:#?}\n{log}{}\n", world.scenario, world.state())
    }

    /// When a launch must have ended, however slowly its jobs come: all work one job after the other, after the faults.
    fn horizon(&self) -> f64 {
        let s = &self.scenario;
        let cpus = f64::from(s.policy.cpus);
        let alone = s.work() / cpus;
        let jobs = alone / 150.0 + 10.0;
        10.0 * 3_600.0 + 3.0 * alone + jobs * (10.0 * s.delay + 300.0)
    }

    fn state(&self) -> String {
        let view = self.core.as_ref().map(|(core, zero)| core.view(Duration::from_secs_f64(self.now - zero)));
        format!("{view:?}, {:?}, {:?}, {:?}", self.runs, self.batch.live().collect::<Vec<_>>(), self.scenario)
    }

    fn step(&mut self) {
        self.steps += 1;
        let secs = self.scenario.step * self.chance.between(0.8, 1.2);
        let before = self.now;
        self.now += secs;
        let now = self.now;
        for &(at, far) in &self.scenario.jumps {
            if before < at && at <= now {
                self.jump += far;
            }
        }
        self.batch.pass(now, &self.scenario, &mut self.chance);
        self.runs.pass(now, secs, &self.scenario, &mut self.batch);
        if !self.runs.ended() {
            self.done_at = now;
        }
        self.checks.step(now, &self.scenario, &self.batch);
        for &(at, down, fate) in &self.scenario.kills.clone() {
            if before < at && at <= now && self.core.is_some() {
                self.dying = Some((down, fate, 10));
            }
        }
        if self.core.is_none() && now >= self.down_until {
            self.begin();
        }
        if within(&self.scenario.frozen, now) {
            return;
        }
        if let Some((at, at_once)) = self.scenario.stop
            && self.core.is_some()
            && before < at
            && at <= now
        {
            self.checks.stopped = true;
            self.tell(Seen::Stop { now: at_once });
        }
        while self.answers.front().is_some_and(|(at, _)| *at <= now) && self.ended.is_none() {
            let Some((_, seen)) = self.answers.pop_front() else { break };
            self.tell(seen);
        }
        if within(&self.scenario.away, now) {
            self.tell(Seen::CoordinatorAway);
        } else if self.chance.with(0.1) {
            self.tell(Seen::Tick);
        } else {
            let members = self.runs.members(now, &self.scenario, &self.batch);
            let demand = self.runs.demand(&self.scenario);
            self.tell(Seen::Fleet { demand, members });
        }
        if self.scenario.once && self.core.is_some() && self.answers.is_empty() {
            self.core = None;
            self.down_until = self.began + 60.0;
        }
        if let Some((down, fate, patience)) = self.dying {
            match patience {
                0 => self.die(down, fate),
                _ => self.dying = Some((down, fate, patience - 1)),
            }
        }
    }

    fn begin(&mut self) {
        let past = Past::read(self.journal.as_slice()).expect("reading memory does not fail");
        assert_eq!(past.broken, self.torn, "a line that was on disk is broken");
        if past.torn {
            // As `Journal::append` does.
            self.journal.push(b'\n');
            self.torn += 1;
        }
        let zero = self.now - self.chance.between(0.0, 1e6);
        let mut acts = Vec::new();
        let now = Duration::from_secs_f64(self.now - zero);
        let core = Core::new(self.scenario.policy.clone(), "20261129", &past.records, self.wall(), now, &mut acts);
        self.core = Some((core, zero));
        self.began = self.now;
        self.restarts += 1;
        self.carry_out(acts);
        // A person who stopped the launch stops it again.
        if let (true, Some((_, now))) = (self.checks.stopped, self.scenario.stop) {
            self.tell(Seen::Stop { now });
        }
    }

    fn wall(&self) -> u64 {
        (EPOCH + self.now + self.jump) as u64
    }

    /// Gives an input to the core and does what it says.
    fn tell(&mut self, seen: Seen) {
        let Some((core, zero)) = &mut self.core else { return };
        let seen = self.tamper.seen(seen);
        if let Some(log) = &mut self.log
            && !matches!(seen, Seen::Tick)
        {
            let _ = writeln!(log, "{:.0} {seen:?}", self.now);
        }
        let mut acts = Vec::new();
        self.checks.told(self.now, &seen);
        core.handle(Duration::from_secs_f64(self.now - *zero), seen, &mut acts);
        self.carry_out(acts);
    }

    fn carry_out(&mut self, acts: Vec<Act>) {
        let last = match (self.dying, acts.len() as u64) {
            (Some(_), count @ 1..) => Some(self.chance.below(count) as usize),
            _ => None,
        };
        for (at, act) in acts.into_iter().enumerate() {
            if let Some(log) = &mut self.log {
                let _ = writeln!(log, "{:.0}     {act:?}", self.now);
            }
            let dies = last == Some(at);
            self.carry_out_one(act, dies);
            if let (true, Some((down, fate, _))) = (dies, self.dying) {
                self.die(down, fate);
                return;
            }
        }
    }

    /// `dies` if the launcher is killed in the middle of it.
    fn carry_out_one(&mut self, act: Act, dies: bool) {
        let (now, twice) = (self.now, self.scenario.twice);
        self.checks.act(now, &act, &self.scenario, &self.batch);
        let answer = match act {
            Act::Note(entry) => {
                let record = Record { at: self.wall(), entry };
                let line = serde_json::to_vec(&record).expect("an entry is JSON");
                let read: Record = serde_json::from_slice(&line).expect("an entry can be read");
                assert_eq!(read, record);
                let length = if dies { self.chance.below(line.len() as u64) as usize } else { line.len() };
                self.journal.extend(&line[..length]);
                if !dies {
                    self.journal.push(b'\n');
                }
                return;
            }
            Act::Submit { name, walltime, exclude } => {
                let job = (name.clone(), walltime.as_secs_f64(), exclude);
                let answer = self.batch.submit(now, job, &self.scenario, &mut self.chance);
                Seen::Submitted { name, answer }
            }
            Act::Query => Seen::Queue(self.batch.list(now, &self.scenario, &mut self.chance)),
            Act::Cancel(ids) => {
                let ok = self.batch.cancel(now, &ids, &self.scenario, &mut self.chance);
                Seen::Cancelled { ids, ok }
            }
            Act::Leave(names) => {
                for job in self.batch.jobs.iter_mut().filter(|job| job.runs() && names.contains(&job.name)) {
                    if let Some(worker) = &mut job.worker {
                        worker.draining = true;
                    }
                }
                return;
            }
            Act::End(ended) => {
                let (core, zero) = self.core.as_ref().expect("it said so");
                self.ended = Some((ended, core.view(Duration::from_secs_f64(now - zero))));
                return;
            }
        };
        let late = if self.chance.with(0.5) { 0.0 } else { self.chance.between(0.0, 3.0 * self.scenario.step) };
        // Answers arrive in the order of the questions.
        let at = self.answers.back().map_or(now, |(at, _)| *at).max(now + late);
        self.answers.push_back((at, answer.clone()));
        // An answer of the queue that comes again later could be taken for that to another question.
        if !matches!(answer, Seen::Queue(_)) && self.chance.with(twice) {
            self.answers.push_back((at + self.chance.between(0.0, 90.0), answer));
        }
    }

    fn die(&mut self, down: f64, fate: Fate) {
        if self.ended.is_some() {
            return;
        }
        self.dying = None;
        self.core = None;
        self.answers.clear();
        self.down_until = self.now + if fate == Fate::Lost { down.max(60.0) } else { down };
        if fate == Fate::Lost {
            self.journal.clear();
            self.torn = 0;
        }
        self.checks.died(fate);
    }
}
