//! The board as text for people.

use super::{
    Boop,
    board::SMALL,
    text::{LETTERS, rows},
};
use crate::{Game as _, Turn};

/// Whose turn it is, or how the game has ended.
pub(super) fn turn(game: &Boop) -> String {
    match (game.turn(), game.winner) {
        (Turn::Player(seat), _) => {
            format!(
                "player {} ({}) moves, ply {} of {}",
                seat + 1,
                LETTERS[seat][SMALL],
                game.plies,
                game.rules.plies_max
            )
        }
        (_, Some(winner)) => format!("player {} has won", winner + 1),
        (_, None) => format!("unfinished after {} plies", game.plies),
    }
}

/// What a pool holds.
pub(super) fn pool(game: &Boop, seat: usize) -> String {
    let [small, large] = game.board.pool(seat);
    format!("player {}: {small} small and {large} large in the pool", seat + 1)
}

/// Rows with their numbers, large pieces as capitals, above the letters of columns; then pools, and whose turn it is.
pub(super) fn board(game: &Boop) -> String {
    let spaced = |row: &str| row.chars().map(|c| format!(" {c}")).collect::<String>();
    let mut lines: Vec<String> =
        (1..=6).rev().zip(rows(&game.board)).map(|(number, row)| format!("{number}{}", spaced(&row))).collect();
    lines.push(format!(" {}", spaced("abcdef")));
    for (seat, [small, large]) in LETTERS.iter().enumerate() {
        lines.push(format!("{} ({small}, {large})", pool(game, seat)));
    }
    lines.push(turn(game));
    lines.join("\n")
}
