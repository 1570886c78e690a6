//! A figure: what to draw as data, drawn as SVG and turned into PNG and PDF. A file a form of figure.
//!
//! These are the only modules that name kuva, which draws, and resvg, which makes pixels. The font is shipped with the
//! program: without a face of its own resvg draws no text, and a machine's fonts would make pictures differ.

mod axis;
mod bars;
mod boxes;
mod chart;
mod figures;
mod heat;
mod histogram;
mod intervals;
mod limits;
mod pdf;
mod placed;
mod places;
#[cfg(test)]
mod tests;

use std::sync::{Arc, LazyLock};

use kuva::{
    prelude::{Layout, SvgBackend},
    render::render::Scene,
};
use resvg::{tiny_skia, usvg};

pub(crate) use bars::{Bars, Parts, Stacked};
pub(crate) use boxes::{Boxes, Distribution, Group};
pub(crate) use chart::{Chart, Look, Panel, Point, Scale, Series};
pub(crate) use figures::{Figures, GENERATION, panel, point};
pub(crate) use heat::{Heat, Square};
pub(crate) use histogram::{Counted, Histograms, Spread};
pub(crate) use intervals::{Interval, Intervals};
pub(crate) use limits::{Drawn, LeftOut};
pub(crate) use places::{Curve, Places, Stack};

use crate::Error;

/// DejaVu Sans 2.37; its licence stands beside it.
static FONT: &[u8] = include_bytes!("../../../fonts/DejaVuSans.ttf");
const FAMILY: &str = "DejaVu Sans";
/// Width of a figure with one column; pixels of the SVG.
const WIDTH: f64 = 760.0;
/// Pixels of the PNG for one of the SVG: enough for print at a column's width.
const SCALE: f32 = 2.0;
/// Pixels of a PNG, of four bytes each; a larger drawing has one for one.
const PIXELS_MAX: f32 = 5e7;
/// Okabe and Ito's colours, which people of any colour vision tell apart; the yellow is too faint on paper.
const COLOURS: [&str; 7] = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"];
/// Dashes in a legend, whose lines are short.
const LEGEND_DASHES: &str = "4 2";
const GREY: &str = "#666666";

/// A drawn figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// Name of its files: lower-case words joined by `-`.
    pub name: String,
    /// What it shows, in a line: the titles of its panels.
    pub title: String,
    /// Whether it shows times of workers, which differ from run to run of one experiment.
    pub measured: bool,
    /// The drawing.
    pub svg: String,
}

impl Figure {
    /// A scene as a figure. Panels that share a title are named once.
    fn of(name: &str, titles: &[&str], scene: &Scene) -> Self {
        let mut shown: Vec<&str> = Vec::new();
        for title in titles.iter().copied().filter(|title| !title.is_empty()) {
            if !shown.contains(&title) {
                shown.push(title);
            }
        }
        Figure { name: name.to_owned(), title: shown.join("; "), measured: false, svg: svg(scene) }
    }

    /// The drawing as PNG, two pixels for one of the SVG; one of a very large drawing.
    ///
    /// # Errors
    /// The renderer does not accept the drawing.
    pub fn to_png(&self) -> Result<Vec<u8>, Error> {
        let wrong = |reason: String| self.wrong(reason);
        let tree = self.tree()?;
        // Rounded up: a part of a pixel at an edge is drawn, too.
        let [width, height] = [tree.size().width(), tree.size().height()].map(f32::ceil);
        let scale = if width * height * SCALE * SCALE > PIXELS_MAX { 1.0 } else { SCALE };
        if width * height > PIXELS_MAX {
            return Err(wrong(format!("{width} by {height} pixels are too many")));
        }
        let size = tiny_skia::IntSize::from_wh(width as u32, height as u32).and_then(|size| size.scale_by(scale));
        let size = size.ok_or_else(|| wrong("it has no size".into()))?;
        let mut map = tiny_skia::Pixmap::new(size.width(), size.height())
            .ok_or_else(|| wrong(format!("{} by {} pixels are too many", size.width(), size.height())))?;
        resvg::render(&tree, tiny_skia::Transform::from_scale(scale, scale), &mut map.as_mut());
        map.encode_png().map_err(|error| wrong(error.to_string()))
    }

    /// The drawing as PDF of one page, with text that can be searched and the font embedded; an inch for 96 pixels of the
    /// SVG. The same drawing has the same bytes.
    ///
    /// # Errors
    /// The drawing has a part that is not written as PDF.
    pub fn to_pdf(&self) -> Result<Vec<u8>, Error> {
        pdf::render(&self.tree()?, &self.title, FONT)
            .map_err(|part| self.wrong(format!("it has {part}, which PDF lacks")))
    }

    fn tree(&self) -> Result<usvg::Tree, Error> {
        usvg::Tree::from_str(&self.svg, &OPTIONS).map_err(|error| self.wrong(error.to_string()))
    }

    fn wrong(&self, reason: String) -> Error {
        Error::Figure { figure: self.name.clone(), reason }
    }
}

/// How texts are drawn; read once, because a font takes a while.
static OPTIONS: LazyLock<usvg::Options<'static>> = LazyLock::new(|| {
    let mut fonts = usvg::fontdb::Database::new();
    fonts.load_font_data(FONT.to_vec());
    usvg::Options { fontdb: Arc::new(fonts), font_family: FAMILY.to_owned(), ..usvg::Options::default() }
});

/// A scene as text. kuva counts clip paths over the life of the process; here they are counted anew, so that a figure
/// drawn again has the same bytes.
fn svg(scene: &Scene) -> String {
    const ID: &str = "kuva-clip-";
    let drawn = SvgBackend::new().render_scene(scene);
    let mut parts = drawn.split(ID);
    let mut text = parts.next().unwrap_or_default().to_owned();
    let mut ids: Vec<&str> = Vec::new();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
        let (id, rest) = part.split_at(end);
        let place = ids.iter().position(|known| *known == id).unwrap_or(ids.len());
        if place == ids.len() {
            ids.push(id);
        }
        text.push_str(&format!("clip-{place}{rest}"));
    }
    text
}

fn text_sizes(layout: Layout) -> Layout {
    layout
        .with_font_family(format!("{FAMILY}, Verdana, sans-serif"))
        .with_title_size(15)
        .with_label_size(13)
        .with_tick_size(12)
        .with_body_size(12)
        .with_grid_line_width(0.6)
}
