//! Formulas of users: a value of [0, 1] for every x.
//!
//! Numbers, `x`, `pi`, `e`; `+ - * / ^` and the minus sign, of which `^` binds tightest and to the right (`-x^2` is
//! `-(x^2)`, and `x^-5` is fine); parentheses; `abs`, `cos`, `exp`, `floor`, `ln`, `sin`, `sqrt` and `tan` of one
//! number, `min(a, b)`, `max(a, b)`; and `if(a < b, then, else)` with `<`, `<=`, `>` or `>=`.
//!
//! Own code, since the crates that read formulas call the machine's mathematics, and a result must not depend on the
//! machine: everything here is `libm`'s, or exact (invariant 1). A formula is compiled once to a list of steps over a
//! small stack. There are no jumps (both sides of an `if` are computed), so that no text can make it run long, and the
//! stack's height is known when the text is read.

mod error;
mod parse;

pub use error::Error;

use std::fmt;

/// Most characters of a formula.
pub(crate) const LENGTH_MAX: usize = 1_000;
/// Most parentheses, signs and powers inside one another: what the reader may recur.
pub(crate) const NESTING_MAX: usize = 64;
/// Most values that wait at a time while a formula is computed.
pub(crate) const STACK_MAX: usize = 64;

/// A function of one number.
type Unary = fn(f64) -> f64;

/// Functions of one number, by name.
static FUNCTIONS: [(&str, Unary); 8] = [
    ("abs", f64::abs),
    ("cos", libm::cos),
    ("exp", libm::exp),
    ("floor", libm::floor),
    ("ln", libm::log),
    ("sin", libm::sin),
    // Square roots are exact in IEEE arithmetic, whoever takes them.
    ("sqrt", f64::sqrt),
    ("tan", libm::tan),
];

/// What an `if` asks of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Comparison {
    fn holds(self, a: f64, b: f64) -> bool {
        match self {
            Comparison::Less => a < b,
            Comparison::LessEqual => a <= b,
            Comparison::Greater => a > b,
            Comparison::GreaterEqual => a >= b,
        }
    }
}

/// One step: takes values from the stack's top and leaves one.
#[derive(Clone, Copy, Debug)]
enum Step {
    Number(f64),
    X,
    Negate,
    /// By its place in [`FUNCTIONS`].
    Function(u8),
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Min,
    Max,
    /// a, b, then, else.
    If(Comparison),
}

impl Step {
    /// Values it takes.
    fn takes(self) -> usize {
        match self {
            Step::Number(_) | Step::X => 0,
            Step::Negate | Step::Function(_) => 1,
            Step::Add | Step::Subtract | Step::Multiply | Step::Divide | Step::Power | Step::Min | Step::Max => 2,
            Step::If(_) => 4,
        }
    }
}

/// A formula in x, compiled.
#[derive(Clone)]
pub struct Expression {
    text: String,
    steps: Box<[Step]>,
}

impl Expression {
    /// Reads a formula.
    ///
    /// # Errors
    /// The first fault, with its place in the text.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let steps = parse::steps(text)?;
        Ok(Expression { text: text.to_owned(), steps: steps.into() })
    }

    /// The formula as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its value at `x`: any number, an infinite one or none (NaN) where a step has no better.
    pub fn value(&self, x: f64) -> f64 {
        // Reading keeps the height of the stack from 1 to its size, so that no index below can miss.
        let mut stack = [0.0; STACK_MAX];
        let mut top = 0;
        for &step in &self.steps {
            let base = top - step.takes();
            let [a, b] = [stack[base], stack[(base + 1) % STACK_MAX]];
            stack[base] = match step {
                Step::Number(number) => number,
                Step::X => x,
                Step::Negate => -a,
                Step::Function(index) => FUNCTIONS[usize::from(index)].1(a),
                Step::Add => a + b,
                Step::Subtract => a - b,
                Step::Multiply => a * b,
                Step::Divide => a / b,
                Step::Power => libm::pow(a, b),
                // Not the methods of f64, which leave open which zero is less.
                Step::Min => {
                    if b < a {
                        b
                    } else {
                        a
                    }
                }
                Step::Max => {
                    if b > a {
                        b
                    } else {
                        a
                    }
                }
                Step::If(comparison) => {
                    let holds = comparison.holds(a, b);
                    stack[if holds { base + 2 } else { base + 3 }]
                }
            };
            top = base + 1;
        }
        stack[0]
    }
}

impl fmt::Debug for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Expression({})", self.text)
    }
}
