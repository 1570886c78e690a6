//! The player `mcts`: UCT with random playouts, as in the EvoMCTS paper (Benbassat and Sipper 2013, section II).

use games::Game;
use spec::{Default, Entry, Kind, OneOf, Param, Spec};

use crate::{
    Player,
    artifacts::Artifacts,
    figures::{Figure, ROOT_SHARE},
    listed::{BuildError, CHECKED, Listed},
    mcts::{Evaluator, FinalMove, Ucb1, Uct, UniformPlayout},
    params::{
        KEEP_TREE, MEMORY_MIB_MAX, NODES_MAX, PLAYOUTS, SEARCH_FORCED, TERMINALS, TIME_MS, options, playouts_or_time,
        search,
    },
};

/// Parameters of every player that searches by UCT.
pub(crate) const PARAMS: &[Param] = &[
    PLAYOUTS,
    TIME_MS,
    Param {
        name: "c",
        kind: Kind::Real(0.0, 1e6),
        default: Default::Real(0.7),
        doc: "exploration constant C of W/n + C sqrt(F ln N / n)",
    },
    Param {
        name: "factor",
        kind: Kind::Real(0.0, 1e6),
        default: Default::Real(1.0),
        doc: "F inside the root: 1 in the paper's formula, 2 in UCB1 as first published",
    },
    Param {
        name: "fpu",
        kind: Kind::Real(-1e6, f64::INFINITY),
        default: Default::Real(f64::INFINITY),
        doc: "first-play urgency: score of a move not tried yet; `inf` tries every move once first",
    },
    KEEP_TREE,
    Param {
        name: "final-move",
        kind: Kind::Choice(&["highest-mean", "most-visited", "visits-alone"]),
        default: Default::Text("highest-mean"),
        doc: "which root move is played; ties by the other measure (`visits-alone`: at once), then at random",
    },
    Param {
        name: "ties",
        kind: Kind::Choice(&["first", "random"]),
        default: Default::Text("first"),
        doc: "which of equally good children is descended to: the first that was tried, or one at random each time",
    },
    TERMINALS,
    SEARCH_FORCED,
    NODES_MAX,
    MEMORY_MIB_MAX,
];

/// What its budget is: 100 playouts as in the paper (section V) if none is given.
pub(crate) const BUDGET: OneOf = playouts_or_time(100);

/// The kind `mcts`.
pub(crate) struct MctsKind;

impl Listed for MctsKind {
    const ENTRY: Entry = Entry {
        name: "mcts",
        doc: "UCT Monte-Carlo tree search with uniform random playouts, as in the EvoMCTS paper",
        params: &[PARAMS],
        one_of: &[BUDGET],
    };

    fn figures(_: &Spec) -> Vec<Figure> {
        vec![ROOT_SHARE]
    }

    fn build<G: Game>(spec: &Spec, _: &G, _: &dyn Artifacts) -> Result<Box<dyn Player<G>>, BuildError> {
        Ok(Box::new(uct(spec, UniformPlayout)))
    }
}

/// The search of a spec with [`PARAMS`].
pub(crate) fn uct<G: Game, E: Evaluator<G, Prior = ()>>(spec: &Spec, playout: E) -> Uct<G, Ucb1, E> {
    let real = |key| spec.real(key).expect(CHECKED);
    let selection = Ucb1::new(real("c"), real("factor"), real("fpu")).drawing_ties(spec.text("ties") == Some("random"));
    Uct::new(search(spec, selection, playout), options(spec, final_move(spec)))
}

/// The choice of a spec's `final-move`.
pub(crate) fn final_move(spec: &Spec) -> FinalMove {
    match spec.text("final-move") {
        Some("most-visited") => FinalMove::MostVisited,
        Some("visits-alone") => FinalMove::VisitsAlone,
        _ => FinalMove::HighestMean,
    }
}
