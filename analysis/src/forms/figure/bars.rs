//! Sums of named parts: a bar a group, its parts behind one another, in panels.

use kuva::prelude::{BarPlot, Figure as Panels, Layout, LegendEntry, LegendShape, Plot};

use super::{
    COLOURS, Drawn, Figure,
    axis::{Frame, Side},
    limits::{GROUP_MAX, GROUPS_MAX, HEIGHT_MAX, NAME_MAX, PANELS_MAX, TITLE_MAX, at_most, short, something},
    text_sizes,
};

/// Panels beside one another.
const COLUMNS: usize = 2;
const COLUMN_WIDTH: f64 = 500.0;
/// Height of a panel without groups, and of each group; pixels.
const PANEL_HEIGHT: f64 = 90.0;
const GROUP_HEIGHT: f64 = 26.0;
/// Parts that colours tell apart.
const PARTS_MAX: usize = COLOURS.len();
/// Beyond the longest bar, as a share of it.
const MARGIN: f64 = 0.04;

/// What to draw.
pub(crate) struct Bars {
    pub(crate) name: String,
    pub(crate) title: String,
    /// The axis of values, with its unit.
    pub(crate) x: String,
    /// What the parts of every bar are, from the left.
    pub(crate) parts: Vec<String>,
    pub(crate) panels: Vec<Stacked>,
}

/// One pair of axes.
pub(crate) struct Stacked {
    pub(crate) title: String,
    /// The first is drawn at the top.
    pub(crate) groups: Vec<Parts>,
}

/// A named sum.
pub(crate) struct Parts {
    pub(crate) name: String,
    /// In the order of [`Bars::parts`]; what is below 0 or no number has no length.
    pub(crate) values: Vec<f64>,
}

impl Bars {
    /// Draws it; nothing without a group.
    ///
    /// # Errors
    /// More parts, panels or groups than can be read, or no part above 0.
    pub(crate) fn draw(&self) -> Drawn {
        let panels: Vec<&Stacked> = self.panels.iter().filter(|panel| !panel.groups.is_empty()).collect();
        let Some(most) = panels.iter().map(|panel| panel.groups.len()).max() else { return Ok(None) };
        at_most(&self.name, self.parts.len(), "parts of a bar", PARTS_MAX)?;
        at_most(&self.name, panels.len(), "panels", PANELS_MAX)?;
        at_most(&self.name, most, "groups in one panel", GROUPS_MAX)?;
        let height = PANEL_HEIGHT + GROUP_HEIGHT * most as f64;
        let rows_max = (HEIGHT_MAX / height) as usize;
        at_most(&self.name, panels.len(), "panels of so many groups", rows_max * COLUMNS)?;
        let longest = panels.iter().flat_map(|panel| &panel.groups).map(Parts::sum).fold(0.0, f64::max);
        something(&self.name, longest > 0.0)?;
        let frame = Frame::linear(std::iter::empty(), Some((0.0, (1.0 + MARGIN) * longest)));
        let (plots, layouts): (Vec<_>, Vec<_>) = panels.iter().map(|panel| self.panel(panel, &frame)).unzip();
        let columns = plots.len().min(COLUMNS);
        let structure = (0..plots.len()).map(|i| vec![i]).collect();
        let figure = Panels::new(plots.len().div_ceil(columns), columns)
            .with_structure(structure)
            .with_title(short(&self.title, TITLE_MAX))
            .with_title_size(15)
            .with_cell_size(COLUMN_WIDTH, height)
            .with_plots(plots)
            .with_layouts(layouts)
            .with_shared_legend_bottom()
            .with_shared_legend_entries(self.legend());
        Ok(Some(Figure::of(&self.name, &[&self.title], &figure.render())))
    }

    fn panel(&self, panel: &Stacked, frame: &Frame) -> (Vec<Plot>, Layout) {
        let mut bars = BarPlot::new().with_horizontal(true).with_stacked().with_width(0.7);
        // The axis counts from below.
        for group in panel.groups.iter().rev() {
            let parts = group.values.iter().zip(COLOURS).take(self.parts.len());
            let parts = parts.map(|(value, colour)| (frame.place(length(*value)).unwrap_or(0.0), colour));
            bars = bars.with_group(short(&group.name, GROUP_MAX), parts.collect::<Vec<_>>());
        }
        let plots = vec![Plot::Bar(bars)];
        let layout = text_sizes(Layout::auto_from_plots(&plots))
            .with_title(short(&panel.title, NAME_MAX))
            .with_x_label(frame.head(&self.x))
            .with_ticks(6);
        let layout = frame.on(Side::X, layout);
        (plots, layout)
    }

    fn legend(&self) -> Vec<LegendEntry> {
        let entry = |(name, colour): (&String, &str)| LegendEntry {
            label: short(name, NAME_MAX),
            color: colour.to_owned(),
            shape: LegendShape::Rect,
            dasharray: None,
        };
        self.parts.iter().zip(COLOURS).map(entry).collect()
    }
}

impl Parts {
    fn sum(&self) -> f64 {
        self.values.iter().map(|value| length(*value)).sum::<f64>().min(f64::MAX / 2.0)
    }
}

/// The length of a part.
fn length(value: f64) -> f64 {
    if value.is_finite() { value.max(0.0) } else { 0.0 }
}
