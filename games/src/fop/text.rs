//! Positions as text.

use super::Fop;
use crate::TextError;

/// `depth/index`: plies since the start, and the place of the interval among those of its depth.
pub(super) fn of_position(game: &Fop) -> String {
    format!("{}/{}", game.depth, game.index)
}

/// The position that `text` names, of the problem of `rules`.
pub(super) fn position(rules: &Fop, text: &str) -> Result<Fop, TextError> {
    let wrong = |reason: String| TextError::position("fop", text, reason);
    let (depth, index) = text.split_once('/').ok_or_else(|| wrong("it is not `depth/index`".to_owned()))?;
    // `parse` alone would accept a plus sign.
    let number = |digits: &str| digits.bytes().all(|c| c.is_ascii_digit()).then(|| digits.parse().ok()).flatten();
    let most = rules.problem.depth;
    let depth = number(depth).filter(|&depth| depth <= u32::from(most));
    let depth = depth.ok_or_else(|| wrong(format!("the depth is a number up to {most}")))? as u8;
    let last = rules.problem.powers[usize::from(depth)] - 1;
    let index = number(index).filter(|&index| index <= last);
    let index = index.ok_or_else(|| wrong(format!("the index at depth {depth} is a number up to {last}")))?;
    Ok(Fop { index, depth, ..*rules })
}

/// Columns of the line that shows where the interval lies.
const COLUMNS: u8 = 64;

/// The interval on a line from 0 to 1, then its numbers.
pub(super) fn board(game: &Fop) -> String {
    let [low, high] = game.interval();
    let centre = game.centre();
    let column = |column: u8| {
        let [left, right] = [column, column + 1].map(|edge| f64::from(edge) / f64::from(COLUMNS));
        let inside = (left < high && right > low) || (left <= centre && centre < right);
        if inside { '#' } else { '.' }
    };
    let line: String = (0..COLUMNS).map(column).collect();
    format!(
        "0 {line} 1\ninterval [{low}, {high}]  centre {centre}  f {:.6}\nply {} of {}, {} parts a ply, {}",
        game.value(),
        game.depth,
        game.problem.depth,
        game.problem.branching,
        game.problem.title
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Game as _;

    #[track_caller]
    fn refused(text: &str, reason: &str) {
        let error = Fop::default().parse_position(text).expect_err("a fault");
        assert_eq!(error.to_string(), format!("`{text}` is not a fop position: {reason}"));
    }

    #[test]
    fn faults_of_positions_say_what_is_wrong() {
        refused("3", "it is not `depth/index`");
        refused("18/0", "the depth is a number up to 17");
        refused("+1/0", "the depth is a number up to 17");
        refused("/0", "the depth is a number up to 17");
        refused("99999999999/0", "the depth is a number up to 17");
        refused("3/8", "the index at depth 3 is a number up to 7");
        refused("3/", "the index at depth 3 is a number up to 7");
        refused("3/1/1", "the index at depth 3 is a number up to 7");
        refused("0/1", "the index at depth 0 is a number up to 0");
    }

    #[test]
    fn a_board_for_people() {
        let position = Fop::default().parse_position("3/2").expect("a position");
        let board = "\
0 ................########........................................ 1
interval [0.25, 0.375]  centre 0.3125  f 0.831470
ply 3 of 17, 2 parts a ply, FOP f1";
        assert_eq!(position.board_text(), board);
    }
}
