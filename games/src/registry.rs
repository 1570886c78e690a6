//! The games there are: a sorted list in source.
//!
//! To add a game: its module, its [`Entry`], a line in [`all`] and one in [`visit`].

use std::{fmt, str::FromStr};

use spec::{Default, Entry, Fault, Given, Kind, Param, Spec, Value};

use crate::{
    Facts, Game,
    checkers::{self, Checkers, Rules},
    dodgem::{self, Dodgem},
    fop,
    reversi::Reversi,
};

const CHECKERS: Entry = Entry {
    name: "checkers",
    doc: "Checkers under the rules of a project report or its program, or English draughts",
    params: &[
        Param {
            name: "rules",
            kind: Kind::Choice(&Rules::NAMES),
            default: Default::Text(Rules::NAMES[0]),
            doc: "report: captures are free; code: the same with the faults of its program; english: they are compulsory",
        },
        Param {
            name: "draw-plies",
            kind: Kind::Int(1, checkers::PLIES_MAX as i64),
            default: Default::None,
            doc: "plies without progress after which a game is a draw: report: without a capture, if only kings are left; \
                  else of kings without a capture; 20, or 80 in english, if not given",
        },
        Param {
            name: "plies-max",
            kind: Kind::Int(1, checkers::PLIES_MAX as i64),
            default: Default::Int(400),
            doc: "plies after which a game is a draw",
        },
        Param {
            name: "playout-plies",
            kind: Kind::Int(1, checkers::PLIES_MAX as i64),
            default: Default::Int(400),
            doc: "plies after which a playout counts as a draw",
        },
        Param {
            name: "blocked",
            kind: Kind::Choice(&["loses", "passes"]),
            default: Default::Text("loses"),
            doc: "who has pieces and no move: loses, or passes as in the report's program",
        },
        Param {
            name: "kings",
            kind: Kind::Choice(&["counted", "arrivals"]),
            default: Default::Text("counted"),
            doc: "kings that an evaluation counts: those of the board, or arrivals of pieces at the first and last row, which never \
                  shrink, as in the report's program",
        },
    ],
};

const DODGEM: Entry = Entry {
    name: "dodgem",
    doc: "Dodgem; who cannot move at the own turn wins",
    params: &[
        Param {
            name: "size",
            kind: Kind::Int(*dodgem::SIZES.start() as i64, *dodgem::SIZES.end() as i64),
            default: Default::Int(5),
            doc: "rows, and columns, of the board",
        },
        Param {
            name: "plies-max",
            kind: Kind::Int(1, dodgem::PLIES_MAX as i64),
            default: Default::Int(200),
            doc: "plies after which a game is a draw",
        },
        Param {
            name: "playout-plies",
            kind: Kind::Int(1, dodgem::PLIES_MAX as i64),
            default: Default::Int(100),
            doc: "plies after which a playout counts as a draw",
        },
    ],
};

const FOP: Entry = Entry {
    name: "fop",
    doc: "function optimisation of the SIEA-MCTS thesis, for one; a reward is 1 with probability f(centre)",
    params: &[
        Param {
            name: "function",
            kind: Kind::Choice(&fop::function::NAMES),
            default: Default::None,
            doc: "a function of the thesis; this or `expression`, f1 if neither is given",
        },
        Param {
            name: "expression",
            kind: Kind::Text("a formula in x such as 0.5*sin(13*x)*sin(27*x)+0.5"),
            default: Default::None,
            doc: "a function of your own on [0, 1] with values in [0, 1]",
        },
        Param {
            name: "width-min",
            kind: Kind::Real(*fop::WIDTH_MIN.start(), *fop::WIDTH_MIN.end()),
            default: Default::Real(1e-5),
            doc: "an interval narrower than this ends the game: 1e-5 as in the thesis' tables, 1e-6 as in its text",
        },
        Param {
            name: "branching",
            kind: Kind::Int(*fop::BRANCHING.start() as i64, *fop::BRANCHING.end() as i64),
            default: Default::Int(2),
            doc: "equal parts that an interval is cut into",
        },
    ],
};

const REVERSI: Entry =
    Entry { name: "reversi", doc: "Reversi on 8x8; a forced pass is a ply, a draw half a point", params: &[] };

/// Every game, by name.
pub fn all() -> &'static [&'static Entry] {
    &[&CHECKERS, &DODGEM, &FOP, &REVERSI]
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
        let entries =
            crate::toys::all().iter().find(|toy| toy.name == given.name).map_or(entries, std::slice::from_ref);
        let mut spec = Spec::check("game", entries, given)?;
        if spec.name() == FOP.name {
            fop::check(&mut spec).map_err(|fault| vec![fault])?;
        } else if spec.name() == CHECKERS.name && spec.get("draw-plies").is_none() {
            let plies = rules(&spec).draw_plies();
            spec.set("draw-plies", Value::Int(plies.into()));
        }
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
    /// What comes of it.
    type Output;
    /// Does it from the game's start.
    fn visit<G: Game>(self, start: G) -> Self::Output;
}

/// Rule set of a checked spec of Checkers.
fn rules(spec: &Spec) -> Rules {
    spec.text("rules").and_then(Rules::named).expect("the check keeps the choice")
}

/// Takes `visitor` to the game that `spec` names.
pub fn visit<V: Visitor>(spec: &GameSpec, visitor: V) -> V::Output {
    let option = |key| spec.0.int(key).expect("every option has a value");
    let plies = |key| u16::try_from(option(key)).expect("the check keeps the range");
    match spec.0.name() {
        "checkers" => {
            let mut start =
                Checkers::new(rules(&spec.0), plies("plies-max"), plies("playout-plies"), plies("draw-plies"));
            if spec.0.text("blocked") == Some("passes") {
                start = start.passing();
            }
            if spec.0.text("kings") == Some("arrivals") {
                start = start.counting_arrivals();
            }
            visitor.visit(start)
        }
        "dodgem" => visitor.visit(Dodgem::new(option("size") as u8, plies("plies-max"), plies("playout-plies"))),
        "fop" => visitor.visit(fop::start(&spec.0)),
        "reversi" => visitor.visit(Reversi::new()),
        #[cfg(feature = "toys")]
        "toy-race" => visitor.visit(crate::toys::Race::of(&spec.0)),
        other => unreachable!("`{other}` passed the check against the registry"),
    }
}
