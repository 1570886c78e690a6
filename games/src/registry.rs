//! The games that specs can name.
//!
//! To add a game: its module with an implementation of [`Listed`], and its type in the list at [`games!`](games).

use std::{fmt, str::FromStr};

use spec::{Entry, Fault, Given, Spec};

use crate::{
    Facts, Game, boop::Boop, carcassonne::Carcassonne, checkers::Checkers, dodgem::Dodgem,
    dots_and_boxes::DotsAndBoxes, fop::Fop, listed::Listed, reversi::Reversi,
};

/// Makes the list of games: their entries, and what is done with the game of a name. Toys are games of tests, which specs
/// may name under the feature `toys` and no list shows.
macro_rules! games {
    ([$($game:ty),+ $(,)?], toys: [$($toy:ty),+ $(,)?]) => {
        /// The entry of every game, by name.
        const ALL: &[&Entry] = &[$(&<$game as Listed>::ENTRY),+];

        #[cfg(feature = "toys")]
        const TOYS: &[&Entry] = &[$(&<$toy as Listed>::ENTRY),+];

        /// [`Listed::check`] of the game that `spec` names.
        fn check(spec: &mut Spec) -> Result<(), Fault> {
            match spec.name() {
                $(name if name == <$game as Listed>::ENTRY.name => <$game as Listed>::check(spec),)+
                $(
                    #[cfg(feature = "toys")]
                    name if name == <$toy as Listed>::ENTRY.name => <$toy as Listed>::check(spec),
                )+
                other => unreachable!("`{other}` passed the check against the registry"),
            }
        }

        /// Takes `visitor` to the game that `spec` names.
        pub fn visit<V: Visitor>(spec: &GameSpec, visitor: V) -> V::Output {
            match spec.0.name() {
                $(name if name == <$game as Listed>::ENTRY.name => visitor.visit(<$game as Listed>::start(&spec.0)),)+
                $(
                    #[cfg(feature = "toys")]
                    name if name == <$toy as Listed>::ENTRY.name => visitor.visit(<$toy as Listed>::start(&spec.0)),
                )+
                other => unreachable!("`{other}` passed the check against the registry"),
            }
        }
    };
}

games!([Boop, Carcassonne, Checkers, Dodgem, DotsAndBoxes, Fop, Reversi], toys: [crate::toys::Race]);

/// The entry of every game, by name.
pub fn all() -> &'static [&'static Entry] {
    ALL
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
        let entries = all();
        #[cfg(feature = "toys")]
        let entries = TOYS.iter().find(|toy| toy.name == given.name).map_or(entries, std::slice::from_ref);
        let mut spec = Spec::check("game", entries, given)?;
        check(&mut spec).map_err(|fault| vec![fault])?;
        Ok(GameSpec(spec))
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
    /// What it gives.
    type Output;
    /// Does it from the game's start.
    fn visit<G: Game>(self, start: G) -> Self::Output;
}
