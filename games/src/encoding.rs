//! Positions as rows of numbers, for networks.

/// Whose view the inputs are of, and with them what a network says of outcomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// Always the first seat's.
    First,
    /// That of the player to move.
    Mover,
}

/// A way in which the positions of a game are rows of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoding {
    /// Its name, unique in the game; files of networks have it behind the game's name.
    pub name: &'static str,
    /// What its numbers are, in their order.
    pub doc: &'static str,
    /// How many there are.
    pub inputs: usize,
    /// Greatest number in either direction, from 1 to 4096.
    pub limit: u32,
    /// Whose view they are of.
    pub view: View,
}

/// Writes 1 into the places of `squares` in `inputs`, one for each of as many squares, and 0 into the others.
pub(crate) fn put_squares(squares: u64, inputs: &mut [f32]) {
    for (square, input) in inputs.iter_mut().enumerate() {
        *input = (squares >> square & 1) as u8 as f32;
    }
}
