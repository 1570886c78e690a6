//! The figures, a file each, as data for [`crate::figure`].

mod benchmarks;
mod fitness;
mod structure;

use crate::{
    evolution::Evolution,
    figure::{Figure, Point},
    games::Grid,
};

/// Of an evolution, as far as its stages are closed.
pub(crate) fn of_evolution(evolution: &Evolution) -> Vec<Figure> {
    let charts = [fitness::chart(evolution), benchmarks::chart(evolution), structure::chart(evolution)];
    charts.iter().filter_map(crate::figure::Chart::draw).collect()
}

/// Of a match grid.
pub(crate) fn of_grid(_grid: &Grid) -> Vec<Figure> {
    Vec::new()
}

/// The axis that most figures share.
pub(crate) const GENERATION: &str = "generation";

/// A point without an interval.
pub(crate) fn point(x: f64, y: f64) -> Point {
    Point { x, y, spread: None }
}
