//! The games there are: a sorted list in source.
//!
//! To add a game: its module, its [`Entry`], a line in [`all`] and one in [`visit`].

use std::{fmt, str::FromStr};

use crate::{
    Facts, Game,
    reversi::Reversi,
    spec::{self, Entry, Fault, Given, Spec},
};

const REVERSI: Entry =
    Entry { name: "reversi", doc: "Reversi on 8x8; a forced pass is a ply, a draw half a point", params: &[] };

/// Every game, by name.
pub fn all() -> &'static [&'static Entry] {
    &[&REVERSI]
}

/// A game with its options, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct GameSpec(Spec);

impl GameSpec {
    /// Checks a spec as given.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn check(given: &Given) -> Result<Self, Vec<Fault>> {
        Spec::check("game", all(), given).map(GameSpec)
    }

    /// What is true of the game.
    pub fn facts(&self) -> Facts {
        struct Ask;
        impl Visitor for Ask {
            type Output = Facts;
            fn visit<G: Game>(self, start: G) -> Facts {
                start.facts()
            }
        }
        visit(self, Ask)
    }
}

impl FromStr for GameSpec {
    type Err = Vec<Fault>;

    fn from_str(text: &str) -> Result<Self, Vec<Fault>> {
        GameSpec::check(&spec::parse(text).map_err(|fault| vec![fault])?)
    }
}

impl fmt::Display for GameSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Something done with a game whose type is known inside: dispatch happens once, not once a move.
pub trait Visitor {
    /// What comes of it.
    type Output;
    /// Does it from the game's start.
    fn visit<G: Game>(self, start: G) -> Self::Output;
}

/// Takes `visitor` to the game that `spec` names.
pub fn visit<V: Visitor>(spec: &GameSpec, visitor: V) -> V::Output {
    match spec.0.name() {
        "reversi" => visitor.visit(Reversi::new()),
        other => unreachable!("`{other}` passed the check against the registry"),
    }
}
