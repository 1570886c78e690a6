//! What an experiment asks of its study: a metric, a test, and how its p are adjusted.

/// A question of an experiment (`[[analysis]]` in its file).
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// Name of its tables: lower-case words joined by `-`.
    pub name: String,
    /// The question itself; a line above its tables.
    pub question: String,
    /// A number of a run, as files name it: a column of the shape `study` with hyphens.
    pub metric: String,
    /// How it is answered.
    pub test: Test,
    /// What is done about the number of tests in a family.
    pub adjust: Adjust,
    /// Level below which an adjusted p counts, in (0, 1).
    pub alpha: f64,
    /// Agents that it asks about, in the order of its tables; all of them if it names none.
    pub players: Vec<String>,
}

/// A test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// Mann-Whitney U of all pairs of agents.
    MannWhitney,
    /// Welch's t of all pairs.
    Welch,
    /// Student's t of all pairs.
    Student,
    /// Wilcoxon's signed ranks of all pairs, runs of the same number paired.
    Wilcoxon,
    /// Kruskal and Wallis' of all agents at once.
    KruskalWallis,
    /// Friedman's of all agents at once, runs of the same number being a block.
    Friedman,
    /// D'Agostino and Pearson's of each agent.
    Normality,
}

impl Test {
    /// All of them, with the names that files give them.
    pub const ALL: [(&'static str, Test); 7] = [
        ("mann-whitney", Test::MannWhitney),
        ("welch", Test::Welch),
        ("student", Test::Student),
        ("wilcoxon", Test::Wilcoxon),
        ("kruskal-wallis", Test::KruskalWallis),
        ("friedman", Test::Friedman),
        ("normality", Test::Normality),
    ];

    /// Whether it is of two samples.
    pub fn is_of_pairs(self) -> bool {
        matches!(self, Test::MannWhitney | Test::Welch | Test::Student | Test::Wilcoxon)
    }

    /// Whether it needs numbers that belong together over samples, by blocks.
    pub fn needs_blocks(self) -> bool {
        matches!(self, Test::Wilcoxon | Test::Friedman)
    }

    /// The name that files give it.
    pub fn name(self) -> &'static str {
        Test::ALL.iter().find(|(_, test)| *test == self).map_or("", |(name, _)| name)
    }

    /// The one that files call `name`.
    pub fn find(name: &str) -> Option<Test> {
        Test::ALL.iter().find(|(known, _)| *known == name).map(|(_, test)| *test)
    }
}

/// How probabilities are adjusted for the number of tests in their family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adjust {
    /// Not at all.
    None,
    /// Holm's way: against any false alarm.
    Holm,
    /// Benjamini and Hochberg's: the expected share of false ones among the alarms.
    BenjaminiHochberg,
}

impl Adjust {
    /// All of them, with the names that files give them.
    pub const ALL: [(&'static str, Adjust); 3] =
        [("none", Adjust::None), ("holm", Adjust::Holm), ("benjamini-hochberg", Adjust::BenjaminiHochberg)];

    /// The one that files call `name`.
    pub fn find(name: &str) -> Option<Adjust> {
        Adjust::ALL.iter().find(|(known, _)| *known == name).map(|(_, adjust)| *adjust)
    }
}
