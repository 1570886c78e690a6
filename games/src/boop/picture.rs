//! The board as a picture: an SVG of the board with the pieces, and both pools below.

use std::fmt::Write as _;

use super::{
    Boop,
    board::{self, LARGE, SIZE, SMALL},
    show,
    text::{LETTERS, piece, square_text},
};

/// Pixels of a square's side, around the board, and of a line of a pool.
const SQUARE: u32 = 60;
const MARGIN: u32 = 30;
const POOL: u32 = 44;

/// Colours of the sides, which also people who see red and green alike tell apart (Okabe and Ito 2008).
const COLOURS: [&str; 2] = ["#d55e00", "#0072b2"];

/// Heads of cats around the origin, for a square of 60: a small one has its ears close to the face; a large one fills
/// the square, and has whiskers and a collar.
const HEADS: [&str; 2] = [
    "<path d=\"M-12 -13L-4 -9H4L12 -13V2A12 11 0 0 1 -12 2Z\" class=\"head\"/>\
     <circle cx=\"-4.5\" cy=\"-1\" r=\"1.8\" class=\"eye\"/><circle cx=\"4.5\" cy=\"-1\" r=\"1.8\" class=\"eye\"/>",
    "<path d=\"M-23 -26L-10 -17H10L23 -26V2A23 21 0 0 1 -23 2Z\" class=\"head\"/>\
     <circle cx=\"-9\" cy=\"-4\" r=\"3\" class=\"eye\"/><circle cx=\"9\" cy=\"-4\" r=\"3\" class=\"eye\"/>\
     <path d=\"M-3 4H3L0 8ZM-8 6L-19 3M-8 9L-19 10M8 6L19 3M8 9L19 10\" class=\"line\"/>\
     <path d=\"M-14 17A23 21 0 0 0 14 17\" class=\"collar\"/>",
];

/// Heads as definitions that pieces use.
fn definitions() -> String {
    let one = |seat: usize, size: usize| {
        format!("<g id=\"{}\" fill=\"{}\">{}</g>", LETTERS[seat][size], COLOURS[seat], HEADS[size])
    };
    let all: String = (0..2).flat_map(|seat| [one(seat, SMALL), one(seat, LARGE)]).collect();
    format!("<defs>{all}</defs>")
}

/// The picture: row 1 at the bottom, the first player in orange and the second in blue, what is in the pools below.
pub(super) fn svg(game: &Boop) -> String {
    let side = SIZE * SQUARE;
    let (width, height) = (side + 2 * MARGIN, side + 2 * MARGIN + 2 * POOL + 20);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">\n\
         <style>.head{{stroke:#ffffff;stroke-width:1.5}}.eye{{fill:#ffffff}}\
         .line{{fill:#ffffff;stroke:#ffffff;stroke-width:1.2}}.collar{{fill:none;stroke:#f0e442;stroke-width:4}}\
         text{{font:13px sans-serif;fill:#000000}}</style>\n{}\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n",
        definitions()
    );
    for column in 0..SIZE {
        for row in 0..SIZE {
            let (x, y) = (MARGIN + SQUARE * column, MARGIN + SQUARE * (SIZE - 1 - row));
            let shade = if (column + row) % 2 == 0 { "#e6e2da" } else { "#f4f1ea" };
            let _ = writeln!(
                svg,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{SQUARE}\" height=\"{SQUARE}\" fill=\"{shade}\" stroke=\"#bdb7aa\"/>"
            );
        }
        let (x, letter) = (MARGIN + SQUARE * column + SQUARE / 2, (b'a' + column as u8) as char);
        let _ = writeln!(svg, "<text x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{letter}</text>", MARGIN + side + 18);
        let y = MARGIN + SQUARE * (SIZE - 1 - column) + SQUARE / 2 + 5;
        let _ = writeln!(svg, "<text x=\"{}\" y=\"{y}\" text-anchor=\"middle\">{}</text>", MARGIN / 2, column + 1);
    }
    for square in board::squares(game.board.occupied()) {
        let Some((seat, size)) = piece(&game.board, square) else { continue };
        let (x, y) = (board::column(square), SIZE - 1 - board::row(square));
        let _ = writeln!(
            svg,
            "<use href=\"#{}\" x=\"{}\" y=\"{}\"><title>{} of player {} on {}</title></use>",
            LETTERS[seat][size],
            MARGIN + SQUARE * x + SQUARE / 2,
            MARGIN + SQUARE * y + SQUARE / 2,
            ["small", "large"][size],
            seat + 1,
            square_text(square)
        );
    }
    let below = side + 2 * MARGIN;
    for (seat, letters) in LETTERS.iter().enumerate() {
        let middle = below + POOL * seat as u32 + POOL / 2;
        let _ = writeln!(svg, "<text x=\"{MARGIN}\" y=\"{}\">player {}</text>", middle + 5, seat + 1);
        let pool = game.board.pool(seat);
        let pieces = [SMALL, LARGE].into_iter().flat_map(|size| std::iter::repeat_n(size, pool[size] as usize));
        for (index, size) in (0..).zip(pieces) {
            let x = MARGIN + 85 + 40 * index;
            let letter = letters[size];
            let _ = writeln!(svg, "<use href=\"#{letter}\" transform=\"translate({x} {middle}) scale(.75)\"/>");
        }
    }
    let _ = writeln!(svg, "<text x=\"{MARGIN}\" y=\"{}\">{}</text>", below + 2 * POOL + 14, show::turn(game));
    svg + "</svg>\n"
}
