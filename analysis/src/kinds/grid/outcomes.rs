//! The numbers by which replicates of a grid are compared.

use super::{Grid, PairGames, SCORE_OF};
use crate::kinds::subject::Outcome;

/// An outcome for each pair: the first player's points.
pub(super) fn outcomes(grid: &Grid) -> Vec<Outcome> {
    grid.pairs.iter().map(|pair| score(format!("score {} v {}", pair.a, pair.b), pair)).collect()
}

/// The points of a champion or winner, the first player of `pair`, against its opponent.
pub(crate) fn score_against(pair: &PairGames) -> Outcome {
    Outcome { opponent: Some(pair.b.clone()), ..score(format!("score v {}", pair.b), pair) }
}

fn score(name: String, pair: &PairGames) -> Outcome {
    let interval = pair.share_interval().map(|(low, high)| (low * SCORE_OF, high * SCORE_OF));
    Outcome {
        name,
        value: pair.share() * SCORE_OF,
        interval,
        digits: 1,
        range: (0.0, SCORE_OF),
        opponent: None,
        note: None,
        drawn_about: None,
    }
}
