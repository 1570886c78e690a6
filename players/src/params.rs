//! Parameters that several kinds of player have, and what is made of them.

use games::Game;
use spec::{Default, Fault, Kind, OneOf, Param, Spec};

use crate::{
    budget::Budget,
    listed::CHECKED,
    mcts::{self, Evaluator, FinalMove, Options, Reward, Rewarded, Search, Selection, TreeLimit},
};

/// A search of this budget, or of the time in [`TIME_MS`]: [`playouts_or_time`].
pub(crate) const PLAYOUTS: Param = Param {
    name: "playouts",
    kind: Kind::Int(1, 1_000_000_000),
    default: Default::None,
    doc: "new playouts for each decision; this or `time-ms`",
};

pub(crate) const TIME_MS: Param = Param {
    name: "time-ms",
    kind: Kind::Int(1, 86_400_000),
    default: Default::None,
    doc: "milliseconds for each decision instead of playouts; results are then not reproducible",
};

/// Positions that a search ply by ply deeper looks at.
pub(crate) const NODES: Param = Param {
    name: "nodes",
    kind: Kind::Int(1, 1_000_000_000_000),
    default: Default::None,
    doc: "positions that are looked at for each decision, ply by ply deeper; the deepest whole search counts",
};

pub(crate) const TERMINALS: Param = Param {
    name: "terminals",
    kind: Kind::Choice(&["resample", "fixed"]),
    default: Default::Text("resample"),
    doc: "a random end of the game is drawn at every visit, or once and stays",
};

// Not a default that is written out: specs of candidates are in digests of tunings.
pub(crate) const REWARD: Param = Param {
    name: "reward",
    kind: Kind::Choice(&["game", "result"]),
    default: Default::None,
    doc: "what the search maximises: what the game rewards, or 1, 0 and -1 for a win, draw and loss, in games for two; game if not \
          given",
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

pub(crate) const MEMORY_MIB_MAX: Param = Param {
    name: "memory-mib-max",
    kind: Kind::Int(1, 1 << 20),
    default: Default::None,
    doc: "most MiB that positions, moves and edges of the tree take, 2048 if not given; then as with `nodes-max`",
};

/// MiB of a tree whose spec names no bound: more than four million positions (the default of [`NODES_MAX`]) take in any
/// game with fewer than some 15 moves a position.
const MEMORY_MIB: i64 = 2_048;

pub(crate) const KEEP_TREE: Param = Param {
    name: "keep-tree",
    kind: Kind::Bool,
    default: Default::Bool(true),
    doc: "keep the subtree of the moves played for the next decision",
};

/// The budget of a search: [`PLAYOUTS`] or [`TIME_MS`], so many playouts if neither is given.
pub(crate) const fn playouts_or_time(playouts: i64) -> OneOf {
    OneOf {
        params: &["playouts", "time-ms"],
        what: "budgets for one decision",
        default: Some(("playouts", Default::Int(playouts))),
    }
}

/// The budget of a search of limited depth: `depth`, [`NODES`] or [`TIME_MS`], this depth if none is given.
pub(crate) const fn depth_nodes_or_time(depth: i64) -> OneOf {
    OneOf {
        params: &["depth", "nodes", "time-ms"],
        what: "budgets for one decision",
        default: Some(("depth", Default::Int(depth))),
    }
}

/// The budget of a spec with [`PLAYOUTS`] and [`TIME_MS`].
pub(crate) fn search_budget(spec: &Spec) -> mcts::Budget {
    match Budget::of(spec).expect(CHECKED) {
        Budget::Time(time) => mcts::Budget::Time(time),
        Budget::Playouts(playouts) => mcts::Budget::Playouts(playouts),
        Budget::Depth(_) | Budget::Nodes(_) => unreachable!("a search of playouts has no other budget"),
    }
}

/// Checks that a search of a spec with [`REWARD`] can maximise it in the game of `start`.
///
/// # Errors
/// The result is wanted in a game for one.
pub(crate) fn check_reward<G: Game>(spec: &Spec, start: &G) -> Result<(), Fault> {
    let facts = start.facts();
    if reward(spec) == Reward::Game || facts.players == 2 {
        return Ok(());
    }
    let reason = format!("{} is for one player, who cannot win or lose", facts.name);
    Err(Fault::Conflict { key: "reward".to_owned(), reason })
}

/// Checks that the game of `start` is for two.
///
/// # Errors
/// It is for one.
pub(crate) fn check_for_two<G: Game>(spec: &Spec, start: &G) -> Result<(), Fault> {
    let facts = start.facts();
    if facts.players == 2 {
        return Ok(());
    }
    let reason = format!("`{}` plays games for two, and {} is for {}", spec.name(), facts.name, facts.players);
    Err(Fault::Conflict { key: "name".to_owned(), reason })
}

fn reward(spec: &Spec) -> Reward {
    if spec.text("reward") == Some("result") { Reward::Result } else { Reward::Game }
}

/// An evaluator whose values are what a spec with [`REWARD`] maximises.
pub(crate) fn rewarded<E>(spec: &Spec, evaluator: E) -> Rewarded<E> {
    Rewarded::new(evaluator, reward(spec))
}

/// A search of a spec with [`NODES_MAX`], [`MEMORY_MIB_MAX`] and [`TERMINALS`].
pub(crate) fn search<G: Game, E: Evaluator<G>, S: Selection<Prior = E::Prior>>(
    spec: &Spec,
    selection: S,
    evaluator: E,
) -> Search<G, S, E> {
    Search::new(selection, evaluator, tree_limit(spec)).with_fixed_ends(spec.text("terminals") == Some("fixed"))
}

/// The limit of a spec with [`NODES_MAX`] and [`MEMORY_MIB_MAX`].
pub(crate) fn tree_limit(spec: &Spec) -> TreeLimit {
    let mib = spec.int("memory-mib-max").unwrap_or(MEMORY_MIB);
    TreeLimit {
        nodes: usize::try_from(spec.int("nodes-max").expect(CHECKED)).unwrap_or(usize::MAX),
        bytes: usize::try_from(mib << 20).unwrap_or(usize::MAX),
    }
}

/// What the player of a spec with [`KEEP_TREE`] and [`SEARCH_FORCED`] does besides searching.
pub(crate) fn options(spec: &Spec, final_move: FinalMove) -> Options {
    let flag = |key| spec.bool(key).expect(CHECKED);
    Options {
        budget: search_budget(spec),
        final_move,
        keep_tree: flag("keep-tree"),
        search_forced: flag("search-forced"),
        batch: 1,
    }
}
