//! Primitives: the kinds of node that trees are made of.

use std::fmt;

/// Type of a node's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Type {
    /// A real number.
    Float,
    /// A truth value.
    Bool,
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Type::Float => "a number",
            Type::Bool => "a truth value",
        })
    }
}

/// A question about a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SquareTest {
    /// No piece is on it.
    Empty,
    /// A friendly piece is on it.
    Friendly,
    /// Any piece is on it.
    Occupied,
}

/// What a node computes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Op {
    /// This number.
    Constant(f64),
    /// A number drawn when the node is made (ephemeral random constant).
    Random,
    /// This truth value.
    Truth(bool),
    /// The position's number of this index.
    Number(u8),
    /// A question about a square that is drawn when the node is made.
    Square(SquareTest),
    /// True if both are.
    And,
    /// True if at least one is.
    Or,
    /// False if both are true.
    Nand,
    /// True if neither is.
    Nor,
    /// True if the first is false.
    Not,
    /// True if the first is at most the second; false if either is NaN.
    AtMost,
    /// The second if the first is true, else the third.
    If,
    /// Sum.
    Plus,
    /// Difference.
    Minus,
    /// Product.
    Times,
    /// Quotient; 1 if the divisor's absolute value is below 0.001.
    Divide,
    /// Square root of the absolute value.
    Sqrt,
    /// Natural logarithm: of 1.001 for exactly 1, of 0.01 for anything below.
    Ln,
    /// Natural logarithm of the absolute value; minus infinity for 0.
    LnAbs,
    /// Product with a number that is drawn when the node is made.
    Scale,
    /// The first argument.
    First,
}

impl Op {
    /// Type of its value.
    pub fn result(self) -> Type {
        match self {
            Op::Truth(_) | Op::Square(_) | Op::And | Op::Or | Op::Nand | Op::Nor | Op::Not | Op::AtMost => Type::Bool,
            _ => Type::Float,
        }
    }

    /// Types of the arguments that it evaluates.
    pub fn evaluated(self) -> &'static [Type] {
        use Type::{Bool, Float};
        match self {
            Op::Constant(_) | Op::Random | Op::Truth(_) | Op::Number(_) | Op::Square(_) => &[],
            Op::And | Op::Or | Op::Nand | Op::Nor => &[Bool, Bool],
            Op::Not => &[Bool],
            Op::AtMost | Op::Plus | Op::Minus | Op::Times | Op::Divide => &[Float, Float],
            Op::If => &[Bool, Float, Float],
            Op::Sqrt | Op::Ln | Op::LnAbs | Op::Scale | Op::First => &[Float],
        }
    }
}

/// A kind of node.
#[derive(Clone, Debug, PartialEq)]
pub struct Primitive {
    /// Its name in texts: without spaces, brackets, colons and commas, and with `*` as the first character only.
    pub name: String,
    /// What it computes.
    pub op: Op,
    /// Types of further arguments that are never evaluated: explicitly defined introns (EvoMCTS section V-F).
    pub introns: Vec<Type>,
}

impl Primitive {
    /// A primitive without introns.
    pub fn new(name: &str, op: Op) -> Self {
        Primitive { name: name.to_owned(), op, introns: Vec::new() }
    }

    /// A primitive with introns after the arguments that it evaluates.
    pub fn with_introns(name: &str, op: Op, introns: &[Type]) -> Self {
        Primitive { name: name.to_owned(), op, introns: introns.to_vec() }
    }

    /// Number of arguments, introns included.
    pub fn arity(&self) -> usize {
        self.op.evaluated().len() + self.introns.len()
    }

    /// Type of argument `index`.
    ///
    /// # Panics
    /// If it has no such argument.
    pub fn argument(&self, index: usize) -> Type {
        let evaluated = self.op.evaluated();
        if index < evaluated.len() { evaluated[index] } else { self.introns[index - evaluated.len()] }
    }
}

/// The language of a population.
#[derive(Clone, Debug, PartialEq)]
pub struct PrimitiveSet {
    primitives: Vec<Primitive>,
    /// Whether number nodes have a factor (EvoMCTS section V-E).
    pub factors: bool,
    /// Range of numbers drawn when a node is made.
    pub constants: (f64, f64),
    /// Rows of the board whose squares can be read.
    pub rows: u8,
    /// Columns of that board.
    pub columns: u8,
    /// Terminals and functions by type, for drawing.
    by_type: [[Vec<u16>; 2]; 2],
}

impl PrimitiveSet {
    /// A set of `primitives`; draws depend on their order.
    ///
    /// # Panics
    /// If a type that occurs has no terminal, or there are more than 65,536 primitives.
    pub fn new(primitives: Vec<Primitive>, factors: bool, constants: (f64, f64), board: (u8, u8)) -> Self {
        let mut by_type: [[Vec<u16>; 2]; 2] = Default::default();
        for (index, primitive) in primitives.iter().enumerate() {
            let index = u16::try_from(index).expect("at most 65,536 primitives");
            by_type[primitive.op.result() as usize][usize::from(primitive.arity() > 0)].push(index);
        }
        let set = PrimitiveSet { primitives, factors, constants, rows: board.0, columns: board.1, by_type };
        let used = |kind| set.primitives.iter().any(|p| (0..p.arity()).any(|i| p.argument(i) == kind));
        for kind in [Type::Float, Type::Bool] {
            assert!(!used(kind) || !set.terminals(kind).is_empty(), "{kind} has no terminal");
        }
        set
    }

    /// The language of the EvoMCTS paper (tables I-IV and IX) over a game's `numbers`, by name and index, and its board
    /// of (rows, columns). Constants are drawn from [-5, 5].
    pub fn evomcts<'n>(numbers: impl IntoIterator<Item = &'n str>, board: (u8, u8)) -> Self {
        use Type::{Bool, Float};
        let mut primitives = vec![
            Primitive::new("ERC", Op::Random),
            Primitive::new("One", Op::Constant(1.0)),
            Primitive::new("Zero", Op::Constant(0.0)),
            Primitive::new("True", Op::Truth(true)),
            Primitive::new("False", Op::Truth(false)),
        ];
        for (index, name) in numbers.into_iter().enumerate() {
            primitives.push(Primitive::new(name, Op::Number(u8::try_from(index).expect("few numbers"))));
        }
        if board.0 > 0 {
            primitives.extend([
                Primitive::new("IsEmptySquare", Op::Square(SquareTest::Empty)),
                Primitive::new("IsFriendlyPiece", Op::Square(SquareTest::Friendly)),
                Primitive::new("IsManPiece", Op::Square(SquareTest::Occupied)),
            ]);
        }
        primitives.extend([
            Primitive::new("AND", Op::And),
            Primitive::new("LowerEqual", Op::AtMost),
            Primitive::new("NAND", Op::Nand),
            Primitive::new("NOR", Op::Nor),
            Primitive::with_introns("NOTG", Op::Not, &[Bool]),
            Primitive::new("OR", Op::Or),
            Primitive::new("IfTrue", Op::If),
            Primitive::new("Minus", Op::Minus),
            Primitive::new("MultERC", Op::Scale),
            Primitive::with_introns("NullJ", Op::First, &[Float]),
            Primitive::new("Plus", Op::Plus),
        ]);
        PrimitiveSet::new(primitives, true, (-5.0, 5.0), board)
    }

    /// The language of selection formulas of EA-MCTS and SIEA-MCTS (thesis, table 5.2): the numbers `Q`, `n` and `N` by
    /// their index (0, 1, 2), a constant `C` that each node stores, the constant 2 if `two` (it is in the thesis's program
    /// and not in its text), and `+ - * / ln sqrt`. `ln` is [`Op::Ln`] or [`Op::LnAbs`].
    pub fn selection(two: bool, ln: Op) -> Self {
        let numbers = ["Q", "n", "N"].into_iter().zip(0..).map(|(name, index)| Primitive::new(name, Op::Number(index)));
        let mut primitives: Vec<Primitive> = numbers.collect();
        primitives.push(Primitive::new("C", Op::Random));
        if two {
            primitives.push(Primitive::new("2", Op::Constant(2.0)));
        }
        let functions =
            [("+", Op::Plus), ("-", Op::Minus), ("*", Op::Times), ("/", Op::Divide), ("ln", ln), ("sqrt", Op::Sqrt)];
        primitives.extend(functions.map(|(name, op)| Primitive::new(name, op)));
        PrimitiveSet::new(primitives, false, (0.0, 1.0), (0, 0))
    }

    /// Bit of a square in a set of squares.
    pub(crate) fn square(&self, (row, column): (u8, u8)) -> u32 {
        u32::from(row) * u32::from(self.columns) + u32::from(column)
    }

    /// The primitive of a node.
    ///
    /// # Panics
    /// If its index is not one of this set.
    pub fn get(&self, index: u16) -> &Primitive {
        &self.primitives[usize::from(index)]
    }

    /// All primitives, in order.
    pub fn all(&self) -> &[Primitive] {
        &self.primitives
    }

    /// Index of the primitive called `name`.
    pub fn find(&self, name: &str) -> Option<u16> {
        self.primitives.iter().position(|p| p.name == name).map(|index| index as u16)
    }

    /// Primitives of a type without arguments.
    pub fn terminals(&self, kind: Type) -> &[u16] {
        &self.by_type[kind as usize][0]
    }

    /// Primitives of a type with arguments.
    pub fn functions(&self, kind: Type) -> &[u16] {
        &self.by_type[kind as usize][1]
    }
}
