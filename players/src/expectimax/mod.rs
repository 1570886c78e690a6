//! Expectimax, for any game: the best of the own moves, the worst of the other player's, the mean of nature's by their
//! probabilities (SIEA-MCTS thesis, sections 2.3 and 5.7; docs/papers/siea-mcts.md, "Expectimax").

mod search;

use games::{Game, Moves as _, Seed, Turn, below};
use spec::{Default, Entry, Fault, Kind, Param, Spec};

use crate::{
    Decision, Player,
    artifacts::Artifacts,
    budget::Budget,
    effort::{Effort, Spent},
    game_rng::GameRng,
    listed::{BuildError, CHECKED, Listed},
    params::{NODES, TIME_MS, depth_nodes_or_time},
};
use search::{Expectimax, LeafValue, Pruning, rounding};

const PARAMS: &[Param] = &[
    Param {
        name: "depth",
        kind: Kind::Int(1, 64),
        default: Default::None,
        doc: "decisions that are searched, of whichever player; nature's moves between them are not counted, and none is made \
              behind the last decision; this, `nodes` or `time-ms`",
    },
    Param {
        doc: "positions that are looked at for each decision, decision by decision deeper; the deepest whole search counts",
        ..NODES
    },
    TIME_MS,
    Param {
        name: LEAF,
        kind: Kind::Choice(&["score", "virtual"]),
        default: Default::Text("score"),
        doc: "what a position is worth where the search ends: its score, or the score if the game ended there; in games for two \
              the difference to the other player's",
    },
    Param {
        name: "pruning",
        kind: Kind::Choice(&["none", "star1", "star2"]),
        default: Default::Text("none"),
        doc: "what is left out where it cannot change the choice: nothing, or what Star1 or Star2 prunes at nature's moves and \
              alpha-beta at players', as far as the game bounds its scores",
    },
];

/// What positions are worth.
const LEAF: &str = "leaf";

/// The kind `expectimax`.
pub(crate) struct ExpectimaxKind;

impl Listed for ExpectimaxKind {
    const ENTRY: Entry = Entry {
        name: "expectimax",
        doc: "expectimax to a fixed number of decisions, with nature's moves by their probabilities, as in the SIEA-MCTS thesis",
        params: &[PARAMS],
        one_of: &[depth_nodes_or_time(2)],
    };

    fn check_game<G: Game>(spec: &Spec, start: &G) -> Result<(), Fault> {
        if leaf_value(spec) == LeafValue::Virtual && start.score_if_ended().is_none() {
            let reason = format!(
                "`{LEAF}=virtual` needs a score that an end of the game would change, and {} has none: leave it out",
                start.facts().name
            );
            return Err(Fault::Conflict { key: LEAF.to_owned(), reason });
        }
        Ok(())
    }

    fn build<G: Game>(spec: &Spec, start: &G, _: &dyn Artifacts) -> Result<Box<dyn Player<G>>, BuildError> {
        Self::check_game(spec, start)?;
        let pruning = match spec.text("pruning") {
            Some("star1") => Pruning::Star1,
            Some("star2") => Pruning::Star2,
            _ => Pruning::Nothing,
        };
        let (leaf, budget) = (leaf_value(spec), Budget::of(spec).expect(CHECKED));
        Ok(Box::new(ExpectimaxPlayer { leaf, pruning, budget, rng: GameRng::default() }))
    }
}

fn leaf_value(spec: &Spec) -> LeafValue {
    if spec.text(LEAF) == Some("virtual") { LeafValue::Virtual } else { LeafValue::Score }
}

/// Searches by expectimax.
struct ExpectimaxPlayer {
    leaf: LeafValue,
    pruning: Pruning,
    budget: Budget,
    rng: GameRng,
}

impl<G: Game> Player<G> for ExpectimaxPlayer {
    fn start(&mut self, seed: &Seed) {
        self.rng.start(seed);
    }

    fn decide(&mut self, position: &G) -> Decision<G::Move> {
        let moves = position.moves();
        let moves: Vec<G::Move> = (0..moves.len()).map(|index| moves.get(index)).collect();
        if moves.len() == 1 {
            return Decision { chosen: moves[0], iterations: 0 };
        }
        let Turn::Player(seat) = position.mover() else { unreachable!("a player decides") };
        let effort = Effort::new(self.budget);
        let (depth, deepens) = (effort.depth(), !matches!(self.budget, Budget::Depth(_)));
        let mut search = Expectimax::new(self.leaf, self.pruning, effort, seat);
        let mut values = vec![0.0; moves.len()];
        for depth in if deepens { 1 } else { depth }..=depth {
            search.is_cut = false;
            match search.root(position, &moves, depth) {
                Ok(found) => values = found,
                Err(Spent) => break,
            }
            // What ends everywhere is no different when it is searched deeper.
            if !search.is_cut {
                break;
            }
        }
        let best = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let equals: Vec<usize> = (0..moves.len()).filter(|&index| values[index] >= best - rounding(best)).collect();
        let pick = if equals.len() > 1 { below(self.rng.get(), equals.len() as u32) as usize } else { 0 };
        Decision { chosen: moves[equals[pick]], iterations: search.effort.nodes() }
    }
}
