//! The board as a picture: an SVG with dots, drawn and free edges, and completed boxes in the colours of their owners.

use std::fmt::Write as _;

use super::{DotsAndBoxes, Move, show, text};

/// Pixels of a box's side, around the board, and of a dot's radius.
const BOX: u32 = 60;
const MARGIN: u32 = 30;
const DOT: u32 = 5;

/// Colours of the players, which also people who see red and green alike tell apart (Okabe and Ito 2008).
const COLOURS: [&str; 2] = ["#d55e00", "#0072b2"];

/// The picture: row 0 at the top, the first player in orange and the second in blue.
pub(super) fn svg(game: &DotsAndBoxes) -> String {
    let (rows, columns) = (u32::from(game.rows()), u32::from(game.columns()));
    let (width, height) = ((columns * BOX + 2 * MARGIN).max(300), rows * BOX + 2 * MARGIN + 30);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">\n\
         <style>.drawn{{stroke:#000000;stroke-width:5}}.free{{stroke:#c8c8c8;stroke-width:2;stroke-dasharray:4 5}}\
         .owner{{font:24px sans-serif;fill:#ffffff;text-anchor:middle}}\
         .label{{font:13px sans-serif;fill:#000000;text-anchor:middle}}</style>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    let at = |place: u32| MARGIN + BOX * place;
    for row in 0..rows {
        for column in 0..columns {
            let Some(seat) = game.owner(row, column) else { continue };
            let (x, y) = (at(column), at(row));
            let _ = writeln!(
                svg,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{BOX}\" height=\"{BOX}\" fill=\"{}\"/>\
                 <text x=\"{}\" y=\"{}\" class=\"owner\">{}</text>",
                COLOURS[seat],
                x + BOX / 2,
                y + BOX / 2 + 8,
                text::LETTERS[seat]
            );
        }
    }
    // Free edges first, so that drawn ones lie above them.
    let edges: Vec<Move> = game.size.edges().iter().collect();
    for (class, is_free) in [("free", true), ("drawn", false)] {
        for &edge in edges.iter().filter(|&&edge| game.is_free(edge) == is_free) {
            let (x, y) = (at(edge.column()), at(edge.row()));
            let (to_x, to_y) = if edge.is_vertical() { (x, y + BOX) } else { (x + BOX, y) };
            let _ = writeln!(
                svg,
                "<line x1=\"{x}\" y1=\"{y}\" x2=\"{to_x}\" y2=\"{to_y}\" class=\"{class}\"><title>{}</title></line>",
                text::of_move(edge)
            );
        }
    }
    for row in 0..=rows {
        for column in 0..=columns {
            let _ = writeln!(svg, "<circle cx=\"{}\" cy=\"{}\" r=\"{DOT}\"/>", at(column), at(row));
        }
    }
    for (count, is_column) in [(columns, true), (rows, false)] {
        for number in 0..count {
            let middle = at(number) + BOX / 2;
            let (x, y) = if is_column { (middle, MARGIN / 2 + 5) } else { (MARGIN / 2, middle + 5) };
            let _ = writeln!(svg, "<text x=\"{x}\" y=\"{y}\" class=\"label\">{number}</text>");
        }
    }
    let (x, y) = (width / 2, height - 14);
    let _ = writeln!(svg, "<text x=\"{x}\" y=\"{y}\" class=\"label\">{}</text>", show::turn(game));
    svg + "</svg>\n"
}
