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
    figure::{Boxes, Chart, Drawn, Figure, Panel, Places, Point, Scale, Series},
    games::Grid,
    replicates::Setting,
    study::Study,
    tuning::Tuning,
};

/// Figures, and why others are none.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Figures {
    pub(crate) drawn: Vec<Figure>,
    pub(crate) left_out: Vec<String>,
}

impl Extend<Drawn> for Figures {
    fn extend<I: IntoIterator<Item = Drawn>>(&mut self, drawn: I) {
        for one in drawn {
            match one {
                Ok(figure) => self.drawn.extend(figure),
                Err(left_out) => self.left_out.push(left_out.to_string()),
            }
        }
    }
}

impl FromIterator<Drawn> for Figures {
    fn from_iter<I: IntoIterator<Item = Drawn>>(drawn: I) -> Self {
        let mut figures = Figures::default();
        figures.extend(drawn);
        figures
    }
}

/// Of an evolution, as far as its stages are closed.
pub(crate) fn of_evolution(evolution: &Evolution) -> Figures {
    let charts = [fitness::chart(evolution), benchmarks::chart(evolution), structure::chart(evolution)];
    charts.iter().map(Chart::draw).collect()
}

/// Of a match grid.
pub(crate) fn of_grid(grid: &Grid) -> Figures {
    let axes = Axes::of(grid);
    let mut figures = Figures::default();
    figures.extend([pairs::chart(grid).and_then(|chart| chart.draw())]);
    if let Some(axes) = &axes {
        figures.extend(cells::maps(grid, axes).into_iter().map(|map| map.and_then(|map| map.draw())));
    }
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
    figures
}

/// Of a tuning, as far as its stages are closed.
pub(crate) fn of_tuning(tuning: &Tuning) -> Figures {
    let mut figures: Figures = [tuning::chart(tuning), parameters::chart(tuning)].iter().map(Chart::draw).collect();
    if let Some(grid) = tuning.last_grid() {
        let Figures { drawn, left_out } = of_grid(grid);
        figures.drawn.extend(drawn);
        figures.left_out.extend(left_out);
    }
    figures
}

/// Of a study.
pub(crate) fn of_study(study: &Study) -> Figures {
    let mut figures: Figures = study::trees(study).iter().map(Places::draw).collect();
    figures.extend([study::results(study), study::leaf_depth(study)].iter().map(Boxes::draw));
    figures
}

/// Of settings with several runs each.
pub(crate) fn of_settings(settings: &[Setting]) -> Figures {
    let charts = [replicates::course(settings), replicates::scores(settings), replicate_tunings::course(settings)];
    let mut figures: Figures = charts.iter().map(Chart::draw).collect();
    figures.extend([replicate_tunings::winners(settings).draw()]);
    figures
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
