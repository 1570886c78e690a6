//! The figures of a grid.

mod cells;
mod common;
mod own;
mod pairs;
mod ratings;
mod times;

use crate::{
    forms::figure::{Bars, Chart, Drawn, Figure, Figures},
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
        let measured = times(grid, axes.as_ref())
            .into_iter()
            .map(|drawn| drawn.map(|figure| figure.map(|figure| Figure { measured: true, ..figure })));
        figures.extend(measured);
    }
    figures.extend(own::by_source(grid).iter().map(Bars::draw));
    figures.extend(own::by_turn(grid).iter().map(Chart::draw));
    figures.extend(grid.turn_figures.charts().iter().map(Chart::draw));
    figures
}

/// Figures of the time that decisions took.
fn times(grid: &Grid, axes: Option<&Axes>) -> Vec<Drawn> {
    let boxes = axes.map_or(Vec::new(), |axes| times::by_parameter(grid, axes));
    let mut drawn: Vec<Drawn> = boxes.into_iter().map(|boxes| boxes.and_then(|boxes| boxes.draw())).collect();
    let by_turn = times::by_turn(grid, axes);
    drawn.push(by_turn.and_then(|chart| chart.map_or(Ok(None), |chart| chart.draw())));
    let histogram = times::histogram(grid, axes);
    drawn.push(histogram.and_then(|chart| chart.map_or(Ok(None), |chart| chart.draw())));
    drawn
}
