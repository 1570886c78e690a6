//! Where on a line something happens: stacked histograms under one another, below the function that is searched there.

use kuva::prelude::{
    BandPlot, Figure as Panels, Layout, LegendEntry, LegendPosition, LegendShape, LinePlot, Plot, ReferenceLine,
};

use super::{
    COLOURS, Drawn, Figure, GREY, LEGEND_DASHES, WIDTH,
    axis::{Frame, Side},
    limits::{PANELS_MAX, TITLE_MAX, at_most, line_max, short, thin},
    text_sizes,
};

/// Height of a panel with its title; pixels.
const PANEL_HEIGHT: f64 = 148.0;
/// Above and below a panel's axes.
const HEAD: f64 = 34.0;
const GAP: f64 = 6.0;
/// Below the last panel's axes: ticks, label, legend.
const FOOT: f64 = 88.0;
/// Beside the axes: the same for all panels, so that a place is at one x in all of them.
const MARGINS: (f64, f64) = (76.0, 18.0);
/// Size of labels and ticks of panels this low.
const LABEL_SIZE: u32 = 11;
const TICK_SIZE: u32 = 10;
/// Layers from below: light, dark, and one that differs from both in any vision.
const LAYERS: [usize; 3] = [5, 0, 1];
/// Bins of a histogram: one a pixel.
const BINS_MAX: usize = 1_000;
/// Dashed lines that can be told apart.
const OPTIMA_MAX: usize = 16;

/// What to draw.
pub(crate) struct Places {
    pub(crate) name: String,
    /// The axis of places, from 0 to 1.
    pub(crate) x: String,
    /// The function, on top.
    pub(crate) curve: Option<Curve>,
    /// The axis of the histograms, with its unit.
    pub(crate) y: String,
    /// What the layers of every stack are, from below.
    pub(crate) layers: [&'static str; 3],
    pub(crate) stacks: Vec<Stack>,
}

/// A function over the places.
pub(crate) struct Curve {
    pub(crate) title: String,
    pub(crate) y: String,
    /// By x.
    pub(crate) points: Vec<(f64, f64)>,
    /// Where it is highest: dashed lines through all panels.
    pub(crate) optima: Vec<f64>,
}

/// A histogram in three layers.
pub(crate) struct Stack {
    pub(crate) name: String,
    /// Heights of bins of equal width over [0, 1]; as many in each layer.
    pub(crate) layers: [Vec<f64>; 3],
}

impl Places {
    /// Draws it; nothing without a histogram.
    ///
    /// # Errors
    /// More histograms or bins than can be read.
    pub(crate) fn draw(&self) -> Drawn {
        if self.stacks.is_empty() {
            return Ok(None);
        }
        at_most(&self.name, self.stacks.len(), "histograms", PANELS_MAX)?;
        let bins = self.stacks.iter().map(Stack::bins).max().unwrap_or(0);
        at_most(&self.name, bins, "bins", BINS_MAX)?;
        let mut plots: Vec<Vec<Plot>> = Vec::new();
        let mut layouts: Vec<Layout> = Vec::new();
        if let Some(curve) = &self.curve {
            let frame = Frame::linear(curve.points.iter().map(|(_, y)| *y), None);
            let points: Vec<(f64, f64)> = curve
                .points
                .iter()
                .filter(|(x, _)| (0.0..=1.0).contains(x))
                .filter_map(|(x, y)| Some((*x, frame.place(*y)?)))
                .collect();
            if !points.is_empty() {
                let line = LinePlot::new().with_data(thin(&points, line_max(1), |point| point.1));
                plots.push(vec![Plot::Line(line.with_color("#000000").with_stroke_width(1.2))]);
                let layout = self.layout(&plots[0], &curve.title, &frame.head(&curve.y));
                layouts.push(frame.on(Side::Y, layout));
            }
        }
        for stack in &self.stacks {
            // An axis from 0 to 0 would have no ticks.
            let highest = stack.highest().clamp(1e-3, f64::MAX / 2.0);
            let frame = Frame::linear(std::iter::empty(), Some((0.0, 1.08 * highest)));
            let bands = stack.bands(&frame);
            layouts.push(frame.on(Side::Y, self.layout(&bands, &stack.name, &frame.head(&self.y))));
            plots.push(bands);
        }
        let rows = plots.len();
        let last = layouts.len() - 1;
        for layout in &mut layouts[..last] {
            layout.suppress_x_ticks = true;
            layout.force_margin_top = Some(HEAD);
            layout.force_margin_bottom = Some(GAP);
        }
        let foot = layouts.remove(last).with_x_label(&self.x).with_legend_entries(self.legend());
        layouts.push(foot.with_legend_box(false).with_legend_position(LegendPosition::OutsideBottomColumns));
        let figure = Panels::new(rows, 1)
            .with_spacing(0.0)
            .with_cell_size(WIDTH, PANEL_HEIGHT)
            .with_row_height(rows - 1, PANEL_HEIGHT - GAP + FOOT)
            .with_plots(plots)
            .with_layouts(layouts);
        let first = self.curve.as_ref().map_or(&self.name, |curve| &curve.title);
        Ok(Some(Figure::of(&self.name, &[first], &figure.render())))
    }

    fn layout(&self, plots: &[Plot], title: &str, y: &str) -> Layout {
        let mut layout = text_sizes(Layout::auto_from_plots(plots))
            .with_title(short(title, TITLE_MAX))
            .with_title_size(12)
            .with_label_size(LABEL_SIZE)
            .with_tick_size(TICK_SIZE)
            .with_body_size(TICK_SIZE)
            .with_y_label(y)
            .with_ticks(4)
            .with_x_axis_min(0.0)
            .with_x_axis_max(1.0)
            .with_x_tick_step(0.1)
            .with_force_margins(MARGINS.0, MARGINS.1);
        let optima = self.curve.iter().flat_map(|curve| &curve.optima).filter(|x| (0.0..=1.0).contains(*x));
        for optimum in optima.take(OPTIMA_MAX) {
            layout = layout.with_reference_line(ReferenceLine::vertical(*optimum).with_color(GREY));
        }
        layout
    }

    fn legend(&self) -> Vec<LegendEntry> {
        let layer = |(i, name): (usize, &&str)| LegendEntry {
            label: (*name).to_owned(),
            color: COLOURS[LAYERS[i]].to_owned(),
            shape: LegendShape::Rect,
            dasharray: None,
        };
        let mut entries: Vec<LegendEntry> = self.layers.iter().enumerate().map(layer).collect();
        entries.extend(self.curve.iter().filter(|curve| !curve.optima.is_empty()).map(|_| LegendEntry {
            label: "global optimum".to_owned(),
            color: GREY.to_owned(),
            shape: LegendShape::Line,
            dasharray: Some(LEGEND_DASHES.to_owned()),
        }));
        entries
    }
}

impl Stack {
    fn bins(&self) -> usize {
        self.layers.iter().map(Vec::len).min().unwrap_or(0)
    }

    fn highest(&self) -> f64 {
        let sum = |bin: usize| self.layers.iter().map(|layer| height(layer[bin])).sum::<f64>();
        (0..self.bins()).map(sum).fold(0.0, f64::max)
    }

    /// A band a layer, stepwise: bars that touch, without the hair lines between rectangles.
    fn bands(&self, frame: &Frame) -> Vec<Plot> {
        let bins = self.bins();
        let edge = |i: usize| i as f64 / bins as f64;
        let x: Vec<f64> = (0..bins).flat_map(|bin| [edge(bin), edge(bin + 1)]).collect();
        let steps = |heights: &[f64]| -> Vec<f64> { heights.iter().flat_map(|height| [*height; 2]).collect() };
        let mut below = vec![0.0; bins];
        let mut bands = Vec::new();
        for (layer, colour) in self.layers.iter().zip(LAYERS) {
            let above: Vec<f64> =
                below.iter().zip(layer).map(|(below, of)| below + frame.place(height(*of)).unwrap_or(0.0)).collect();
            let band = BandPlot::new(x.iter().copied(), steps(&below), steps(&above));
            bands.push(Plot::Band(band.with_color(COLOURS[colour]).with_opacity(1.0)));
            below = above;
        }
        bands
    }
}

/// A height; `None` of a NaN.
fn height(value: f64) -> f64 {
    if value.is_finite() { value.max(0.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_stand_on_one_another() {
        let stack = Stack { name: String::new(), layers: [vec![1.0, 2.0], vec![0.0, 3.0], vec![4.0, 0.5]] };
        assert_eq!(stack.highest(), 5.5);
        let ends: Vec<(Vec<f64>, Vec<f64>)> = stack
            .bands(&Frame::linear(std::iter::empty(), Some((0.0, 6.0))))
            .iter()
            .map(|band| match band {
                Plot::Band(band) => (band.y_lower.clone(), band.y_upper.clone()),
                _ => panic!("a band"),
            })
            .collect();
        assert_eq!(ends[0], (vec![0.0; 4], vec![1.0, 1.0, 2.0, 2.0]));
        assert_eq!(ends[1], (vec![1.0, 1.0, 2.0, 2.0], vec![1.0, 1.0, 5.0, 5.0]));
        assert_eq!(ends[2].1, [5.0, 5.0, 5.5, 5.5]);
    }
}
