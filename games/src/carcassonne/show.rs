//! The board as text for people.

use super::{
    Carcassonne, Laid,
    board::Square,
    tile::{HALVES, ORIENTED, SIDES, Source, edge, letter},
};
use crate::{Game as _, Turn};

/// Rows and columns of a tile in the text for people.
const CELLS: usize = 3;

/// A tile in characters, from the north-west: `#` is a city, `-`, `|` and `+` are roads, `.` is a field, `o` a
/// cloister; 1 and 2 are meeples of the first and second player.
fn cells(laid: &Laid, meeple: Option<u8>) -> [[char; CELLS]; CELLS] {
    const SIDE_CELLS: [(usize, usize); SIDES] = [(0, 1), (1, 2), (2, 1), (1, 0)];
    const CORNERS: [(usize, usize); HALVES] = [(0, 0), (0, 2), (0, 2), (2, 2), (2, 2), (2, 0), (2, 0), (0, 0)];
    let tile = &ORIENTED[usize::from(laid.oriented)];
    let mut cells = [['.'; CELLS]; CELLS];
    for (side, (row, column)) in SIDE_CELLS.into_iter().enumerate() {
        cells[row][column] = match tile.edges[side] {
            edge::CITY => '#',
            edge::ROAD if side % 2 == 0 => '|',
            edge::ROAD => '-',
            _ => '.',
        };
        // The corner clockwise of a side is city if both sides of it are one city.
        let next = (side + 1) % SIDES;
        let joined =
            tile.edges[side] == edge::CITY && tile.edges[next] == edge::CITY && tile.centre[side] == tile.centre[next];
        if joined {
            let (row, column) = CORNERS[2 * side + 1];
            cells[row][column] = '#';
        }
    }
    let joined = |sets: &[u8], set: u8| sets.contains(&set);
    cells[1][1] = if tile.cloister {
        'o'
    } else if tile.cities.iter().any(|sides| sides.count_ones() > 1) {
        '#'
    } else if tile.counts[1] == 0 {
        '.'
    } else if joined(&tile.roads, 0b0101) {
        '|'
    } else if joined(&tile.roads, 0b1010) {
        '-'
    } else {
        '+'
    };
    if let Some(seat) = meeple {
        let (row, column) = match tile.segment(laid.claim) {
            Some((Source::City, number)) => SIDE_CELLS[tile.cities[usize::from(number)].trailing_zeros() as usize],
            Some((Source::Road, number)) => SIDE_CELLS[tile.roads[usize::from(number)].trailing_zeros() as usize],
            Some((Source::Field, number)) => CORNERS[tile.fields[usize::from(number)].trailing_zeros() as usize],
            Some((Source::Cloister, _)) | None => (1, 1),
        };
        cells[row][column] = if seat == 0 { '1' } else { '2' };
    }
    cells
}

/// Whose meeple stands on a tile.
fn meeple_on(game: &Carcassonne, tile: usize) -> Option<u8> {
    game.meeples.standing().iter().find(|meeple| usize::from(meeple.tile) == tile).map(|meeple| meeple.seat)
}

/// The tiles from the north-west, with the coordinates of rows and columns; then scores, meeples, and the tile to be
/// laid.
pub(super) fn board(game: &Carcassonne) -> String {
    let laid = game.laid();
    let range = |of: fn(&Laid) -> i8| {
        let steps = || laid.iter().map(of);
        steps().min().unwrap_or(0)..=steps().max().unwrap_or(0)
    };
    let (columns, rows) = (range(|laid| laid.square.x), range(|laid| laid.square.y));
    let mut lines = vec![format!("    {}", columns.clone().map(|x| format!("{x:^3} ")).collect::<String>())];
    for y in rows.rev() {
        let mut of_row = ["    ".to_owned(), format!("{y:>3} "), "    ".to_owned()];
        for x in columns.clone() {
            let index = laid.iter().position(|laid| laid.square == Square { x, y });
            let cells = index.map_or([[' '; CELLS]; CELLS], |index| cells(&laid[index], meeple_on(game, index)));
            for (line, cells) in of_row.iter_mut().zip(cells) {
                line.extend(cells);
                line.push(' ');
            }
        }
        lines.extend(of_row);
    }
    let (scores, virtual_scores, hand) = (game.scores(), game.virtual_scores(), game.hand());
    for seat in 0..usize::from(game.rules.players) {
        lines.push(format!(
            "player {}: score {}, {} if the game ended now, {} meeples in hand",
            seat + 1,
            scores[seat],
            virtual_scores[seat],
            hand[seat]
        ));
    }
    lines.push(match game.turn() {
        Turn::Player(seat) => {
            format!("player {} lays {}, {} tiles are left", seat + 1, letter(game.drawn), game.stack.left())
        }
        Turn::Chance => format!("nature draws, {} tiles are left", game.stack.left()),
        Turn::Over => "the game is over".to_owned(),
    });
    lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n")
}
