//! Lines and marks over an axis, in panels.

use std::sync::Arc;

use kuva::prelude::{
    BandPlot, Figure as Panels, Layout, LegendEntry, LegendPosition, LegendShape, LinePlot, LineStyle, MarkerShape,
    Plot, ReferenceLine, ScatterPlot, TickFormat,
};

use super::{COLOURS, Figure, GREY, LEGEND_DASHES, WIDTH, svg, text_sizes};

/// The same of each column where there are several.
const COLUMN_WIDTH: f64 = 500.0;
const HEIGHT: f64 = 430.0;
const COLUMN_HEIGHT: f64 = 330.0;
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
/// Between marked series, as a share of the x axis.
const SHIFT: f64 = 0.008;
/// Of points without a line: how much of what lies under them they cover.
const OPACITY: f64 = 0.45;
/// Ticks of the x axis, about: they are at whole numbers.
const X_TICKS: f64 = 8.0;

/// What to draw.
pub(crate) struct Chart {
    pub(crate) name: String,
    pub(crate) panels: Vec<Panel>,
}

/// One pair of axes.
pub(crate) struct Panel {
    pub(crate) title: String,
    /// Axes, with units; x counts in whole numbers.
    pub(crate) x: String,
    pub(crate) y: String,
    /// Ends of the y axis that do not follow from the data.
    pub(crate) y_range: Option<(f64, f64)>,
    pub(crate) y_scale: Scale,
    /// Distance of its ticks, likewise.
    pub(crate) y_step: Option<f64>,
    /// A level to compare with, and what it means.
    pub(crate) level: Option<(f64, &'static str)>,
    pub(crate) series: Vec<Series>,
}

/// What the y axis counts in.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Scale {
    Linear,
    /// Decades, of positive values.
    Log,
    /// Names of the values 0, 1 and so on.
    Levels(Vec<String>),
}

/// Points that belong together.
pub(crate) struct Series {
    pub(crate) name: String,
    /// Place among the colours and markers; equal ones look alike.
    pub(crate) colour: usize,
    pub(crate) look: Look,
    pub(crate) points: Vec<Point>,
}

/// How a series is drawn.
#[derive(Clone, Copy, PartialEq)]
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

impl Chart {
    /// Draws it; `None` of a chart without points.
    pub(crate) fn draw(&self) -> Option<Figure> {
        if self.panels.iter().all(|panel| panel.series.iter().all(|series| series.points.is_empty())) {
            return None;
        }
        let columns = if self.panels.len() > 1 { 2 } else { 1 };
        let rows = self.panels.len().div_ceil(columns);
        let (width, height) = if columns == 1 { (WIDTH, HEIGHT) } else { (COLUMN_WIDTH, COLUMN_HEIGHT) };
        let panels = Panels::new(rows, columns)
            .with_cell_size(width, height)
            .with_plots(self.panels.iter().map(Panel::plots).collect())
            .with_layouts(self.panels.iter().map(Panel::layout).collect());
        Some(Figure { name: self.name.clone(), svg: svg(&panels.render()) })
    }
}

impl Panel {
    fn plots(&self) -> Vec<Plot> {
        let (first, last) = self.x_ends();
        let (mut plots, mut marked) = (Vec::new(), 0.0);
        for series in self.series.iter().filter(|series| !series.points.is_empty()) {
            // Markers and error bars of several series at one place would cover one another.
            let shift = if series.is_marked() { marked * SHIFT * (last - first).max(1.0) } else { 0.0 };
            plots.extend(series.plots(shift));
            marked += f64::from(u8::from(series.is_marked()));
        }
        plots
    }

    fn x_ends(&self) -> (f64, f64) {
        let x = self.series.iter().flat_map(|series| &series.points).map(|point| point.x);
        x.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
    }

    fn layout(&self) -> Layout {
        let mut entries: Vec<LegendEntry> = self.series.iter().map(Series::legend).collect();
        let mut layout = text_sizes(Layout::auto_from_plots(&self.plots()))
            .with_title(&self.title)
            .with_x_label(&self.x)
            .with_y_label(&self.y)
            .with_legend_box(false)
            .with_legend_position(LegendPosition::OutsideBottomColumns);
        if let Some((low, high)) = self.y_range {
            layout = layout.with_y_axis_min(low).with_y_axis_max(high);
        }
        if let Some(step) = self.y_step {
            layout = layout.with_y_tick_step(step);
        }
        match &self.y_scale {
            Scale::Linear => {}
            Scale::Log => layout = layout.with_log_y().with_y_tick_format(TickFormat::Custom(Arc::new(decade_tick))),
            Scale::Levels(names) => {
                let names = names.clone();
                // Ticks are whole numbers, from a step below the first one that is seen.
                let name = move |tick: f64| names.get(tick.round() as usize).filter(|_| tick > -0.5).cloned();
                let format = TickFormat::Custom(Arc::new(move |tick| name(tick).unwrap_or_default()));
                layout = layout.with_y_tick_step(1.0).with_y_tick_format(format);
            }
        }
        let (first, last) = self.x_ends();
        layout = layout.with_x_tick_step(whole_step(last - first));
        if self.series.iter().any(|series| series.is_marked() || series.look == Look::Points) {
            // Markers and bars at the ends would be cut in half.
            let margin = if last > first { 0.03 * (last - first) } else { 0.5 };
            layout = layout.with_x_axis_min(first - margin).with_x_axis_max(last + margin);
        }
        if let Some((y, meaning)) = self.level {
            layout = layout.with_reference_line(ReferenceLine::horizontal(y).with_color(GREY));
            entries.push(LegendEntry {
                label: meaning.to_owned(),
                color: GREY.to_owned(),
                shape: LegendShape::Line,
                dasharray: Some(LEGEND_DASHES.to_owned()),
            });
        }
        layout.with_legend_entries(entries)
    }
}

/// The distance of ticks over an axis of this length: 1, 2 or 5 and so many zeros.
fn whole_step(length: f64) -> f64 {
    let least = (length / X_TICKS).max(1.0);
    let unit = 10f64.powf(least.log10().floor());
    // An axis without an end has no ticks to set apart.
    [1.0, 2.0, 5.0].map(|digit| digit * unit).into_iter().find(|step| *step >= least).unwrap_or(10.0 * unit)
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

    fn is_marked(&self) -> bool {
        self.look == Look::Marked
    }

    /// Its parts, moved by `shift` along x.
    fn plots(&self, shift: f64) -> Vec<Plot> {
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

    fn legend(&self) -> LegendEntry {
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

/// A tick of a logarithmic axis, which is 1, 2 or 5 times a power of ten: in full as long as that is short.
fn decade_tick(tick: f64) -> String {
    let digits = format!("{tick:.0e}");
    match digits.parse::<f64>() {
        Ok(value) if (0.01..100_000.0).contains(&value) => value.to_string(),
        _ => digits,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_at_whole_numbers() {
        let steps = [0.0, 8.0, 8.5, 11.0, 24.0, 99.0, 4_400.0, 8_000.0].map(whole_step);
        assert_eq!(steps, [1.0, 1.0, 2.0, 2.0, 5.0, 20.0, 1_000.0, 1_000.0]);
    }

    #[test]
    fn ticks_of_decades_are_short() {
        let ticks = [0.001, 0.002 * 10.0, 0.1, 2.0, 50_000.0, 100_000.0].map(decade_tick);
        assert_eq!(ticks, ["1e-3", "0.02", "0.1", "2", "50000", "1e5"]);
    }
}
