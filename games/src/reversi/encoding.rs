//! Positions of Reversi for networks.

use super::{Reversi, kernel};
use crate::encoding::{Encoding, View, put_squares};

/// All encodings.
pub(super) const ALL: [Encoding; 2] = [
    Encoding {
        name: "mover",
        doc: "64 squares with discs of the player to move, then 64 with the other's; 1 or 0, squares from a1 row by row",
        inputs: 128,
        limit: 1,
        view: View::Mover,
    },
    Encoding {
        name: "mover-moves",
        doc: "as `mover`, then the 64 squares on which the player to move may play",
        inputs: 192,
        limit: 1,
        view: View::Mover,
    },
];

/// Numbers of a policy: squares, then the pass.
pub(super) const POLICY: usize = 65;

/// Place of `mover-moves`.
const MOVER_MOVES: usize = 1;

/// Writes the position into the inputs of an encoding.
pub(super) fn encode(position: &Reversi, encoding: usize, inputs: &mut [f32]) {
    let moves = if encoding == MOVER_MOVES { kernel::moves(position.own, position.other) } else { 0 };
    for (squares, inputs) in [position.own, position.other, moves].into_iter().zip(inputs.chunks_exact_mut(64)) {
        put_squares(squares, inputs);
    }
}
