//! Moves and positions as text.

use super::{Dodgem, Move};
use crate::TextError;

/// Cars, by seat.
const CARS: [char; 2] = ['b', 'w'];

fn square_text(game: &Dodgem, square: u32) -> String {
    let size = u32::from(game.size);
    format!("{}{}", (b'a' + (square % size) as u8) as char, square / size + 1)
}

/// The squares that a step of the side to move leaves and reaches; `off` if it leaves the board.
pub(super) fn of_move(game: &Dodgem, chosen: Move) -> String {
    let seat = usize::from(game.seat);
    let (before, after) = (game.cars[seat], game.lines(seat).play(game.cars[seat], 1 << chosen.0));
    let (left, reached) = (before & !after, after & !before);
    let from = square_text(game, left.trailing_zeros());
    if reached == 0 { from + "off" } else { from + &square_text(game, reached.trailing_zeros()) }
}

/// Rows from the top between `/`, `b` and `w` cars and `.` empty squares from column a; then `b` or `w` to move; then
/// the plies played, if any.
pub(super) fn of_position(game: &Dodgem) -> String {
    let size = u32::from(game.size);
    let mut text = String::new();
    for square in 0..size * size {
        if square % size == 0 && square > 0 {
            text.push('/');
        }
        let car = (0..2).find(|&seat| game.cars[seat] >> square & 1 == 1);
        text.push(car.map_or('.', |seat| CARS[seat]));
    }
    text.push(' ');
    text.push(CARS[usize::from(game.seat)]);
    if game.plies > 0 {
        text.push_str(&format!(" {}", game.plies));
    }
    text
}

/// The position that `text` names, under the options of `rules`.
pub(super) fn position(rules: &Dodgem, text: &str) -> Result<Dodgem, TextError> {
    let wrong = |reason: String| TextError::position("dodgem", text, reason);
    let mut words = text.split(' ');
    let (board, side) = (words.next().unwrap_or_default(), words.next());
    let side = side.ok_or_else(|| wrong("no side to move after a space".to_owned()))?;
    let seat = CARS.iter().position(|car| side == car.to_string());
    let seat = seat.ok_or_else(|| wrong("the side to move is `b` or `w`".to_owned()))? as u8;
    let plies = match words.next() {
        None => 0,
        Some(digits) => {
            // `parse` alone would accept a plus sign.
            let number = digits.bytes().all(|c| c.is_ascii_digit()).then_some(digits);
            let plies = number.and_then(|digits| digits.parse().ok()).filter(|&plies| plies <= rules.plies_max);
            plies.ok_or_else(|| wrong(format!("plies are a number up to {}", rules.plies_max)))?
        }
    };
    if words.next().is_some() {
        return Err(wrong("something follows the plies".to_owned()));
    }
    let size = usize::from(rules.size);
    let rows: Vec<&str> = board.split('/').collect();
    if rows.len() != size || rows.iter().any(|row| row.chars().count() != size) {
        return Err(wrong(format!("a board has {size} rows of {size} squares")));
    }
    let mut cars = [0u32; 2];
    for (square, c) in rows.concat().chars().enumerate() {
        match CARS.iter().position(|&car| car == c) {
            Some(seat) => cars[seat] |= 1 << square,
            None if c == '.' => {}
            None => return Err(wrong("a square is `b`, `w` or `.`".to_owned())),
        }
    }
    if cars.iter().any(|set| set.count_ones() as usize >= size) {
        return Err(wrong(format!("a side has at most {} cars", size - 1)));
    }
    Ok(Dodgem { cars, plies, seat, ..*rules })
}

/// Rows under the letters of their columns, then the steps that each side needs and whose turn it is.
pub(super) fn board(game: &Dodgem) -> String {
    let size = usize::from(game.size);
    let position = of_position(game);
    let letters: Vec<String> = ('a'..).take(size).map(String::from).collect();
    let mut lines = format!("  {}\n", letters.join(" "));
    let board = position.split(' ').next().unwrap_or_default();
    for (row, squares) in board.split('/').enumerate() {
        let spaced: Vec<String> = squares.chars().map(String::from).collect();
        lines.push_str(&format!("{} {}\n", row + 1, spaced.join(" ")));
    }
    let [black, white] = game.steps();
    let to_move = ["b (Black, to the right)", "w (White, downwards)"][usize::from(game.seat)];
    lines.push_str(&format!(
        "steps needed: b {black}  w {white}  ply {} of {}  to move: {to_move}",
        game.plies, game.plies_max
    ));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Game as _;

    #[track_caller]
    fn refused(text: &str, reason: &str) {
        let error = Dodgem::new(3, 20, 20).parse_position(text).expect_err("a fault");
        assert_eq!(error.to_string(), format!("`{text}` is not a dodgem position: {reason}"));
    }

    #[test]
    fn faults_of_positions_say_what_is_wrong() {
        refused(".ww/b../b..", "no side to move after a space");
        refused(".ww/b../b.. x", "the side to move is `b` or `w`");
        refused(".ww/b../b.. b 21", "plies are a number up to 20");
        refused(".ww/b../b.. b +1", "plies are a number up to 20");
        refused(".ww/b../b.. b x", "plies are a number up to 20");
        refused(".ww/b../b.. b 1 1", "something follows the plies");
        refused(".ww/b... b", "a board has 3 rows of 3 squares");
        refused(".ww/b../b. b", "a board has 3 rows of 3 squares");
        refused(".ww/b../bx. b", "a square is `b`, `w` or `.`");
        refused("www/b../b.. b", "a side has at most 2 cars");
    }

    #[test]
    fn plies_are_read_and_written() {
        let rules = Dodgem::new(3, 20, 20);
        assert_eq!(rules.parse_position(".ww/b../b.. b 0"), Ok(rules));
        let later = rules.parse_position(".ww/b../b.. w 17").expect("a position");
        assert_eq!((later.plies(), later.position_text().as_str()), (17, ".ww/b../b.. w 17"));
        assert_ne!(Ok(later), rules.parse_position(".ww/b../b.. w"));
    }

    #[test]
    fn a_board_for_people() {
        let position = Dodgem::new(3, 20, 20).parse_position("w.b/b../... w 4").expect("a position");
        let wanted = "  a b c\n1 w . b\n2 b . .\n3 . . .\n\
                      steps needed: b 4  w 3  ply 4 of 20  to move: w (White, downwards)";
        assert_eq!(position.board_text(), wanted);
    }
}
