//! How values are distributed over a logarithmic axis: outlined histograms over one another, in panels.

use kuva::prelude::{
    BandPlot, Figure as Panels, Layout, LegendEntry, LegendPosition, LegendShape, LinePlot, LineStyle, Plot,
};

use super::{COLOURS, Figure, LEGEND_DASHES, svg, text_sizes};

/// Panels beside one another.
const COLUMNS: usize = 2;
const COLUMN_WIDTH: f64 = 500.0;
const HEIGHT: f64 = 330.0;
/// Bins of a decade.
const BINS: f64 = 20.0;

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
    /// Draws it; `None` without a value.
    pub(crate) fn draw(&self) -> Option<Figure> {
        let panels: Vec<&Spread> = self.panels.iter().filter(|panel| !panel.is_empty()).collect();
        if panels.is_empty() {
            return None;
        }
        let columns = panels.len().min(COLUMNS);
        let structure = (0..panels.len()).map(|i| vec![i]).collect();
        let figure = Panels::new(panels.len().div_ceil(columns), columns)
            .with_structure(structure)
            .with_cell_size(COLUMN_WIDTH, HEIGHT)
            .with_plots(panels.iter().map(|panel| panel.plots()).collect())
            .with_layouts(panels.iter().map(|panel| self.layout(panel)).collect());
        Some(Figure { name: self.name.clone(), svg: svg(&figure.render()) })
    }

    fn layout(&self, panel: &Spread) -> Layout {
        text_sizes(Layout::auto_from_plots(&panel.plots()))
            .with_title(&panel.title)
            .with_x_label(&self.x)
            .with_y_label(&self.y)
            .with_log_x()
            .with_y_axis_min(0.0)
            .with_legend_entries(panel.legend())
            .with_legend_box(false)
            .with_legend_position(LegendPosition::OutsideBottomColumns)
    }
}

impl Spread {
    fn is_empty(&self) -> bool {
        self.groups.iter().all(|group| group.values.is_empty())
    }

    fn plots(&self) -> Vec<Plot> {
        let outline = |(i, group): (usize, &Counted)| {
            let steps = steps(&group.values);
            let (x, y): (Vec<f64>, Vec<f64>) = steps.iter().copied().unzip();
            let colour = COLOURS[i % COLOURS.len()];
            let below = vec![0.0; x.len()];
            let band = BandPlot::new(x, below, y).with_color(colour).with_opacity(0.18);
            let line =
                LinePlot::new().with_data(steps).with_color(colour).with_line_style(style(i)).with_stroke_width(1.6);
            [Plot::Band(band), Plot::Line(line)]
        };
        self.groups.iter().enumerate().filter(|(_, group)| !group.values.is_empty()).flat_map(outline).collect()
    }

    fn legend(&self) -> Vec<LegendEntry> {
        let entry = |(i, group): (usize, &Counted)| LegendEntry {
            label: group.name.clone(),
            color: COLOURS[i % COLOURS.len()].to_owned(),
            shape: LegendShape::Line,
            dasharray: (i % 2 == 1).then(|| LEGEND_DASHES.to_owned()),
        };
        self.groups.iter().enumerate().map(entry).collect()
    }
}

/// Every other group is dashed, for print without colours.
fn style(group: usize) -> LineStyle {
    if group % 2 == 1 { LineStyle::Dashed } else { LineStyle::Solid }
}

/// The outline of a histogram: ends of bins and the share of the values in them, from 0 to 0. A value below the first
/// decade's unit of 1e-9 counts as that.
fn steps(values: &[(f64, u64)]) -> Vec<(f64, f64)> {
    let n: u64 = values.iter().map(|(_, count)| count).sum();
    let bin = |value: f64| (BINS * value.max(1e-9).log10()).floor() as i64;
    let mut shares = std::collections::BTreeMap::<i64, f64>::new();
    for (value, count) in values {
        *shares.entry(bin(*value)).or_default() += *count as f64 / n as f64;
    }
    let (Some((&first, _)), Some((&last, _))) = (shares.first_key_value(), shares.last_key_value()) else {
        return Vec::new();
    };
    let edge = |bin: i64| 10f64.powf(bin as f64 / BINS);
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
        assert_eq!(steps(&[(1.0, 2), (1.1, 1), (1.3, 1)]), wanted);
        assert_eq!(steps(&[]), []);
    }
}
