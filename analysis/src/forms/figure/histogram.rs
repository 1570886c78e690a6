//! How values are distributed over a logarithmic axis: outlined histograms over one another, in panels.

use kuva::prelude::{
    BandPlot, Figure as Panels, Layout, LegendEntry, LegendPosition, LegendShape, LinePlot, LineStyle, Plot,
};

use super::{
    COLOURS, Drawn, Figure, LEGEND_DASHES,
    axis::{Frame, Side},
    limits::{NAME_MAX, PANELS_MAX, SERIES_MAX, at_most, line_max, short, something},
    text_sizes,
};

/// Panels beside one another.
const COLUMNS: usize = 2;
const COLUMN_WIDTH: f64 = 500.0;
const HEIGHT: f64 = 330.0;
/// Bins of a decade.
const BINS: f64 = 20.0;
/// Where the axis begins.
const LEAST: f64 = 1e-9;

/// What to draw.
pub(crate) struct Histograms {
    pub(crate) name: String,
    /// The axis of values, with its unit.
    pub(crate) x: String,
    /// What is counted.
    pub(crate) y: String,
    pub(crate) panels: Vec<Spread>,
}

/// One pair of axes.
pub(crate) struct Spread {
    pub(crate) title: String,
    pub(crate) groups: Vec<Counted>,
}

/// A named sample.
pub(crate) struct Counted {
    pub(crate) name: String,
    /// Positive values, and how often each occurs.
    pub(crate) values: Vec<(f64, u64)>,
}

impl Histograms {
    /// Draws it; nothing without a value.
    ///
    /// # Errors
    /// More panels or groups than can be read, or no value that is a positive number.
    pub(crate) fn draw(&self) -> Drawn {
        let panels: Vec<&Spread> = self.panels.iter().filter(|panel| !panel.is_empty()).collect();
        if panels.is_empty() {
            return Ok(None);
        }
        at_most(&self.name, panels.len(), "panels", PANELS_MAX)?;
        for panel in &panels {
            at_most(&self.name, panel.groups.len(), "groups in one panel", SERIES_MAX)?;
        }
        let outlines: usize = panels.iter().map(|panel| panel.groups.len()).sum();
        let drawn: Vec<(Vec<Plot>, Layout)> =
            panels.iter().filter_map(|panel| self.panel(panel, line_max(4 * outlines))).collect();
        something(&self.name, !drawn.is_empty())?;
        let (plots, layouts): (Vec<_>, Vec<_>) = drawn.into_iter().unzip();
        let columns = plots.len().min(COLUMNS);
        let structure = (0..plots.len()).map(|i| vec![i]).collect();
        let figure = Panels::new(plots.len().div_ceil(columns), columns)
            .with_structure(structure)
            .with_cell_size(COLUMN_WIDTH, HEIGHT)
            .with_plots(plots)
            .with_layouts(layouts);
        let titles: Vec<&str> = self.panels.iter().map(|panel| panel.title.as_str()).collect();
        Ok(Some(Figure::of(&self.name, &titles, &figure.render())))
    }

    /// A panel with at most so many bins; `None` without a positive number.
    fn panel(&self, panel: &Spread, bins_max: usize) -> Option<(Vec<Plot>, Layout)> {
        let counted = || panel.groups.iter().flat_map(|group| &group.values).filter(|(_, count)| *count > 0);
        let values = || counted().filter_map(|(value, _)| placed(*value));
        let (low, high) = (values().reduce(f64::min)?, values().reduce(f64::max)?);
        let bins = BINS.min(bins_max as f64 / (high / low).log10().max(1.0));
        let outlines: Vec<Vec<(f64, f64)>> = panel.groups.iter().map(|group| steps(&group.values, bins)).collect();
        let frame = Frame::log(outlines.iter().flatten().map(|(edge, _)| *edge), None);
        let outlines = outlines.into_iter().map(|steps| {
            steps.into_iter().filter_map(|(edge, share)| Some((frame.place(edge)?, share))).collect::<Vec<_>>()
        });
        let plots = plots(outlines);
        let layout = text_sizes(Layout::auto_from_plots(&plots))
            .with_title(short(&panel.title, NAME_MAX))
            .with_x_label(&self.x)
            .with_y_label(&self.y)
            .with_y_axis_min(0.0)
            .with_legend_entries(panel.legend())
            .with_legend_box(false)
            .with_legend_position(LegendPosition::OutsideBottomColumns);
        Some((plots, frame.on(Side::X, layout)))
    }
}

impl Spread {
    fn is_empty(&self) -> bool {
        self.groups.iter().all(|group| group.values.is_empty())
    }

    fn legend(&self) -> Vec<LegendEntry> {
        let entry = |(i, group): (usize, &Counted)| LegendEntry {
            label: short(&group.name, NAME_MAX),
            color: COLOURS[i % COLOURS.len()].to_owned(),
            shape: LegendShape::Line,
            dasharray: (i % 2 == 1).then(|| LEGEND_DASHES.to_owned()),
        };
        self.groups.iter().enumerate().map(entry).collect()
    }
}

/// A band and a line for each outline that is there.
fn plots(outlines: impl Iterator<Item = Vec<(f64, f64)>>) -> Vec<Plot> {
    let outline = |(i, steps): (usize, Vec<(f64, f64)>)| {
        let (x, y): (Vec<f64>, Vec<f64>) = steps.iter().copied().unzip();
        let colour = COLOURS[i % COLOURS.len()];
        let below = vec![0.0; x.len()];
        let band = BandPlot::new(x, below, y).with_color(colour).with_opacity(0.18);
        let line = LinePlot::new().with_data(steps).with_color(colour).with_line_style(style(i)).with_stroke_width(1.6);
        [Plot::Band(band), Plot::Line(line)]
    };
    outlines.enumerate().filter(|(_, steps)| !steps.is_empty()).flat_map(outline).collect()
}

/// Every other group is dashed, for print without colours.
fn style(group: usize) -> LineStyle {
    if group % 2 == 1 { LineStyle::Dashed } else { LineStyle::Solid }
}

/// A value on the axis; nothing of what is no number. One below the first decade's unit of 1e-9 counts as that.
fn placed(value: f64) -> Option<f64> {
    value.is_finite().then(|| value.max(LEAST))
}

/// The outline of a histogram with so many bins a decade: ends of bins and the share of the values in them, from 0 to
/// 0.
fn steps(values: &[(f64, u64)], bins: f64) -> Vec<(f64, f64)> {
    let n: f64 = values.iter().map(|(_, count)| *count as f64).sum();
    let bin = |value: f64| (bins * value.log10()).floor() as i64;
    let mut shares = std::collections::BTreeMap::<i64, f64>::new();
    let counted = values.iter().filter(|(_, count)| *count > 0);
    for (value, count) in counted.filter_map(|(value, count)| Some((placed(*value)?, count))) {
        *shares.entry(bin(value)).or_default() += *count as f64 / n;
    }
    let (Some((&first, _)), Some((&last, _))) = (shares.first_key_value(), shares.last_key_value()) else {
        return Vec::new();
    };
    // The last edge may be beyond the range of doubles.
    let edge = |bin: i64| 10f64.powf(bin as f64 / bins).min(f64::MAX);
    let step = |bin: i64| {
        let share = shares.get(&bin).copied().unwrap_or_default();
        [(edge(bin), share), (edge(bin + 1), share)]
    };
    let inside = (first..=last).flat_map(step);
    [(edge(first), 0.0)].into_iter().chain(inside).chain([(edge(last + 1), 0.0)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outline_by_hand() {
        // A bin is a twentieth of a decade: 1 and 1.1 share the first, 1.3 is in the third.
        let edges = [0.0, 1.0, 2.0, 3.0].map(|bin: f64| 10f64.powf(bin / 20.0));
        let [a, b, c, d] = edges;
        let wanted = [(a, 0.0), (a, 0.75), (b, 0.75), (b, 0.0), (c, 0.0), (c, 0.25), (d, 0.25), (d, 0.0)];
        assert_eq!(steps(&[(1.0, 2), (1.1, 1), (1.3, 1)], BINS), wanted);
        assert_eq!(steps(&[], BINS), []);
    }
}
