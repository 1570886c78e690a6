//! A tree compiled once and evaluated for several positions at a time.
//!
//! Straight-line code over registers, each [`LANES`] values wide. Inputs and constants are registers that are filled
//! before the run, so terminals cost nothing; equal subtrees are computed once; constants are folded and introns dropped.
//! Every operation is that of [`crate::evaluate()`] on the same operands, so the bits are the same on every machine.
//! `IfTrue` computes both branches, since nothing has side effects.

use std::collections::BTreeMap;

use crate::{
    Op, PrimitiveSet, SquareTest, Tree, Type,
    evaluate::{divide, ln},
    tree::Cursor,
};

/// Positions evaluated together.
pub const LANES: usize = 4;

/// A value in each lane.
pub type Lanes = [f64; LANES];

/// A value in each lane: the bits of a number, or all bits set for true and none for false.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(32))]
pub struct Register([u64; LANES]);

/// Index of a register.
type Slot = u16;

/// Most nodes of a tree that can be compiled: registers have 16-bit numbers, and each node takes at most one step for
/// itself, one for its factor, and a constant for each of them.
pub const NODES_MAX: usize = Slot::MAX as usize / 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Code {
    Plus,
    Minus,
    Times,
    Divide,
    Sqrt,
    Ln,
    LnAbs,
    /// The second if the first is true, else the third.
    If,
    AtMost,
    And,
    Or,
    Nand,
    Nor,
    Not,
    /// A question about the square whose number is the first operand.
    Friendly,
    Occupied,
    Empty,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Instruction {
    code: Code,
    a: Slot,
    b: Slot,
    c: Slot,
}

/// A compiled tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// Registers before the first run: constants are filled in, everything else is written by the run.
    initial: Vec<Register>,
    /// Numbers it needs: (index, register).
    numbers: Vec<(u8, Slot)>,
    /// Instructions; the k-th writes register `first + k`.
    code: Vec<Instruction>,
    first: usize,
    result: Slot,
}

impl Program {
    /// Compiles a number tree. `None` if it has more than [`NODES_MAX`] nodes.
    ///
    /// # Panics
    /// If the tree is not of this set or its root is not a number.
    pub fn new(tree: &Tree, set: &PrimitiveSet) -> Option<Self> {
        assert_eq!(tree.result(set), Type::Float, "the root is a number");
        if tree.size() > NODES_MAX {
            return None;
        }
        let mut compiler = Compiler {
            cursor: Cursor::new(tree, set),
            set,
            constants: Vec::new(),
            constant_places: BTreeMap::new(),
            numbers: Vec::new(),
            code: Vec::new(),
            code_places: BTreeMap::new(),
        };
        let result = compiler.number();
        Some(compiler.finish(result))
    }

    /// The numbers that it reads: bit `i` is number `i`.
    pub fn wanted(&self) -> u32 {
        self.numbers.iter().fold(0, |set, &(index, _)| set | 1 << (index & 31))
    }

    /// Registers for [`Program::run`], reusable from run to run.
    pub fn registers(&self) -> Vec<Register> {
        self.initial.clone()
    }

    /// Number of operations of a run.
    pub fn operations(&self) -> usize {
        self.code.len()
    }

    /// Value in each lane. `registers` are this program's; `numbers` has every number that it reads by its index, `friendly`
    /// and `enemy` the squares with pieces.
    ///
    /// # Panics
    /// If there are fewer registers or numbers than it reads.
    #[inline(always)]
    pub fn run(
        &self,
        registers: &mut [Register],
        numbers: &[Lanes],
        friendly: &[u64; LANES],
        enemy: &[u64; LANES],
    ) -> Lanes {
        assert!(registers.len() >= self.initial.len(), "registers of this program");
        for &(index, slot) in &self.numbers {
            registers[usize::from(slot)] = Register(numbers[usize::from(index)].map(f64::to_bits));
        }
        for (target, &Instruction { code, a, b, c }) in (self.first..).zip(&self.code) {
            // SAFETY: `finish` made every operand a register below its instruction's target, and the last target is the
            // last of the initial registers, which the assertion above checked.
            let get = |slot: Slot| unsafe { registers.get_unchecked(usize::from(slot)).0 };
            let value = match code {
                Code::Plus => two(get(a), get(b), |x, y| x + y),
                Code::Minus => two(get(a), get(b), |x, y| x - y),
                Code::Times => two(get(a), get(b), |x, y| x * y),
                Code::Divide => two(get(a), get(b), divide),
                Code::Sqrt => two(get(a), get(a), |x, _| x.abs().sqrt()),
                Code::Ln => two(get(a), get(a), |x, _| ln(x)),
                Code::LnAbs => two(get(a), get(a), |x, _| libm::log(x.abs())),
                Code::If => {
                    let (mask, then, otherwise) = (get(a), get(b), get(c));
                    std::array::from_fn(|i| (mask[i] & then[i]) | (!mask[i] & otherwise[i]))
                }
                Code::AtMost => {
                    let (x, y) = (get(a), get(b));
                    std::array::from_fn(|i| mask(f64::from_bits(x[i]) <= f64::from_bits(y[i])))
                }
                Code::And => masks(get(a), get(b), |x, y| x & y),
                Code::Or => masks(get(a), get(b), |x, y| x | y),
                Code::Nand => masks(get(a), get(b), |x, y| !(x & y)),
                Code::Nor => masks(get(a), get(b), |x, y| !(x | y)),
                Code::Not => masks(get(a), get(a), |x, _| !x),
                Code::Friendly => std::array::from_fn(|i| square(friendly[i], a)),
                Code::Occupied => std::array::from_fn(|i| square(friendly[i] | enemy[i], a)),
                Code::Empty => std::array::from_fn(|i| square(!(friendly[i] | enemy[i]), a)),
            };
            // SAFETY: as above.
            unsafe { registers.get_unchecked_mut(target) }.0 = value;
        }
        registers[usize::from(self.result)].0.map(f64::from_bits)
    }
}

#[inline(always)]
fn two(x: [u64; LANES], y: [u64; LANES], f: impl Fn(f64, f64) -> f64) -> [u64; LANES] {
    std::array::from_fn(|i| f(f64::from_bits(x[i]), f64::from_bits(y[i])).to_bits())
}

#[inline(always)]
fn masks(x: [u64; LANES], y: [u64; LANES], f: impl Fn(u64, u64) -> u64) -> [u64; LANES] {
    std::array::from_fn(|i| f(x[i], y[i]))
}

#[inline(always)]
fn mask(truth: bool) -> u64 {
    0u64.wrapping_sub(u64::from(truth))
}

#[inline(always)]
fn square(set: u64, square: Slot) -> u64 {
    mask(set >> (square & 63) & 1 == 1)
}

/// A value while compiling.
#[derive(Clone, Copy, PartialEq)]
enum Value {
    Number(f64),
    Truth(bool),
    /// The number of this index in `numbers`.
    Input(u16),
    /// The result of the instruction of this index.
    Step(u16),
}

/// An operand, ordered so that equal instructions can be found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Operand {
    /// Nothing, or a square.
    Plain(u16),
    Constant(u16),
    Input(u16),
    Step(u16),
}

struct Compiler<'a> {
    cursor: Cursor<'a>,
    set: &'a PrimitiveSet,
    /// Constants by their bits, numbers and masks alike, and the place of each.
    constants: Vec<u64>,
    constant_places: BTreeMap<u64, u16>,
    /// Indices of numbers.
    numbers: Vec<u8>,
    code: Vec<(Code, [Operand; 3])>,
    code_places: BTreeMap<(Code, [Operand; 3]), u16>,
}

impl Compiler<'_> {
    /// Compiles the number subtree at the next node.
    fn number(&mut self) -> Value {
        let (node, primitive) = self.cursor.next();
        let stored = node.stored.number();
        let plain = match primitive.op {
            Op::Constant(number) => Value::Number(number),
            Op::Random => Value::Number(stored),
            Op::Number(index) => {
                let known = self.numbers.iter().position(|&i| i == index);
                Value::Input(known.unwrap_or_else(|| {
                    self.numbers.push(index);
                    self.numbers.len() - 1
                }) as u16)
            }
            Op::If => {
                let condition = self.truth();
                let (then, otherwise) = (self.number(), self.number());
                match condition {
                    Value::Truth(true) => then,
                    Value::Truth(false) => otherwise,
                    // Compared by bits, so that the sign of a zero counts.
                    _ if self.operand(then) == self.operand(otherwise) => then,
                    _ => self.step(Code::If, [condition, then, otherwise]),
                }
            }
            Op::Plus => self.arithmetic(Code::Plus, |x, y| x + y),
            Op::Minus => self.arithmetic(Code::Minus, |x, y| x - y),
            Op::Times => self.arithmetic(Code::Times, |x, y| x * y),
            Op::Divide => self.arithmetic(Code::Divide, divide),
            Op::Sqrt => match self.number() {
                Value::Number(x) => Value::Number(x.abs().sqrt()),
                x => self.step(Code::Sqrt, [x, x, x]),
            },
            Op::Ln => match self.number() {
                Value::Number(x) => Value::Number(ln(x)),
                x => self.step(Code::Ln, [x, x, x]),
            },
            Op::LnAbs => match self.number() {
                Value::Number(x) => Value::Number(libm::log(x.abs())),
                x => self.step(Code::LnAbs, [x, x, x]),
            },
            Op::Scale => {
                let x = self.number();
                self.times(x, stored)
            }
            Op::First => self.number(),
            other => unreachable!("{other:?} is not a number"),
        };
        self.cursor.skip_introns(primitive);
        // A product with 1 changes no bit.
        if node.factor == 1.0 { plain } else { self.times(plain, node.factor) }
    }

    /// Compiles the truth subtree at the next node.
    fn truth(&mut self) -> Value {
        let (node, primitive) = self.cursor.next();
        let value = match primitive.op {
            Op::Truth(truth) => Value::Truth(truth),
            Op::Square(test) => {
                let square = self.set.square(node.stored.square()) as u16;
                let code = match test {
                    SquareTest::Empty => Code::Empty,
                    SquareTest::Friendly => Code::Friendly,
                    SquareTest::Occupied => Code::Occupied,
                };
                self.push(code, [Operand::Plain(square), Operand::Plain(0), Operand::Plain(0)])
            }
            Op::And => self.gate(Code::And, false),
            Op::Nand => self.gate(Code::Nand, false),
            Op::Or => self.gate(Code::Or, true),
            Op::Nor => self.gate(Code::Nor, true),
            Op::Not => match self.truth() {
                Value::Truth(truth) => Value::Truth(!truth),
                x => self.step(Code::Not, [x, x, x]),
            },
            Op::AtMost => match (self.number(), self.number()) {
                (Value::Number(x), Value::Number(y)) => Value::Truth(x <= y),
                (x, y) => self.step(Code::AtMost, [x, y, y]),
            },
            other => unreachable!("{other:?} is not a truth value"),
        };
        self.cursor.skip_introns(primitive);
        value
    }

    fn arithmetic(&mut self, code: Code, f: fn(f64, f64) -> f64) -> Value {
        match (self.number(), self.number()) {
            (Value::Number(x), Value::Number(y)) => Value::Number(f(x, y)),
            (x, y) => self.step(code, [x, y, y]),
        }
    }

    /// `x` times a constant. Products are commutative.
    fn times(&mut self, x: Value, constant: f64) -> Value {
        match x {
            Value::Number(x) => Value::Number(x * constant),
            x => self.step(Code::Times, [x, Value::Number(constant), Value::Number(constant)]),
        }
    }

    /// A gate of two operands; an operand that equals `decisive` decides alone.
    fn gate(&mut self, code: Code, decisive: bool) -> Value {
        let negated = matches!(code, Code::Nand | Code::Nor);
        let (x, y) = (self.truth(), self.truth());
        let alone = match (x, y) {
            (Value::Truth(t), _) | (_, Value::Truth(t)) if t == decisive => {
                return Value::Truth(decisive != negated);
            }
            (Value::Truth(_), other) | (other, Value::Truth(_)) => other,
            _ => return self.step(code, [x, y, y]),
        };
        match alone {
            Value::Truth(truth) => Value::Truth(truth != negated),
            other if negated => self.step(Code::Not, [other, other, other]),
            other => other,
        }
    }

    fn operand(&mut self, value: Value) -> Operand {
        let bits = match value {
            Value::Number(number) => number.to_bits(),
            Value::Truth(truth) => mask(truth),
            Value::Input(index) => return Operand::Input(index),
            Value::Step(index) => return Operand::Step(index),
        };
        let constants = &mut self.constants;
        Operand::Constant(*self.constant_places.entry(bits).or_insert_with(|| {
            constants.push(bits);
            (constants.len() - 1) as u16
        }))
    }

    fn step(&mut self, code: Code, values: [Value; 3]) -> Value {
        let operands = values.map(|value| self.operand(value));
        self.push(code, operands)
    }

    fn push(&mut self, code: Code, operands: [Operand; 3]) -> Value {
        let steps = &mut self.code;
        Value::Step(*self.code_places.entry((code, operands)).or_insert_with(|| {
            steps.push((code, operands));
            (steps.len() - 1) as u16
        }))
    }

    /// Drops what the result does not need and numbers the registers: inputs, constants, steps.
    fn finish(mut self, result: Value) -> Program {
        let result = self.operand(result);
        let mut needed = vec![false; self.code.len()];
        let (mut inputs, mut constants) = (BTreeMap::new(), BTreeMap::new());
        let mut mark = |operand: Operand, needed: &mut [bool]| match operand {
            Operand::Plain(_) => {}
            Operand::Constant(index) => drop(constants.insert(index, 0)),
            Operand::Input(index) => drop(inputs.insert(index, 0)),
            Operand::Step(index) => needed[usize::from(index)] = true,
        };
        mark(result, &mut needed);
        for index in (0..self.code.len()).rev() {
            if needed[index] {
                self.code[index].1.into_iter().for_each(|operand| mark(operand, &mut needed));
            }
        }
        let mut places = 0;
        for slot in inputs.values_mut().chain(constants.values_mut()) {
            *slot = places;
            places += 1;
        }
        let first = usize::from(places);
        let mut steps = vec![0; self.code.len()];
        for (slot, _) in steps.iter_mut().zip(&needed).filter(|(_, needed)| **needed) {
            *slot = places;
            places += 1;
        }
        let slot = |operand: Operand| match operand {
            Operand::Plain(plain) => plain,
            Operand::Constant(index) => constants[&index],
            Operand::Input(index) => inputs[&index],
            Operand::Step(index) => steps[usize::from(index)],
        };
        let mut initial = vec![Register([0; LANES]); usize::from(places)];
        for (&index, &slot) in &constants {
            initial[usize::from(slot)] = Register([self.constants[usize::from(index)]; LANES]);
        }
        let code = self.code.iter().zip(&needed).filter(|(_, needed)| **needed).map(|((code, operands), _)| {
            let [a, b, c] = operands.map(slot);
            Instruction { code: *code, a, b, c }
        });
        Program {
            numbers: inputs.iter().map(|(&index, &slot)| (self.numbers[usize::from(index)], slot)).collect(),
            code: code.collect(),
            first,
            result: slot(result),
            initial,
        }
    }
}
