//! Positions of Dodgem for networks.

use super::{Dodgem, Move, lines::SIDEWAYS};
use crate::encoding::{Encoding, View, put_squares};

/// Squares of a board.
fn squares(position: &Dodgem) -> usize {
    usize::from(position.size) * usize::from(position.size)
}

/// All encodings.
pub(super) fn all(position: &Dodgem) -> Vec<Encoding> {
    vec![Encoding {
        name: "mover",
        doc: "squares with cars of the player to move, then squares with the other's; 1 or 0, row by row, rows and columns \
              swapped for White, so that the player to move goes to the right",
        inputs: 2 * squares(position),
        limit: 1,
        view: View::Mover,
    }]
}

/// Numbers of a policy: steps forward by the car's square, then steps sideways by the lower of the two squares, as the player
/// to move sees the board.
pub(super) fn policy_size(position: &Dodgem) -> usize {
    2 * squares(position)
}

/// The square as the side to move sees it.
fn seen(position: &Dodgem, square: u32) -> u32 {
    let size = u32::from(position.size);
    if position.seat == 0 { square } else { square % size * size + square / size }
}

/// Place of a step in a policy.
pub(super) fn policy_index(position: &Dodgem, step: Move) -> usize {
    let step = u32::from(step.0);
    let (square, first) = if step < SIDEWAYS { (step, 0) } else { (step - SIDEWAYS, squares(position)) };
    first + seen(position, square) as usize
}

/// Writes the position into the inputs of the encoding.
pub(super) fn encode(position: &Dodgem, inputs: &mut [f32]) {
    let seat = usize::from(position.seat);
    let set = |cars: u32| {
        let squares = (0..u32::from(position.size) * u32::from(position.size)).filter(|square| cars >> square & 1 == 1);
        squares.fold(0, |set, square| set | 1 << seen(position, square))
    };
    for (cars, inputs) in
        [position.cars[seat], position.cars[1 - seat]].into_iter().zip(inputs.chunks_exact_mut(squares(position)))
    {
        put_squares(set(cars), inputs);
    }
}
