//! The kinds of player that specs can name.
//!
//! To add a kind: its module with an implementation of [`Listed`], and its type in the list at [`kinds!`](kinds).

mod solver;
mod staged;

use std::{fmt, str::FromStr};

use games::{Game, GameSpec, Visitor, features::CANDIDATES_MAX};
use spec::{Entry, Fault, Given, Spec, Value};

pub use crate::listed::BuildError;
use crate::{
    Player,
    artifacts::Artifacts,
    budget::Budget,
    checkers_mcts::CheckersMctsKind,
    ea::{EaMctsKind, SieaMctsKind},
    evomcts::EvoMctsKind,
    expectimax::ExpectimaxKind,
    figures::Figure,
    greedy::GreedyKind,
    listed::Listed,
    mcts_co::MctsCoKind,
    mcts_dc::MctsDcKind,
    minimax::{AlphaBetaKind, MinimaxKind},
    net::{BestFirstKind, MctsNetKind, PuctKind},
    qdab::QdabKind,
    random::RandomKind,
    solving,
    uct::MctsKind,
};
use solver::SolverKind;
use staged::StagedKind;

/// Makes the list of kinds: their entries, and what is done with the kind of a name. Toys are players of tests, which
/// specs may name under the feature `toys` and no list shows.
macro_rules! kinds {
    ([$($kind:ty),+ $(,)?], toys: [$($toy:ty),+ $(,)?]) => {
        /// The entry of every kind, by name.
        const ALL: &[&Entry] = &[$(&<$kind as Listed>::ENTRY),+];

        #[cfg(feature = "toys")]
        const TOYS: &[&Entry] = &[$(&<$toy as Listed>::ENTRY),+];

        /// [`Listed::check`] of the kind that `spec` names.
        fn check(spec: &mut Spec) -> Result<(), Fault> {
            match spec.name() {
                $(name if name == <$kind as Listed>::ENTRY.name => <$kind as Listed>::check(spec),)+
                $(
                    #[cfg(feature = "toys")]
                    name if name == <$toy as Listed>::ENTRY.name => <$toy as Listed>::check(spec),
                )+
                other => unreachable!("`{other}` passed the check against the registry"),
            }
        }

        /// [`Listed::check_game`] of the kind that `checked` names.
        pub(crate) fn check_game<G: Game>(PlayerSpec(spec): &PlayerSpec, start: &G) -> Result<(), Fault> {
            solving::check_game(spec, start)?;
            match spec.name() {
                $(name if name == <$kind as Listed>::ENTRY.name => <$kind as Listed>::check_game(spec, start),)+
                $(
                    #[cfg(feature = "toys")]
                    name if name == <$toy as Listed>::ENTRY.name => <$toy as Listed>::check_game(spec, start),
                )+
                other => unreachable!("`{other}` passed the check against the registry"),
            }
        }

        /// [`Listed::figures`] of the kind that `spec` names.
        fn figures(spec: &Spec) -> Vec<Figure> {
            match spec.name() {
                $(name if name == <$kind as Listed>::ENTRY.name => <$kind as Listed>::figures(spec),)+
                $(
                    #[cfg(feature = "toys")]
                    name if name == <$toy as Listed>::ENTRY.name => <$toy as Listed>::figures(spec),
                )+
                other => unreachable!("`{other}` passed the check against the registry"),
            }
        }

        /// Builds the player for the game that begins at `start`, with the `artifacts` that its spec names.
        ///
        /// # Errors
        /// The player cannot play the game, or an artifact is missing or is not what the player needs.
        pub fn build<G: Game>(
            PlayerSpec(spec): &PlayerSpec,
            start: &G,
            artifacts: &dyn Artifacts,
        ) -> Result<Box<dyn Player<G>>, BuildError> {
            let player = match spec.name() {
                $(name if name == <$kind as Listed>::ENTRY.name => <$kind as Listed>::build(spec, start, artifacts),)+
                $(
                    #[cfg(feature = "toys")]
                    name if name == <$toy as Listed>::ENTRY.name => <$toy as Listed>::build(spec, start, artifacts),
                )+
                other => unreachable!("`{other}` passed the check against the registry"),
            };
            Ok(solving::with_endings(spec, start, player?)?)
        }
    };
}

kinds!(
    [AlphaBetaKind, BestFirstKind, CheckersMctsKind, EaMctsKind, EvoMctsKind, ExpectimaxKind, GreedyKind, MctsCoKind, MctsDcKind, MctsKind, MctsNetKind, MinimaxKind, PuctKind, QdabKind, RandomKind, SieaMctsKind, SolverKind, StagedKind],
    toys: [crate::toys::Scripted]
);

/// The entry of every kind of player, by name.
pub fn all() -> &'static [&'static Entry] {
    ALL
}

/// The entry of a kind of player, toys among them where there are any.
pub fn entry(name: &str) -> Option<&'static Entry> {
    let entries = all().iter();
    #[cfg(feature = "toys")]
    let entries = entries.chain(TOYS);
    entries.copied().find(|entry| entry.name == name)
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
        let entries = TOYS.iter().find(|toy| toy.name == given.name).map_or(entries, std::slice::from_ref);
        let mut spec = Spec::check("player", entries, given)?;
        check(&mut spec).map_err(|fault| vec![fault])?;
        Ok(PlayerSpec(spec))
    }

    /// Its entry in the registry: name, documentation and parameters.
    pub fn entry(&self) -> &'static Entry {
        self.0.entry()
    }

    /// The checked parameters.
    #[cfg(test)]
    pub(crate) fn spec(&self) -> &Spec {
        &self.0
    }

    /// The players that it is made of.
    fn players(&self) -> Vec<PlayerSpec> {
        let of_stages = staged::stages(&self.0).into_iter().map(|(_, player)| player);
        of_stages.chain(solver::before(&self.0)).collect()
    }

    /// Whether it is made of other players.
    pub(crate) fn has_players(&self) -> bool {
        !self.players().is_empty()
    }

    /// Budgets of its decisions: one, or one for each player that it is made of; none of a player that does not search.
    fn budgets(&self) -> Vec<Budget> {
        let players = self.players();
        Budget::of(&self.0).into_iter().chain(players.iter().filter_map(|player| Budget::of(&player.0))).collect()
    }

    /// Whether its searches give positions with values ([`Player::searched`]).
    pub fn tells_values(&self) -> bool {
        self.0.name() == BestFirstKind::ENTRY.name
    }

    /// Figures that it has of each decision that takes a search.
    pub fn figures(&self) -> Vec<Figure> {
        figures(&self.0)
    }

    /// Whether the same seed gives the same moves on every machine: not with a time budget.
    pub fn reproducible(&self) -> bool {
        !self.budgets().iter().any(|budget| matches!(budget, Budget::Time(_)))
    }

    /// Playouts of a decision, or positions that it values, where they are the budget; with several stages the most.
    pub fn playouts(&self) -> Option<u64> {
        let playouts = |budget: &Budget| match budget {
            Budget::Playouts(playouts) => Some(*playouts),
            _ => None,
        };
        self.budgets().iter().filter_map(playouts).max()
    }

    /// Whether the cost of a decision follows from the spec: not of a search whose budget is a depth or nodes.
    pub fn cost_is_told(&self) -> bool {
        !self.budgets().iter().any(|budget| matches!(budget, Budget::Depth(_) | Budget::Nodes(_)))
    }

    /// Hashes of the artifacts that building the player takes, each once, in order.
    pub fn artifacts(&self) -> Vec<String> {
        let of_players = self.players().into_iter().flat_map(|player| player.artifacts());
        let mut hashes: Vec<String> = self.0.artifacts().map(str::to_owned).chain(of_players).collect();
        hashes.sort_unstable();
        hashes.dedup();
        hashes
    }

    /// Checks that this player can play `game`.
    ///
    /// # Errors
    /// Why not.
    pub fn check_game(&self, game: &GameSpec) -> Result<(), Fault> {
        struct Check<'a>(&'a PlayerSpec);
        impl Visitor for Check<'_> {
            type Output = Result<(), Fault>;
            fn visit<G: Game>(self, start: G) -> Self::Output {
                check_game(self.0, &start)
            }
        }
        games::visit(game, Check(self))
    }

    /// Checks that this player can be built for `game` with `artifacts`.
    ///
    /// # Errors
    /// Why not.
    pub fn check_artifacts(&self, game: &GameSpec, artifacts: &dyn Artifacts) -> Result<(), BuildError> {
        struct Check<'a>(&'a PlayerSpec, &'a dyn Artifacts);
        impl Visitor for Check<'_> {
            type Output = Result<(), BuildError>;
            fn visit<G: Game>(self, start: G) -> Self::Output {
                build(self.0, &start, self.1).map(drop)
            }
        }
        games::visit(game, Check(self, artifacts))
    }

    /// This player with another function; whether the function fits the game is for [`PlayerSpec::check_game`].
    ///
    /// # Panics
    /// If it takes none.
    #[must_use]
    pub fn with_tree(&self, tree: &str) -> Self {
        let mut spec = self.0.clone();
        spec.set("tree", Value::Text(tree.to_owned()));
        PlayerSpec(spec)
    }

    /// This player with another artifact in the parameter `key`.
    ///
    /// # Panics
    /// If it has no such parameter.
    #[must_use]
    pub fn with_artifact(&self, key: &str, hash: &str) -> Self {
        let mut spec = self.0.clone();
        spec.set(key, Value::Artifact(hash.to_owned()));
        PlayerSpec(spec)
    }

    /// The text of a player without the parameter `key`.
    ///
    /// # Panics
    /// If it has no such parameter.
    pub fn text_without(&self, key: &str) -> String {
        let mut spec = self.0.clone();
        spec.unset(key);
        spec.to_string()
    }

    /// The text of a player without its function: how it searches.
    ///
    /// # Panics
    /// If it takes none.
    pub fn text_without_tree(&self) -> String {
        self.text_without("tree")
    }

    /// Its evolved function, as text; `None` if it takes none.
    pub fn tree(&self) -> Option<&str> {
        match self.0.find("tree")? {
            Value::Text(tree) => Some(tree),
            _ => None,
        }
    }

    /// Moves drawn at each step of a guided playout, and which side looks at them: `mover` or `next`. `None` if its
    /// playouts are not guided.
    pub fn guiding(&self) -> Option<(u32, &str)> {
        let (Value::Int(candidates), Value::Text(view)) = (self.0.find("candidates")?, self.0.find("view")?) else {
            return None;
        };
        Some((u32::try_from(*candidates).unwrap_or(CANDIDATES_MAX), view))
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
