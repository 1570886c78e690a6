//! Moves and positions as text.
//!
//! A move is the size of the piece, `s` or `l`, and its square, as in `s@c3`; if pieces graduate, their squares follow,
//! as in `s@c3:b2,c3,d4`. Columns are a to f from the left, rows 1 to 6 from the bottom.
//!
//! A position is its rows from the top between `/`, with the first player's small and large pieces as `a` and `A`, the
//! second's as `b` and `B`, and `.` for empty squares; then who moves, `a` or `b`; then the pools of both, each as the
//! numbers of small and large pieces; then the plies played, unless they are 0 or, where the second player moves, 1:
//! `....../....b./...a../..B.../.b....../...... a 7,0 5,0 12`.

use thiserror::Error;

use super::{
    Boop, GAME, Move,
    board::{self, Board, LARGE, PIECES, SIZE, SMALL},
    graduation::{Choice, Choices},
};
use crate::{Game as _, TextError, Turn};

/// `[seat][size]`: letters of pieces.
pub(super) const LETTERS: [[char; 2]; 2] = [['a', 'A'], ['b', 'B']];
/// Letters of sizes in moves.
const SIZES: [char; 2] = ['s', 'l'];
/// The sizes in words.
const SIZE_NAMES: [&str; 2] = ["small", "large"];

/// Why a text is not a legal move.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
enum Reason {
    #[error("it is not of the form `s@c3`, `l@c3` or `s@c3:b2,c3,d4`")]
    Form,
    #[error("`{0}` is not a square from a1 to f6")]
    Square(String),
    #[error("the game is over")]
    Over,
    #[error("there is a piece on {0}")]
    Occupied(String),
    #[error("there is no {0} piece in the pool")]
    NotInPool(&'static str),
    #[error("it wins, and nothing graduates")]
    Wins,
    #[error("nothing can graduate after it")]
    NothingGraduates,
    #[error("what graduates follows after a colon: {0}")]
    Graduates(String),
}

pub(super) fn square_text(square: u32) -> String {
    format!("{}{}", char::from(b'a' + board::column(square) as u8), board::row(square) + 1)
}

fn squares_text(set: u64) -> String {
    board::squares(set).map(square_text).collect::<Vec<_>>().join(",")
}

fn parse_square(text: &str) -> Result<u32, Reason> {
    let wrong = || Reason::Square(text.to_owned());
    let &[column, row] = text.as_bytes() else { return Err(wrong()) };
    let place = |c: u8, first: u8| c.checked_sub(first).map(u32::from).filter(|&place| place < SIZE);
    let (column, row) = (place(column, b'a').ok_or_else(wrong)?, place(row, b'1').ok_or_else(wrong)?);
    Ok(board::square(column, row))
}

pub(super) fn of_move(chosen: Move) -> String {
    let placed = format!("{}@{}", SIZES[chosen.size()], square_text(chosen.square()));
    chosen.choice().map_or(placed.clone(), |choice| format!("{placed}:{}", squares_text(choice.removed())))
}

/// The legal move of `game` that `text` names; the squares of what graduates may be in any order.
pub(super) fn parse_move(game: &Boop, text: &str) -> Result<Move, TextError> {
    find_move(game, text).map_err(|reason| TextError::Move {
        game: GAME,
        text: text.to_owned(),
        reason: reason.to_string(),
    })
}

fn find_move(game: &Boop, text: &str) -> Result<Move, Reason> {
    let (placed, removed) = text.split_once(':').map_or((text, None), |(placed, removed)| (placed, Some(removed)));
    let (size, at) = placed.split_once('@').ok_or(Reason::Form)?;
    let size = SIZES.iter().position(|&letter| size == letter.to_string()).ok_or(Reason::Form)?;
    let square = parse_square(at)?;
    let removed = removed
        .map(|list| list.split(',').try_fold(0, |set, square| parse_square(square).map(|square| set | 1u64 << square)))
        .transpose()?;
    let Turn::Player(seat) = game.turn() else { return Err(Reason::Over) };
    if game.board.occupied() >> square & 1 == 1 {
        return Err(Reason::Occupied(at.to_owned()));
    }
    if game.board.pool(seat)[size] == 0 {
        return Err(Reason::NotInPool(SIZE_NAMES[size]));
    }
    let mut board = game.board;
    board.place(seat, size, square);
    let choices = game.choices(&board, seat);
    let Some(removed) = removed else {
        return if choices.is_empty() { Ok(Move::new(size, square, None)) } else { Err(graduates(&choices)) };
    };
    if board.has_won(seat) {
        return Err(Reason::Wins);
    }
    if choices.is_empty() {
        return Err(Reason::NothingGraduates);
    }
    let choice = choices.iter().find(|choice| choice.removed() == removed).ok_or_else(|| graduates(&choices))?;
    Ok(Move::new(size, square, Some(choice)))
}

fn graduates(choices: &Choices) -> Reason {
    let texts: Vec<String> =
        choices.iter().map(|choice: Choice| format!("`{}`", squares_text(choice.removed()))).collect();
    Reason::Graduates(texts.join(" or "))
}

/// What stands on a square.
pub(super) fn piece(board: &Board, square: u32) -> Option<(usize, usize)> {
    let all = [(0, SMALL), (0, LARGE), (1, SMALL), (1, LARGE)];
    all.into_iter().find(|&(seat, size)| board.pieces[seat][size] >> square & 1 == 1)
}

/// The rows from the top, each from the left.
pub(super) fn rows(board: &Board) -> [String; SIZE as usize] {
    std::array::from_fn(|index| {
        let row = SIZE - 1 - index as u32;
        let letter = |column| piece(board, board::square(column, row)).map_or('.', |(seat, size)| LETTERS[seat][size]);
        (0..SIZE).map(letter).collect()
    })
}

/// The position, as the head of this file describes.
pub(super) fn of_position(game: &Boop) -> String {
    let pools = game.pools().map(|[small, large]| format!("{small},{large}"));
    let seat = game.seat();
    let plies = if usize::from(game.plies) == seat { String::new() } else { format!(" {}", game.plies) };
    format!("{} {} {}{plies}", rows(&game.board).join("/"), LETTERS[seat][SMALL], pools.join(" "))
}

/// The position that `text` names, under the rules of `rules`.
pub(super) fn position(rules: &Boop, text: &str) -> Result<Boop, TextError> {
    read(rules, text).map_err(|reason| TextError::position(GAME, text, reason))
}

fn read(rules: &Boop, text: &str) -> Result<Boop, String> {
    let words: Vec<&str> = text.split(' ').collect();
    let (&[rows, mover, first, second], rest) =
        words.split_first_chunk().ok_or("it is the board, who moves, and both pools, after spaces")?;
    let mut board = Board { pieces: pieces(rows)?, large: [0; 2] };
    let seat = LETTERS.iter().position(|letters| mover == letters[SMALL].to_string());
    let seat = seat.ok_or("who moves is `a` or `b`")?;
    for (seat, pool) in [first, second].into_iter().enumerate() {
        let side = LETTERS[seat][SMALL];
        let counts = pool.split_once(',').and_then(|(small, large)| Some([digit(small)?, digit(large)?]));
        let [small, large] =
            counts.ok_or_else(|| format!("a pool is its small and its large pieces, as in `{PIECES},0`"))?;
        let on_board = board.of(seat).count_ones();
        if small + large + on_board != PIECES {
            return Err(format!(
                "{side} has {on_board} pieces on the board and {} in the pool, not {PIECES}",
                small + large
            ));
        }
        board.large[seat] = (large + board.pieces[seat][LARGE].count_ones()) as u8;
    }
    let plies_max = rules.rules.plies_max;
    let plies = match rest {
        [] => seat as u16,
        [plies] => number(plies)
            .filter(|&plies| plies <= plies_max && usize::from(plies & 1) == seat)
            .ok_or_else(|| format!("plies are an {} number up to {plies_max}", ["even", "odd"][seat]))?,
        _ => return Err("something follows the plies".to_owned()),
    };
    let game = Boop { board, plies, ..*rules }.settled();
    if let (None, Some(side)) = (game.winner, (0..2).find(|&seat| board.is_pool_empty(seat))) {
        return Err(format!("{} has nothing in the pool", LETTERS[side][SMALL]));
    }
    Ok(game)
}

/// Where pieces stand by the rows of a board.
fn pieces(text: &str) -> Result<[[u64; 2]; 2], String> {
    let rows: Vec<&str> = text.split('/').collect();
    if rows.len() != SIZE as usize || rows.iter().any(|row| row.chars().count() != SIZE as usize) {
        return Err(format!("a board has {SIZE} rows of {SIZE} squares"));
    }
    let mut pieces = [[0; 2]; 2];
    for (row, line) in (0..SIZE).rev().zip(rows) {
        for (column, c) in (0..).zip(line.chars()).filter(|&(_, c)| c != '.') {
            let set = LETTERS.as_flattened().iter().position(|&letter| letter == c);
            let set = set.ok_or("a square is `a`, `A`, `b`, `B` or `.`")?;
            pieces.as_flattened_mut()[set] |= 1 << board::square(column, row);
        }
    }
    Ok(pieces)
}

/// A number without sign and leading zeros.
fn number(text: &str) -> Option<u16> {
    text.parse().ok().filter(|number: &u16| number.to_string() == text)
}

/// A number of pieces.
fn digit(text: &str) -> Option<u32> {
    number(text).map(u32::from).filter(|&count| count <= PIECES)
}
