//! The state machine of an experiment: stages, their trials, and what follows a closed stage.
//!
//! A plan does no I/O and keeps no state of its own: everything it needs is in the [`Stage`] it made
//! before and in the rows of that stage. Coordinator and worker rebuild the same plan from the same
//! resolved experiment; the coordinator asks it for stages, the worker for an [`Executor`].

use std::collections::BTreeMap;

use players::play::Watcher;
use serde::{Deserialize, Serialize};

use crate::{
    trial::TrialDescription,
    value::{Row, Shape},
};

/// A set of trials without order among them, closed by a barrier.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// Position in the run, from 0.
    pub index: u32,
    /// For people: `grid`, `generation 12`.
    pub name: String,
    /// Number of trials; they are `0..trials` and exist only as indices until one is run.
    pub trials: u64,
    /// What each trial's row looks like.
    pub shape: Shape,
    /// Texts that `Label` columns index, by key (for example `players`).
    pub labels: BTreeMap<String, Vec<String>>,
    /// Facts of the stage for whoever analyses it (JSON object; keys documented in docs/run-directory.md).
    pub meta: serde_json::Value,
    /// Hashes of the artifacts that its trials or its closing need.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<String>,
    /// Trials that later stages are expected to have; for the time left, nothing else.
    #[serde(default)]
    pub ahead: u64,
}

/// An immutable blob, named by its hash: what trials need and is too much for a stage's facts (a population).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    /// What it is: `population`.
    pub kind: String,
    /// Its content.
    pub data: Vec<u8>,
}

impl Artifact {
    /// Name of a blob: BLAKE3 in hexadecimal digits.
    pub fn hash_of(data: &[u8]) -> String {
        blake3::hash(data).to_hex().to_string()
    }

    /// Its name.
    pub fn hash(&self) -> String {
        Artifact::hash_of(&self.data)
    }
}

/// Where artifacts are found by their hash.
pub trait Artifacts {
    /// The content of an artifact.
    ///
    /// # Errors
    /// It is not there or cannot be read.
    fn get(&self, hash: &str) -> Result<Vec<u8>, String>;
}

impl Artifacts for Vec<Artifact> {
    fn get(&self, hash: &str) -> Result<Vec<u8>, String> {
        let found = self.iter().find(|artifact| artifact.hash() == hash);
        found.map(|artifact| artifact.data.clone()).ok_or_else(|| format!("artifact {hash} is not there"))
    }
}

/// A stage to be opened, and what artifacts are new with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Opening {
    /// The stage.
    pub stage: Stage,
    /// Artifacts that were not there before.
    pub artifacts: Vec<Artifact>,
}

impl Opening {
    /// A stage that needs no artifact.
    pub fn of(stage: Stage) -> Self {
        Opening { stage, artifacts: Vec::new() }
    }
}

/// What follows a closed stage.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// Run this stage.
    Stage(Box<Opening>),
    /// Nothing: the run is finished.
    Finished,
}

/// A closed stage: what its rows come to, and what follows.
#[derive(Clone, Debug, PartialEq)]
pub struct Closing {
    /// What the rows come to (JSON object; keys documented in docs/run-directory.md). `headline`, if it has one, is a
    /// line for people.
    pub fold: serde_json::Value,
    /// What follows.
    pub next: Next,
}

/// Stored rows of a closed stage, in order of their trial.
pub trait ClosedRows {
    /// Calls `each` with (trial, row) for every stored result, trial ascending. Quarantined trials have none.
    ///
    /// # Errors
    /// What reading the store gave.
    fn for_each(&mut self, each: &mut dyn FnMut(u64, &Row)) -> Result<(), String>;

    /// Microseconds that executors spent on them. Depends on the machines.
    ///
    /// # Errors
    /// What reading the store gave.
    fn elapsed_us(&mut self) -> Result<u64, String>;
}

/// The state machine of one experiment.
pub trait Plan: Send + Sync {
    /// The first stage.
    fn first_stage(&self) -> Opening;

    /// What `closed` comes to and what follows it; its rows are all in the store.
    ///
    /// # Errors
    /// What reading `rows` or `artifacts` gave.
    fn after(&self, closed: &Stage, rows: &mut dyn ClosedRows, artifacts: &dyn Artifacts) -> Result<Closing, String>;

    /// What runs the trials of `stage` on a worker. Made once a stage and worker, shared by its threads.
    ///
    /// # Errors
    /// Why this worker cannot run the stage.
    fn executor(&self, stage: &Stage, artifacts: &dyn Artifacts) -> Result<Box<dyn Executor>, String>;
}

/// Runs trials of one stage.
pub trait Executor: Send + Sync {
    /// The row of `trial`: a pure function of experiment, stage and trial but for impure columns.
    ///
    /// # Errors
    /// Why the trial has no result. A panic is caught by the worker and means the same.
    fn run(&self, trial: u64) -> Result<Row, String>;

    /// Runs a trial as [`Executor::run`] does and shows its plies to `watcher`, where it is a game.
    ///
    /// # Errors
    /// As [`Executor::run`].
    fn watch(&self, trial: u64, watcher: &mut Watcher<'_>) -> Result<Row, String> {
        let _ = watcher;
        self.run(trial)
    }

    /// Who sits where in a trial and where it draws from. `None` where there is no such trial.
    fn describe(&self, trial: u64) -> Option<TrialDescription>;
}
