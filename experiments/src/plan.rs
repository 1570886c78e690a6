//! The state machine of an experiment: stages, their trials, and what follows a closed stage.
//!
//! A plan does no I/O and keeps no state of its own: everything it needs is in the [`Stage`] it made
//! before and in the rows of that stage. Coordinator and worker rebuild the same plan from the same
//! resolved experiment; the coordinator asks it for stages, the worker for an [`Executor`].

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::value::{Row, Shape};

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
}

/// What follows a closed stage.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// Run this stage.
    Stage(Box<Stage>),
    /// Nothing: the run is finished.
    Finished,
}

/// Stored rows of a closed stage, in order of their trial.
pub trait ClosedRows {
    /// Calls `each` with (trial, row) for every stored result, trial ascending. Quarantined trials have none.
    ///
    /// # Errors
    /// What reading the store gave.
    fn for_each(&mut self, each: &mut dyn FnMut(u64, &Row)) -> Result<(), String>;
}

/// The state machine of one experiment.
pub trait Plan: Send + Sync {
    /// The first stage.
    fn first_stage(&self) -> Stage;

    /// What follows `closed`; its rows are all in the store.
    ///
    /// # Errors
    /// What reading `rows` gave.
    fn after(&self, closed: &Stage, rows: &mut dyn ClosedRows) -> Result<Next, String>;

    /// What runs the trials of `stage` on a worker. Made once a stage and worker, shared by its threads.
    ///
    /// # Errors
    /// Why this worker cannot run the stage.
    fn executor(&self, stage: &Stage) -> Result<Box<dyn Executor>, String>;
}

/// Runs trials of one stage.
pub trait Executor: Send + Sync {
    /// The row of `trial`: a pure function of experiment, stage and trial but for impure columns.
    ///
    /// # Errors
    /// Why the trial has no result. A panic is caught by the worker and means the same.
    fn run(&self, trial: u64) -> Result<Row, String>;
}
