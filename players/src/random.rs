//! Plays any legal move, each as likely as another.

use games::{Game, Moves as _, Rng, Seed, below};
use spec::{Entry, Spec};

use crate::{
    Decision, Player,
    artifacts::Artifacts,
    registry::{BuildError, Listed},
};

/// The kind `random`.
pub(crate) struct RandomKind;

struct Random {
    rng: Rng,
}

impl Random {
    fn new() -> Self {
        Random { rng: Seed::derive(0, 0, 0, "never used: start() comes first").rng() }
    }
}

impl Listed for RandomKind {
    const ENTRY: Entry =
        Entry { name: "random", doc: "any legal move, each as likely as another", params: &[], one_of: &[] };

    fn build<G: Game>(_: &Spec, _: &G, _: &dyn Artifacts) -> Result<Box<dyn Player<G>>, BuildError> {
        Ok(Box::new(Random::new()))
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
