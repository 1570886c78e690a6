//! The player `greedy`: the best move of one ply, as the heuristic agent of Richoux (2024, section V; docs/papers/boop.md)
//! plays boop.

use games::{Game, Moves as _, Seed};
use spec::{Default, Entry, Fault, Kind, Param, Spec};

use crate::{
    Decision, Player,
    artifacts::Artifacts,
    game_rng::GameRng,
    listed::{BuildError, Listed},
    mcts_co::{check_evaluation, ends},
    one_ply::OnePly,
};

const PARAMS: &[Param] = &[Param {
    name: "wins",
    kind: Kind::Choice(&["result", "evaluation"]),
    default: Default::Text("result"),
    doc: "what a move that ends the game is worth: the result, or the evaluation behind it, as in the paper's program",
}];

/// The kind `greedy`.
pub(crate) struct GreedyKind;

impl Listed for GreedyKind {
    const ENTRY: Entry = Entry {
        name: "greedy",
        doc: "the move that leads to the best evaluation for its player, of equally good ones any",
        params: &[PARAMS],
        one_of: &[],
    };

    fn check_game<G: Game>(_: &Spec, start: &G) -> Result<(), Fault> {
        check_evaluation(start, Some(Self::ENTRY.name))
    }

    fn build<G: Game>(spec: &Spec, start: &G, _: &dyn Artifacts) -> Result<Box<dyn Player<G>>, BuildError> {
        Self::check_game(spec, start)?;
        Ok(Box::new(Greedy { optimiser: OnePly::new(ends(spec)), rng: GameRng::default() }))
    }
}

struct Greedy {
    optimiser: OnePly,
    rng: GameRng,
}

impl<G: Game> Player<G> for Greedy {
    fn start(&mut self, seed: &Seed) {
        self.rng.start(seed);
    }

    fn decide(&mut self, position: &G) -> Decision<G::Move> {
        let place = self.optimiser.best(position, self.rng.get());
        Decision { chosen: position.moves().get(place), iterations: 0 }
    }
}
