//! The rows of a study: their columns, and the metrics among them that questions and tables are about
//! (docs/run-directory.md, shape `study`).

use crate::{
    Column, ColumnType, Shape,
    columns::{PLAYERS, PROBLEMS, impure, in_files, label, pure},
};

/// Shape of a study's stage.
pub const STUDY: &str = "study";

/// The problem: a label of `problems`.
pub const PROBLEM: &str = "problem";
/// The agent: a label of `players`.
pub const AGENT: &str = "agent";
/// Index of the run, from 0.
pub const RUN: &str = "run";
/// 64-bit hash of the moves.
pub const MOVES_HASH: &str = "moves_hash";
/// Visits of the root's children.
pub const ROOT_VISITS: &str = "root_visits";
/// Nodes by place on the line that is searched, in thirds of the iterations.
pub const HISTOGRAM: &str = "histogram";
/// The formula that an agent ended with.
pub const FORMULA: &str = "formula";
/// Microseconds spent deciding: the only column that is a measurement.
pub const DECIDING_US: &str = "deciding_us";

/// Which agents have a value of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// All agents.
    Play,
    /// Agents that grow a tree.
    Tree,
    /// Agents that evolve a formula.
    Formula,
}

/// A column that is a number, follows from spec and seed, and means more when it is greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    /// Its column.
    pub column: &'static str,
    /// Which agents have it.
    pub family: Family,
    /// Head of a table's column, for people.
    pub head: &'static str,
    /// Digits after the point, for people.
    pub digits: usize,
}

impl Metric {
    /// The metric that a file calls `name`: its column with hyphens.
    pub fn find(name: &str) -> Option<&'static Metric> {
        METRICS.iter().find(|metric| metric.name() == name)
    }

    /// Its name in files: the column with hyphens, `leaf-depth`.
    pub fn name(&self) -> String {
        in_files(self.column)
    }
}

const fn metric(column: &'static str, family: Family, head: &'static str, digits: usize) -> Metric {
    Metric { column, family, head, digits }
}

/// Number of metrics that say how an agent played.
const PLAY: usize = 5;

/// All metrics, in the order of their columns: those of play, then those of trees and formulas.
pub const METRICS: [Metric; 25] = {
    use Family::{Formula, Play, Tree};
    [
        metric("points", Play, "points", 3),
        metric("score", Play, "game score", 2),
        metric("plies", Play, "plies", 1),
        metric("decisions", Play, "decisions", 1),
        metric("iterations", Play, "iterations", 1),
        metric("nodes", Tree, "nodes", 1),
        metric("expansion_rate", Tree, "expansion rate", 3),
        metric("terminals", Tree, "terminals", 2),
        metric("leaf_depth", Tree, "leaf depth", 2),
        metric("leaf_depth_sd", Tree, "sd of leaf depths in a tree", 2),
        metric("depth_max", Tree, "depth", 1),
        metric("by_visits", Tree, "points by visits", 3),
        metric("by_reward", Tree, "points by reward", 3),
        metric("root_share", Tree, "share of the root's visits", 3),
        metric("formula_nodes", Formula, "formula's nodes", 2),
        metric("uses_q", Formula, "share with Q", 2),
        metric("uses_visits", Formula, "share with n", 2),
        metric("uses_parent_visits", Formula, "share with N", 2),
        metric("uses_c", Formula, "share with C", 2),
        metric("fitness", Formula, "fitness", 3),
        metric("formulas", Formula, "formulas measured", 1),
        metric("generations", Formula, "generations", 1),
        metric("fitness_iterations", Formula, "fitness iterations", 1),
        metric("ties", Formula, "ties", 2),
        metric("semantic_choices", Formula, "semantic choices", 2),
    ]
};

/// Columns of trees and formulas: means over the decisions of a run.
pub fn tree_columns() -> impl Iterator<Item = &'static str> {
    METRICS[PLAY..].iter().map(|metric| metric.column)
}

/// Shape of the rows of a study's runs.
pub fn study_shape() -> Shape {
    let mut columns: Vec<Column> = vec![label(PROBLEM, PROBLEMS), label(AGENT, PLAYERS), pure(RUN, ColumnType::Int)];
    columns.push(pure("points", ColumnType::Real));
    columns.extend(["score", "plies", MOVES_HASH, "decisions", "iterations"].map(|name| pure(name, ColumnType::Int)));
    columns.extend(tree_columns().map(|name| pure(name, ColumnType::Real)));
    columns.extend([ROOT_VISITS, HISTOGRAM, FORMULA].map(|name| pure(name, ColumnType::Text)));
    columns.push(impure(DECIDING_US, ColumnType::Int));
    Shape { name: STUDY.to_owned(), columns }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_is_a_pure_number_of_the_shape() {
        let shape = study_shape();
        for metric in &METRICS {
            let column = &shape.columns[shape.index(metric.column).expect(metric.column)];
            assert!(column.pure && matches!(column.kind, ColumnType::Int | ColumnType::Real), "{column:?}");
            assert_eq!(Metric::find(&metric.name()), Some(metric));
        }
    }

    /// As docs/run-directory.md lists them: databases of older versions have these columns in this order.
    #[test]
    fn a_study_has_the_documented_columns() {
        let names: Vec<String> = study_shape().columns.into_iter().map(|column| column.name).collect();
        let documented = "problem agent run points score plies moves_hash decisions iterations nodes expansion_rate \
                          terminals leaf_depth leaf_depth_sd depth_max by_visits by_reward root_share formula_nodes \
                          uses_q uses_visits uses_parent_visits uses_c fitness formulas generations \
                          fitness_iterations ties semantic_choices root_visits histogram formula deciding_us";
        assert_eq!(names.join(" "), documented);
    }
}
