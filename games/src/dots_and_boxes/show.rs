//! The board as text for people.

use super::{DotsAndBoxes, text};
use crate::{Game as _, Turn};

/// Whose turn it is, or how the game has ended.
pub(super) fn turn(game: &DotsAndBoxes) -> String {
    let [first, second] = game.completed();
    let turn = match (game.turn(), first.cmp(&second)) {
        (Turn::Player(seat), _) => format!("{} moves, {} edges are free", text::LETTERS[seat], game.free_edges()),
        (_, std::cmp::Ordering::Greater) => "A has won".to_owned(),
        (_, std::cmp::Ordering::Less) => "B has won".to_owned(),
        (_, std::cmp::Ordering::Equal) => "a draw".to_owned(),
    };
    format!("A {first}  B {second}  {turn}")
}

/// Dots with the drawn edges and the owners between them; before each line `h` or `v` with the row of its edges, above all
/// the columns of horizontal edges and boxes. A move is both: `h02`.
pub(super) fn board(game: &DotsAndBoxes) -> String {
    let columns = usize::from(game.columns());
    let mut board = format!("   {}\n", (0..columns).map(|column| format!("  {column} ")).collect::<String>());
    for (index, line) in text::lines(game).iter().enumerate() {
        let row = index / 2;
        if index % 2 == 0 {
            let edges: String = line.chars().map(|c| if c == '-' { "---+" } else { "   +" }).collect();
            board += &format!("h{row} +{edges}\n");
        } else {
            let cells = line.chars().map(|c| if c == '.' { ' ' } else { c }).enumerate();
            let cells: String =
                cells.map(|(place, c)| if place % 2 == 0 { c.to_string() } else { format!(" {c} ") }).collect();
            board += &format!("v{row} {}\n", cells.trim_end());
        }
    }
    board + &turn(game)
}
