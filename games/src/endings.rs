//! Solving the ends of games exactly.

use crate::Game;

/// Gives the exact values of positions near the end of a game. Its memory is bounded, and what it remembers changes times, not
/// values.
pub trait Endings<G: Game>: Send {
    /// How far a position is from the end, in the game's own unit. How long a value takes grows with it.
    fn distance(&self, position: &G) -> u32;

    /// [`Game::score_difference`] at the end of the game if both sides play best from `position`.
    fn value(&mut self, position: &G) -> i64;

    /// The value of the position behind each move, in the order of [`Game::moves`]. Replaces what `values` held.
    fn values(&mut self, position: &G, values: &mut Vec<i64>);

    /// Whether [`Endings::value`] is at least `bound`: faster than the value.
    fn is_at_least(&mut self, position: &G, bound: i64) -> bool;
}
