//! The state machine of an experiment: stages, their trials, and what follows a closed stage.
//!
//! A plan does no I/O and keeps no state of its own: everything it needs is in the [`Stage`] it made
//! before and in the rows of that stage. Coordinator and worker rebuild the same plan from the same
//! resolved experiment; the coordinator asks it for stages, the worker for an [`Executor`].

use players::play::Watcher;
use record::{FactsError, Row, Stage};
use serde::Serialize;

pub use crate::artifacts::{Artifact, Artifacts, StoreError};
use crate::{population::PopulationError, trial::TrialDescription};

/// A stage to be opened, and what artifacts are new with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Opening {
    /// The stage.
    pub stage: Stage,
    /// Artifacts that were not there before.
    pub artifacts: Vec<Artifact>,
}

impl Opening {
    /// A stage that needs no new artifact.
    pub fn of(stage: Stage) -> Self {
        Opening { stage, artifacts: Vec::new() }
    }
}

/// What follows a closed stage.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// Run this stage.
    Stage(Box<Opening>),
    /// Nothing: the run is finished, with artifacts that were not there before.
    Finished(Vec<Artifact>),
}

/// A closed stage: its fold, and what follows.
#[derive(Clone, Debug, PartialEq)]
pub struct Closing {
    /// Summary of the rows: one of [`record::folds`] as JSON, an empty object for kinds without one.
    /// `headline`, if it has one, is a line for people.
    pub fold: serde_json::Value,
    /// What follows.
    pub next: Next,
}

impl Closing {
    /// The end of a run whose rows speak for themselves.
    pub(crate) fn end() -> Self {
        Closing { fold: serde_json::json!({}), next: Next::Finished(Vec::new()) }
    }

    /// A stage with this fold.
    pub(crate) fn of(fold: &impl Serialize, next: Next) -> Self {
        Closing { fold: record::facts::to_json(fold), next }
    }
}

/// Stored rows of a closed stage, in order of their trial.
pub trait ClosedRows {
    /// Calls `each` with (trial, row) for every stored result, trial ascending. Quarantined trials have none.
    ///
    /// # Errors
    /// What reading the store gave.
    fn for_each(&mut self, each: &mut dyn FnMut(u64, &Row)) -> Result<(), StoreError>;

    /// Microseconds that executors spent on them. Depends on the machines.
    ///
    /// # Errors
    /// What reading the store gave.
    fn elapsed_us(&mut self) -> Result<u64, StoreError>;
}

/// Why a plan cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// The store gave no rows or no artifact. A store may work again later; everything else stays as it is.
    #[error("the store cannot be read: {0}")]
    Store(#[from] StoreError),
    /// The facts of a stage are not those of its kind.
    #[error(transparent)]
    Facts(#[from] FactsError),
    /// A stage's fact contradicts the experiment.
    #[error("stage {stage} says nothing usable of its {fact}")]
    Fact {
        /// Index of the stage.
        stage: u32,
        /// The fact.
        fact: &'static str,
    },
    /// A population is not one of this experiment.
    #[error("artifact {hash} {source}")]
    Population {
        /// Its hash.
        hash: String,
        /// What is wrong with it.
        source: PopulationError,
    },
    /// A network cannot be used.
    #[error("artifact {hash}, a network, cannot be used: {reason}")]
    Net {
        /// Its hash.
        hash: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A list of candidates is not one of this experiment.
    #[error("artifact {hash} {reason}")]
    Candidates {
        /// Its hash.
        hash: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A stored row is not one of its stage.
    #[error("the row of trial {trial} is not one of this stage: {reason}")]
    Row {
        /// The trial.
        trial: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// The values of a candidate give no player.
    #[error("{name} ({values}) is not a player: {reason}")]
    Candidate {
        /// Its name.
        name: String,
        /// Its values, for people.
        values: String,
        /// What is wrong with them.
        reason: String,
    },
}

/// Why a trial has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TrialError {
    /// The stage has no such trial.
    #[error("the stage has {trials} trials; there is no trial {trial}")]
    NoSuchTrial {
        /// The trial.
        trial: u64,
        /// Trials of the stage.
        trials: u64,
    },
    /// Its players cannot play its game.
    #[error("{0}")]
    Players(String),
    /// A network cannot be trained.
    #[error("the network cannot be trained: {0}")]
    Training(String),
    /// A synthetic trial that fails on purpose.
    #[error("{0}")]
    OnPurpose(String),
}

/// The state machine of one experiment.
pub trait Plan: Send + Sync {
    /// The first stage.
    fn first_stage(&self) -> Opening;

    /// The fold of `closed` and what follows it; its rows are all in the store.
    ///
    /// # Errors
    /// What reading `rows` or `artifacts` gave, or what is wrong with the stage, its rows or its artifacts.
    fn after(&self, closed: &Stage, rows: &mut dyn ClosedRows, artifacts: &dyn Artifacts)
    -> Result<Closing, PlanError>;

    /// What runs the trials of `stage` on a worker. Made once a stage and worker, shared by its threads.
    ///
    /// # Errors
    /// Why this worker cannot run the stage.
    fn executor(&self, stage: &Stage, artifacts: &dyn Artifacts) -> Result<Box<dyn Executor>, PlanError>;
}

/// Runs trials of one stage.
pub trait Executor: Send + Sync {
    /// The row of `trial`: a pure function of experiment, stage and trial but for impure columns.
    ///
    /// # Errors
    /// Why the trial has no result. A panic is caught by the worker and means the same.
    fn run(&self, trial: u64) -> Result<Row, TrialError>;

    /// Runs a trial as [`Executor::run`] does and shows its plies to `watcher`, where it is a game.
    ///
    /// # Errors
    /// As [`Executor::run`].
    fn watch(&self, trial: u64, watcher: &mut Watcher<'_>) -> Result<Row, TrialError> {
        let _ = watcher;
        self.run(trial)
    }

    /// Who sits where in a trial and where it draws from. `None` if the stage has no such trial.
    fn describe(&self, trial: u64) -> Option<TrialDescription>;
}
