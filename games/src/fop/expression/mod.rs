//! Formulas of users in x.
//!
//! Numbers, `x`, `pi`, `e`; `+ - * / ^` and the minus sign, of which `^` binds tightest and to the right (`-x^2` is
//! `-(x^2)`, and `x^-5` is fine); parentheses; `abs`, `cos`, `exp`, `floor`, `ln`, `sin`, `sqrt` and `tan` of one
//! number, `min(a, b)`, `max(a, b)`; and `if(a < b, then, else)` with `<`, `<=`, `>` or `>=`.
//!
//! The crates that read formulas call the platform's mathematics, but a result must not depend on the machine: everything
//! here comes from `libm` or is exact. A formula is compiled once to a list of steps over a small stack. There are no
//! jumps (both sides of an `if` are computed), so that no formula runs long, and the height of the stack is known when
//! the text is read.

mod error;
mod parse;

pub use error::Error;

use std::fmt;

/// Most characters of a formula.
pub(crate) const LENGTH_MAX: usize = 1_000;
/// Most parentheses, signs and powers inside one another, which bounds the recursion of the parser.
pub(crate) const NESTING_MAX: usize = 64;
/// Most values on the stack while a formula is computed.
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
    // IEEE arithmetic rounds square roots exactly, so the standard library's is the same everywhere.
    ("sqrt", f64::sqrt),
    ("tan", libm::tan),
];

/// The comparison of an `if`.
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

/// One step: replaces values on top of the stack by one.
#[derive(Clone, Copy, Debug)]
enum Step {
    Number(f64),
    X,
    Negate,
    /// A function, by its place in [`FUNCTIONS`].
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
    /// Number of values it takes.
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

    /// Its value at `x`; may be infinite or NaN.
    pub fn value(&self, x: f64) -> f64 {
        // The parser keeps the height of the stack from 1 to its size, so every index below is in range.
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
                // The methods of f64 do not say which zero is less.
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
