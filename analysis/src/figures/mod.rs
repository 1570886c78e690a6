//! The figures, a file each, as data for [`crate::figure`].

mod benchmarks;
mod cells;
mod fitness;
mod pairs;
mod parameters;
mod replicate_tunings;
mod replicates;
mod structure;
mod study;
mod times;
mod tuning;

use crate::{
    axes::Axes,
    evolution::Evolution,
    figure::{Boxes, Chart, Figure, Heat, Histograms, Intervals, Panel, Places, Point, Scale, Series},
    games::Grid,
    replicates::Setting,
    study::Study,
    tuning::Tuning,
};

/// Of an evolution, as far as its stages are closed.
pub(crate) fn of_evolution(evolution: &Evolution) -> Vec<Figure> {
    let charts = [fitness::chart(evolution), benchmarks::chart(evolution), structure::chart(evolution)];
    charts.iter().filter_map(Chart::draw).collect()
}

/// Of a match grid.
pub(crate) fn of_grid(grid: &Grid) -> Vec<Figure> {
    let axes = Axes::of(grid);
    let mut figures: Vec<Figure> = pairs::chart(grid).iter().map(Intervals::draw).collect();
    figures.extend(axes.iter().flat_map(|axes| cells::maps(grid, axes)).filter_map(|map| Heat::draw(&map)));
    if grid.has_turns() {
        figures.extend(axes.iter().flat_map(|axes| times::by_parameter(grid, axes)).filter_map(|boxes| boxes.draw()));
        figures.extend(times::by_turn(grid, axes.as_ref()).and_then(|chart| chart.draw()));
        figures.extend(times::histogram(grid, axes.as_ref()).as_ref().and_then(Histograms::draw));
    }
    figures
}

/// Of a tuning, as far as its stages are closed.
pub(crate) fn of_tuning(tuning: &Tuning) -> Vec<Figure> {
    let charts = [tuning::chart(tuning), parameters::chart(tuning)];
    let figures = charts.iter().filter_map(Chart::draw);
    figures.chain(tuning.last_grid().into_iter().flat_map(of_grid)).collect()
}

/// Of a study.
pub(crate) fn of_study(study: &Study) -> Vec<Figure> {
    let mut figures: Vec<Figure> = study::trees(study).iter().filter_map(Places::draw).collect();
    figures.extend([study::results(study), study::leaf_depth(study)].iter().filter_map(Boxes::draw));
    figures
}

/// Of settings with several runs each.
pub(crate) fn of_settings(settings: &[Setting]) -> Vec<Figure> {
    let charts = [replicates::course(settings), replicates::scores(settings), replicate_tunings::course(settings)];
    charts.iter().filter_map(Chart::draw).chain(replicate_tunings::winners(settings).draw()).collect()
}

/// The axis that most figures share.
pub(crate) const GENERATION: &str = "generation";

/// A plain panel over generations.
fn panel(title: &str, y: &str, y_range: Option<(f64, f64)>, series: Vec<Series>) -> Panel {
    let (title, x, y) = (title.to_owned(), GENERATION.to_owned(), y.to_owned());
    Panel { title, x, y, y_range, y_scale: Scale::Linear, y_step: None, level: None, series }
}

/// A point without an interval.
pub(crate) fn point(x: f64, y: f64) -> Point {
    Point { x, y, spread: None }
}
