//! How a leaf is valued.

use games::{Game, Rng};

/// Plays from a position to the end, or values it otherwise.
pub trait Playout<G: Game>: Send {
    /// Points of each seat from `position` on; `position` may be used up.
    fn play(&mut self, position: &mut G, rng: &mut Rng) -> [f64; 2];
}

/// Every legal move as likely as another, to the end of the game.
#[derive(Clone, Copy, Debug, Default)]
pub struct UniformPlayout;

impl<G: Game> Playout<G> for UniformPlayout {
    #[inline]
    fn play(&mut self, position: &mut G, rng: &mut Rng) -> [f64; 2] {
        position.playout(rng)
    }
}
