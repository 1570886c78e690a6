//! The figures of a tuning.

mod parameters;
mod search;

use crate::{
    forms::figure::{Chart, Figures},
    kinds::{grid::figures::of_grid, tuning::Tuning},
};

/// The figures of a tuning's closed stages.
pub(crate) fn of_tuning(tuning: &Tuning) -> Figures {
    let mut figures: Figures = [search::chart(tuning), parameters::chart(tuning)].iter().map(Chart::draw).collect();
    if let Some(grid) = tuning.last_grid() {
        let Figures { drawn, left_out } = of_grid(grid);
        figures.drawn.extend(drawn);
        figures.left_out.extend(left_out);
    }
    figures
}
