//! The kinds of player there are: a sorted list in source.
//!
//! To add a kind: its module, its [`Entry`], a line in [`all`] and one in [`build`].

use std::{fmt, str::FromStr, time::Duration};

use games::{
    Game, GameSpec,
    features::{CANDIDATES_MAX, Guiding, View},
    spec::{self, Default, Entry, Fault, Given, Kind, Param, Spec},
};

use crate::{
    Player,
    ea::{self, EaMcts},
    evomcts::{self, EvolvedPlayout},
    mcts::{Budget, FinalMove, Options, Playout, Search, Ucb1, Uct, UniformPlayout},
    random::Random,
};

const RANDOM: Entry = Entry { name: "random", doc: "any legal move, each as likely as another", params: &[] };

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
const UCT_PARAMS: [Param; 11] = [
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

const MCTS: Entry = Entry {
    name: "mcts",
    doc: "UCT Monte-Carlo tree search with uniform random playouts, as in the EvoMCTS paper",
    params: &UCT_PARAMS,
};

/// Parameters of evolved playouts.
const EVOLVED_PARAMS: [Param; 4] = [
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

const EVOMCTS: Entry = Entry {
    name: "evomcts",
    doc: "UCT whose playouts choose among drawn moves by an evolved function, as in the EvoMCTS paper",
    params: &joined::<4, 11, 15>(EVOLVED_PARAMS, UCT_PARAMS),
};

const EA_MCTS: Entry = Entry {
    name: "ea-mcts",
    doc: "MCTS whose selection formula evolves inside each decision, as in the SIEA-MCTS thesis",
    params: &ea::EA_PARAMS,
};

const SIEA_MCTS: Entry = Entry {
    name: ea::SIEA,
    doc: "EA-MCTS that decides among equally fit formulas by their semantics",
    params: &ea::SIEA_PARAMS,
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

/// Playouts of a search that names no budget (EvoMCTS section V).
const PLAYOUTS: i64 = 100;

/// Every kind of player, by name.
pub fn all() -> &'static [&'static Entry] {
    &[&EA_MCTS, &EVOMCTS, &MCTS, &RANDOM, &SIEA_MCTS]
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
        let conflict =
            |key: &str, reason: &str| Err(vec![Fault::Conflict { key: key.to_owned(), reason: reason.to_owned() }]);
        if is_search(&spec) {
            match (spec.int("playouts"), spec.int("time-ms")) {
                (Some(_), Some(_)) => {
                    return conflict("time-ms", "`playouts` and `time-ms` are two budgets for one decision; give one");
                }
                (None, None) => {
                    let count = if is_evolutionary(&spec) { ea::ITERATIONS } else { PLAYOUTS };
                    spec.set("playouts", spec::Value::Int(count));
                }
                _ => {}
            }
        }
        if is_evolutionary(&spec) {
            ea::Options::of(&spec).map_err(|fault| vec![fault])?;
        }
        if spec.name() == EVOMCTS.name {
            match (spec.text("tree"), spec.text("champion")) {
                (Some(_), Some(_)) => {
                    return conflict("champion", "`tree` and `champion` are two functions; give one");
                }
                (None, None) => return conflict("tree", "`evomcts` needs a function: give `tree` or `champion`"),
                // Whoever reads files puts the tree in its place before.
                (None, Some(_)) => return conflict("champion", "a champion's file cannot be read here; give `tree`"),
                (Some(_), None) => {}
            }
        }
        Ok(PlayerSpec(spec))
    }

    /// Whether the same seed gives the same moves on every machine: not with a time budget.
    pub fn reproducible(&self) -> bool {
        !is_search(&self.0) || self.0.int("time-ms").is_none()
    }

    /// Playouts of a decision, where that is the budget.
    pub fn playouts(&self) -> Option<u64> {
        is_search(&self.0).then(|| self.0.int("playouts").map(i64::unsigned_abs)).flatten()
    }

    /// Checks that this player can play `game`.
    ///
    /// # Errors
    /// Why not.
    pub fn check_game(&self, game: &GameSpec) -> Result<(), Fault> {
        let Some(tree) = self.tree() else { return Ok(()) };
        evomcts::compile(tree, game.facts().name, evomcts::features(game)).map(drop)
    }

    /// This `evomcts` player with another function; whether it fits the game is for [`PlayerSpec::check_game`].
    ///
    /// # Panics
    /// If it is of another kind.
    #[must_use]
    pub fn with_tree(&self, tree: &str) -> Self {
        let mut spec = self.0.clone();
        spec.set("tree", spec::Value::Text(tree.to_owned()));
        PlayerSpec(spec)
    }

    /// The text of an `evomcts` player without its function: how it searches.
    ///
    /// # Panics
    /// If it is of another kind.
    pub fn text_without_tree(&self) -> String {
        let mut spec = self.0.clone();
        spec.unset("tree");
        spec.to_string()
    }

    /// Moves drawn at each step of an `evomcts` player's playouts, and which side looks at them: `mover` or `next`.
    pub fn guiding(&self) -> Option<(u32, &str)> {
        let evolved = self.0.name() == EVOMCTS.name;
        evolved.then(|| {
            let candidates = u32::try_from(self.0.int("candidates").expect(CHECKED)).unwrap_or(CANDIDATES_MAX);
            (candidates, self.0.text("view").expect(CHECKED))
        })
    }

    /// The evolved function of an `evomcts` player, as text.
    pub fn tree(&self) -> Option<&str> {
        (self.0.name() == EVOMCTS.name).then(|| self.0.text("tree")).flatten()
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

/// Whether a player searches a tree, within a budget.
fn is_search(spec: &Spec) -> bool {
    [MCTS.name, EVOMCTS.name].contains(&spec.name()) || is_evolutionary(spec)
}

/// Whether a player evolves its selection formula.
fn is_evolutionary(spec: &Spec) -> bool {
    [EA_MCTS.name, SIEA_MCTS.name].contains(&spec.name())
}

/// Builds the player for the game that begins at `start`.
///
/// # Errors
/// Why the player cannot play it, as [`PlayerSpec::check_game`] tells.
pub fn build<G: Game>(checked: &PlayerSpec, start: &G) -> Result<Box<dyn Player<G>>, Fault> {
    let spec = &checked.0;
    Ok(match spec.name() {
        "random" => Box::new(Random::new()),
        "ea-mcts" | ea::SIEA => Box::new(EaMcts::<G>::new(ea::Options::of(spec)?)),
        "mcts" => Box::new(uct::<G, _>(spec, UniformPlayout)),
        "evomcts" => {
            let (candidates, view) = checked.guiding().expect("it is evolved");
            let guiding = Guiding { candidates, view: if view == "next" { View::Next } else { View::Mover } };
            let tree = spec.text("tree").expect(CHECKED);
            let program = evomcts::compile(tree, start.facts().name, start.features())?;
            Box::new(uct::<G, _>(spec, EvolvedPlayout::new(program, guiding)))
        }
        other => unreachable!("`{other}` passed the check against the registry"),
    })
}

pub(crate) const CHECKED: &str = "a checked spec has every parameter with a default";

/// The budget of a searching player, `playouts` of it if its spec names none.
pub(crate) fn budget(spec: &Spec, playouts: i64) -> Budget {
    match spec.int("time-ms") {
        Some(millis) => Budget::Time(Duration::from_millis(millis.unsigned_abs())),
        None => Budget::Playouts(spec.int("playouts").unwrap_or(playouts).unsigned_abs()),
    }
}

pub(crate) fn final_move(spec: &Spec) -> FinalMove {
    match spec.text("final-move") {
        Some("most-visited") => FinalMove::MostVisited,
        Some("visits-alone") => FinalMove::VisitsAlone,
        _ => FinalMove::HighestMean,
    }
}

pub(crate) fn fixed_ends(spec: &Spec) -> bool {
    spec.text("terminals") == Some("fixed")
}

pub(crate) fn nodes_max(spec: &Spec) -> usize {
    usize::try_from(spec.int("nodes-max").expect(CHECKED)).unwrap_or(usize::MAX)
}

/// The search of a spec with [`UCT_PARAMS`].
fn uct<G: Game, P: Playout<G>>(spec: &Spec, playout: P) -> Uct<G, Ucb1, P> {
    let options = Options {
        budget: budget(spec, PLAYOUTS),
        final_move: final_move(spec),
        keep_tree: spec.bool("keep-tree").expect(CHECKED),
        search_forced: spec.bool("search-forced").expect(CHECKED),
    };
    let real = |key| spec.real(key).expect(CHECKED);
    let selection = Ucb1::new(real("c"), real("factor"), real("fpu")).drawing_ties(spec.text("ties") == Some("random"));
    let search = Search::new(selection, playout, nodes_max(spec)).with_fixed_ends(fixed_ends(spec));
    Uct::new(search, options)
}
