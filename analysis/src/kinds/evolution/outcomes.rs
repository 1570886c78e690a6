//! The numbers by which replicates of an evolution are compared.

use record::facts::Role;

use super::Evolution;
use crate::{
    kinds::{grid::points_against, subject::Outcome},
    statistics::moments::Moments,
};

/// The champion's share of the points in the last population, the mean size of that population's trees, and the
/// champion's points against each opponent of the final benchmark.
pub(super) fn outcomes(evolution: &Evolution) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    if let Some(last) = evolution.generations.last() {
        let plain = |name: &str, value, digits, most, note| Outcome {
            name: name.to_owned(),
            value,
            interval: None,
            digits,
            range: (0.0, most),
            opponent: None,
            note: Some(note),
            drawn_about: None,
        };
        outcomes.push(plain(
            "best fitness share",
            last.best_share(),
            4,
            1.0,
            "best fitness share: points of the champion inside its last population, as a share of its games.",
        ));
        let size = Moments::of(&last.size).mean();
        let note = "mean size: nodes of a tree of that population.";
        outcomes.extend(size.map(|size| plain("mean size", size, 1, f64::INFINITY, note)));
    }
    let champion = evolution.last_benchmark().into_iter().flat_map(|grid| grid.pairs_of(Role::Best));
    outcomes.extend(champion.map(points_against));
    outcomes
}
