//! Perft: leaves of the game tree at a depth, the standard check of a move generator.

use crate::{Game, Moves, Turn};

/// Leaves of the tree below `position` after `depth` plies. A forced pass is a ply, a finished game is one leaf.
pub fn perft<G: Game>(position: &G, depth: u32) -> u64 {
    if depth == 0 { 1 } else { position.perft(depth) }
}

/// The same for each move, to find the move that a wrong generator gets wrong.
pub fn divide<G: Game>(position: &G, depth: u32) -> Vec<(String, u64)> {
    let moves = position.moves();
    let child = |i: usize| {
        let mut next = position.clone();
        let chosen = moves.get(i);
        next.play(chosen);
        (position.move_text(chosen), perft(&next, depth.saturating_sub(1)))
    };
    if depth == 0 { Vec::new() } else { (0..moves.len()).map(child).collect() }
}

/// Perft by playing every move, for games without a faster way.
pub(crate) fn plain<G: Game>(position: &G, depth: u32) -> u64 {
    if depth == 0 || position.turn() == Turn::Over {
        return 1;
    }
    let moves = position.moves();
    let child = |i: usize| {
        let mut next = position.clone();
        next.play(moves.get(i));
        plain(&next, depth - 1)
    };
    (0..moves.len()).map(child).sum()
}
