//! Evaluation by walking a tree: the reference against which compiled code is tested.

use crate::{Op, PrimitiveSet, SquareTest, Tree, Type};

/// A position as a tree sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inputs<'a> {
    /// The position's numbers, by index; at least as many as the primitives read.
    pub numbers: &'a [f64],
    /// Squares with a friendly piece: bit `row * columns + column`.
    pub friendly: u64,
    /// Squares with an enemy piece.
    pub enemy: u64,
}

/// Value of a number tree at a position.
///
/// # Panics
/// If the tree is not of this set, its root is not a number, or an input that it reads is missing.
pub fn evaluate(tree: &Tree, set: &PrimitiveSet, inputs: &Inputs<'_>) -> f64 {
    assert_eq!(tree.result(set), Type::Float, "the root is a number");
    Walk { tree, set, inputs }.number(0)
}

/// Quotient; 1 where the divisor is close to 0.
#[inline(always)]
pub(crate) fn divide(x: f64, y: f64) -> f64 {
    if y.abs() < 0.001 { 1.0 } else { x / y }
}

/// Protected logarithm of the SIEA-MCTS program: of 1.001 for exactly 1, and of at least 0.01.
#[inline(always)]
pub(crate) fn ln(x: f64) -> f64 {
    let x = if x == 1.0 { 1.001 } else { x };
    libm::log(if x < 0.01 { 0.01 } else { x })
}

struct Walk<'a> {
    tree: &'a Tree,
    set: &'a PrimitiveSet,
    inputs: &'a Inputs<'a>,
}

impl Walk<'_> {
    fn number(&self, index: usize) -> f64 {
        let node = &self.tree.nodes()[index];
        let arguments = self.tree.arguments(index, self.set);
        let x = || self.number(arguments[0]);
        let y = || self.number(arguments[1]);
        let stored = node.stored.number();
        let plain = match self.set.get(node.primitive).op {
            Op::Constant(number) => number,
            Op::Random => stored,
            Op::Number(index) => self.inputs.numbers[usize::from(index)],
            Op::If => self.number(arguments[if self.truth(arguments[0]) { 1 } else { 2 }]),
            Op::Plus => x() + y(),
            Op::Minus => x() - y(),
            Op::Times => x() * y(),
            Op::Divide => divide(x(), y()),
            Op::Sqrt => x().abs().sqrt(),
            Op::Ln => ln(x()),
            Op::LnAbs => libm::log(x().abs()),
            Op::Scale => x() * stored,
            Op::First => x(),
            other => unreachable!("{other:?} is not a number"),
        };
        node.factor * plain
    }

    fn truth(&self, index: usize) -> bool {
        let node = &self.tree.nodes()[index];
        let arguments = self.tree.arguments(index, self.set);
        let a = || self.truth(arguments[0]);
        let b = || self.truth(arguments[1]);
        match self.set.get(node.primitive).op {
            Op::Truth(truth) => truth,
            Op::Square(test) => {
                let square = self.set.square(node.stored.square());
                let on = |pieces: u64| pieces >> square & 1 == 1;
                match test {
                    SquareTest::Empty => !on(self.inputs.friendly | self.inputs.enemy),
                    SquareTest::Friendly => on(self.inputs.friendly),
                    SquareTest::Occupied => on(self.inputs.friendly | self.inputs.enemy),
                }
            }
            Op::And => a() && b(),
            Op::Or => a() || b(),
            Op::Nand => !(a() && b()),
            Op::Nor => !(a() || b()),
            Op::Not => !a(),
            Op::AtMost => self.number(arguments[0]) <= self.number(arguments[1]),
            other => unreachable!("{other:?} is not a truth value"),
        }
    }
}
