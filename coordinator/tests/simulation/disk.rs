//! A disk that loses what was not synced, writes half a transaction and is full at times, and a store on it.
//!
//! The log is bytes: a frame with a checksum for each transaction, as in SQLite's write-ahead log. A crash may leave a
//! part of the last frame. A restarted coordinator reads its state back from the bytes.

use std::collections::{BTreeMap, BTreeSet};

use coordinator::{
    core::{Action, OpenRun, Quota, Repeat, RunState, StageView},
    ids::{RunId, StageKey, Ticket},
    ranges::RangeSet,
    rows::{Cells, Rows},
};
use record::{Column, ColumnType, Shape};

use crate::chance::{Chance, mix};

pub(crate) const RUN: RunId = RunId([7; 16]);
/// Fake workers know a stage by one number: that of its run, 0 for [`RUN`], times this, and its own.
const STAGES: u32 = 1_000;

/// A run beside [`RUN`], from 1. It has no disk: what it stores is durable at once and lost with the coordinator.
pub(crate) fn other(number: u32) -> RunId {
    RunId([100 + number as u8; 16])
}

/// The number by which fake workers know a stage.
pub(crate) fn code(stage: StageKey) -> u32 {
    let run = if stage.run == RUN { 0 } else { u32::from(stage.run.0[0]) - 100 };
    run * STAGES + stage.stage
}

/// The stage of a number.
pub(crate) fn key(code: u32) -> StageKey {
    let run = if code < STAGES { RUN } else { other(code / STAGES) };
    StageKey { run, stage: code % STAGES }
}

/// Another run as it is found: all of its endless trials wait.
pub(crate) fn found_other(number: u32, quota: Quota) -> OpenRun {
    OpenRun {
        run: other(number),
        state: RunState::Running,
        stage: view(0, 1 << 40),
        stored: BTreeMap::new(),
        quarantined: RangeSet::new(),
        failures: BTreeMap::new(),
        audit: 0.0,
        disputes: BTreeMap::new(),
        distrusted: Vec::new(),
        quota,
    }
}
/// Bytes of a frame: number of the transaction and its checksum.
const FRAME: usize = 16;

/// A command for the store.
#[derive(Clone, Debug)]
pub(crate) enum Command {
    Store { ticket: Ticket, stage: StageKey, worker: String, rows: Vec<(u64, i64)> },
    Failure { stage: StageKey, trial: u64, attempt: u32, quarantine: bool },
    Acquittal { stage: StageKey, trial: u64 },
    Retract { stage: StageKey, worker: String },
    Close(StageKey),
    State(RunState),
}

impl Command {
    /// The command of an action, if it is one for the store.
    pub(crate) fn of(action: &Action) -> Option<Self> {
        Some(match action {
            Action::Store { ticket, stage, worker, rows } => {
                Command::Store { ticket: *ticket, stage: *stage, worker: worker.name.clone(), rows: values(rows) }
            }
            Action::StoreFailure { stage, trial, attempt, quarantine, .. } => {
                Command::Failure { stage: *stage, trial: *trial, attempt: *attempt, quarantine: *quarantine }
            }
            Action::StoreAcquittal { stage, trial, .. } => Command::Acquittal { stage: *stage, trial: *trial },
            Action::Retract { stage, worker, .. } => Command::Retract { stage: *stage, worker: worker.clone() },
            Action::CloseStage(stage) => Command::Close(*stage),
            Action::StoreState { state, .. } => Command::State(*state),
            _ => return None,
        })
    }
}

/// An answer of the store.
#[derive(Debug)]
pub(crate) enum Reply {
    Committed { ticket: Ticket, repeats: Vec<Repeat> },
    Retracted { stage: StageKey, trials: RangeSet },
    Closed(Result<StageView, RunState>),
}

/// A stored stage.
#[derive(Clone, Debug)]
pub(crate) struct StoredStage {
    pub(crate) trials: u64,
    /// The fold of the stage before, from which its values are computed.
    pub(crate) salt: u64,
    /// Value of each trial, and the worker that delivered it.
    pub(crate) rows: BTreeMap<u64, (i64, String)>,
    claims: BTreeMap<(u64, String), i64>,
    pub(crate) quarantined: BTreeSet<u64>,
    failures: BTreeMap<u64, u32>,
    pub(crate) fold: Option<u64>,
}

/// What a run is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shapes {
    pub(crate) stages: u32,
    pub(crate) trials_min: u64,
    pub(crate) trials_max: u64,
    pub(crate) audit: f64,
    pub(crate) seed: u64,
}

/// The store's contents.
#[derive(Clone, Debug)]
pub(crate) struct Contents {
    shapes: Shapes,
    pub(crate) stages: Vec<StoredStage>,
    pub(crate) state: RunState,
    pub(crate) distrusted: Vec<String>,
    /// Deleted because their worker was found out: (stage, trial).
    pub(crate) retracted: BTreeSet<(u32, u64)>,
}

/// Value of a trial of a stage with this salt.
pub(crate) fn truth(salt: u64, trial: u64) -> i64 {
    mix(salt ^ mix(trial + 1)) as i64
}

pub(crate) fn view(index: u32, trials: u64) -> StageView {
    let value = Column { name: "value".to_owned(), kind: ColumnType::Int, pure: true, labels: None };
    let shape = Shape { name: "s".to_owned(), columns: vec![value] };
    StageView { index, name: "stage".to_owned(), trials, ahead: 0, shape }
}

fn values(rows: &Rows) -> Vec<(u64, i64)> {
    let Cells::Ints(values) = &rows.columns[0] else { panic!("rows of another shape reach the store") };
    rows.trials.iter().copied().zip(values.iter().copied()).collect()
}

impl Contents {
    fn new(shapes: Shapes) -> Self {
        let (stages, distrusted, retracted) = (Vec::new(), Vec::new(), BTreeSet::new());
        let mut contents = Contents { shapes, stages, state: RunState::Running, distrusted, retracted };
        contents.open(shapes.seed);
        contents
    }

    fn open(&mut self, salt: u64) {
        let trials = self.shapes.trials_min + salt % (self.shapes.trials_max - self.shapes.trials_min);
        self.stages.push(StoredStage {
            trials,
            salt,
            rows: BTreeMap::new(),
            claims: BTreeMap::new(),
            quarantined: BTreeSet::new(),
            failures: BTreeMap::new(),
            fold: None,
        });
    }

    /// Index of the open stage, or of the last one.
    pub(crate) fn last(&self) -> u32 {
        self.stages.len() as u32 - 1
    }

    fn opened(&mut self, stage: StageKey) -> Option<&mut StoredStage> {
        let last = self.last();
        self.stages.last_mut().filter(|_| stage.stage == last).filter(|stage| stage.fold.is_none())
    }

    /// The run as a coordinator that starts finds it.
    pub(crate) fn found(&self) -> OpenRun {
        let stage = self.stages.last().expect("a first stage");
        let mut stored: BTreeMap<String, RangeSet> = BTreeMap::new();
        for (&trial, (_, worker)) in &stage.rows {
            stored.entry(worker.clone()).or_default().insert(trial..trial + 1);
        }
        let mut disputes: BTreeMap<u64, Vec<String>> = BTreeMap::new();
        for (trial, worker) in stage.claims.keys() {
            let parties = disputes.entry(*trial).or_insert_with(|| vec![stage.rows[trial].1.clone()]);
            parties.push(worker.clone());
        }
        OpenRun {
            run: RUN,
            state: self.state,
            stage: view(self.last(), stage.trials),
            stored,
            quarantined: stage.quarantined.iter().map(|&t| t..t + 1).collect(),
            failures: stage.failures.clone(),
            audit: self.shapes.audit,
            disputes,
            distrusted: self.distrusted.clone(),
            quota: Quota::default(),
        }
    }

    fn apply(&mut self, command: &Command) -> Option<Reply> {
        match command {
            Command::Store { ticket, stage, worker, rows } => {
                let mut repeats = Vec::new();
                if let Some(open) = self.opened(*stage) {
                    for &(trial, value) in rows {
                        repeats.extend(open.store(trial, value, worker));
                    }
                }
                Some(Reply::Committed { ticket: *ticket, repeats })
            }
            Command::Failure { stage, trial, attempt, quarantine } => {
                if let Some(open) = self.opened(*stage) {
                    open.failures.insert(*trial, *attempt);
                    if *quarantine && !open.rows.contains_key(trial) {
                        open.quarantined.insert(*trial);
                    }
                }
                None
            }
            Command::Acquittal { stage, trial } => {
                if let Some(open) = self.opened(*stage) {
                    open.quarantined.remove(trial);
                    if let Some(failures) = open.failures.get_mut(trial) {
                        *failures = failures.saturating_sub(1);
                    }
                }
                None
            }
            Command::Retract { stage, worker } => {
                self.distrusted.push(worker.clone());
                let trials = self.opened(*stage).map_or_else(RangeSet::new, |open| open.retract(worker));
                self.retracted.extend(trials.iter().flatten().map(|trial| (stage.stage, trial)));
                Some(Reply::Retracted { stage: *stage, trials })
            }
            Command::Close(stage) => {
                let (index, stages) = (stage.stage, self.shapes.stages);
                assert_eq!(index, self.last(), "a stage that is not open is closed");
                let open = self.stages.last_mut().expect("a stage");
                assert!(open.fold.is_none(), "stage {index} is closed twice");
                let all = (open.rows.len() + open.quarantined.len()) as u64;
                assert_eq!(all, open.trials, "stage {index} is closed and lacks trials");
                assert!(open.claims.is_empty(), "stage {index} is closed while workers disagree");
                let fold = open
                    .rows
                    .iter()
                    .fold(mix(index.into()), |fold, (&trial, (value, _))| mix(fold ^ mix(trial) ^ *value as u64));
                open.fold = Some(fold);
                let next = if index + 1 < stages {
                    self.open(fold);
                    let stage = self.stages.last().expect("just opened");
                    Ok(view(self.last(), stage.trials))
                } else {
                    let failed = self.stages.iter().any(|stage| !stage.quarantined.is_empty());
                    self.state = if failed { RunState::Failed } else { RunState::Finished };
                    Err(self.state)
                };
                Some(Reply::Closed(next))
            }
            Command::State(state) => {
                self.state = *state;
                None
            }
        }
    }
}

impl StoredStage {
    fn store(&mut self, trial: u64, value: i64, worker: &str) -> Option<Repeat> {
        self.quarantined.remove(&trial);
        let Some((stored, stored_by)) = self.rows.get(&trial).cloned() else {
            self.rows.insert(trial, (value, worker.to_owned()));
            return None;
        };
        let equal = stored == value;
        let mut agrees_with = Vec::new();
        if !equal {
            let others = self.claims.range((trial, String::new())..(trial + 1, String::new()));
            agrees_with = others.filter(|(_, claim)| **claim == value).map(|((_, name), _)| name.clone()).collect();
            self.claims.insert((trial, worker.to_owned()), value);
        }
        Some(Repeat { trial, stored_by, equal, agrees_with })
    }

    /// Deletes what `worker` delivered, and everything that was said about it.
    fn retract(&mut self, worker: &str) -> RangeSet {
        let trials: RangeSet =
            self.rows.iter().filter(|(_, (_, by))| by == worker).map(|(&trial, _)| trial..trial + 1).collect();
        self.rows.retain(|_, (_, by)| by != worker);
        self.claims.retain(|(trial, by), _| by != worker && !trials.contains(*trial));
        trials
    }
}

/// The disk and what is on its way to it.
pub(crate) struct Disk {
    log: Vec<u8>,
    transactions: Vec<Vec<Command>>,
    /// What the log says.
    pub(crate) contents: Contents,
    shapes: Shapes,
    /// Handed over and not written.
    queue: Vec<Command>,
    pub(crate) full: bool,
    pub(crate) troubled: bool,
}

impl Disk {
    pub(crate) fn new(shapes: Shapes) -> Self {
        let contents = Contents::new(shapes);
        let (log, transactions, queue) = (Vec::new(), Vec::new(), Vec::new());
        Disk { log, transactions, contents, shapes, queue, full: false, troubled: false }
    }

    pub(crate) fn hand_over(&mut self, command: Command) {
        self.queue.push(command);
    }

    pub(crate) fn is_busy(&self) -> bool {
        !self.queue.is_empty()
    }

    fn frame(&self) -> [u8; FRAME] {
        let number = self.transactions.len() as u64;
        let mut frame = [0; FRAME];
        frame[..8].copy_from_slice(&number.to_le_bytes());
        frame[8..].copy_from_slice(&mix(number ^ 0x5eed).to_le_bytes());
        frame
    }

    /// Writes the next transaction: some commands at once. `Err` if the disk is full.
    pub(crate) fn write(&mut self, chance: &mut Chance) -> Result<Vec<Reply>, ()> {
        if self.queue.is_empty() {
            return Ok(Vec::new());
        }
        if self.full {
            // What was written in part is overwritten by the next attempt.
            return Err(());
        }
        let count = chance.between(1, self.queue.len() as u64 + 1) as usize;
        let group: Vec<Command> = self.queue.drain(..count).collect();
        let frame = self.frame();
        self.log.extend_from_slice(&frame);
        let replies = group.iter().filter_map(|command| self.contents.apply(command)).collect();
        self.transactions.push(group);
        Ok(replies)
    }

    /// The machine dies: what waits is gone, and of a transaction under way some bytes may be there.
    pub(crate) fn crash(&mut self, chance: &mut Chance) {
        if !self.full && !self.queue.is_empty() {
            let count = chance.between(1, self.queue.len() as u64 + 1) as usize;
            let written = chance.below(FRAME as u64 + 1) as usize;
            let frame = self.frame();
            self.log.extend_from_slice(&frame[..written]);
            if written == FRAME {
                // Durable, but not acknowledged.
                self.transactions.push(self.queue.drain(..count).collect());
            }
        }
        self.queue.clear();
        self.troubled = false;
        self.recover();
    }

    /// Reads the log back up to the first frame that is not whole.
    fn recover(&mut self) {
        let mut contents = Contents::new(self.shapes);
        let mut good = 0;
        for (at, frame) in self.log.chunks(FRAME).enumerate() {
            let whole = frame.len() == FRAME && frame[8..] == mix(at as u64 ^ 0x5eed).to_le_bytes();
            if !whole {
                break;
            }
            good += 1;
            for command in &self.transactions[at] {
                contents.apply(command);
            }
        }
        self.log.truncate(good * FRAME);
        assert_eq!(self.transactions.len(), good, "a transaction that was durable is gone");
        self.contents = contents;
    }
}
