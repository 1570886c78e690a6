//! A table of cells, each with a colour for its value and lines of text.

use std::sync::Arc;

use kuva::prelude::{ColorMap, Heatmap, Layout, Plot, TextAnnotation, render_multiple};

use super::{
    Drawn, Figure,
    limits::{CELLS_MAX, NAME_MAX, TITLE_MAX, at_most, short, something},
    text_sizes,
};

/// Size of a cell; pixels.
const CELL_WIDTH: f64 = 88.0;
const CELL_HEIGHT: f64 = 66.0;
/// Around the cells: labels, title, colour bar.
const MARGINS: (f64, f64) = (240.0, 150.0);
/// Room for the title.
const WIDTH_MIN: f64 = 640.0;
/// Size of the texts in a cell, and distance of their lines as a share of the cell's height.
const TEXT_SIZE: u32 = 11;
const LINE: f64 = 0.25;
/// Lines of a cell, and letters of one.
const LINES_MAX: usize = 4;
const CELL_TEXT_MAX: usize = 14;
/// Texts stand on their place: so many lines lower they are centred.
const BASELINE: f64 = -0.3;
/// Colours of the ends and the middle, as red, green and blue: Okabe and Ito's vermilion and blue in light shades,
/// which black text is read on and any vision tells apart.
const LOW: [f64; 3] = [236.0, 156.0, 112.0];
const MIDDLE: [f64; 3] = [250.0, 250.0, 250.0];
const HIGH: [f64; 3] = [110.0, 170.0, 214.0];
const EMPTY: &str = "#ffffff";

/// What to draw.
pub(crate) struct Heat {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) x: String,
    pub(crate) y: String,
    pub(crate) columns: Vec<String>,
    /// Names of the rows, the first at the top, and their cells.
    pub(crate) rows: Vec<(String, Vec<Option<Square>>)>,
}

/// A cell.
pub(crate) struct Square {
    /// From 0 to 1; a half has no colour.
    pub(crate) value: f64,
    /// From above.
    pub(crate) lines: Vec<String>,
}

impl Heat {
    /// Draws it; nothing without a cell.
    ///
    /// # Errors
    /// More cells than can be read, or no value that is a number.
    pub(crate) fn draw(&self) -> Drawn {
        at_most(&self.name, self.rows.len().saturating_mul(self.columns.len()), "cells", CELLS_MAX)?;
        let squares: Vec<&Square> = self.rows.iter().flat_map(|(_, row)| row).flatten().collect();
        if squares.is_empty() {
            return Ok(None);
        }
        let values = || squares.iter().filter_map(|square| square.place());
        let low = values().reduce(f64::min).unwrap_or(f64::NAN);
        let high = values().reduce(f64::max).unwrap_or(f64::NAN);
        something(&self.name, low <= high)?;
        // kuva gives the place between the lowest and the highest value; colours go by the value itself.
        let map = ColorMap::Custom(Arc::new(move |place: f64| {
            if place.is_nan() { EMPTY.to_owned() } else { colour(low + place * (high - low)) }
        }));
        // It counts rows from below.
        let value = |square: &Option<Square>| square.as_ref().and_then(Square::place).unwrap_or(f64::NAN);
        let data: Vec<Vec<f64>> = self.rows.iter().rev().map(|(_, row)| row.iter().map(value).collect()).collect();
        let plots = vec![Plot::Heatmap(Heatmap::new().with_data(data).with_color_map(map))];
        let mut layout = text_sizes(Layout::auto_from_plots(&plots))
            .with_title(short(&self.title, TITLE_MAX))
            .with_x_label(short(&self.x, NAME_MAX))
            .with_y_label(short(&self.y, NAME_MAX))
            .with_x_categories(self.columns.iter().map(|name| short(name, CELL_TEXT_MAX)).collect())
            .with_y_categories(self.rows.iter().rev().map(|(name, _)| short(name, CELL_TEXT_MAX)).collect())
            .with_width((MARGINS.0 + CELL_WIDTH * self.columns.len() as f64).max(WIDTH_MIN))
            .with_height(MARGINS.1 + CELL_HEIGHT * self.rows.len() as f64);
        for (r, (_, row)) in self.rows.iter().rev().enumerate() {
            for (c, square) in row.iter().enumerate() {
                let lines =
                    square.as_ref().map_or(&[][..], |square| &square.lines[..square.lines.len().min(LINES_MAX)]);
                for (l, line) in lines.iter().enumerate() {
                    // Cells are centred on whole numbers from 1.
                    let above = (lines.len() as f64 - 1.0) / 2.0 - l as f64 + BASELINE;
                    let (x, y) = (c as f64 + 1.0, r as f64 + 1.0 + LINE * above);
                    layout = layout.with_annotation(
                        TextAnnotation::new(short(line, CELL_TEXT_MAX), x, y).with_font_size(TEXT_SIZE),
                    );
                }
            }
        }
        Ok(Some(Figure::of(&self.name, &[&self.title], &render_multiple(plots, layout))))
    }
}

impl Square {
    /// Its value on the scale of colours; none of what is no number.
    fn place(&self) -> Option<f64> {
        (!self.value.is_nan()).then(|| self.value.clamp(0.0, 1.0))
    }
}

fn colour(value: f64) -> String {
    let (from, to, share) = if value < 0.5 { (LOW, MIDDLE, 2.0 * value) } else { (MIDDLE, HIGH, 2.0 * value - 1.0) };
    let part = |i: usize| (from[i] + share.clamp(0.0, 1.0) * (to[i] - from[i])).round() as u8;
    format!("#{:02x}{:02x}{:02x}", part(0), part(1), part(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_go_by_the_value() {
        assert_eq!([0.0, 0.5, 1.0].map(colour), ["#ec9c70", "#fafafa", "#6eaad6"]);
        assert_eq!(colour(0.25), "#f3cbb5");
    }
}
