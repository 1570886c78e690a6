//! The numbers by which replicates of a grid are compared.

use super::{Grid, PER_1000, PairGames};
use crate::kinds::subject::Outcome;

/// An outcome for each pair: the first player's points.
pub(super) fn outcomes(grid: &Grid) -> Vec<Outcome> {
    grid.pairs.iter().map(|pair| points(format!("points per 1000 {} v {}", pair.a, pair.b), pair)).collect()
}

/// The points of a champion or winner, the first player of `pair`, against its opponent.
pub(crate) fn points_against(pair: &PairGames) -> Outcome {
    Outcome { opponent: Some(pair.b.clone()), ..points(format!("points per 1000 v {}", pair.b), pair) }
}

fn points(name: String, pair: &PairGames) -> Outcome {
    let interval = pair.share_interval().map(|(low, high)| (low * PER_1000, high * PER_1000));
    Outcome {
        name,
        value: pair.share() * PER_1000,
        interval,
        digits: 1,
        range: (0.0, PER_1000),
        opponent: None,
        note: None,
        drawn_about: None,
    }
}
