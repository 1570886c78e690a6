//! Parameters of the evolutionary agents: the thesis's table 5.2, its program's choices, and what goes beyond it.

use gp::{ByClass, Node, Op, PrimitiveSet, Stored, Tree, Type};
use spec::{Default, Fault, Kind, OneOf, Param, Spec};

use super::{formula::Opponent, semantics::Window};
use crate::{
    listed::CHECKED,
    mcts::{Budget, FinalMove},
    params::{
        MEMORY_MIB_MAX, NODES_MAX, PLAYOUTS, REWARD, SEARCH_FORCED, TERMINALS, TIME_MS, playouts_or_time, search_budget,
    },
    uct,
};

/// Heights in the thesis count edges; depths of trees count nodes.
const EDGES: u32 = 1;

/// Formula that evolution begins with: UCB1 in the form of the thesis's program, 13 nodes (thesis, section 5.8).
const UCB1: &str = "(+ Q (* (* 2 C:1) (sqrt (/ (* 2 (ln N)) n))))";
/// The same without the constant 2 as a terminal: C + C is 2C.
const UCB1_WITHOUT_TWO: &str = "(+ Q (* C:1 (sqrt (/ (+ (ln N) (ln N)) n))))";

/// Parameters of EA-MCTS.
pub(super) const PARAMS: &[Param] = &[
    Param { doc: "iterations of each decision, those that measure fitness included; this or `time-ms`", ..PLAYOUTS },
    TIME_MS,
    Param {
        name: "generations",
        kind: Kind::Int(0, 1_000_000),
        default: Default::Int(20),
        doc: "generations of a decision; 0: until the budget is spent",
    },
    Param { name: "lambda", kind: Kind::Int(0, 1_000), default: Default::Int(4), doc: "offspring of a generation" },
    Param {
        name: "fitness-iterations",
        kind: Kind::Int(1, 1_000_000),
        default: Default::Int(30),
        doc: "iterations that measure the fitness of a formula: the mean of their rewards",
    },
    Param {
        name: "scheme",
        kind: Kind::Choice(&["plus", "comma"]),
        default: Default::Text("plus"),
        doc: "whether the parent competes with its offspring",
    },
    Param {
        name: "final-formula",
        kind: Kind::Choice(&["best-ever", "parent"]),
        default: Default::Text("best-ever"),
        doc: "what the rest of the budget is spent with: the first formula of the highest fitness ever, or the last parent",
    },
    Param {
        name: "initial",
        kind: Kind::Text("a formula such as (+ Q (* C:1 (sqrt (/ (ln N) n))))"),
        default: Default::None,
        doc: "formula that evolution begins with, its constants as given; UCB1 in 13 nodes if left out",
    },
    Param {
        name: "initial-c",
        kind: Kind::Real(-1e6, 1e6),
        default: Default::None,
        doc: "C of the UCB1 that evolution begins with; drawn from `c-values` if left out",
    },
    Param {
        name: "c-values",
        kind: Kind::Text("numbers between blanks"),
        default: Default::Text("0.25 0.5 1 2 3 5 7 10"),
        doc: "what constants C are drawn from, one for each offspring",
    },
    Param {
        name: "constant-two",
        kind: Kind::Bool,
        default: Default::Bool(true),
        doc: "whether the constant 2 is a terminal beside Q, n, N and C, as in the thesis's program",
    },
    Param {
        name: "ln",
        kind: Kind::Choice(&["clamped", "absolute"]),
        default: Default::Text("clamped"),
        doc: "logarithm of the thesis's program (of 0.01 at least) or of its text (of the absolute value)",
    },
    Param {
        name: "mutate-internal",
        kind: Kind::Real(0.0, 1.0),
        default: Default::Real(0.9),
        doc: "probability that a mutation's point is a function, else a terminal",
    },
    Param {
        name: "subtree-height-min",
        kind: Kind::Int(0, 6),
        default: Default::Int(1),
        doc: "least height of a new subtree; a terminal alone has height 0",
    },
    Param {
        name: "subtree-height-max",
        kind: Kind::Int(0, 6),
        default: Default::Int(3),
        doc: "greatest height of a new subtree",
    },
    Param {
        name: "height-max",
        kind: Kind::Int(1, 12),
        default: Default::Int(8),
        doc: "greatest height of a formula; the thesis also says `smaller than 8`",
    },
    Param {
        name: "opponent",
        kind: Kind::Choice(&["flip-q", "flip-value"]),
        default: Default::Text("flip-q"),
        doc: "where the opponent moves: the sign of every Q is flipped, or that of the formula's value",
    },
    Param {
        name: "reevaluate",
        kind: Kind::Bool,
        default: Default::Bool(false),
        doc: "measure the parent's fitness anew in every generation (thesis, section 7.5)",
    },
    Param {
        name: "screen",
        kind: Kind::Bool,
        default: Default::Bool(false),
        doc: "offspring play only if they prefer higher Q at equal n, and lower n at equal Q, on artificial statistics (7.5)",
    },
    Param {
        name: "protect",
        kind: Kind::Bool,
        default: Default::Bool(false),
        doc: "the second summand of the initial formula, its exploration term, is kept: only the first evolves (7.5)",
    },
    Param {
        name: "final-move",
        kind: Kind::Choice(&["highest-mean", "most-visited", "visits-alone"]),
        default: Default::Text("visits-alone"),
        doc: "which root move is played; ties by the other measure (`visits-alone`: at once), then at random",
    },
    TERMINALS,
    REWARD,
    SEARCH_FORCED,
    NODES_MAX,
    MEMORY_MIB_MAX,
];

/// Parameters of SIEA-MCTS besides [`PARAMS`].
pub(super) const WINDOW_PARAMS: &[Param] = &[
    Param {
        name: "window-low",
        kind: Kind::Real(0.0, 1e6),
        default: Default::Real(0.1),
        doc: "L: of equally fit formulas the one is next whose semantic distance to the parent is least above this",
    },
    Param { name: "window-high", kind: Kind::Real(0.0, 1e6), default: Default::Real(0.5), doc: "U: and below this" },
];

/// Iterations of a decision whose spec names no budget (thesis, table 5.2).
pub(super) const BUDGET: OneOf = playouts_or_time(5_000);

/// Parameters of a decision.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) budget: Budget,
    /// `None`: until the budget is spent.
    pub(crate) generations: Option<u64>,
    pub(crate) lambda: usize,
    pub(crate) fitness_iterations: u64,
    pub(crate) parent_competes: bool,
    pub(crate) best_ever: bool,
    pub(crate) language: PrimitiveSet,
    initial: Tree,
    /// C of the initial formula: one that is given, one to be drawn, or as the formula has it.
    pub(crate) initial_c: InitialC,
    pub(crate) c_values: Vec<f64>,
    pub(crate) mutation: ByClass,
    pub(crate) depth_max: u32,
    pub(crate) opponent: Opponent,
    pub(crate) reevaluate: bool,
    pub(crate) screen: bool,
    pub(crate) protect: bool,
    pub(crate) final_move: FinalMove,
    pub(crate) search_forced: bool,
    pub(crate) window: Option<Window>,
}

/// Where the constants of the initial formula come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum InitialC {
    Drawn,
    Given(f64),
    AsWritten,
}

impl Options {
    /// Reads a checked spec of an evolutionary agent.
    ///
    /// # Errors
    /// Parameters that do not go together, a formula that is none, a list that is none.
    pub(crate) fn of(spec: &Spec) -> Result<Self, Fault> {
        let int = |key| spec.int(key).expect(CHECKED);
        let flag = |key| spec.bool(key).expect(CHECKED);
        let is = |key, choice| spec.text(key) == Some(choice);
        let fault = |key: &str, reason: String| Fault::Conflict { key: key.to_owned(), reason };
        let heights = (int("subtree-height-min") as u32, int("subtree-height-max") as u32);
        if heights.0 > heights.1 {
            let reason = format!("`subtree-height-min` is {}, above `subtree-height-max`, {}", heights.0, heights.1);
            return Err(fault("subtree-height-min", reason));
        }
        let two = flag("constant-two");
        let ln = if is("ln", "absolute") { Op::LnAbs } else { Op::Ln };
        let language = PrimitiveSet::selection(two, ln);
        let (text, initial_c) = match (spec.text("initial"), spec.real("initial-c")) {
            (Some(_), Some(_)) => {
                let reason = "`initial` has its own constants: write them there, as C:0.5".to_owned();
                return Err(fault("initial-c", reason));
            }
            (Some(text), None) => (text, InitialC::AsWritten),
            (None, c) => (if two { UCB1 } else { UCB1_WITHOUT_TWO }, c.map_or(InitialC::Drawn, InitialC::Given)),
        };
        let initial = Tree::parse(text, Type::Float, &language)
            .map_err(|error| fault("initial", format!("`{text}` is no formula: {error}")))?;
        let depth_max = int("height-max") as u32 + EDGES;
        if initial.depth(&language) > depth_max {
            let height = initial.depth(&language) - EDGES;
            return Err(fault("initial", format!("it has a height of {height}, above `height-max`")));
        }
        let protect = flag("protect");
        if protect && language.get(initial.nodes()[0].primitive).op != Op::Plus {
            let reason = "`protect` keeps the second summand of the initial formula, and that is no sum".to_owned();
            return Err(fault("protect", reason));
        }
        // EA-MCTS has no window.
        let window = spec.find("window-low").map(|_| {
            let end = |key| spec.real(key).expect(CHECKED);
            Window { low: end("window-low"), high: end("window-high") }
        });
        if let Some(Window { low, high }) = window
            && low > high
        {
            return Err(fault("window-low", format!("`window-low` is {low}, above `window-high`, {high}")));
        }
        Ok(Options {
            budget: search_budget(spec),
            generations: Some(int("generations").unsigned_abs()).filter(|&generations| generations > 0),
            lambda: int("lambda") as usize,
            fitness_iterations: int("fitness-iterations").unsigned_abs(),
            parent_competes: is("scheme", "plus"),
            best_ever: is("final-formula", "best-ever"),
            language,
            initial,
            initial_c,
            c_values: c_values(spec.text("c-values").expect(CHECKED)).map_err(|reason| fault("c-values", reason))?,
            mutation: ByClass {
                internal: spec.real("mutate-internal").expect(CHECKED),
                depths: (heights.0 + EDGES, heights.1 + EDGES),
            },
            depth_max,
            opponent: if is("opponent", "flip-value") { Opponent::FlipValue } else { Opponent::FlipQ },
            reevaluate: flag("reevaluate"),
            screen: flag("screen"),
            protect,
            final_move: uct::final_move(spec),
            search_forced: flag("search-forced"),
            window,
        })
    }

    /// The formula that evolution begins with, its constants being `c` unless it has its own.
    pub(crate) fn initial(&self, c: f64) -> Tree {
        if self.initial_c == InitialC::AsWritten {
            return self.initial.clone();
        }
        let with_c = |node: &Node| match node.stored {
            Stored::Number(_) => Node { stored: Stored::Number(c), ..*node },
            _ => *node,
        };
        let nodes = self.initial.nodes().iter().map(with_c).collect();
        Tree::new(nodes, &self.language).expect("the same formula with another constant")
    }
}

fn c_values(text: &str) -> Result<Vec<f64>, String> {
    let number = |word: &str| {
        let number = word.parse::<f64>().ok().filter(|number| number.is_finite());
        number.ok_or_else(|| format!("`{word}` is no number; write numbers between blanks"))
    };
    let values: Vec<f64> = text.split_whitespace().map(number).collect::<Result<_, _>>()?;
    if values.is_empty() {
        return Err("there must be a number to draw".to_owned());
    }
    Ok(values)
}
