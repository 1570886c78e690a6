//! Intervals under one another.

use kuva::prelude::{ForestPlot, Layout, Plot, render_multiple};

use super::{COLOURS, Figure, WIDTH, svg, text_sizes};

/// Intervals under one another, a named row each.
pub(crate) struct Intervals {
    pub(crate) name: String,
    pub(crate) title: String,
    /// Axis, with its unit.
    pub(crate) x: String,
    pub(crate) x_range: (f64, f64),
    /// A value to compare with.
    pub(crate) level: f64,
    /// The first is drawn at the top.
    pub(crate) rows: Vec<Interval>,
}

/// A named value, with the interval about it where there is one.
pub(crate) struct Interval {
    pub(crate) name: String,
    pub(crate) value: f64,
    pub(crate) ends: Option<(f64, f64)>,
}

impl Intervals {
    /// Draws it.
    pub(crate) fn draw(&self) -> Figure {
        let mut forest = ForestPlot::new()
            .with_color(COLOURS[0])
            .with_marker_size(5.0)
            .with_null_value(self.level)
            .with_show_null_line(true);
        for Interval { name, value, ends } in &self.rows {
            let (low, high) = ends.unwrap_or((*value, *value));
            forest = forest.with_row(name, *value, low, high);
        }
        let plots = vec![Plot::Forest(forest)];
        let layout = text_sizes(Layout::auto_from_plots(&plots))
            .with_title(&self.title)
            .with_x_label(&self.x)
            .with_x_axis_min(self.x_range.0)
            .with_x_axis_max(self.x_range.1)
            .with_width(WIDTH)
            .with_height(130.0 + 26.0 * self.rows.len() as f64);
        Figure { name: self.name.clone(), svg: svg(&render_multiple(plots, layout)) }
    }
}
