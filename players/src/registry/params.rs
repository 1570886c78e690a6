//! Parameters of the kinds of player, as data. Kinds with a module of their own have theirs there.

use games::features::CANDIDATES_MAX;
use spec::{Default, Kind, Param};

// Parameters that several kinds have.

pub(crate) const TIME_MS: Param = Param {
    name: "time-ms",
    kind: Kind::Int(1, 86_400_000),
    default: Default::None,
    doc: "milliseconds for each decision instead of playouts; results are then not reproducible",
};

pub(crate) const TERMINALS: Param = Param {
    name: "terminals",
    kind: Kind::Choice(&["resample", "fixed"]),
    default: Default::Text("resample"),
    doc: "a random end of the game is drawn at every visit, or once and stays",
};

pub(crate) const SEARCH_FORCED: Param = Param {
    name: "search-forced",
    kind: Kind::Bool,
    default: Default::Bool(false),
    doc: "spend the budget where there is only one move, too",
};

pub(crate) const NODES_MAX: Param = Param {
    name: "nodes-max",
    kind: Kind::Int(2, 100_000_000),
    default: Default::Int(4_000_000),
    doc: "most positions in the tree; when it is full, playouts go on from its leaves",
};

/// Parameters of every player that searches by UCT.
pub(crate) const UCT_PARAMS: [Param; 11] = [
    Param {
        name: "playouts",
        kind: Kind::Int(1, 1_000_000_000),
        default: Default::None,
        doc: "new playouts for each decision; this or `time-ms`, 100 if neither is given",
    },
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
    Param {
        name: "keep-tree",
        kind: Kind::Bool,
        default: Default::Bool(true),
        doc: "keep the subtree of the moves played for the next decision",
    },
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
];

/// Parameters of evolved playouts.
pub(crate) const EVOLVED_PARAMS: [Param; 4] = [
    Param {
        name: "tree",
        kind: Kind::Text("an evaluation such as (Plus Mobility (MultERC:5 CornerCount))"),
        default: Default::None,
        doc: "the evolved function in the language of the game; this or `champion`",
    },
    Param {
        name: "champion",
        kind: Kind::Text("the path of a champion's file"),
        default: Default::None,
        doc: "file that `redqueen champion` wrote, whose tree is meant; relative to the experiment's file",
    },
    Param {
        name: "candidates",
        kind: Kind::Int(1, CANDIDATES_MAX as i64),
        default: Default::Int(4),
        doc: "moves drawn with replacement at each step of a playout, of which the best is played",
    },
    Param {
        name: "view",
        kind: Kind::Choice(&["mover", "next"]),
        default: Default::Text("mover"),
        doc: "which side is friendly in the position behind a candidate: who moved there or who moves next",
    },
];

/// Parameters of the Checkers report's search beside those that others have.
pub(crate) const PROJECT_PARAMS: [Param; 10] = [
    Param {
        name: "playouts",
        kind: Kind::Int(1, 1_000_000_000),
        default: Default::None,
        doc: "n, iterations of each decision; this or `time-ms`, 5000 if neither is given",
    },
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
        doc: "e + p d as in the report's program, or d + p e as it is printed; d = w/v, e = sqrt(log2(v)/v), v = visits + 1",
    },
    Param {
        name: "as-released",
        kind: Kind::Bool,
        default: Default::Bool(false),
        doc: "nobody ever wins a playout, as by the defects of the report's program: nearly random moves",
    },
    Param {
        name: "playout",
        kind: Kind::Choice(&["uniform", "best-three", "worst-three"]),
        default: Default::Text("uniform"),
        doc: "moves of playouts: any, one of the three that promise most, or (as the program sorts them) least",
    },
    KEEP_TREE_NOT,
    SEARCH_FORCED,
    NODES_MAX,
    TERMINALS,
];

/// Whether the tree is kept, of players that begin anew unless told otherwise.
const KEEP_TREE_NOT: Param = Param {
    name: "keep-tree",
    kind: Kind::Bool,
    default: Default::Bool(false),
    doc: "keep the subtree of the moves played for the next decision",
};

/// One list after another.
pub(crate) const fn joined<const A: usize, const B: usize, const C: usize>(a: [Param; A], b: [Param; B]) -> [Param; C] {
    assert!(A + B == C);
    let mut all = [a[0]; C];
    let mut i = 1;
    while i < C {
        all[i] = if i < A { a[i] } else { b[i - A] };
        i += 1;
    }
    all
}
