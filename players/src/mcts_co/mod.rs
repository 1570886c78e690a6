//! The player `mcts-co`: MCTS with combinatorial optimisation (Richoux 2024, sections III to V; docs/papers/boop.md), for any
//! game with an evaluation.
//!
//! An optimiser that values every move by one ply takes part at three places, each of which can be switched off: it
//! preselects the root's moves (S), chooses which child is added next (E), and plays the playouts (P).

mod expansion;
mod playout;
mod search;

use games::Game;
use spec::{Default, Entry, Fault, Kind, OneOf, Param, Spec, Value};

use crate::{
    Player,
    artifacts::Artifacts,
    figures::{Figure, ROOT_SHARE},
    listed::{BuildError, CHECKED, Listed},
    mcts::{Search, Ucb1, UnvisitedFirst},
    one_ply::{Ends, OnePly},
    params::{MEMORY_MIB_MAX, NODES_MAX, PLAYOUTS, TIME_MS, playouts_or_time, search_budget, tree_limit},
};
use expansion::Optimised;
use playout::{Discounted, FinalSign, Moves};
use search::{Account, MctsCo};

/// The kind `mcts-co`.
pub(crate) struct MctsCoKind;

const AS_RELEASED: &str = "as-released";
const SELECT: &str = "select";
const EXPAND: &str = "expand";
const PLAYOUT: &str = "playout";
const EVALUATES: &str = "evaluate-random";
const SIGN: &str = "final-sign";
const DIVIDES: &str = "divide";
const FIRST_VISIT: &str = "first-visit";
const WINS: &str = "wins";

const PARAMS: &[Param] = &[
    PLAYOUTS,
    TIME_MS,
    Param {
        name: SELECT,
        kind: Kind::Int(0, 1 << 16),
        default: Default::Int(0),
        doc: "m, moves of the root that the optimiser preselects; 0: all",
    },
    Param {
        name: EXPAND,
        kind: Kind::Bool,
        default: Default::Bool(false),
        doc: "children are added by falling value of the optimiser, not at random",
    },
    Param {
        name: PLAYOUT,
        kind: Kind::Int(0, 1 << 16),
        default: Default::Int(0),
        doc: "k, moves of a playout, each the optimiser's best; 0: random moves to the end of the game",
    },
    Param {
        name: "discount",
        kind: Kind::Real(0.0, 1.0),
        default: Default::Real(0.9),
        doc: "d of the evaluations and of the result along a playout of the optimiser's moves",
    },
    Param {
        name: "c",
        kind: Kind::Real(0.0, 1e6),
        default: Default::Real(0.3),
        doc: "exploration constant C of W/n + C sqrt(ln N / n), with rewards from -1 to 1",
    },
    Param {
        name: AS_RELEASED,
        kind: Kind::Bool,
        default: Default::Bool(false),
        doc: "what the options below are if they are not given: as in the paper's program instead of repaired",
    },
    Param {
        name: SIGN,
        kind: Kind::Choice(&["own", "second"]),
        default: Default::None,
        doc: "for which side a playout that ends counts as won: its own, or always the second seat, as in the program; own if \
              not given",
    },
    Param {
        name: DIVIDES,
        kind: Kind::Bool,
        default: Default::None,
        doc: "a reward is divided by the number of children that the new node's parent has, as in the program; false if not given",
    },
    Param {
        name: EVALUATES,
        kind: Kind::Bool,
        default: Default::None,
        doc: "random playouts are worth the mean of evaluations, too, as in the program, and not their result alone; false if not \
              given",
    },
    Param {
        name: FIRST_VISIT,
        kind: Kind::Choice(&["counted", "above"]),
        default: Default::None,
        doc: "the first visit of a new node counts for it, or only for the nodes above it, as in the program; counted if not given",
    },
    Param {
        name: WINS,
        kind: Kind::Choice(&["result", "evaluation"]),
        default: Default::None,
        doc: "what a move that ends the game is worth to the optimiser: the result, or the evaluation behind it, as in the program; \
              result if not given",
    },
    NODES_MAX,
    MEMORY_MIB_MAX,
];

/// Playouts of a vanilla search that the paper's program makes in its second for a move (section III).
const BUDGET: OneOf = playouts_or_time(80);

impl Listed for MctsCoKind {
    const ENTRY: Entry = Entry {
        name: "mcts-co",
        doc: "MCTS in which an optimiser of one ply may preselect moves, choose the next child and play the playouts",
        params: &[PARAMS],
        one_of: &[BUDGET],
    };

    fn check(spec: &mut Spec) -> Result<(), Fault> {
        let released = spec.bool(AS_RELEASED).expect(CHECKED);
        let text =
            |released_value: &str, repaired: &str| Value::Text(if released { released_value } else { repaired }.into());
        for (key, value) in [
            (SIGN, text("second", "own")),
            (DIVIDES, Value::Bool(released)),
            (EVALUATES, Value::Bool(released)),
            (FIRST_VISIT, text("above", "counted")),
            (WINS, text("evaluation", "result")),
        ] {
            if spec.get(key).is_none() {
                spec.set(key, value);
            }
        }
        Ok(())
    }

    fn check_game<G: Game>(spec: &Spec, start: &G) -> Result<(), Fault> {
        let int = |key| spec.int(key).expect(CHECKED) > 0;
        let flag = |key| spec.bool(key).expect(CHECKED);
        let uses =
            [(SELECT, int(SELECT)), (EXPAND, flag(EXPAND)), (PLAYOUT, int(PLAYOUT)), (EVALUATES, flag(EVALUATES))];
        check_evaluation(start, uses.into_iter().find(|used| used.1).map(|used| used.0))
    }

    fn figures(_: &Spec) -> Vec<Figure> {
        vec![ROOT_SHARE]
    }

    fn build<G: Game>(spec: &Spec, start: &G, _: &dyn Artifacts) -> Result<Box<dyn Player<G>>, BuildError> {
        Self::check_game(spec, start)?;
        let flag = |key| spec.bool(key).expect(CHECKED);
        let count = |key| usize::try_from(spec.int(key).expect(CHECKED)).unwrap_or(usize::MAX);
        let optimiser = OnePly::new(ends(spec));
        let moves = match count(PLAYOUT) {
            0 if flag(EVALUATES) => Moves::RandomEvaluated,
            0 => Moves::Random,
            most => Moves::Best { most },
        };
        let sign = if spec.text(SIGN) == Some("second") { FinalSign::SecondSeat } else { FinalSign::Own };
        let playout = Discounted::new(moves, spec.real("discount").expect(CHECKED), sign, optimiser.clone());
        let expansion = if flag(EXPAND) { Optimised::best(optimiser.clone()) } else { Optimised::random() };
        let selection =
            UnvisitedFirst(Ucb1::new(spec.real("c").expect(CHECKED), 1.0, f64::INFINITY).drawing_ties(true));
        let account = Account { divides: flag(DIVIDES), counts_first_visit: spec.text(FIRST_VISIT) == Some("counted") };
        let search = Search::expanding(selection, playout, expansion, tree_limit(spec));
        Ok(Box::new(MctsCo::new(search, optimiser, count(SELECT), account, search_budget(spec))))
    }
}

/// The choice of a spec's `wins`.
pub(crate) fn ends(spec: &Spec) -> Ends {
    if spec.text(WINS) == Some("evaluation") { Ends::Evaluation } else { Ends::Result }
}

/// Checks that a game has the evaluation that the parameter `key` needs, if there is one.
///
/// # Errors
/// The game has none.
pub(crate) fn check_evaluation<G: Game>(start: &G, key: Option<&str>) -> Result<(), Fault> {
    match key {
        Some(key) if start.evaluation_scale().is_none() => {
            let game = start.facts().name;
            let reason =
                format!("`{key}` needs evaluations of positions between two bounds, and {game} has none: leave it out");
            Err(Fault::Conflict { key: key.to_owned(), reason })
        }
        _ => Ok(()),
    }
}
