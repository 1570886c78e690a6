//! The figures of a grid.

mod cells;
mod common;
mod own;
mod pairs;
mod ratings;
mod times;

use crate::{
    forms::figure::{Bars, Chart, Figures},
    kinds::grid::{Grid, axes::Axes},
};

/// The figures of a grid.
pub(crate) fn of_grid(grid: &Grid) -> Figures {
    let axes = Axes::of(grid);
    let mut figures = Figures::default();
    figures.extend([pairs::chart(grid).and_then(|chart| chart.draw())]);
    figures.extend(ratings::charts(grid).into_iter().map(|chart| chart.and_then(|chart| chart.draw())));
    if let Some(axes) = &axes {
        figures.extend(cells::maps(grid, axes).into_iter().map(|map| map.and_then(|map| map.draw())));
    }
    figures.extend(common::chart(grid).iter().map(Chart::draw));
    if grid.has_turns() {
        if let Some(axes) = &axes {
            let boxes = times::by_parameter(grid, axes);
            figures.extend(boxes.into_iter().map(|boxes| boxes.and_then(|boxes| boxes.draw())));
        }
        let by_turn = times::by_turn(grid, axes.as_ref());
        figures.extend([by_turn.and_then(|chart| chart.map_or(Ok(None), |chart| chart.draw()))]);
        let histogram = times::histogram(grid, axes.as_ref());
        figures.extend([histogram.and_then(|chart| chart.map_or(Ok(None), |chart| chart.draw()))]);
    }
    figures.extend(own::by_source(grid).iter().map(Bars::draw));
    figures.extend(own::by_turn(grid).iter().map(Chart::draw));
    figures.extend(grid.turn_figures.charts().iter().map(Chart::draw));
    figures
}
