//! A study: what agents decide on problems, run by run.
//!
//! A row of its stage is one run of one agent on one problem. Numbers of all runs are held; texts are added up while
//! they are read, so that memory does not follow the size of histograms.

mod figures;
mod formula;
mod outcomes;
mod questions;
mod read;
pub(crate) mod report;
mod tables;
mod warnings;
mod words;

use std::collections::BTreeMap;

use crate::{
    kinds::{
        grid::Cost,
        own::{OwnColumns, OwnFigures},
        turn_figures::TurnFigures,
        workers::Workers,
    },
    statistics::moments::Moments,
};

pub(crate) use questions::{Measured, measured_head};
pub(crate) use read::read;
use record::{
    facts::StudyFacts,
    study::{Family, METRICS, Metric},
};

/// Nodes by place, added in each third of the iterations; summed over runs.
pub(crate) type Thirds = [Vec<u64>; 3];

/// The runs of one agent on one problem.
#[derive(Clone, Debug)]
pub(crate) struct Arm {
    pub(crate) problem: String,
    pub(crate) agent: String,
    /// Numbers of the runs that are stored, ascending.
    pub(crate) runs: Vec<u64>,
    /// A value a run for each of [`METRICS`].
    values: Vec<Vec<f64>>,
    /// A value a run for each number among the game's own columns.
    own_values: Vec<Vec<f64>>,
    /// Figures of the game's own columns.
    pub(crate) own: OwnFigures,
    /// Histogram of the runs that have one.
    pub(crate) histogram: Option<Thirds>,
    /// Runs with a histogram.
    pub(crate) histograms: u64,
    /// How often each final formula occurs, constants aside.
    pub(crate) formulas: BTreeMap<String, u64>,
    /// Games by their moves, as hashes.
    pub(crate) distinct: u64,
    pub(crate) cost: Cost,
}

impl Arm {
    fn new(problem: &str, agent: &str) -> Self {
        Arm {
            problem: problem.to_owned(),
            agent: agent.to_owned(),
            runs: Vec::new(),
            values: vec![Vec::new(); METRICS.len()],
            own_values: Vec::new(),
            own: OwnFigures::default(),
            histogram: None,
            histograms: 0,
            formulas: BTreeMap::new(),
            distinct: 0,
            cost: Cost::default(),
        }
    }

    /// A value a run, in the order of [`Arm::runs`].
    pub(crate) fn values(&self, metric: &Metric) -> &[f64] {
        &self.values[place(metric)]
    }

    /// Mean and spread over runs; `None` where the agent has no such figure, as an agent without a tree has no depth.
    pub(crate) fn moments(&self, metric: &Metric) -> Option<Moments> {
        let known = match metric.family {
            Family::Play => true,
            Family::Tree => self.has_trees(),
            Family::Formula => self.evolves(),
        };
        (known && !self.runs.is_empty()).then(|| Moments::of(self.values(metric)))
    }

    /// The same by the metric's name.
    ///
    /// # Panics
    /// If no metric has that name: names in this crate are from the list.
    pub(crate) fn of(&self, name: &str) -> Option<Moments> {
        self.moments(Metric::find(name).expect("a metric of the list"))
    }

    /// Whether the agent grows trees: a root is a node.
    pub(crate) fn has_trees(&self) -> bool {
        self.any("nodes")
    }

    /// Whether it evolves formulas.
    pub(crate) fn evolves(&self) -> bool {
        self.any("formula-nodes")
    }

    fn any(&self, name: &str) -> bool {
        Metric::find(name).is_some_and(|metric| self.values(metric).iter().any(|value| *value > 0.0))
    }
}

/// A study's stage.
#[derive(Clone, Debug)]
pub(crate) struct Study {
    pub(crate) meta: StudyFacts,
    /// Columns that the problems' game declares.
    pub(crate) own: OwnColumns,
    /// Problem by problem, agents in the file's order; those without a stored run are left out.
    pub(crate) arms: Vec<Arm>,
    /// What agents declare of their decisions, where rows have it.
    pub(crate) turn_figures: TurnFigures,
    /// By name.
    pub(crate) workers: Workers,
    /// Runs it should have.
    pub(crate) trials: u64,
}

impl Study {
    /// Runs it has.
    pub(crate) fn runs(&self) -> u64 {
        self.arms.iter().map(|arm| arm.runs.len() as u64).sum()
    }

    /// Problems that have runs, in the file's order.
    pub(crate) fn problems(&self) -> impl Iterator<Item = &str> {
        self.meta.problem_order.iter().map(String::as_str).filter(|problem| self.arms_of(problem).next().is_some())
    }

    /// Agents on a problem, in the file's order.
    pub(crate) fn arms_of<'a>(&'a self, problem: &'a str) -> impl Iterator<Item = &'a Arm> {
        self.arms.iter().filter(move |arm| arm.problem == problem)
    }

    pub(crate) fn arm(&self, problem: &str, agent: &str) -> Option<&Arm> {
        self.arms.iter().find(|arm| arm.problem == problem && arm.agent == agent)
    }

    /// Whether a trial is one decision, so that a share over its decisions is 0 or 1.
    pub(crate) fn is_of_decisions(&self) -> bool {
        self.meta.measure == "decision"
    }

    /// Runs of an agent that ended with the formula it began with, constants aside.
    pub(crate) fn unchanged(&self, arm: &Arm) -> u64 {
        let spec = self.meta.specs.get(&arm.agent).map_or("", String::as_str);
        arm.formulas.iter().filter(|(shape, _)| formula::is_initial(shape, spec)).map(|(_, count)| count).sum()
    }

    /// The figure that a study is about: of a decision the value that the search believes in, of a game its points.
    pub(crate) fn main_metric(&self) -> &'static Metric {
        let grows = self.arms.iter().any(Arm::has_trees);
        let name = if self.is_of_decisions() && grows { "by-reward" } else { "points" };
        Metric::find(name).expect("a metric of the list")
    }
}

/// The place of a metric in [`METRICS`].
fn place(metric: &Metric) -> usize {
    METRICS.iter().position(|known| known == metric).expect("metrics are those of the list")
}
