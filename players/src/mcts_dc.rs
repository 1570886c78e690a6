//! The player `mcts-dc`: MCTS with a double counter, and with a unique one for comparison (Cotarelo et al. 2021;
//! docs/papers/dots-and-boxes.md).

use games::Game;
use spec::{Default, Entry, Fault, Kind, Param, Spec};

use crate::{
    Player,
    artifacts::Artifacts,
    figures::{Figure, ROOT_SHARE},
    listed::{BuildError, CHECKED, Listed},
    mcts::{Counter, Counting, FinalMove, Reward, Rewarded, Ucb1, Uct, UniformPlayout},
    net,
    params::{
        KEEP_TREE, MEMORY_MIB_MAX, NODES_MAX, PLAYOUTS, SEARCH_FORCED, TERMINALS, TIME_MS, check_for_two, options,
        playouts_or_time, search,
    },
    solving::SOLVE_FROM,
};

const PARAMS: &[Param] = &[
    Param { doc: "iterations of each decision; this or `time-ms`", ..PLAYOUTS },
    TIME_MS,
    Param {
        name: "counter",
        kind: Kind::Choice(&["double", "unique"]),
        default: Default::Text("double"),
        doc: "double: a child is worth wins less losses, by visits, to the player who chooses it; unique: the searching player's wins \
              by visits at every node, whoever moves there",
    },
    Param {
        name: "bound",
        kind: Kind::Choice(&["library", "paper"]),
        default: Default::Text("library"),
        doc: "what is added: library: C sqrt(ln N / n), as in the authors' library; paper: 2 C sqrt(2 ln N / n), as printed",
    },
    Param { name: "c", kind: Kind::Real(0.0, 1e6), default: Default::Real(1.41), doc: "the constant C" },
    Param {
        name: "final-move",
        kind: Kind::Choice(&["visits", "sum"]),
        default: Default::Text("visits"),
        doc: "which root move is played: the one with most visits, or with the greatest sum of the searching player's results, as in \
              the authors' library; ties at random",
    },
    Param { default: Default::Bool(false), ..KEEP_TREE },
    TERMINALS,
    SEARCH_FORCED,
    NODES_MAX,
    MEMORY_MIB_MAX,
    SOLVE_FROM,
];

/// Whether a network is asked before each playout.
fn has_net(spec: &Spec) -> bool {
    spec.artifact(net::NET.name).is_some()
}

/// The kind `mcts-dc`.
pub(crate) struct MctsDcKind;

impl Listed for MctsDcKind {
    const ENTRY: Entry = Entry {
        name: "mcts-dc",
        doc: "MCTS with a double counter, or a unique one, as in the paper of Cotarelo et al. on Dots and Boxes",
        params: &[PARAMS, net::OPTIONAL],
        // The least of the paper's tables.
        one_of: &[playouts_or_time(1_000)],
    };

    fn check(spec: &mut Spec) -> Result<(), Fault> {
        net::check_optional(spec)
    }

    fn check_game<G: Game>(spec: &Spec, start: &G) -> Result<(), Fault> {
        if has_net(spec) {
            net::check_game(spec, start)?;
        }
        check_for_two(spec, start)
    }

    fn figures(spec: &Spec) -> Vec<Figure> {
        if has_net(spec) { vec![ROOT_SHARE, net::THRESHOLD_SHARE] } else { vec![ROOT_SHARE] }
    }

    fn build<G: Game>(spec: &Spec, start: &G, artifacts: &dyn Artifacts) -> Result<Box<dyn Player<G>>, BuildError> {
        Self::check_game(spec, start)?;
        let c = spec.real("c").expect(CHECKED);
        let ucb = match spec.text("bound") {
            Some("paper") => Ucb1::new(2.0 * c, 2.0, f64::INFINITY),
            _ => Ucb1::new(c, 1.0, f64::INFINITY),
        };
        let counter = if spec.text("counter") == Some("unique") { Counter::Unique } else { Counter::Double };
        let final_move =
            if spec.text("final-move") == Some("sum") { FinalMove::MostWins } else { FinalMove::VisitsAlone };
        let (selection, options) = (Counting::new(counter, ucb), options(spec, final_move));
        if has_net(spec) {
            let evaluator = Rewarded::new(net::threshold(spec, start, artifacts, UniformPlayout)?, Reward::Result);
            return Ok(Box::new(net::Deciding::new(Uct::new(search(spec, selection, evaluator), options))));
        }
        let evaluator = Rewarded::new(UniformPlayout, Reward::Result);
        Ok(Box::new(Uct::new(search(spec, selection, evaluator), options)))
    }
}
