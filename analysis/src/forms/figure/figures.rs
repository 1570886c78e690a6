//! The figures of a run, and what they share.

use super::{Drawn, Figure, Panel, Point, Scale, Series};

/// Figures that were drawn, and why others were not.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Figures {
    pub(crate) drawn: Vec<Figure>,
    pub(crate) left_out: Vec<String>,
}

impl Extend<Drawn> for Figures {
    fn extend<I: IntoIterator<Item = Drawn>>(&mut self, drawn: I) {
        for one in drawn {
            match one {
                Ok(figure) => self.drawn.extend(figure),
                Err(left_out) => self.left_out.push(left_out.to_string()),
            }
        }
    }
}

impl FromIterator<Drawn> for Figures {
    fn from_iter<I: IntoIterator<Item = Drawn>>(drawn: I) -> Self {
        let mut figures = Figures::default();
        figures.extend(drawn);
        figures
    }
}

/// The axis that most figures share.
pub(crate) const GENERATION: &str = "generation";

/// A plain panel over generations.
pub(crate) fn panel(title: &str, y: &str, y_range: Option<(f64, f64)>, series: Vec<Series>) -> Panel {
    let (title, x, y) = (title.to_owned(), GENERATION.to_owned(), y.to_owned());
    Panel { title, x, x_scale: Scale::Linear, y, y_range, y_scale: Scale::Linear, y_step: None, level: None, series }
}

/// A point without an interval.
pub(crate) fn point(x: f64, y: f64) -> Point {
    Point { x, y, spread: None }
}
