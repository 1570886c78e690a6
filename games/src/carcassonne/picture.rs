//! The board as a picture: an SVG of the laid tiles with the standing meeples.

use std::fmt::Write as _;

use super::{
    Carcassonne, Laid,
    board::Square,
    tile::{HALVES, ORIENTED, SIDES, Source, TILES, Tile, letter},
};
use crate::{Game as _, Turn};

/// Pixels of a tile's side.
const TILE: i32 = 60;
/// Pixels around the tiles, and those of the lines of text below.
const MARGIN: i32 = 20;
const LINE: i32 = 18;

/// Colours, which also people who see red and green alike tell apart (Okabe and Ito 2008).
const FIELD: &str = "#b5d99c";
const CITY: &str = "#c9a26b";
const ROAD: &str = "#ffffff";
const MEEPLES: [&str; 2] = ["#d55e00", "#0072b2"];

/// The outline of a meeple.
const MEEPLE: &str = "M0 -8A3.5 3.5 0 0 1 2.5 -2L7 0L4.5 2.5L6 8H-6L-4.5 2.5L-7 0L-2.5 -2A3.5 3.5 0 0 1 0 -8Z";

/// Middles of sides.
const SIDE_POINTS: [(f64, f64); SIDES] = [(30.0, 0.0), (60.0, 30.0), (30.0, 60.0), (0.0, 30.0)];
/// Where meeples of cities and roads stand, by side.
const SIDE_ANCHORS: [(f64, f64); SIDES] = [(30.0, 8.0), (52.0, 30.0), (30.0, 52.0), (8.0, 30.0)];
/// Where meeples of fields stand, by half.
const HALF_ANCHORS: [(f64, f64); HALVES] =
    [(14.0, 7.0), (46.0, 7.0), (53.0, 14.0), (53.0, 46.0), (46.0, 53.0), (14.0, 53.0), (7.0, 46.0), (7.0, 14.0)];

fn places(set: u8) -> impl Iterator<Item = usize> {
    (0..8).filter(move |place| set >> place & 1 == 1)
}

fn mean(points: impl Iterator<Item = (f64, f64)>) -> (f64, f64) {
    let (x, y, count) = points.fold((0.0, 0.0, 0.0), |(x, y, count), point| (x + point.0, y + point.1, count + 1.0));
    (x / count, y / count)
}

/// The outline of a city with these sides.
fn city(sides: u8) -> String {
    let turned = |quarters: usize, path: &str| {
        format!("<path transform=\"rotate({} 30 30)\" d=\"{path}\" class=\"city\"/>", 90 * quarters)
    };
    let first = sides.trailing_zeros() as usize;
    match sides {
        0b1111 => turned(0, "M0 0H60V60H0Z"),
        0b0101 => turned(0, "M0 0H60Q40 30 60 60H0Q20 30 0 0Z"),
        0b1010 => turned(1, "M0 0H60Q40 30 60 60H0Q20 30 0 0Z"),
        // All but one: the missing side is the southern one of the path.
        _ if sides.count_ones() == 3 => {
            let missing = (!sides).trailing_zeros() as usize;
            turned((missing + 2) % SIDES, "M0 60V0H60V60Q30 32 0 60Z")
        }
        // Two neighbours: the first of them clockwise is the western one of the path.
        _ if sides.count_ones() == 2 => {
            let west = if sides == 0b1001 { 3 } else { first };
            turned((west + 1) % SIDES, "M0 60V0H60Q22 22 0 60Z")
        }
        _ => turned(first, "M0 0H60Q30 26 0 0Z"),
    }
}

/// Roads as lines; one with a single end stops short of the middle.
fn road(sides: u8) -> String {
    let ends: Vec<(f64, f64)> = places(sides).map(|side| SIDE_POINTS[side]).collect();
    let path = match ends[..] {
        [(x, y), (to_x, to_y)] => format!("M{x} {y}Q30 30 {to_x} {to_y}"),
        [(x, y)] => format!("M{x} {y}L{} {}", 30.0 + (x - 30.0) / 5.0, 30.0 + (y - 30.0) / 5.0),
        _ => String::new(),
    };
    format!("<path d=\"{path}\" class=\"edge\"/><path d=\"{path}\" class=\"road\"/>")
}

/// A tile as printed.
fn tile(tile: &Tile) -> String {
    let mut svg = format!("<rect width=\"{TILE}\" height=\"{TILE}\" class=\"field\"/>");
    svg.extend(tile.roads.iter().map(|&sides| road(sides)));
    svg.extend(tile.cities.iter().map(|&sides| city(sides)));
    if tile.roads.len() > 2 {
        svg += "<rect x=\"23\" y=\"23\" width=\"14\" height=\"14\" class=\"house\"/>";
    }
    if tile.cloister {
        svg += "<path d=\"M19 42V27L30 16L41 27V42Z\" class=\"house\"/><path d=\"M30 16V9M27 12H33\" class=\"cross\"/>";
    }
    if tile.pennant {
        let (x, y) = anchor(tile, Source::City, 0);
        // Beside the place of a meeple.
        let _ = write!(
            svg,
            "<path transform=\"translate({} {})\" d=\"M-4 -5H4V1Q4 5 0 6Q-4 5 -4 1Z\" class=\"pennant\"/>",
            x + 12.0,
            y - 1.0
        );
    }
    svg
}

/// Where a meeple on a segment stands, on the tile as printed.
fn anchor(tile: &Tile, source: Source, number: u8) -> (f64, f64) {
    let number = usize::from(number);
    match source {
        Source::City => mean(places(tile.cities[number]).map(|side| SIDE_ANCHORS[side])),
        Source::Road => mean(places(tile.roads[number]).map(|side| SIDE_ANCHORS[side])),
        Source::Field if tile.cloister => HALF_ANCHORS[0],
        Source::Field => mean(places(tile.fields[number].0).map(|half| HALF_ANCHORS[half])),
        Source::Cloister => (30.0, 33.0),
    }
}

/// A point of a printed tile after quarter turns clockwise.
fn turn((x, y): (f64, f64), quarters: u8) -> (f64, f64) {
    (0..quarters).fold((x, y), |(x, y), _| (f64::from(TILE) - y, x))
}

/// The picture: tiles with north above, meeples in the colours of their players, lying on fields and standing
/// elsewhere; the last tile has a frame. Below are the scores.
pub(super) fn svg(game: &Carcassonne) -> String {
    let laid = game.laid();
    let least = |of: fn(&Laid) -> i8| laid.iter().map(of).min().unwrap_or(0);
    let most = |of: fn(&Laid) -> i8| laid.iter().map(of).max().unwrap_or(0);
    let (west, east) = (least(|laid| laid.square.x), most(|laid| laid.square.x));
    let (south, north) = (least(|laid| laid.square.y), most(|laid| laid.square.y));
    let corner = |square: Square| {
        let steps = (i32::from(square.x) - i32::from(west), i32::from(north) - i32::from(square.y));
        (MARGIN + TILE * steps.0, MARGIN + TILE * steps.1)
    };
    let lines = captions(game);
    let tiles_wide = i32::from(east) - i32::from(west) + 1;
    let width = 2 * MARGIN + TILE * tiles_wide.max(6);
    let below = 2 * MARGIN + TILE * (i32::from(north) - i32::from(south) + 1);
    let height = below + LINE * lines.len() as i32;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">\n\
         <style>.field{{fill:{FIELD};stroke:#7aa35e;stroke-width:.5}}\
         .city{{fill:{CITY};stroke:#6b4a1e;stroke-width:1.5}}\
         .edge{{fill:none;stroke:#8a8a8a;stroke-width:7}}.road{{fill:none;stroke:{ROAD};stroke-width:5}}\
         .house{{fill:#e8e0d0;stroke:#444444;stroke-width:1}}.cross{{fill:none;stroke:#444444;stroke-width:1.5}}\
         .pennant{{fill:#56b4e9;stroke:#ffffff;stroke-width:1}}.last{{fill:none;stroke:#000000;stroke-width:2}}\
         .meeple{{stroke:#ffffff;stroke-width:1.5}}text{{font:13px sans-serif}}</style>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    for laid in laid {
        let ((x, y), rotation) = (corner(laid.square), laid.oriented % 4);
        let kind = laid.oriented / 4;
        let _ = writeln!(
            svg,
            "<g transform=\"translate({x} {y}) rotate({} 30 30)\"><title>{} at {},{}</title>{}</g>",
            90 * u32::from(rotation),
            letter(kind),
            laid.square.x,
            laid.square.y,
            tile(&TILES[usize::from(kind)])
        );
    }
    for meeple in game.meeples.standing() {
        let laid = laid[usize::from(meeple.tile)];
        let Some((source, number)) = ORIENTED[usize::from(laid.oriented)].segment(laid.claim) else { continue };
        let (left, top) = corner(laid.square);
        let (x, y) = turn(anchor(&TILES[usize::from(laid.oriented / 4)], source, number), laid.oriented % 4);
        let lying = if source == Source::Field { " rotate(90)" } else { "" };
        let _ = writeln!(
            svg,
            "<path transform=\"translate({} {}){lying}\" d=\"{MEEPLE}\" fill=\"{}\" class=\"meeple\"><title>{} of player {}</title></path>",
            f64::from(left) + x,
            f64::from(top) + y,
            MEEPLES[usize::from(meeple.seat)],
            source.name(),
            meeple.seat + 1
        );
    }
    let (x, y) = corner(laid[laid.len() - 1].square);
    let _ = writeln!(svg, "<rect x=\"{x}\" y=\"{y}\" width=\"{TILE}\" height=\"{TILE}\" class=\"last\"/>");
    for (index, (colour, line)) in lines.iter().enumerate() {
        let y = below + LINE * index as i32;
        let _ = writeln!(svg, "<text x=\"{MARGIN}\" y=\"{y}\" fill=\"{colour}\">{line}</text>");
    }
    svg + "</svg>\n"
}

/// Lines of text, each with its colour.
fn captions(game: &Carcassonne) -> Vec<(&'static str, String)> {
    let (scores, hand, is_over) = (game.virtual_scores(), game.hand(), game.turn() == Turn::Over);
    let settled = game.scores();
    let mut lines: Vec<(&str, String)> = (0..usize::from(game.rules.players))
        .map(|seat| {
            let score = if is_over {
                scores[seat].to_string()
            } else {
                format!("{} ({} settled)", scores[seat], settled[seat])
            };
            (MEEPLES[seat], format!("player {}: {score}, {} meeples in hand", seat + 1, hand[seat]))
        })
        .collect();
    let turn = match game.turn() {
        Turn::Player(seat) => format!("player {} lays {}", seat + 1, letter(game.drawn)),
        Turn::Chance => format!("{} tiles are left", game.tiles_left()),
        Turn::Over => "the game is over".to_owned(),
    };
    lines.push(("#000000", turn));
    lines
}
