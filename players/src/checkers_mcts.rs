//! The player `checkers-mcts`: the search of the Checkers project (Abdul Sater et al. 2022, section 3;
//! docs/papers/checkers.md, "The search").

use games::Game;
use spec::{Default, Entry, Kind, Param, Spec};

use crate::{
    Player,
    artifacts::Artifacts,
    figures::{Figure, ROOT_SHARE},
    listed::{BuildError, CHECKED, Listed},
    mcts::{Evaluator, FewBest, FinalMove, NothingWon, ProjectScore, Uct, UniformPlayout},
    params::{
        KEEP_TREE, MEMORY_MIB_MAX, NODES_MAX, PLAYOUTS, SEARCH_FORCED, TERMINALS, TIME_MS, options, playouts_or_time,
        search,
    },
};

/// The kind `checkers-mcts`.
pub(crate) struct CheckersMctsKind;

const PARAMS: &[Param] = &[
    Param { doc: "n, iterations of each decision; this or `time-ms`", ..PLAYOUTS },
    TIME_MS,
    Param {
        name: "p",
        kind: Kind::Real(0.0, 1e6),
        default: Default::Real(1.0),
        doc: "weight of one of the two terms of the score",
    },
    Param {
        name: "score",
        kind: Kind::Choice(&["released", "printed"]),
        default: Default::Text("released"),
        doc: "e + p d as in the project's program, or d + p e as it is printed; d = w/v, e = sqrt(log2(v)/v), v = visits + 1",
    },
    Param {
        name: "as-released",
        kind: Kind::Bool,
        default: Default::Bool(false),
        doc: "no playout is ever won, as by the defects of the project's program: nearly random moves",
    },
    Param {
        name: "playout",
        kind: Kind::Choice(&["uniform", "best-three", "worst-three"]),
        default: Default::Text("uniform"),
        doc: "moves of playouts: any, one of the three that promise most, or (as the program sorts them) least",
    },
    Param { default: Default::Bool(false), ..KEEP_TREE },
    SEARCH_FORCED,
    NODES_MAX,
    MEMORY_MIB_MAX,
    TERMINALS,
];

impl Listed for CheckersMctsKind {
    const ENTRY: Entry = Entry {
        name: "checkers-mcts",
        doc: "MCTS with the score of a student project on Checkers, which also chooses the move",
        params: &[PARAMS],
        // The least n of the project's benchmark.
        one_of: &[playouts_or_time(5_000)],
    };

    fn figures(_: &Spec) -> Vec<Figure> {
        vec![ROOT_SHARE]
    }

    fn build<G: Game>(spec: &Spec, _: &G, _: &dyn Artifacts) -> Result<Box<dyn Player<G>>, BuildError> {
        let weighs_exploration = spec.text("score") == Some("printed");
        let selection = ProjectScore { p: spec.real("p").expect(CHECKED), weighs_exploration };
        let playout: Box<dyn Evaluator<G, Prior = ()>> = match spec.text("playout") {
            _ if spec.bool("as-released").expect(CHECKED) => Box::new(NothingWon),
            Some("best-three") => Box::new(FewBest::new(3, false)),
            Some("worst-three") => Box::new(FewBest::new(3, true)),
            _ => Box::new(UniformPlayout),
        };
        Ok(Box::new(Uct::new(search(spec, selection, playout), options(spec, FinalMove::Score))))
    }
}
