//! Options of the function optimisation problem in specs.

use spec::{Default, Entry, Fault, Kind, OneOf, Param, Spec};

use super::{
    Fop,
    function::{Function, NAMES},
    problem::{BRANCHING, WIDTH_MIN, centre, intern, powers},
};
use crate::listed::{CHECKED, Listed};

/// How many of the narrowest intervals are checked, evenly spread.
const GRID: u32 = 1 << 14;
/// Depths with at most so many intervals are checked at every centre.
const ALL: u32 = 1 << 10;
/// How far a value may be outside [0, 1]: no more than rounding.
const ROUNDING: f64 = 1e-9;

impl Listed for Fop {
    const ENTRY: Entry = Entry {
        name: "fop",
        doc: "function optimisation of the SIEA-MCTS thesis, for one; a reward is 1 with probability f(centre)",
        params: &[&[
            Param {
                name: "function",
                kind: Kind::Choice(&NAMES),
                default: Default::None,
                doc: "a function of the thesis; this or `expression`",
            },
            Param {
                name: "expression",
                kind: Kind::Text("a formula in x such as 0.5*sin(13*x)*sin(27*x)+0.5"),
                default: Default::None,
                doc: "a function of your own on [0, 1] with values in [0, 1]",
            },
            Param {
                name: "width-min",
                kind: Kind::Real(*WIDTH_MIN.start(), *WIDTH_MIN.end()),
                default: Default::Real(1e-5),
                doc: "an interval narrower than this ends the game: 1e-5 as in the thesis' tables, 1e-6 as in its text",
            },
            Param {
                name: "branching",
                kind: Kind::Int(*BRANCHING.start() as i64, *BRANCHING.end() as i64),
                default: Default::Int(2),
                doc: "equal parts that an interval is cut into",
            },
        ]],
        one_of: &[OneOf {
            params: &["function", "expression"],
            what: "functions",
            default: Some(("function", Default::Text("f1"))),
        }],
    };

    /// Checks a formula.
    fn check(spec: &mut Spec) -> Result<(), Fault> {
        let Some(text) = spec.text("expression") else { return Ok(()) };
        let conflict = |reason: String| Err(Fault::Conflict { key: "expression".to_owned(), reason });
        let function = match Function::expression(text) {
            Ok(function) => function,
            Err(error) => return conflict(format!("`{text}` is not a formula in x: {error}")),
        };
        match improbable(&function, &Shape::of(spec)) {
            None => Ok(()),
            Some((x, value)) => conflict(format!(
                "`{text}` is {value} at x = {x}, but a reward is drawn with it as probability: \
                 scale it to 0 to 1, as `min(1, max(0, …))` does"
            )),
        }
    }

    fn start(spec: &Spec) -> Self {
        let function = match (spec.text("function"), spec.text("expression")) {
            (Some(name), _) => Function::known(name),
            (None, text) => text.and_then(|text| Function::expression(text).ok()),
        };
        let Shape { branching, width_min } = Shape::of(spec);
        Fop { problem: intern(function.expect(CHECKED), branching, width_min), index: 0, depth: 0 }
    }
}

/// Branching and width of a checked spec.
struct Shape {
    branching: u8,
    width_min: f64,
}

impl Shape {
    fn of(spec: &Spec) -> Self {
        let branching = spec.int("branching").and_then(|parts| u8::try_from(parts).ok());
        Shape { branching: branching.expect(CHECKED), width_min: spec.real("width-min").expect(CHECKED) }
    }
}

/// The first centre found where the value is not a probability, and the value; the narrowest intervals come first.
fn improbable(function: &Function, shape: &Shape) -> Option<(f64, f64)> {
    let powers = powers(shape.branching, shape.width_min);
    let ends = *powers.last()?;
    let looks = ends.min(GRID);
    let spread = |i: u32| (u64::from(i) * u64::from(ends - 1) / u64::from(looks.max(2) - 1)) as u32;
    let grid = (0..looks).map(|i| (ends, spread(i)));
    let above = powers.iter().filter(|&&intervals| intervals <= ALL);
    let above = above.flat_map(|&intervals| (0..intervals).map(move |index| (intervals, index)));
    let value = |(intervals, index)| {
        let x = centre(intervals, index);
        (x, function.value(x))
    };
    grid.chain(above).map(value).find(|(_, value)| !(-ROUNDING..=1.0 + ROUNDING).contains(value))
}
