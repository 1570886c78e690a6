//! Plays any legal move, each as likely as another.

use games::{Game, Moves as _, Seed, below};
use spec::{Entry, Spec};

use crate::{
    Decision, Player,
    artifacts::Artifacts,
    game_rng::GameRng,
    listed::{BuildError, Listed},
};

/// The kind `random`.
pub(crate) struct RandomKind;

struct Random {
    rng: GameRng,
}

impl Listed for RandomKind {
    const ENTRY: Entry =
        Entry { name: "random", doc: "any legal move, each as likely as another", params: &[], one_of: &[] };

    fn build<G: Game>(_: &Spec, _: &G, _: &dyn Artifacts) -> Result<Box<dyn Player<G>>, BuildError> {
        Ok(Box::new(Random { rng: GameRng::default() }))
    }
}

impl<G: Game> Player<G> for Random {
    fn start(&mut self, seed: &Seed) {
        self.rng.start(seed);
    }

    fn decide(&mut self, position: &G) -> Decision<G::Move> {
        let moves = position.moves();
        let chosen = moves.get(below(self.rng.get(), moves.len() as u32) as usize);
        Decision { chosen, iterations: 0 }
    }
}
