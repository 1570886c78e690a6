//! A panel of a chart as it is drawn: its points on their axes, no more of them than can be seen.

use std::sync::Arc;

use kuva::prelude::{Layout, LegendEntry, LegendPosition, LegendShape, Plot, ReferenceLine, TickFormat};

use super::{
    GREY, LEGEND_DASHES, Look, Panel, Point, Scale, Series,
    axis::{Frame, Side},
    limits::{GROUP_MAX, NAME_MAX, SERIES_MAX, TITLE_MAX, bars_max, every, line_max, marks_max, short, thin},
    text_sizes,
};

/// Between marked series, as a share of the x axis.
const SHIFT: f64 = 0.008;
/// Ticks of the x axis, about: they are at whole numbers.
const X_TICKS: f64 = 8.0;
/// Ticks of the y axis at a distance that was asked for.
const Y_TICKS_MAX: f64 = 60.0;

/// How many points a series of each look may have.
pub(super) struct Room {
    line: usize,
    marks: usize,
    bars: usize,
}

impl Room {
    /// Placement of series that share a figure.
    pub(super) fn among<'a>(series: impl Iterator<Item = &'a Series>) -> Self {
        let (mut lines, mut marks, mut bars) = (0, 0, 0);
        for series in series {
            match series.look {
                // A band is a line above and one below.
                Look::Line | Look::DashedBand | Look::Dashed => lines += 3,
                Look::Points => marks += 1,
                Look::Marked => bars += 1,
            }
        }
        Room { line: line_max(lines), marks: marks_max(marks), bars: bars_max(bars) }
    }
}

/// A panel on its axes.
pub(super) struct Placed<'a> {
    panel: &'a Panel,
    x: Frame,
    y: Frame,
    /// With points as they are drawn.
    series: Vec<Series>,
}

impl<'a> Placed<'a> {
    pub(super) fn of(panel: &'a Panel, room: &Room) -> Self {
        let points = || panel.series.iter().flat_map(|series| &series.points);
        let x = match panel.x_scale {
            Scale::Log => Frame::log(points().map(|point| point.x), None),
            Scale::Linear | Scale::Levels(_) => Frame::linear(points().map(|point| point.x), None),
        };
        let spread = |point: &Point| point.spread.map_or([point.y; 2], |(low, high)| [low, high]);
        let values = points().flat_map(|point| [point.y].into_iter().chain(spread(point)));
        let y = match panel.y_scale {
            Scale::Log => Frame::log(values, panel.y_range),
            Scale::Linear | Scale::Levels(_) => Frame::linear(values, panel.y_range),
        };
        let placed = |point: &Point| {
            let spread = point.spread.and_then(|ends| y.interval(ends));
            Some(Point { x: x.place(point.x)?, y: y.place(point.y)?, spread })
        };
        let series = |of: &Series| {
            let points: Vec<Point> = of.points.iter().filter_map(placed).collect();
            let (points, step) = match of.look {
                Look::Line | Look::DashedBand | Look::Dashed => (thin(&points, room.line, |point| point.y), 1),
                Look::Points => every(&points, room.marks),
                Look::Marked => every(&points, room.bars),
            };
            let name = short(&of.name, NAME_MAX);
            let name = if step > 1 { format!("{name}, one of {step} drawn") } else { name };
            Series { name, points, ..*of }
        };
        let series = panel.series.iter().map(series).collect();
        Placed { panel, x, y, series }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.series.iter().all(|series| series.points.is_empty())
    }

    pub(super) fn plots(&self) -> Vec<Plot> {
        let (first, last) = self.x_ends();
        let (mut plots, mut marked) = (Vec::new(), 0.0);
        for series in self.series.iter().filter(|series| !series.points.is_empty()) {
            // Markers and error bars of several series at one place would cover one another.
            let shift =
                if series.is_marked() && !self.x.is_log() { marked * SHIFT * (last - first).max(1.0) } else { 0.0 };
            plots.extend(series.plots(shift));
            marked += f64::from(u8::from(series.is_marked()));
        }
        plots
    }

    fn x_ends(&self) -> (f64, f64) {
        let x = self.series.iter().flat_map(|series| &series.points).map(|point| point.x);
        x.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
    }

    pub(super) fn layout(&self, plots: &[Plot]) -> Layout {
        let panel = self.panel;
        let mut entries: Vec<LegendEntry> = self.series.iter().map(Series::legend).collect();
        let mut layout = text_sizes(Layout::auto_from_plots(plots))
            .with_title(short(&panel.title, TITLE_MAX))
            .with_x_label(self.x.head(&panel.x))
            .with_y_label(self.y.head(&panel.y))
            .with_legend_box(false)
            .with_legend_position(LegendPosition::OutsideBottomColumns);
        layout = self.y.on(Side::Y, self.x.on(Side::X, layout));
        if let Some(step) = panel.y_step.filter(|step| self.has_room(*step)) {
            layout = layout.with_y_tick_step(step);
        }
        match &panel.y_scale {
            Scale::Log if self.y.is_log() => {
                layout = layout.with_y_tick_format(TickFormat::Custom(Arc::new(decade_tick)));
            }
            Scale::Linear | Scale::Log => {}
            Scale::Levels(names) => {
                let (low, high) = self.y_ends();
                let length = (high - low).max(names.len() as f64);
                let step = if length <= SERIES_MAX as f64 { 1.0 } else { whole_step(length) };
                let names: Vec<String> = names.iter().map(|name| short(name, GROUP_MAX)).collect();
                // Ticks are whole numbers, from a step below the first one that is seen.
                let name = move |tick: f64| names.get(tick.round() as usize).filter(|_| tick > -0.5).cloned();
                let format = TickFormat::Custom(Arc::new(move |tick| name(tick).unwrap_or_default()));
                layout = layout.with_y_tick_step(step).with_y_tick_format(format);
            }
        }
        let (first, last) = self.x_ends();
        if panel.x_scale == Scale::Linear {
            layout = layout.with_x_tick_step(whole_step(last - first));
        } else if self.x.is_log() {
            // kuva's own axis would go on to the next tick.
            layout = layout.with_x_tick_format(TickFormat::Custom(Arc::new(decade_tick)));
            if first < last {
                layout = layout.with_x_axis_min(first).with_x_axis_max(last);
            }
        }
        if first <= last
            && !self.x.is_log()
            && self.series.iter().any(|series| series.is_marked() || series.look == Look::Points)
        {
            // Markers and bars at the ends would be cut in half.
            let margin = if last > first { 0.03 * (last - first) } else { 0.5 };
            layout = layout.with_x_axis_min(first - margin).with_x_axis_max(last + margin);
        }
        if let Some((y, meaning)) = panel.level.and_then(|(level, meaning)| Some((self.y.place(level)?, meaning))) {
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

    /// The least and the greatest of 0, the points and the ends of their spreads.
    fn y_ends(&self) -> (f64, f64) {
        let points = self.series.iter().flat_map(|series| &series.points);
        let values = points.flat_map(|point| {
            let (low, high) = point.spread.unwrap_or((point.y, point.y));
            [point.y, low, high]
        });
        values.fold((0.0, 0.0), |(low, high): (f64, f64), y| (low.min(y), high.max(y)))
    }

    /// Whether ticks at this distance can be told apart.
    fn has_room(&self, step: f64) -> bool {
        let (low, high) = self.y_ends();
        self.y.is_plain() && step > 0.0 && (high - low) / step <= Y_TICKS_MAX
    }
}

/// The distance of ticks over an axis of this length: 1, 2 or 5 and so many zeros.
fn whole_step(length: f64) -> f64 {
    let least = (length / X_TICKS).max(1.0);
    let unit = 10f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0].map(|digit| digit * unit).into_iter().find(|step| *step >= least).unwrap_or(10.0 * unit)
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
