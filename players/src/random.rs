//! Plays any legal move, each as likely as another.

use games::{Game, Moves as _, Rng, Seed, below};

use crate::{Decision, Player};

pub(crate) struct Random {
    rng: Rng,
}

impl Random {
    pub(crate) fn new() -> Self {
        Random { rng: Seed::derive(0, 0, 0, "never used: start() comes first").rng() }
    }
}

impl<G: Game> Player<G> for Random {
    fn start(&mut self, seed: &Seed) {
        self.rng = seed.rng();
    }

    fn decide(&mut self, position: &G) -> Decision<G::Move> {
        let moves = position.moves();
        let chosen = moves.get(below(&mut self.rng, moves.len() as u32) as usize);
        Decision { chosen, iterations: 0 }
    }
}
