//! Distributions side by side: a box a group, with its values as points, in panels.

use kuva::{
    prelude::{BoxPlot, Figure as Panels, Layout, Plot, ReferenceLine},
    render::theme::Theme,
};

use super::{
    COLOURS, Drawn, Figure, GREY,
    axis::{Frame, Side},
    limits::{
        GROUP_MAX, GROUPS_MAX, HEIGHT_MAX, NAME_MAX, PANELS_MAX, TITLE_MAX, at_most, marks_max, short, something,
    },
    text_sizes,
};

/// Panels beside one another.
const COLUMNS: usize = 3;
const COLUMN_WIDTH: f64 = 400.0;
/// Height of a panel without groups, and of each group; pixels.
const PANEL_HEIGHT: f64 = 90.0;
const GROUP_HEIGHT: f64 = 30.0;
/// More values than this in a group are a blot: then boxes stand alone.
const POINTS_MAX: usize = 400;
/// Share of a group's height that points are scattered over.
const JITTER: f64 = 0.35;
/// Among the colours, the lightest: points and medians are seen on it, and groups have their names beside them.
const FILL: usize = 5;
/// Beyond the outermost values, as a share of what they span.
const MARGIN: f64 = 0.05;

/// What to draw.
pub(crate) struct Boxes {
    pub(crate) name: String,
    pub(crate) title: String,
    /// The axis of values, with its unit.
    pub(crate) x: String,
    pub(crate) panels: Vec<Distribution>,
}

/// One pair of axes.
pub(crate) struct Distribution {
    pub(crate) title: String,
    /// A value to compare with, drawn as a dashed line.
    pub(crate) level: Option<f64>,
    /// The first is drawn at the top.
    pub(crate) groups: Vec<Group>,
}

/// A named sample.
pub(crate) struct Group {
    pub(crate) name: String,
    pub(crate) values: Vec<f64>,
}

impl Boxes {
    /// Draws it; nothing without a value.
    ///
    /// # Errors
    /// More panels or groups than can be read, or no value that is a number.
    pub(crate) fn draw(&self) -> Drawn {
        let panels: Vec<&Distribution> = self.panels.iter().filter(|panel| panel.largest() > 0).collect();
        let Some(most) = panels.iter().map(|panel| panel.groups.len()).max() else { return Ok(None) };
        at_most(&self.name, panels.len(), "panels", PANELS_MAX)?;
        at_most(&self.name, most, "groups in one panel", GROUPS_MAX)?;
        let height = PANEL_HEIGHT + GROUP_HEIGHT * most as f64;
        let rows_max = (HEIGHT_MAX / height) as usize;
        at_most(&self.name, panels.len(), "panels of so many groups", rows_max * COLUMNS)?;
        let values: usize = panels.iter().map(|panel| panel.size()).sum();
        let drawn: Vec<(Vec<Plot>, Layout)> =
            panels.iter().filter_map(|panel| panel.draw(&self.x, values <= marks_max(1))).collect();
        something(&self.name, !drawn.is_empty())?;
        let (plots, layouts): (Vec<_>, Vec<_>) = drawn.into_iter().unzip();
        let columns = plots.len().min(COLUMNS);
        let rows = plots.len().div_ceil(columns);
        // A place without a panel would be drawn as empty axes: the last row is as long as it is.
        let structure = (0..plots.len()).map(|i| vec![i]).collect();
        let figure = Panels::new(rows, columns)
            .with_structure(structure)
            .with_title(short(&self.title, TITLE_MAX))
            .with_title_size(15)
            .with_cell_size(COLUMN_WIDTH, height)
            .with_plots(plots)
            .with_layouts(layouts);
        Ok(Some(Figure::of(&self.name, &[&self.title], &figure.render())))
    }
}

impl Distribution {
    fn largest(&self) -> usize {
        self.groups.iter().map(|group| group.values.len()).max().unwrap_or(0)
    }

    /// Values of all groups.
    fn size(&self) -> usize {
        self.groups.iter().map(|group| group.values.len()).sum()
    }

    /// Its axes and what stands on them, with the values as points if there is room; `None` without a number.
    fn draw(&self, x: &str, points: bool) -> Option<(Vec<Plot>, Layout)> {
        let ends = self.ends()?;
        let frame = Frame::linear(std::iter::empty(), Some(ends));
        let plots = self.plots(&frame, points);
        let layout = text_sizes(Layout::auto_from_plots(&plots))
            .with_theme(Theme { box_median: "black".to_owned(), ..Theme::default() })
            .with_title(short(&self.title, NAME_MAX))
            .with_x_label(frame.head(x))
            .with_ticks(5);
        let layout = frame.on(Side::X, layout);
        let layout = match self.level.and_then(|level| frame.place(level)) {
            Some(level) => layout.with_reference_line(ReferenceLine::vertical(level).with_color(GREY)),
            None => layout,
        };
        Some((plots, layout))
    }

    fn plots(&self, frame: &Frame, points: bool) -> Vec<Plot> {
        let mut boxes = BoxPlot::new()
            .with_horizontal(true)
            .with_width(0.6)
            .with_color(COLOURS[FILL])
            .with_overlay_color("rgba(0,0,0,0.4)")
            .with_overlay_size(1.8);
        if points && self.largest() <= POINTS_MAX {
            boxes = boxes.with_strip(JITTER);
        }
        // The axis counts from below.
        for group in self.groups.iter().rev() {
            let values: Vec<f64> = group.values.iter().filter_map(|value| frame.place(*value)).collect();
            if !values.is_empty() {
                boxes = boxes.with_group(short(&group.name, GROUP_MAX), values);
            }
        }
        vec![Plot::Box(boxes)]
    }

    /// Ends of the axis: all values that are numbers and the level, with some room; `None` without a value.
    fn ends(&self) -> Option<(f64, f64)> {
        let values = self.groups.iter().flat_map(|group| &group.values).copied();
        let mut values = values.filter(|value| value.is_finite()).peekable();
        values.peek()?;
        let wider = |(low, high): (f64, f64), value: f64| (low.min(value), high.max(value));
        let level = self.level.filter(|level| level.is_finite());
        let (low, high) = values.chain(level).fold((f64::INFINITY, f64::NEG_INFINITY), wider);
        let room = if high > low { MARGIN * high - MARGIN * low } else { MARGIN * high.abs().max(1.0) };
        Some((low - room, high + room))
    }
}
