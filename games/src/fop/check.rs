//! From a spec to the problem it names.

use spec::{Fault, Spec, Value};

use super::{Fop, function::Function, problem::intern};

/// The function of a spec that names none.
const FUNCTION: &str = "f1";
/// Ends whose values are looked at, evenly spread, when a formula is checked.
const GRID: u32 = 1 << 14;
/// Of a depth with at most so many intervals, all are looked at.
const ALL: u32 = 1 << 10;
/// A value is no probability beyond this distance from [0, 1]; less is rounding, which costs nobody anything.
const ROUNDING: f64 = 1e-9;

const CHECKED: &str = "a checked spec has its function, width and branching";

/// Puts in the function where none is named; checks a formula.
pub(crate) fn check(spec: &mut Spec) -> Result<(), Fault> {
    let conflict = |key: &str, reason: String| Err(Fault::Conflict { key: key.to_owned(), reason });
    let text = match (spec.text("function"), spec.text("expression")) {
        (Some(name), Some(_)) => {
            let reason = format!("`function={name}` and `expression` are two functions; give one");
            return conflict("expression", reason);
        }
        (Some(_), None) => return Ok(()),
        (None, None) => {
            spec.set("function", Value::Text(FUNCTION.to_owned()));
            return Ok(());
        }
        (None, Some(text)) => text.to_owned(),
    };
    let function = match Function::expression(&text) {
        Ok(function) => function,
        Err(error) => return conflict("expression", format!("`{text}` is no formula in x: {error}")),
    };
    match improbable(&function, &Shape::of(spec)) {
        None => Ok(()),
        Some((x, value)) => conflict(
            "expression",
            format!(
                "`{text}` is {value} at x = {x}, but a reward is drawn with it as probability: \
                 scale it to 0 to 1, as `min(1, max(0, …))` does"
            ),
        ),
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

/// The first centre, and the value there, that is no probability; ends first.
fn improbable(function: &Function, shape: &Shape) -> Option<(f64, f64)> {
    let powers = super::problem::powers(shape.branching, shape.width_min);
    let ends = *powers.last()?;
    let looks = ends.min(GRID);
    let spread = |i: u32| (u64::from(i) * u64::from(ends - 1) / u64::from(looks.max(2) - 1)) as u32;
    let grid = (0..looks).map(|i| (ends, spread(i)));
    let above = powers.iter().filter(|&&intervals| intervals <= ALL);
    let above = above.flat_map(|&intervals| (0..intervals).map(move |index| (intervals, index)));
    let value = |(intervals, index)| {
        let x = super::problem::centre(intervals, index);
        (x, function.value(x))
    };
    grid.chain(above).map(value).find(|(_, value)| !(-ROUNDING..=1.0 + ROUNDING).contains(value))
}

/// The start of the problem that a checked spec names.
pub(crate) fn start(spec: &Spec) -> Fop {
    let function = match (spec.text("function"), spec.text("expression")) {
        (Some(name), _) => Function::known(name),
        (None, text) => text.and_then(|text| Function::expression(text).ok()),
    };
    let Shape { branching, width_min } = Shape::of(spec);
    Fop { problem: intern(function.expect(CHECKED), branching, width_min), index: 0, depth: 0 }
}
