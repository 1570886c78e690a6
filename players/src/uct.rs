//! The player `mcts`: UCT with random playouts, as in the EvoMCTS paper (Benbassat and Sipper 2013, section II).

use games::Game;
use spec::{Default, Entry, Fault, Kind, OneOf, Param, Spec};

use crate::{
    Player,
    artifacts::Artifacts,
    figures::{Figure, ROOT_SHARE},
    listed::{BuildError, CHECKED, Listed},
    mcts::{Evaluator, FinalMove, Options, Rewarded, Ucb1, Uct, UniformPlayout},
    params::{
        KEEP_TREE, MEMORY_MIB_MAX, NODES_MAX, PLAYOUTS, REWARD, SEARCH_FORCED, TERMINALS, TIME_MS, check_reward,
        options, playouts_or_time, rewarded, search,
    },
    solving::{LEAF_SOLVE_FROM, SOLVE_FROM, Settling, settled},
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
        name: "c-max",
        kind: Kind::Real(0.0, 1e6),
        default: Default::None,
        doc: "each game draws C between `c` and this; the same for all that draw it alike, in both games of a unit",
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
    REWARD,
    SEARCH_FORCED,
    NODES_MAX,
    MEMORY_MIB_MAX,
    SOLVE_FROM,
];

/// What its budget is: 100 playouts as in the paper (section V) if none is given.
pub(crate) const BUDGET: OneOf = playouts_or_time(100);

/// The kind `mcts`.
pub(crate) struct MctsKind;

impl Listed for MctsKind {
    const ENTRY: Entry = Entry {
        name: "mcts",
        doc: "UCT Monte-Carlo tree search with uniform random playouts, as in the EvoMCTS paper",
        params: &[PARAMS, &[LEAF_SOLVE_FROM]],
        one_of: &[BUDGET],
    };

    fn check(spec: &mut Spec) -> Result<(), Fault> {
        check(spec)
    }

    fn check_game<G: Game>(spec: &Spec, start: &G) -> Result<(), Fault> {
        check_reward(spec, start)
    }

    fn figures(_: &Spec) -> Vec<Figure> {
        vec![ROOT_SHARE]
    }

    fn build<G: Game>(spec: &Spec, start: &G, _: &dyn Artifacts) -> Result<Box<dyn Player<G>>, BuildError> {
        check_reward(spec, start)?;
        Ok(match settled(spec, start, UniformPlayout)? {
            Settling::With(evaluator) => Box::new(uct(spec, evaluator)),
            Settling::Without(evaluator) => Box::new(uct(spec, evaluator)),
        })
    }
}

/// Checks a spec with [`PARAMS`].
///
/// # Errors
/// The greatest constant is below the least.
pub(crate) fn check(spec: &Spec) -> Result<(), Fault> {
    match (spec.real("c"), spec.real("c-max")) {
        (Some(least), Some(greatest)) if greatest < least => {
            let reason = format!("`c-max` is {greatest}, below `c`, {least}");
            Err(Fault::Conflict { key: "c-max".to_owned(), reason })
        }
        _ => Ok(()),
    }
}

/// The search of a spec with [`PARAMS`].
pub(crate) fn uct<G: Game, E: Evaluator<G, Prior = ()>>(spec: &Spec, playout: E) -> Uct<G, Ucb1, Rewarded<E>> {
    together(spec, playout, 1)
}

/// The same with `batch` leaves valued together.
pub(crate) fn together<G: Game, E: Evaluator<G, Prior = ()>>(
    spec: &Spec,
    playout: E,
    batch: usize,
) -> Uct<G, Ucb1, Rewarded<E>> {
    let real = |key| spec.real(key).expect(CHECKED);
    let fixed = Ucb1::new(real("c"), real("factor"), real("fpu")).drawing_ties(spec.text("ties") == Some("random"));
    let selection = match spec.real("c-max") {
        Some(greatest) => fixed.drawing_c_up_to(greatest),
        None => fixed,
    };
    Uct::new(search(spec, selection, rewarded(spec, playout)), Options { batch, ..options(spec, final_move(spec)) })
}

/// The choice of a spec's `final-move`.
pub(crate) fn final_move(spec: &Spec) -> FinalMove {
    match spec.text("final-move") {
        Some("most-visited") => FinalMove::MostVisited,
        Some("visits-alone") => FinalMove::VisitsAlone,
        _ => FinalMove::HighestMean,
    }
}
