//! Lines and marks over an axis, in panels.

use kuva::prelude::{
    BandPlot, Figure as Panels, LegendEntry, LegendShape, LinePlot, LineStyle, MarkerShape, Plot, ScatterPlot,
};

use super::{
    COLOURS, Drawn, Figure, LEGEND_DASHES, WIDTH,
    limits::{PANELS_MAX, SERIES_MAX, at_most, something},
    placed::{Placed, Room},
};

/// The same of each column where there are several.
const COLUMN_WIDTH: f64 = 500.0;
const HEIGHT: f64 = 430.0;
const COLUMN_HEIGHT: f64 = 330.0;
/// Entries in a row of a legend, about, and the height of a row; pixels.
const LEGEND_ROW: usize = 5;
const COLUMN_LEGEND_ROW: usize = 3;
const LEGEND_HEIGHT: f64 = 18.0;
/// With a colour its own marker, for print without colours.
const MARKERS: [MarkerShape; 7] = [
    MarkerShape::Circle,
    MarkerShape::Square,
    MarkerShape::Triangle,
    MarkerShape::Diamond,
    MarkerShape::TriangleDown,
    MarkerShape::Pentagon,
    MarkerShape::Star,
];
/// Opacity of points without a line.
const OPACITY: f64 = 0.45;

/// What to draw.
pub(crate) struct Chart {
    pub(crate) name: String,
    pub(crate) panels: Vec<Panel>,
}

/// One pair of axes.
#[derive(Clone, Debug)]
pub(crate) struct Panel {
    pub(crate) title: String,
    /// Axes, with units; x counts in whole numbers.
    pub(crate) x: String,
    pub(crate) x_scale: Scale,
    pub(crate) y: String,
    /// Ends of the y axis that do not follow from the data.
    pub(crate) y_range: Option<(f64, f64)>,
    pub(crate) y_scale: Scale,
    /// Distance of its ticks; chosen by the data if `None`.
    pub(crate) y_step: Option<f64>,
    /// A level to compare with, and what it means.
    pub(crate) level: Option<(f64, &'static str)>,
    pub(crate) series: Vec<Series>,
}

/// What an axis counts in.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Scale {
    Linear,
    /// Decades, of positive values.
    Log,
    /// Names of the values 0, 1 and so on.
    Levels(Vec<String>),
}

/// Points that belong together.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    pub(crate) name: String,
    /// Place among the colours and markers; equal ones look alike.
    pub(crate) colour: usize,
    pub(crate) look: Look,
    pub(crate) points: Vec<Point>,
}

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Look {
    /// A line; spreads are a band about it.
    Line,
    /// The same, dashed.
    DashedBand,
    /// A dashed line alone.
    Dashed,
    /// A line with a marker a point; spreads are error bars.
    Marked,
    /// Small markers alone; where many lie over one another they are darker.
    Points,
}

/// A point and, where there is one, the interval about its y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) spread: Option<(f64, f64)>,
}

impl Look {
    /// A line of the series at `place` with a band of spreads about it: dashed where the colours begin anew.
    pub(crate) fn band(place: usize) -> Self {
        if place < COLOURS.len() { Look::Line } else { Look::DashedBand }
    }
}

impl Chart {
    /// Draws it; nothing without a point.
    ///
    /// # Errors
    /// More panels or series than can be read, or no point that is a number on the axes.
    pub(crate) fn draw(&self) -> Drawn {
        let series = || self.panels.iter().flat_map(|panel| &panel.series);
        if series().all(|series| series.points.is_empty()) {
            return Ok(None);
        }
        at_most(&self.name, self.panels.len(), "panels", PANELS_MAX)?;
        for panel in &self.panels {
            at_most(&self.name, panel.series.len(), "series in one panel", SERIES_MAX)?;
        }
        let room = Room::among(series());
        let panels: Vec<Placed<'_>> = self.panels.iter().map(|panel| Placed::of(panel, &room)).collect();
        something(&self.name, !panels.iter().all(Placed::is_empty))?;
        let plots: Vec<Vec<Plot>> = panels.iter().map(Placed::plots).collect();
        let layouts = panels.iter().zip(&plots).map(|(panel, plots)| panel.layout(plots)).collect();
        let columns = if panels.len() > 1 { 2 } else { 1 };
        let (width, height, in_row) =
            if columns == 1 { (WIDTH, HEIGHT, LEGEND_ROW) } else { (COLUMN_WIDTH, COLUMN_HEIGHT, COLUMN_LEGEND_ROW) };
        // A long legend must not take the axes' room.
        let most = self.panels.iter().map(|panel| panel.series.len()).max().unwrap_or(0);
        let height = height + LEGEND_HEIGHT * most.div_ceil(in_row).saturating_sub(2) as f64;
        let figure = Panels::new(panels.len().div_ceil(columns), columns)
            .with_cell_size(width, height)
            .with_plots(plots)
            .with_layouts(layouts);
        let titles: Vec<&str> = self.panels.iter().map(|panel| panel.title.as_str()).collect();
        Ok(Some(Figure::of(&self.name, &titles, &figure.render())))
    }
}

impl Series {
    fn colour(&self) -> &'static str {
        COLOURS[self.colour % COLOURS.len()]
    }

    fn marker(&self) -> MarkerShape {
        MARKERS[self.colour % MARKERS.len()]
    }

    fn is_dashed(&self) -> bool {
        matches!(self.look, Look::Dashed | Look::DashedBand)
    }

    pub(super) fn is_marked(&self) -> bool {
        self.look == Look::Marked
    }

    /// Its parts, moved by `shift` along x.
    pub(super) fn plots(&self, shift: f64) -> Vec<Plot> {
        let points: Vec<Point> = self.points.iter().map(|point| Point { x: point.x + shift, ..*point }).collect();
        let mut plots = Vec::new();
        let spread: Vec<(Point, (f64, f64))> =
            points.iter().filter_map(|point| Some((*point, point.spread?))).collect();
        if matches!(self.look, Look::Line | Look::DashedBand) && spread.len() > 1 {
            let x = spread.iter().map(|(point, _)| point.x);
            let (low, high) = (spread.iter().map(|(_, s)| s.0), spread.iter().map(|(_, s)| s.1));
            plots.push(Plot::Band(BandPlot::new(x, low, high).with_color(self.colour()).with_opacity(0.18)));
        }
        if self.look == Look::Points {
            let scatter = ScatterPlot::new()
                .with_data(points.iter().map(|point| (point.x, point.y)))
                .with_color(self.colour())
                .with_marker(self.marker())
                .with_size(2.2)
                .with_marker_opacity(OPACITY);
            return vec![Plot::Scatter(scatter)];
        }
        let style = if self.is_dashed() { LineStyle::Dashed } else { LineStyle::Solid };
        plots.push(Plot::Line(
            LinePlot::new()
                .with_data(points.iter().map(|point| (point.x, point.y)))
                .with_color(self.colour())
                .with_line_style(style)
                .with_stroke_width(if self.is_marked() { 1.3 } else { 2.0 }),
        ));
        // A line of one point would not be seen.
        if let ([point], false) = (&points[..], self.is_marked()) {
            let lone = ScatterPlot::new().with_data([(point.x, point.y)]).with_color(self.colour());
            plots.push(Plot::Scatter(lone.with_marker(MarkerShape::Diamond).with_size(4.0)));
        }
        if self.is_marked() {
            // A point without an interval has no bar, not one of no length.
            let (bare, barred): (Vec<_>, Vec<_>) = points.iter().partition(|point| point.spread.is_none());
            let scatter = |points: &[Point]| {
                ScatterPlot::new()
                    .with_data(points.iter().map(|point| (point.x, point.y)))
                    .with_color(self.colour())
                    .with_marker(self.marker())
                    .with_size(4.0)
            };
            if !bare.is_empty() {
                plots.push(Plot::Scatter(scatter(&bare)));
            }
            if !barred.is_empty() {
                let errors = spread.iter().map(|(point, (low, high))| (point.y - low, high - point.y));
                plots.push(Plot::Scatter(scatter(&barred).with_y_err_asymmetric(errors)));
            }
        }
        plots
    }

    pub(super) fn legend(&self) -> LegendEntry {
        LegendEntry {
            label: self.name.clone(),
            color: self.colour().to_owned(),
            shape: match self.look {
                Look::Marked | Look::Points => LegendShape::Marker(self.marker()),
                Look::Line | Look::DashedBand | Look::Dashed => LegendShape::Line,
            },
            dasharray: self.is_dashed().then(|| LEGEND_DASHES.to_owned()),
        }
    }
}
