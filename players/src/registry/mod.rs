//! The kinds of player there are: a sorted list in source.
//!
//! To add a kind: its module, its [`Entry`], a line in [`all`] and one in [`build`].

mod params;

use std::{fmt, str::FromStr, time::Duration};

use games::{
    Game, GameSpec, Visitor,
    features::{CANDIDATES_MAX, Guiding, View},
};
use spec::{Entry, Fault, Given, Spec};

use crate::{
    Player,
    artifacts::{ArtifactError, Artifacts},
    ea::{self, EaMcts},
    evomcts::{self, EvolvedPlayout},
    mcts::{
        Budget, FewBest, FinalMove, NothingWon, Options, Playout, ProjectScore, Search, Selection, Ucb1, Uct,
        UniformPlayout,
    },
    minimax::{self, Minimax},
    random::Random,
    staged::{self, Staged},
};
use params::{EVOLVED_PARAMS, PROJECT_PARAMS, UCT_PARAMS};
pub(crate) use params::{NODES_MAX, SEARCH_FORCED, TERMINALS, TIME_MS, joined};

const RANDOM: Entry = Entry { name: "random", doc: "any legal move, each as likely as another", params: &[] };

const MCTS: Entry = Entry {
    name: "mcts",
    doc: "UCT Monte-Carlo tree search with uniform random playouts, as in the EvoMCTS paper",
    params: &UCT_PARAMS,
};

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

const MINIMAX: Entry = Entry {
    name: "minimax",
    doc: "minimax to a fixed depth, as the opponent of the Checkers report",
    params: &minimax::MINIMAX_PARAMS,
};

const ALPHA_BETA: Entry = Entry {
    name: minimax::ALPHA_BETA,
    doc: "alpha-beta with iterative deepening and a table of positions",
    params: &minimax::ALPHA_BETA_PARAMS,
};

const CHECKERS_MCTS: Entry = Entry {
    name: "checkers-mcts",
    doc: "MCTS with the score of the Checkers report, which also chooses the move",
    params: &PROJECT_PARAMS,
};

const STAGED: Entry =
    Entry { name: staged::NAME, doc: "one player after another, by the turn of the game", params: &staged::PARAMS };

const SIEA_MCTS: Entry = Entry {
    name: ea::SIEA,
    doc: "EA-MCTS that decides among equally fit formulas by their semantics",
    params: &ea::SIEA_PARAMS,
};

/// Playouts of the EvoMCTS paper's searches (section V).
const PLAYOUTS: i64 = 100;

/// Every kind of player, by name.
pub fn all() -> &'static [&'static Entry] {
    &[&ALPHA_BETA, &CHECKERS_MCTS, &EA_MCTS, &EVOMCTS, &MCTS, &MINIMAX, &RANDOM, &SIEA_MCTS, &STAGED]
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
        let entries = all();
        #[cfg(feature = "toys")]
        let entries =
            crate::toys::all().iter().find(|toy| toy.name == given.name).map_or(entries, std::slice::from_ref);
        let mut spec = Spec::check("player", entries, given)?;
        let conflict =
            |key: &str, reason: &str| Err(vec![Fault::Conflict { key: key.to_owned(), reason: reason.to_owned() }]);
        if is_search(&spec) {
            match (spec.int("playouts"), spec.int("time-ms")) {
                (Some(_), Some(_)) => {
                    return conflict("time-ms", "`playouts` and `time-ms` are two budgets for one decision; give one");
                }
                (None, None) => {
                    spec.set("playouts", spec::Value::Int(playouts(&spec)));
                }
                _ => {}
            }
        }
        if is_evolutionary(&spec) {
            ea::Options::of(&spec).map_err(|fault| vec![fault])?;
        }
        if spec.name() == ALPHA_BETA.name {
            let given = minimax::BUDGETS.iter().filter(|key| spec.int(key).is_some());
            match given.collect::<Vec<_>>()[..] {
                [] => spec.set("depth", spec::Value::Int(minimax::DEPTH)),
                [_] => {}
                [one, other, ..] => {
                    let reason = format!("`{one}` and `{other}` are two budgets for one decision; give one");
                    return conflict(other, &reason);
                }
            }
        }
        if spec.name() == STAGED.name {
            let stages = staged::parse(spec.text("stages").unwrap_or_default()).map_err(|fault| vec![fault])?;
            spec.set("stages", spec::Value::Text(staged::text(&stages)));
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

    /// Its entry in the registry: name, documentation and parameters.
    pub fn entry(&self) -> &'static Entry {
        let named = |entry: &&&Entry| entry.name == self.0.name();
        all().iter().find(named).expect("a checked spec is one of an entry")
    }

    /// The checked parameters.
    #[cfg(test)]
    pub(crate) fn spec(&self) -> &Spec {
        &self.0
    }

    /// Whether the same seed gives the same moves on every machine: not with a time budget.
    pub fn reproducible(&self) -> bool {
        let timed = is_search(&self.0) || self.0.name() == ALPHA_BETA.name;
        self.stages().iter().all(|(_, player)| player.reproducible()) && !(timed && self.0.int("time-ms").is_some())
    }

    /// Playouts of a decision, where that is the budget; of several stages the most.
    pub fn playouts(&self) -> Option<u64> {
        let of_stages = self.stages().iter().filter_map(|(_, player)| player.playouts()).max();
        of_stages.or_else(|| is_search(&self.0).then(|| self.0.int("playouts").map(i64::unsigned_abs)).flatten())
    }

    /// Whether a decision costs what its playouts or its time budget say, or next to nothing. Of a search to a depth
    /// nobody can tell before.
    pub fn cost_is_told(&self) -> bool {
        let is_told = match self.0.name() {
            "minimax" => false,
            minimax::ALPHA_BETA => self.0.int("time-ms").is_some(),
            _ => true,
        };
        is_told && self.stages().iter().all(|(_, player)| player.cost_is_told())
    }

    /// The players of a `staged` one, each with the turn from which it plays; none of another kind.
    pub(crate) fn stages(&self) -> Vec<(u32, PlayerSpec)> {
        if self.0.name() != STAGED.name {
            return Vec::new();
        }
        staged::parse(self.0.text("stages").expect(CHECKED)).expect("the check keeps only what can be read")
    }

    /// Hashes of the artifacts that building the player takes, each once, in order.
    pub fn artifacts(&self) -> Vec<String> {
        let own = self.0.artifacts().map(str::to_owned);
        let of_stages = self.stages().into_iter().flat_map(|(_, player)| player.artifacts());
        let mut hashes: Vec<String> = own.chain(of_stages).collect();
        hashes.sort_unstable();
        hashes.dedup();
        hashes
    }

    /// Checks that this player can play `game`.
    ///
    /// # Errors
    /// Why not.
    pub fn check_game(&self, game: &GameSpec) -> Result<(), Fault> {
        for (_, player) in self.stages() {
            player.check_game(game)?;
        }
        if [MINIMAX.name, ALPHA_BETA.name].contains(&self.0.name()) {
            struct Check<'a>(&'a Spec);
            impl Visitor for Check<'_> {
                type Output = Result<(), Fault>;
                fn visit<G: Game>(self, start: G) -> Self::Output {
                    minimax::check_game(self.0, &start)
                }
            }
            games::visit(game, Check(&self.0))?;
        }
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
    [MCTS.name, EVOMCTS.name, CHECKERS_MCTS.name].contains(&spec.name()) || is_evolutionary(spec)
}

/// Playouts of a search whose spec names no budget.
fn playouts(spec: &Spec) -> i64 {
    match spec.name() {
        "checkers-mcts" => 5_000,
        _ if is_evolutionary(spec) => ea::ITERATIONS,
        _ => PLAYOUTS,
    }
}

/// Whether a player evolves its selection formula.
fn is_evolutionary(spec: &Spec) -> bool {
    [EA_MCTS.name, SIEA_MCTS.name].contains(&spec.name())
}

/// Why a player cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// It cannot play the game, as [`PlayerSpec::check_game`] says.
    #[error(transparent)]
    Spec(#[from] Fault),
    /// It lacks an artifact that its spec names.
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
}

/// Builds the player for the game that begins at `start`, with the `artifacts` that its spec names.
///
/// # Errors
/// The player cannot play the game, or an artifact is missing or is not what the player needs.
pub fn build<G: Game>(
    checked: &PlayerSpec,
    start: &G,
    artifacts: &dyn Artifacts,
) -> Result<Box<dyn Player<G>>, BuildError> {
    let spec = &checked.0;
    Ok(match spec.name() {
        "random" => Box::new(Random::new()),
        "ea-mcts" | ea::SIEA => Box::new(EaMcts::<G>::of(spec)?),
        "mcts" => Box::new(uct::<G, _>(spec, UniformPlayout)),
        "checkers-mcts" => Box::new(project::<G>(spec)),
        "minimax" | minimax::ALPHA_BETA => {
            minimax::check_game(spec, start)?;
            Box::new(Minimax::<G>::of(spec))
        }
        staged::NAME => {
            let player = |(turn, player): (u32, PlayerSpec)| Ok((turn, build(&player, start, artifacts)?));
            Box::new(Staged::new(checked.stages().into_iter().map(player).collect::<Result<_, BuildError>>()?))
        }
        "evomcts" => {
            let (candidates, view) = checked.guiding().expect("it is evolved");
            let guiding = Guiding { candidates, view: if view == "next" { View::Next } else { View::Mover } };
            let tree = spec.text("tree").expect(CHECKED);
            let program = evomcts::compile(tree, start.facts().name, start.features())?;
            Box::new(uct::<G, _>(spec, EvolvedPlayout::new(program, guiding)))
        }
        #[cfg(feature = "toys")]
        crate::toys::SCRIPTED_NAME => Box::new(crate::toys::Scripted::of(spec, artifacts)?),
        other => unreachable!("`{other}` passed the check against the registry"),
    })
}

pub(crate) const CHECKED: &str = "a checked spec has every parameter with a default";

/// The budget of a searching player.
pub(crate) fn budget(spec: &Spec) -> Budget {
    match spec.int("time-ms") {
        Some(millis) => Budget::Time(Duration::from_millis(millis.unsigned_abs())),
        None => Budget::Playouts(spec.int("playouts").unwrap_or_else(|| playouts(spec)).unsigned_abs()),
    }
}

pub(crate) fn final_move(spec: &Spec) -> FinalMove {
    match spec.text("final-move") {
        Some("most-visited") => FinalMove::MostVisited,
        Some("visits-alone") => FinalMove::VisitsAlone,
        _ => FinalMove::HighestMean,
    }
}

/// A search of a spec with `nodes-max` and `terminals`.
pub(crate) fn search<G: Game, S: Selection, P: Playout<G>>(spec: &Spec, selection: S, playout: P) -> Search<G, S, P> {
    let nodes_max = usize::try_from(spec.int("nodes-max").expect(CHECKED)).unwrap_or(usize::MAX);
    Search::new(selection, playout, nodes_max).with_fixed_ends(spec.text("terminals") == Some("fixed"))
}

/// What the player of a spec with `keep-tree` and `search-forced` does besides searching.
fn options(spec: &Spec, final_move: FinalMove) -> Options {
    let flag = |key| spec.bool(key).expect(CHECKED);
    Options { budget: budget(spec), final_move, keep_tree: flag("keep-tree"), search_forced: flag("search-forced") }
}

/// The search of a spec with [`UCT_PARAMS`].
fn uct<G: Game, P: Playout<G>>(spec: &Spec, playout: P) -> Uct<G, Ucb1, P> {
    let real = |key| spec.real(key).expect(CHECKED);
    let selection = Ucb1::new(real("c"), real("factor"), real("fpu")).drawing_ties(spec.text("ties") == Some("random"));
    Uct::new(search(spec, selection, playout), options(spec, final_move(spec)))
}

/// The search of the Checkers project.
fn project<G: Game>(spec: &Spec) -> Uct<G, ProjectScore, Box<dyn Playout<G>>> {
    let weighs_exploration = spec.text("score") == Some("printed");
    let selection = ProjectScore { p: spec.real("p").expect(CHECKED), weighs_exploration };
    let playout: Box<dyn Playout<G>> = match spec.text("playout") {
        _ if spec.bool("as-released").expect(CHECKED) => Box::new(NothingWon),
        Some("best-three") => Box::new(FewBest::new(3, false)),
        Some("worst-three") => Box::new(FewBest::new(3, true)),
        _ => Box::new(UniformPlayout),
    };
    Uct::new(search(spec, selection, playout), options(spec, FinalMove::Score))
}
