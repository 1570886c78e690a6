//! Distributions side by side: a box a group, with its values as points, in panels.

use kuva::{
    prelude::{BoxPlot, Figure as Panels, Layout, Plot, ReferenceLine},
    render::theme::Theme,
};

use super::{COLOURS, Figure, GREY, svg, text_sizes};

/// Panels beside one another.
const COLUMNS: usize = 3;
const COLUMN_WIDTH: f64 = 400.0;
/// Of a panel, without and for each group; pixels.
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
    /// Draws it; `None` without a value.
    pub(crate) fn draw(&self) -> Option<Figure> {
        let panels: Vec<&Distribution> = self.panels.iter().filter(|panel| panel.largest() > 0).collect();
        let most = panels.iter().map(|panel| panel.groups.len()).max()?;
        let columns = panels.len().min(COLUMNS);
        let mut plots: Vec<Vec<Plot>> = panels.iter().map(|panel| panel.plots()).collect();
        let layouts = panels.iter().zip(&plots).map(|(panel, plots)| panel.layout(plots, &self.x)).collect();
        let rows = panels.len().div_ceil(columns);
        // A place without a panel would be drawn as empty axes: the last row is as long as it is.
        let structure = (0..panels.len()).map(|i| vec![i]).collect();
        plots.truncate(panels.len());
        let figure = Panels::new(rows, columns)
            .with_structure(structure)
            .with_title(&self.title)
            .with_title_size(15)
            .with_cell_size(COLUMN_WIDTH, PANEL_HEIGHT + GROUP_HEIGHT * most as f64)
            .with_plots(plots)
            .with_layouts(layouts);
        Some(Figure { name: self.name.clone(), svg: svg(&figure.render()) })
    }
}

impl Distribution {
    fn largest(&self) -> usize {
        self.groups.iter().map(|group| group.values.len()).max().unwrap_or(0)
    }

    fn plots(&self) -> Vec<Plot> {
        let mut boxes = BoxPlot::new()
            .with_horizontal(true)
            .with_width(0.6)
            .with_color(COLOURS[FILL])
            .with_overlay_color("rgba(0,0,0,0.4)")
            .with_overlay_size(1.8);
        if self.largest() <= POINTS_MAX {
            boxes = boxes.with_strip(JITTER);
        }
        // The axis counts from below.
        for group in self.groups.iter().rev() {
            boxes = boxes.with_group(&group.name, group.values.iter().copied());
        }
        vec![Plot::Box(boxes)]
    }

    fn layout(&self, plots: &[Plot], x: &str) -> Layout {
        let (low, high) = self.ends();
        let layout = text_sizes(Layout::auto_from_plots(plots))
            .with_theme(Theme { box_median: "black".to_owned(), ..Theme::default() })
            .with_title(&self.title)
            .with_x_label(x)
            .with_ticks(5)
            .with_x_axis_min(low)
            .with_x_axis_max(high);
        match self.level {
            Some(level) => layout.with_reference_line(ReferenceLine::vertical(level).with_color(GREY)),
            None => layout,
        }
    }

    /// Ends of the axis: all values and the level, with some room.
    fn ends(&self) -> (f64, f64) {
        let values = self.groups.iter().flat_map(|group| &group.values).chain(&self.level);
        let wider = |(low, high): (f64, f64), value: &f64| (low.min(*value), high.max(*value));
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), wider);
        let room = if high > low { MARGIN * (high - low) } else { MARGIN * high.abs().max(1.0) };
        (low - room, high + room)
    }
}
