//! Scores of a match grid.

use crate::{
    figure::{Interval, Intervals},
    games::{Grid, PairGames},
};

/// More pairs than this are a table, not a figure.
const PAIRS_MAX: usize = 40;

/// A line a pair, with its interval; `None` of a grid with too many.
pub(crate) fn chart(grid: &Grid) -> Option<Intervals> {
    let row = |pair: &PairGames| Interval {
        name: format!("{} v {}", pair.a, pair.b),
        value: pair.share(),
        ends: pair.share_interval(),
    };
    (grid.pairs.len() <= PAIRS_MAX).then(|| Intervals {
        name: "pairs".into(),
        title: format!("{}: score by pair, 95 %", grid.meta.experiment),
        x: "score of the first named (share of the points)".to_owned(),
        // A mark at an end would be cut in half.
        x_range: (-0.02, 1.02),
        level: 0.5,
        rows: grid.pairs.iter().map(row).collect(),
    })
}
