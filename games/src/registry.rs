//! The games there are: a sorted list in source.
//!
//! To add a game: its module, its [`Entry`], a line in [`all`] and one in [`visit`].

use std::{fmt, str::FromStr};

use crate::{
    Facts, Game,
    dodgem::Dodgem,
    reversi::Reversi,
    spec::{self, Default, Entry, Fault, Given, Kind, Param, Spec},
};

/// Most plies that a cap of Dodgem may be.
const DODGEM_PLIES: i64 = 60_000;

const DODGEM: Entry = Entry {
    name: "dodgem",
    doc: "Dodgem; who cannot move has won, and a game that does not end is a draw",
    params: &[
        Param { name: "size", kind: Kind::Int(3, 5), default: Default::Int(5), doc: "rows, and columns, of the board" },
        Param {
            name: "plies-max",
            kind: Kind::Int(1, DODGEM_PLIES),
            default: Default::Int(200),
            doc: "moves after which a game is a draw",
        },
        Param {
            name: "playout-plies",
            kind: Kind::Int(1, DODGEM_PLIES),
            default: Default::Int(100),
            doc: "moves after which a playout is a draw",
        },
    ],
};

const REVERSI: Entry =
    Entry { name: "reversi", doc: "Reversi on 8x8; a forced pass is a ply, a draw half a point", params: &[] };

/// Every game, by name.
pub fn all() -> &'static [&'static Entry] {
    &[&DODGEM, &REVERSI]
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
        "dodgem" => {
            const CHECKED: &str = "a checked spec has every parameter, within its range";
            let plies = |key| spec.0.int(key).and_then(|plies| u16::try_from(plies).ok()).expect(CHECKED);
            let size = spec.0.int("size").and_then(|size| u8::try_from(size).ok()).expect(CHECKED);
            visitor.visit(Dodgem::new(size, plies("plies-max"), plies("playout-plies")))
        }
        "reversi" => visitor.visit(Reversi::new()),
        other => unreachable!("`{other}` passed the check against the registry"),
    }
}
