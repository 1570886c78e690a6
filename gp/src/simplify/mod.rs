//! A tree as mathematics that a person can read.
//!
//! Numbers become linear combinations, conditions get a form in which only questions are negated, and what cannot affect
//! the value is dropped. Inputs are taken to be finite and arithmetic to be exact: rounding may differ from the tree's, so
//! that a comparison of nearly equal numbers may differ too. Programs are compiled from trees, never from this form.
//!
//! The work is bounded (`steps`); a very entangled tree may keep parts that could be dropped.

mod condition;
mod linear;
mod mathml;
mod print;
mod steps;

use condition::{Condition, Question};
use linear::{Atom, Linear};

use crate::{Inputs, Op, PrimitiveSet, SquareTest, Tree, Type, tree::Cursor};

/// A simplified tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    linear: Linear,
    /// Names of the set's numbers, by index.
    names: Vec<String>,
    columns: u8,
}

/// Simplifies a number tree.
///
/// # Panics
/// If the tree is not of this set or its root is not a number.
pub fn simplify(tree: &Tree, set: &PrimitiveSet) -> Expression {
    assert_eq!(tree.result(set), Type::Float, "the root is a number");
    let mut names: Vec<String> = Vec::new();
    for primitive in set.all() {
        if let Op::Number(index) = primitive.op {
            let index = usize::from(index);
            names.resize(names.len().max(index + 1), String::new());
            names[index].clone_from(&primitive.name);
        }
    }
    steps::begin();
    let linear = Reader(Cursor::new(tree, set)).number();
    Expression { linear, names, columns: set.columns }
}

impl Expression {
    /// One line, as `0.9*Mobility + 5*CornerCount`. Numbers have `digits` significant digits, at least 1.
    pub fn to_text(&self, digits: usize) -> String {
        print::Text { names: &self.names, digits, latex: false }.linear(&self.linear)
    }

    /// As a formula of LaTeX with amsmath, for display. Numbers as in [`Expression::to_text`].
    pub fn to_latex(&self, digits: usize) -> String {
        print::Text { names: &self.names, digits, latex: true }.linear(&self.linear)
    }

    /// As the content of a `math` element (MathML Core). Numbers as in [`Expression::to_text`].
    pub fn to_mathml(&self, digits: usize) -> String {
        mathml::Writer { names: &self.names, digits }.linear(&self.linear)
    }

    /// Its value at a position.
    ///
    /// # Panics
    /// If an input that it reads is missing.
    pub fn evaluate(&self, inputs: &Inputs<'_>) -> f64 {
        self.linear.evaluate(inputs, self.columns)
    }

    /// Its size: terms, operations and questions.
    pub fn size(&self) -> usize {
        self.linear.size()
    }
}

/// Builds the expression of each subtree.
struct Reader<'a>(Cursor<'a>);

impl Reader<'_> {
    fn number(&mut self) -> Linear {
        let (node, primitive) = self.0.next();
        let stored = node.stored.number();
        let plain = match primitive.op {
            Op::Constant(number) => Linear::constant(number),
            Op::Random => Linear::constant(stored),
            Op::Number(index) => Linear::atom(Atom::Number(index)),
            Op::If => {
                let condition = self.truth();
                let (then, otherwise) = (self.number(), self.number());
                Linear::either(condition, then, otherwise)
            }
            Op::Plus => self.number().plus(&self.number(), 1.0),
            Op::Minus => self.number().plus(&self.number(), -1.0),
            Op::Times => self.number().times(self.number()),
            Op::Divide => Linear::divide(self.number(), self.number()),
            Op::Sqrt => Linear::sqrt(self.number()),
            Op::Ln => Linear::ln(self.number()),
            Op::LnAbs => Linear::ln_abs(self.number()),
            Op::Scale => self.number().scaled(stored),
            Op::First => self.number(),
            other => unreachable!("{other:?} is not a number"),
        };
        self.0.skip_introns(primitive);
        plain.scaled(node.factor)
    }

    fn truth(&mut self) -> Condition {
        let (node, primitive) = self.0.next();
        let condition = match primitive.op {
            Op::Truth(truth) => Condition::constant(truth),
            Op::Square(test) => {
                let (row, column) = node.stored.square();
                match test {
                    SquareTest::Friendly => Condition::ask(Question::Friendly { row, column }),
                    SquareTest::Occupied => Condition::ask(Question::Occupied { row, column }),
                    SquareTest::Empty => Condition::ask(Question::Occupied { row, column }).not(),
                }
            }
            Op::And => Condition::all(vec![self.truth(), self.truth()]),
            Op::Nand => Condition::all(vec![self.truth(), self.truth()]).not(),
            Op::Or => Condition::any(vec![self.truth(), self.truth()]),
            Op::Nor => Condition::any(vec![self.truth(), self.truth()]).not(),
            Op::Not => self.truth().not(),
            Op::AtMost => {
                let (x, y) = (self.number(), self.number());
                Condition::not_above_0(x.plus(&y, -1.0))
            }
            other => unreachable!("{other:?} is not a truth value"),
        };
        self.0.skip_introns(primitive);
        condition
    }
}
