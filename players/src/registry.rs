//! The kinds of player there are: a sorted list in source.
//!
//! To add a kind: its module, its [`Entry`], a line in [`all`] and one in [`build`].

use std::{fmt, str::FromStr, time::Duration};

use games::{
    Game, GameSpec,
    spec::{self, Default, Entry, Fault, Given, Kind, Param, Spec},
};

use crate::{
    Player,
    mcts::{Budget, FinalMove, Options, Search, Ucb1, Uct, UniformPlayout},
    random::Random,
};

const RANDOM: Entry = Entry { name: "random", doc: "any legal move, each as likely as another", params: &[] };

const MCTS: Entry = Entry {
    name: "mcts",
    doc: "UCT Monte-Carlo tree search with uniform random playouts, as in the EvoMCTS paper",
    params: &[
        Param {
            name: "playouts",
            kind: Kind::Int(1, 1_000_000_000),
            default: Default::None,
            doc: "new playouts for each decision; this or `time-ms`, 100 if neither is given",
        },
        Param {
            name: "time-ms",
            kind: Kind::Int(1, 86_400_000),
            default: Default::None,
            doc: "milliseconds for each decision instead of playouts; results are then not reproducible",
        },
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
            kind: Kind::Choice(&["highest-mean", "most-visited"]),
            default: Default::Text("highest-mean"),
            doc: "which root move is played; ties by the other measure, then at random",
        },
        Param {
            name: "search-forced",
            kind: Kind::Bool,
            default: Default::Bool(false),
            doc: "spend the budget where there is only one move, too",
        },
        Param {
            name: "nodes-max",
            kind: Kind::Int(2, 100_000_000),
            default: Default::Int(4_000_000),
            doc: "most positions in the tree; when it is full, playouts go on from its leaves",
        },
    ],
};

/// Playouts of an `mcts` spec that names no budget (EvoMCTS section V).
const PLAYOUTS: i64 = 100;

/// Every kind of player, by name.
pub fn all() -> &'static [&'static Entry] {
    &[&MCTS, &RANDOM]
}

/// A kind of player with its parameters, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerSpec(Spec);

impl PlayerSpec {
    /// Checks a spec as given.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn check(given: &Given) -> Result<Self, Vec<Fault>> {
        let mut spec = Spec::check("player", all(), given)?;
        if spec.name() == MCTS.name {
            match (spec.int("playouts"), spec.int("time-ms")) {
                (Some(_), Some(_)) => {
                    return Err(vec![Fault::Conflict {
                        key: "time-ms".to_owned(),
                        reason: "`playouts` and `time-ms` are two budgets for one decision; give one".to_owned(),
                    }]);
                }
                (None, None) => spec.set("playouts", spec::Value::Int(PLAYOUTS)),
                _ => {}
            }
        }
        Ok(PlayerSpec(spec))
    }

    /// Whether the same seed gives the same moves on every machine: not with a time budget.
    pub fn reproducible(&self) -> bool {
        self.0.name() != MCTS.name || self.0.int("time-ms").is_none()
    }

    /// Playouts of a decision, where that is the budget.
    pub fn playouts(&self) -> Option<u64> {
        (self.0.name() == MCTS.name).then(|| self.0.int("playouts").map(i64::unsigned_abs)).flatten()
    }

    /// Checks that this player can play `game`.
    ///
    /// # Errors
    /// Why not.
    pub fn check_game(&self, game: &GameSpec) -> Result<(), Fault> {
        // Both kinds play every game; a kind that does not says so here.
        let _ = game;
        Ok(())
    }
}

impl FromStr for PlayerSpec {
    type Err = Vec<Fault>;

    fn from_str(text: &str) -> Result<Self, Vec<Fault>> {
        PlayerSpec::check(&spec::parse(text).map_err(|fault| vec![fault])?)
    }
}

impl fmt::Display for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Builds the player for one game.
pub fn build<G: Game>(spec: &PlayerSpec) -> Box<dyn Player<G>> {
    let spec = &spec.0;
    match spec.name() {
        "random" => Box::new(Random::new()),
        "mcts" => Box::new(uct::<G>(spec)),
        other => unreachable!("`{other}` passed the check against the registry"),
    }
}

/// The UCT player of an `mcts` spec.
fn uct<G: Game>(spec: &Spec) -> Uct<G, Ucb1, UniformPlayout> {
    const CHECKED: &str = "a checked spec has every parameter with a default";
    let budget = match spec.int("time-ms") {
        Some(millis) => Budget::Time(Duration::from_millis(millis.unsigned_abs())),
        None => Budget::Playouts(spec.int("playouts").unwrap_or(PLAYOUTS).unsigned_abs()),
    };
    let final_move = match spec.text("final-move") {
        Some("most-visited") => FinalMove::MostVisited,
        _ => FinalMove::HighestMean,
    };
    let options = Options {
        budget,
        final_move,
        keep_tree: spec.bool("keep-tree").expect(CHECKED),
        search_forced: spec.bool("search-forced").expect(CHECKED),
    };
    let selection = Ucb1::new(
        spec.real("c").expect(CHECKED),
        spec.real("factor").expect(CHECKED),
        spec.real("fpu").expect(CHECKED),
    );
    let nodes_max = usize::try_from(spec.int("nodes-max").expect(CHECKED)).unwrap_or(usize::MAX);
    Uct::new(Search::new(selection, UniformPlayout, nodes_max), options)
}
