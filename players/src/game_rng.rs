//! The generator of a player, which begins with each game.

use games::{Rng, Seed};

/// Nothing until a game begins, then the generator of that game.
#[derive(Clone, Debug, Default)]
pub(crate) struct GameRng(Option<Rng>);

impl GameRng {
    /// Begins a game.
    pub(crate) fn start(&mut self, seed: &Seed) {
        self.0 = Some(seed.rng());
    }

    /// The generator of the game.
    ///
    /// # Panics
    /// No game has begun.
    pub(crate) fn get(&mut self) -> &mut Rng {
        self.0.as_mut().expect("`Player::start` begins a game before a decision is asked for")
    }
}
