//! Moves and positions as text.
//!
//! A move is `h` or `v` for a horizontal or vertical edge, with its row and column, digits from 0 at the top left: `h24`, `v15`.
//! The number of the edge names it as well.
//!
//! A position is its lines from the top between `/`: the horizontal edges of a row, `-` if drawn and `.` if free; then the
//! vertical edges of the row below with the boxes between them, `|` or `.` for edges, `A`, `B` or `.` for boxes of the first
//! player, of the second, and open ones; and so on; last, after a space, who moves, `A` or `B`. Of 2x2 boxes, with one box of
//! the second player, who moves on: `--/|B|.|/-./|...|/-- B`.

use thiserror::Error;

use super::{
    DotsAndBoxes, GAME, Move,
    board::{Edges, Size},
};
use crate::TextError;

/// By seat, the letters of players.
pub(super) const LETTERS: [char; 2] = ['A', 'B'];
/// Letters of edges.
const KINDS: [char; 2] = ['h', 'v'];

/// Why a text is not a move.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
enum MoveFault {
    #[error("it is neither `h24` or `v24`, an edge with its row and column, nor the number of an edge")]
    Form,
    #[error("a board of {rows}x{columns} boxes has no such edge", rows = .0.rows, columns = .0.columns)]
    Beyond(Size),
    #[error("the edge is drawn")]
    Drawn,
}

/// Why a text is not a position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
enum PositionFault {
    #[error("it is the lines of the board, a space, and who moves")]
    Form,
    #[error("who moves is `A` or `B`, not `{0}`")]
    Mover(String),
    #[error("a board of {rows}x{columns} boxes has {wanted} lines, not {given}", rows = .size.rows, columns = .size.columns)]
    Lines { size: Size, wanted: usize, given: usize },
    #[error("line {line} has {wanted} characters, not {given}")]
    Length { line: usize, wanted: usize, given: usize },
    #[error("`{given}` in line {line} is not {wanted}")]
    Character { line: usize, given: char, wanted: &'static str },
    #[error("box ({row}, {column}) has all its edges and no owner")]
    NoOwner { row: u32, column: u32 },
    #[error("box ({row}, {column}) has an owner and a free edge")]
    OwnedOpen { row: u32, column: u32 },
}

pub(super) fn of_move(edge: Move) -> String {
    format!("{}{}{}", KINDS[usize::from(edge.is_vertical())], edge.row(), edge.column())
}

/// The free edge of `game` that `text` names.
pub(super) fn parse_move(game: &DotsAndBoxes, text: &str) -> Result<Move, TextError> {
    find_move(game, text).map_err(|fault| TextError::Move {
        game: GAME,
        text: text.to_owned(),
        reason: fault.to_string(),
    })
}

fn find_move(game: &DotsAndBoxes, text: &str) -> Result<Move, MoveFault> {
    let digits = |text: &str| text.bytes().all(|c| c.is_ascii_digit()).then(|| text.parse::<u32>().ok()).flatten();
    let edge = if let Some(number) = digits(text) {
        game.edge(number)
    } else {
        let mut letters = text.chars();
        let kind = letters.next().and_then(|letter| KINDS.iter().position(|&kind| kind == letter));
        let mut digit = || letters.next().and_then(|digit| digit.to_digit(10));
        let (Some(kind), Some(row), Some(column)) = (kind, digit(), digit()) else { return Err(MoveFault::Form) };
        if letters.next().is_some() {
            return Err(MoveFault::Form);
        }
        let place = Some(8 * row + column).filter(|_| row < 8 && column < 8);
        let edge = place.map(if kind == 0 { Move::horizontal } else { Move::vertical });
        edge.filter(|&edge| game.size.edges().has(edge))
    };
    let edge = edge.ok_or(MoveFault::Beyond(game.size))?;
    if game.is_free(edge) { Ok(edge) } else { Err(MoveFault::Drawn) }
}

/// The lines of the board from the top.
pub(super) fn lines(game: &DotsAndBoxes) -> Vec<String> {
    let edge = |place: Move, drawn: char| if game.is_free(place) { '.' } else { drawn };
    let (rows, columns) = (u32::from(game.size.rows), u32::from(game.size.columns));
    let horizontal = |row: u32| (0..columns).map(|column| edge(Move::horizontal(8 * row + column), '-')).collect();
    let vertical = |row: u32| {
        let owner = |column| game.owner(row, column).map_or('.', |seat| LETTERS[seat]);
        let first = edge(Move::vertical(8 * row), '|');
        let rest = (0..columns).flat_map(|column| [owner(column), edge(Move::vertical(8 * row + column + 1), '|')]);
        std::iter::once(first).chain(rest).collect()
    };
    (0..rows).flat_map(|row| [horizontal(row), vertical(row)]).chain([horizontal(rows)]).collect()
}

/// The position, as the head of this file describes.
pub(super) fn of_position(game: &DotsAndBoxes) -> String {
    format!("{} {}", lines(game).join("/"), LETTERS[game.seat()])
}

/// The position that `text` names, on a board of the size of `game`.
pub(super) fn position(game: &DotsAndBoxes, text: &str) -> Result<DotsAndBoxes, TextError> {
    read(game.size, text).map_err(|fault| TextError::position(GAME, text, fault.to_string()))
}

fn read(size: Size, text: &str) -> Result<DotsAndBoxes, PositionFault> {
    let (board, mover) = text.split_once(' ').ok_or(PositionFault::Form)?;
    let seat = LETTERS.iter().position(|letter| mover == letter.to_string());
    let seat = seat.ok_or_else(|| PositionFault::Mover(mover.to_owned()))?;
    let lines: Vec<Vec<char>> = board.split('/').map(|line| line.chars().collect()).collect();
    let wanted = 2 * usize::from(size.rows) + 1;
    if lines.len() != wanted {
        return Err(PositionFault::Lines { size, wanted, given: lines.len() });
    }
    let (mut free, mut boxes) = (Edges::NONE, [0; 2]);
    for (index, line) in lines.iter().enumerate() {
        let (row, is_vertical) = (index as u32 / 2, index % 2 == 1);
        let number = index + 1;
        let wanted = usize::from(size.columns) * (1 + usize::from(is_vertical)) + usize::from(is_vertical);
        if line.len() != wanted {
            return Err(PositionFault::Length { line: number, wanted, given: line.len() });
        }
        for (place, &given) in (0..).zip(line) {
            let wrong = |wanted| PositionFault::Character { line: number, given, wanted };
            let bit = |column: u32| 1u64 << (8 * row + column);
            match (is_vertical, place % 2 == 1) {
                (false, _) => match given {
                    '.' => free.horizontal |= bit(place),
                    '-' => {}
                    _ => return Err(wrong("an edge, `-` or `.`")),
                },
                (true, false) => match given {
                    '.' => free.vertical |= bit(place / 2),
                    '|' => {}
                    _ => return Err(wrong("an edge, `|` or `.`")),
                },
                (true, true) => match LETTERS.iter().position(|&letter| letter == given) {
                    Some(owner) => boxes[owner] |= bit(place / 2),
                    None if given == '.' => {}
                    None => return Err(wrong("a box, `A`, `B` or `.`")),
                },
            }
        }
    }
    let (owned, open) = (boxes[0] | boxes[1], size.boxes() & free.touched());
    let place = |set: u64| (set.trailing_zeros() >> 3, set.trailing_zeros() & 7);
    if owned & open != 0 {
        let (row, column) = place(owned & open);
        return Err(PositionFault::OwnedOpen { row, column });
    }
    let missing = size.boxes() & !(owned | open);
    if missing != 0 {
        let (row, column) = place(missing);
        return Err(PositionFault::NoOwner { row, column });
    }
    Ok(DotsAndBoxes { free, boxes, size, seat: seat as u8 })
}
