//! Shares of a match grid.

use crate::{
    forms::figure::{Interval, Intervals, LeftOut},
    kinds::grid::{Grid, PairGames},
};

/// More pairs than this are a table, not a figure.
const PAIRS_MAX: usize = 40;

/// A line a pair, with its interval.
///
/// # Errors
/// The grid has too many.
pub(crate) fn chart(grid: &Grid) -> Result<Intervals, LeftOut> {
    if grid.pairs.len() > PAIRS_MAX {
        return Err(LeftOut::too_many("pairs", grid.pairs.len(), "pairs", PAIRS_MAX));
    }
    let row = |pair: &PairGames| Interval {
        name: format!("{} v {}", pair.a, pair.b),
        value: pair.share(),
        ends: pair.share_interval(),
    };
    Ok(Intervals {
        name: "pairs".into(),
        title: format!("{}: share of the points by pair, 95 %", grid.meta.header.experiment),
        x: "share of the points of the first named".to_owned(),
        // A mark at an end would be cut in half.
        x_range: (-0.02, 1.02),
        level: 0.5,
        rows: grid.pairs.iter().map(row).collect(),
    })
}
