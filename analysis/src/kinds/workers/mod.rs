//! What workers did in a stage or a run.

mod read;
mod table;

use std::collections::BTreeMap;

pub(crate) use read::{COLUMNS, Played, add, hours};
pub(crate) use table::workers as table;

/// What one worker did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Work {
    pub(crate) games: u64,
    /// Microseconds on its executors.
    pub(crate) elapsed_us: u64,
    /// Iterations of both seats.
    pub(crate) iterations: u64,
    pub(crate) decisions: u64,
    pub(crate) deciding_us: u64,
    pub(crate) plies: u64,
}

/// What workers did, by name.
pub(crate) type Workers = BTreeMap<String, Work>;

/// What workers did in several stages.
pub(crate) fn together<'a>(stages: impl IntoIterator<Item = &'a Workers>) -> Workers {
    let mut all = Workers::new();
    for (name, work) in stages.into_iter().flatten() {
        all.entry(name.clone()).or_default().add(work);
    }
    all
}

impl Work {
    pub(crate) fn add(&mut self, other: &Work) {
        let Work { games, elapsed_us, iterations, decisions, deciding_us, plies } = other;
        self.games += games;
        self.elapsed_us += elapsed_us;
        self.iterations += iterations;
        self.decisions += decisions;
        self.deciding_us += deciding_us;
        self.plies += plies;
    }

    /// The sum of several workers' work.
    pub(crate) fn sum<'a>(of: impl IntoIterator<Item = &'a Work>) -> Self {
        let mut sum = Work::default();
        of.into_iter().for_each(|work| sum.add(work));
        sum
    }

    /// Hours on executors.
    pub(crate) fn hours(&self) -> f64 {
        self.elapsed_us as f64 / 3.6e9
    }

    /// `part / whole`; `None` if `whole` is 0.
    pub(crate) fn mean(part: u64, whole: u64) -> Option<f64> {
        (whole > 0).then(|| part as f64 / whole as f64)
    }
}

/// What workers ran, in the plural and in the singular, for [`table`].
pub(crate) const GAMES: [&str; 2] = ["games", "game"];
pub(crate) const RUNS: [&str; 2] = ["runs", "run"];
