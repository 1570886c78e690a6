//! Which moves of a position become children, and in which order.

use std::fmt;

use games::{Game, Rng};

/// Orders the moves of positions as their children are to be added.
pub trait Expansion<G: Game>: fmt::Debug + Send {
    /// Whether moves are ordered once, when the first child is added; else each child is a random one of the moves left.
    const ORDERS: bool;

    /// The moves that become children at a position where a player decides, by their place in `moves`, the first child
    /// first. At least one; those that are left out never become children. Only called where moves are ordered.
    fn order(&mut self, position: &G, moves: &G::Moves, rng: &mut Rng) -> &[u32];
}

/// Children are added at random, every move as likely as another, until all have been.
#[derive(Clone, Copy, Debug, Default)]
pub struct AtRandom;

impl<G: Game> Expansion<G> for AtRandom {
    const ORDERS: bool = false;

    fn order(&mut self, _: &G, _: &G::Moves, _: &mut Rng) -> &[u32] {
        unreachable!("moves are drawn one by one")
    }
}
