//! Playouts guided by an evolved function (EvoMCTS, section IV and algorithm 4; docs/papers/evomcts.md, "Evolved
//! playouts").

use games::{
    Game, GameSpec, Rng, Visitor,
    features::{CANDIDATES_MAX, Features, Guide, Guiding, LANES, NUMBERS_MAX, View, Views},
};
use gp::{PrimitiveSet, Program, Register, Tree, Type};
use spec::{Default, Entry, Fault, Kind, OneOf, Param, Spec};

use crate::{
    Player,
    artifacts::Artifacts,
    figures::{Figure, ROOT_SHARE},
    listed::{BuildError, CHECKED, Listed},
    mcts::{Evaluator, Leaf},
    params::check_reward,
    uct,
};

/// The kind `evomcts`.
pub(crate) struct EvoMctsKind;

const PARAMS: &[Param] = &[
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

impl Listed for EvoMctsKind {
    const ENTRY: Entry = Entry {
        name: "evomcts",
        doc: "UCT whose playouts choose among drawn moves by an evolved function, as in the EvoMCTS paper",
        params: &[PARAMS, uct::PARAMS],
        one_of: &[uct::BUDGET, OneOf { params: &["tree", "champion"], what: "functions", default: None }],
    };

    fn check(spec: &mut Spec) -> Result<(), Fault> {
        let conflict =
            |key: &str, reason: &str| Err(Fault::Conflict { key: key.to_owned(), reason: reason.to_owned() });
        match (spec.text("tree"), spec.text("champion")) {
            (Some(_), _) => uct::check(spec),
            // Where files are read, the tree is put in its place before.
            (None, Some(_)) => conflict("champion", "a champion's file cannot be read here; give `tree`"),
            (None, None) => conflict("tree", "`evomcts` needs a function: give `tree` or `champion`"),
        }
    }

    fn check_game<G: Game>(spec: &Spec, start: &G) -> Result<(), Fault> {
        compile(spec.text("tree").expect(CHECKED), start.facts().name, start.features())?;
        check_reward(spec, start)
    }

    fn figures(_: &Spec) -> Vec<Figure> {
        vec![ROOT_SHARE]
    }

    fn build<G: Game>(spec: &Spec, start: &G, _: &dyn Artifacts) -> Result<Box<dyn Player<G>>, BuildError> {
        let candidates = u32::try_from(spec.int("candidates").expect(CHECKED)).expect(CHECKED);
        let view = if spec.text("view") == Some("next") { View::Next } else { View::Mover };
        let program = compile(spec.text("tree").expect(CHECKED), start.facts().name, start.features())?;
        check_reward(spec, start)?;
        Ok(Box::new(uct::uct(spec, EvolvedPlayout::new(program, Guiding { candidates, view }))))
    }
}

// A batch of positions is one register wide.
const _: () = assert!(LANES == gp::LANES && NUMBERS_MAX <= 32);

/// What positions of a game tell; `None` if nothing.
pub(crate) fn features(game: &GameSpec) -> Option<&'static Features> {
    struct Ask;
    impl Visitor for Ask {
        type Output = Option<&'static Features>;
        fn visit<G: Game>(self, start: G) -> Self::Output {
            start.features()
        }
    }
    games::visit(game, Ask)
}

/// The language of evaluations of a game (EvoMCTS tables I-IV and IX); `None` if its positions tell nothing.
pub fn language(game: &GameSpec) -> Option<PrimitiveSet> {
    features(game).map(language_of)
}

fn language_of(features: &Features) -> PrimitiveSet {
    PrimitiveSet::evomcts(features.numbers().iter().copied(), (features.rows(), features.columns()))
}

/// The evaluation that `text` is of positions of `game`, which tell `features`.
pub(crate) fn compile(text: &str, game: &str, features: Option<&Features>) -> Result<Program, Fault> {
    let fault = |reason| Fault::Conflict { key: "tree".to_owned(), reason };
    let Some(features) = features else {
        return Err(fault(format!("`evomcts` cannot play {game}: its positions tell nothing that a tree could ask")));
    };
    let language = language_of(features);
    let tree = Tree::parse(text, Type::Float, &language)
        .map_err(|error| fault(format!("the tree is none of the language of {game}: {error}")))?;
    Program::new(&tree, &language).ok_or_else(|| fault("the tree has too many nodes to be compiled".to_owned()))
}

/// Both sides choose among drawn moves by one evaluation.
pub(crate) struct EvolvedPlayout {
    evaluation: Evaluation,
    guiding: Guiding,
}

impl EvolvedPlayout {
    pub(crate) fn new(program: Program, guiding: Guiding) -> Self {
        let registers = program.registers();
        EvolvedPlayout { evaluation: Evaluation { program, registers, views: Views::new() }, guiding }
    }
}

impl<G: Game> Evaluator<G> for EvolvedPlayout {
    type Prior = ();

    #[inline]
    fn evaluate(&mut self, leaf: &mut Leaf<G, ()>, rng: &mut Rng) {
        leaf.points = leaf.position.guided_playout(rng, &mut self.evaluation, self.guiding);
    }
}

/// A compiled evaluation with its memory.
struct Evaluation {
    program: Program,
    registers: Vec<Register>,
    views: Views,
}

impl Guide for Evaluation {
    #[inline(always)]
    fn wanted(&self) -> u32 {
        self.program.wanted()
    }

    #[inline(always)]
    fn views(&mut self) -> &mut Views {
        &mut self.views
    }

    #[inline(always)]
    fn values(&mut self) -> [f64; LANES] {
        let Views { numbers, friendly, enemy } = &self.views;
        self.program.run(&mut self.registers, numbers, friendly, enemy)
    }
}

#[cfg(test)]
mod tests {
    use games::{Game as _, reversi::Reversi};

    use super::*;

    /// d5 is Black's at the start, d4 White's (rows and columns from 0: 4:3 and 3:3); Black moves first.
    #[test]
    fn squares_are_seen_by_the_friendly_side() {
        let start = Reversi::new();
        let value = |tree: &str, friendly| {
            let program = compile(tree, "reversi", start.features()).expect("a tree");
            let registers = program.registers();
            let mut evaluation = Evaluation { program, registers, views: Views::new() };
            for lane in 0..LANES {
                start.look(friendly, evaluation.wanted(), lane, evaluation.views());
            }
            evaluation.values()
        };
        let (black, white) = ("(IfTrue IsFriendlyPiece:4:3 One Zero)", "(IfTrue IsFriendlyPiece:3:3 One Zero)");
        assert_eq!([value(black, 0), value(white, 0)], [[1.0; LANES], [0.0; LANES]]);
        assert_eq!([value(black, 1), value(white, 1)], [[0.0; LANES], [1.0; LANES]]);
        assert_eq!(value("(IfTrue IsEmptySquare:4:3 One Zero)", 0), [0.0; LANES]);
    }
}
