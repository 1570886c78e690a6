//! Moves and positions as in PDN.
//!
//! Squares are numbered from 1 to 32 row by row from the top. A step is `11-15`; a chain of jumps names every square it
//! touches, `22x15x8`. A position is a FEN: the side to move, then the squares of both sides, kings behind a `K`, as in
//! `W:W18,24,K10:R1,2`; then, unless they have their least value, `:H` with the plies without progress and `:F` with the
//! number of the full move from 1 (fields of lidraughts). If evaluations count arrivals, `:A` has those of both sides
//! unless they equal the kings on the board.
//!
//! Sides are W for White and R for Red. In English draughts they are B and W, since PDN calls the side Black that
//! begins from the squares 1 to 12: such texts are those of other programs.

use super::{
    Checkers, Move, Rules,
    board::{Board, CROWNING, number, of_number, row},
    jumps,
};
use crate::{Game as _, Moves as _, Seat, TextError};

/// Pieces of a side at the start.
pub(super) const PIECES_MAX: u32 = 12;

/// Names of both sides and their letters.
fn sides(rules: Rules) -> [(char, &'static str); 2] {
    match rules {
        Rules::Project | Rules::Code => [('W', "White"), ('R', "Red")],
        Rules::English => [('B', "Black"), ('W', "White")],
    }
}

const GAME: &str = "checkers";

fn join(numbers: impl Iterator<Item = u32>, separator: &str) -> String {
    numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(separator)
}

pub(super) fn of_move(game: &Checkers, chosen: Move) -> String {
    if chosen.captures() == 0 {
        return join(chosen.squares().into_iter(), "-");
    }
    let path = jumps::path(&game.board, game.rules, game.seat(), chosen);
    join(path.into_iter().map(number), "x")
}

/// The legal move that `text` names: all its squares, another way over the same pieces where that is the same move, or
/// its first and last square if only one move has them.
pub(super) fn parse_move(game: &Checkers, text: &str) -> Result<Move, TextError> {
    let fault = |reason: String| Err(TextError::Move { game: GAME, text: text.to_owned(), reason });
    let separator = if text.contains('x') { 'x' } else { '-' };
    let squares: Option<Vec<u32>> = text.split(separator).map(square).collect();
    let Some(squares) = squares.filter(|squares| squares.len() > 1) else {
        return fault("it names two or more squares from 1 to 32, as `11-15` or `22x15x8`".to_owned());
    };
    let moves = game.moves();
    let (from, to) = (squares[0], squares[squares.len() - 1]);
    let fits = |m: &Move| m.squares() == [from, to] && (m.captures() > 0) == (separator == 'x');
    let ends: Vec<Move> = (0..moves.len()).map(|i| moves.get(i)).filter(fits).collect();
    if let Some(&exact) = ends.iter().find(|&&m| of_move(game, m) == text) {
        return Ok(exact);
    }
    let same = ends.iter().find(|m| game.rules == Rules::Project && jumped(&squares) == Some(m.captured()));
    match (ends.as_slice(), same) {
        (_, Some(&same)) => Ok(same),
        ([only], _) if squares.len() == 2 => Ok(*only),
        ([_, _, ..], _) if squares.len() == 2 => {
            let ways: Vec<String> = ends.iter().map(|&m| format!("`{}`", of_move(game, m))).collect();
            fault(format!("several moves fit; write {}", ways.join(" or ")))
        }
        _ => Err(TextError::IllegalMove { game: GAME, text: text.to_owned() }),
    }
}

/// The squares that a chain jumps over; `None` if two successive squares are not a jump apart.
fn jumped(squares: &[u32]) -> Option<u64> {
    let place = |number: u32| (of_number(number) as i32, row(of_number(number)) as i32);
    let over = |pair: &[u32]| {
        let ((a, above), (b, below)) = (place(pair[0]), place(pair[1]));
        (matches!((a - b).abs(), 8 | 10) && (above - below).abs() == 2).then(|| 1u64 << ((a + b) / 2))
    };
    squares.windows(2).try_fold(0, |set, pair| Some(set | over(pair)?))
}

/// A number from 1 to 32.
fn square(digits: &str) -> Option<u32> {
    digits_only(digits).filter(|number| (1..=32).contains(number))
}

/// `parse` alone would accept a plus sign.
fn digits_only(digits: &str) -> Option<u32> {
    digits.bytes().all(|c| c.is_ascii_digit()).then_some(digits)?.parse().ok()
}

fn pieces(board: &Board, seat: Seat) -> impl Iterator<Item = (u32, bool)> {
    let (own, kings) = (board.pieces[seat], board.kings);
    (1..=32).filter_map(move |number| {
        let bit = 1u64 << of_number(number);
        (own & bit != 0).then_some((number, kings & bit != 0))
    })
}

pub(super) fn of_position(game: &Checkers) -> String {
    let sides = sides(game.rules);
    let mut text = sides[game.seat()].0.to_string();
    for (seat, (letter, _)) in sides.into_iter().enumerate() {
        let squares: Vec<String> = pieces(&game.board, seat)
            .map(|(number, is_king)| if is_king { format!("K{number}") } else { number.to_string() })
            .collect();
        text += &format!(":{letter}{}", squares.join(","));
    }
    if game.quiet > 0 {
        text += &format!(":H{}", game.quiet);
    }
    if game.plies > 1 {
        text += &format!(":F{}", game.plies / 2 + 1);
    }
    if let Some([first, second]) = game.arrivals.filter(|arrivals| arrivals.map(u32::from) != game.kings()) {
        text += &format!(":A{first},{second}");
    }
    text
}

/// The position that `text` names, under the options of `rules`. Squares may be ranges (`1-12`), the sides in any
/// order.
pub(super) fn position(rules: &Checkers, text: &str) -> Result<Checkers, TextError> {
    let wrong = |reason: String| TextError::position(GAME, text, reason);
    let sides = sides(rules.rules);
    let [(first, _), (second, _)] = sides;
    let seat_of = |part: &str| sides.iter().position(|(letter, _)| part.starts_with(*letter));
    let mut parts = text.split(':');
    let to_move = parts.next().filter(|part| part.len() == 1).and_then(seat_of);
    let to_move =
        to_move.ok_or_else(|| wrong(format!("it begins with the side to move, `{first}:` or `{second}:`")))?;
    let mut lists = [None; 2];
    let (mut quiet, mut full_move, mut arrivals) = (None, None, None);
    for part in parts {
        if let Some(counts) = part.strip_prefix('A').filter(|_| rules.arrivals.is_some()) {
            let both = counts.split_once(',').and_then(|(one, other)| Some([digits_only(one)?, digits_only(other)?]));
            let both = both.and_then(|both| Some([both[0].try_into().ok()?, both[1].try_into().ok()?]));
            let both: [u16; 2] =
                both.ok_or_else(|| wrong(format!("`{part}` is not a pair of arrivals such as `A3,0`")))?;
            if arrivals.replace(both).is_some() {
                return Err(wrong("`A` stands there twice".to_owned()));
            }
            continue;
        }
        let counter = match part.chars().next() {
            Some('H') => &mut quiet,
            Some('F') => &mut full_move,
            _ => {
                let seat = seat_of(part)
                    .ok_or_else(|| wrong(format!("`{part}` is not a list of squares after `{first}` or `{second}`")))?;
                if lists[seat].replace(&part[1..]).is_some() {
                    return Err(wrong(format!("the squares of `{}` stand there twice", sides[seat].0)));
                }
                continue;
            }
        };
        let number = digits_only(&part[1..]).ok_or_else(|| wrong(format!("`{part}` is not a letter and a number")))?;
        if counter.replace(number).is_some() {
            return Err(wrong(format!("`{}` stands there twice", &part[..1])));
        }
    }
    let mut board = Board { pieces: [0; 2], kings: 0 };
    for (seat, list) in lists.into_iter().enumerate() {
        let list = list.ok_or_else(|| wrong(format!("the squares of `{}` are missing", sides[seat].0)))?;
        place(&mut board, seat, list).map_err(&wrong)?;
    }
    // Plies are even at White's turn.
    let plies = full_move.map_or(Some(0), |number| number.checked_sub(1)).map(|moves| 2 * u64::from(moves));
    let plies = plies.map(|plies| plies + to_move as u64).filter(|&plies| plies <= u64::from(rules.plies_max));
    let plies = plies.ok_or_else(|| {
        wrong(format!("full moves count from 1 and end with the game, which has {} plies at most", rules.plies_max))
    })?;
    let quiet = quiet.unwrap_or(0);
    if quiet > u32::from(rules.draw_plies) {
        return Err(wrong(format!("`H` is at most {}: with so many plies the game is a draw", rules.draw_plies)));
    }
    let mut found = Checkers { board, plies: plies as u16, quiet: quiet as u16, ..*rules };
    if rules.arrivals.is_some() {
        found = found.counting_arrivals();
        found.arrivals = arrivals.or(found.arrivals);
    }
    found.pass_if_blocked();
    Ok(found)
}

/// Puts the pieces of a list on the board.
fn place(board: &mut Board, seat: Seat, list: &str) -> Result<(), String> {
    for item in list.split(',').filter(|_| !list.is_empty()) {
        let (is_king, numbers) = match item.strip_prefix('K') {
            Some(numbers) => (true, numbers),
            None => (false, item),
        };
        let (from, to) = numbers.split_once('-').unwrap_or((numbers, numbers));
        let range = square(from).zip(square(to)).filter(|(from, to)| from <= to);
        let (from, to) = range.ok_or_else(|| format!("`{item}` is not a square from 1 to 32"))?;
        for number in from..=to {
            let bit = 1 << of_number(number);
            if (board.pieces[0] | board.pieces[1]) & bit != 0 {
                return Err(format!("two pieces stand on {number}"));
            }
            if !is_king && CROWNING[seat] & bit != 0 {
                return Err(format!("a man on {number} would have been crowned"));
            }
            board.pieces[seat] |= bit;
            board.kings |= if is_king { bit } else { 0 };
        }
    }
    if board.pieces[seat].count_ones() > PIECES_MAX {
        return Err(format!("a side has at most {PIECES_MAX} pieces"));
    }
    Ok(())
}

/// The board with the numbers of each row's squares, then the pieces of each side and whose turn it is. Men are lower
/// case, kings upper case.
pub(super) fn board(game: &Checkers) -> String {
    let sides = sides(game.rules);
    let mut squares = ['.'; 32];
    for (seat, (letter, _)) in sides.into_iter().enumerate() {
        for (number, is_king) in pieces(&game.board, seat) {
            squares[number as usize - 1] = if is_king { letter } else { letter.to_ascii_lowercase() };
        }
    }
    let mut lines = String::new();
    for (row, squares) in squares.chunks(4).enumerate() {
        // Rows from the top begin in turn with a light and a dark square.
        let light_first = |c: char| if row % 2 == 0 { ['\u{20}', c] } else { [c, '\u{20}'] };
        let row_text: Vec<String> = squares.iter().flat_map(|&c| light_first(c)).map(String::from).collect();
        lines += &format!("{:2}  {}  {:2}\n", 4 * row + 1, row_text.join(" "), 4 * row + 4);
    }
    let (men, kings) = (game.men(), game.kings());
    let counts: Vec<String> = sides
        .iter()
        .enumerate()
        .map(|(seat, (letter, name))| format!("{name} ({}): {} men, {} kings", letter, men[seat], kings[seat]))
        .collect();
    lines
        + &format!(
            "{}  ply {} of {}, {} of {} without progress  to move: {}",
            counts.join("  "),
            game.plies,
            game.plies_max,
            game.quiet,
            game.draw_plies,
            sides[game.seat()].1
        )
}
