//! Intervals under one another.

use kuva::prelude::{ForestPlot, Layout, Plot, render_multiple};

use super::{
    COLOURS, Drawn, Figure, WIDTH,
    axis::{Frame, Side},
    limits::{NAME_MAX, ROWS_MAX, TITLE_MAX, at_most, short, something},
    text_sizes,
};

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
    /// Draws it; nothing without a row.
    ///
    /// # Errors
    /// More rows than can be read, or no value that is a number.
    pub(crate) fn draw(&self) -> Drawn {
        at_most(&self.name, self.rows.len(), "rows", ROWS_MAX)?;
        if self.rows.is_empty() {
            return Ok(None);
        }
        let frame = Frame::linear(std::iter::empty(), Some(self.x_range));
        let rows: Vec<(&Interval, f64)> =
            self.rows.iter().filter_map(|row| Some((row, frame.place(row.value)?))).collect();
        something(&self.name, !rows.is_empty())?;
        let mut forest = ForestPlot::new().with_color(COLOURS[0]).with_marker_size(5.0);
        if let Some(level) = frame.place(self.level) {
            forest = forest.with_null_value(level).with_show_null_line(true);
        }
        for (row, value) in &rows {
            let (low, high) = row.ends.and_then(|ends| frame.interval(ends)).unwrap_or((*value, *value));
            forest = forest.with_row(short(&row.name, NAME_MAX), *value, low, high);
        }
        let plots = vec![Plot::Forest(forest)];
        let layout = text_sizes(Layout::auto_from_plots(&plots))
            .with_title(short(&self.title, TITLE_MAX))
            .with_x_label(frame.head(&self.x))
            .with_width(WIDTH)
            .with_height(130.0 + 26.0 * rows.len() as f64);
        let layout = frame.on(Side::X, layout);
        Ok(Some(Figure::of(&self.name, &[&self.title], &render_multiple(plots, layout))))
    }
}
