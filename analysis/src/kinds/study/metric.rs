//! The figures of a run, by name.

/// What an agent must be like to have a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// Every agent.
    Play,
    /// Agents that grow a tree.
    Tree,
    /// Agents that evolve a formula.
    Formula,
}

/// A column of the shape `study` that is a number and no name of something.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Metric {
    /// As files name it: the column with hyphens.
    pub(crate) name: &'static str,
    pub(crate) family: Family,
    /// For people, unit in brackets where it has one.
    pub(crate) head: &'static str,
    /// After the point, for people.
    pub(crate) digits: usize,
}

const fn metric(name: &'static str, family: Family, head: &'static str, digits: usize) -> Metric {
    Metric { name, family, head, digits }
}

/// All of them, in the order of the columns (docs/run-directory.md).
pub(crate) const METRICS: &[Metric] = {
    use Family::{Formula, Play, Tree};
    &[
        metric("points", Play, "points", 3),
        metric("score", Play, "game score", 2),
        metric("plies", Play, "plies", 1),
        metric("decisions", Play, "decisions", 1),
        metric("iterations", Play, "iterations", 1),
        metric("nodes", Tree, "nodes", 1),
        metric("expansion-rate", Tree, "expansion rate", 3),
        metric("terminals", Tree, "terminals", 2),
        metric("leaf-depth", Tree, "leaf depth", 2),
        metric("leaf-depth-sd", Tree, "sd of leaf depths in a tree", 2),
        metric("depth-max", Tree, "depth", 1),
        metric("by-visits", Tree, "points by visits", 3),
        metric("by-reward", Tree, "points by reward", 3),
        metric("root-share", Tree, "share of the root's visits", 3),
        metric("formula-nodes", Formula, "formula's nodes", 2),
        metric("uses-q", Formula, "share with Q", 2),
        metric("uses-visits", Formula, "share with n", 2),
        metric("uses-parent-visits", Formula, "share with N", 2),
        metric("uses-c", Formula, "share with C", 2),
        metric("fitness", Formula, "fitness", 3),
        metric("formulas", Formula, "formulas measured", 1),
        metric("generations", Formula, "generations", 1),
        metric("fitness-iterations", Formula, "fitness iterations", 1),
        metric("ties", Formula, "ties", 2),
        metric("semantic-choices", Formula, "semantic choices", 2),
    ]
};

impl Metric {
    /// The one that a file calls `name`.
    pub(crate) fn find(name: &str) -> Option<&'static Metric> {
        METRICS.iter().find(|metric| metric.name == name)
    }

    /// Its column.
    pub(crate) fn column(&self) -> String {
        self.name.replace('-', "_")
    }

    /// Its place in [`METRICS`].
    pub(super) fn index(&self) -> usize {
        METRICS.iter().position(|metric| metric.name == self.name).expect("metrics are those of the list")
    }
}
