//! Strongly typed genetic programming: trees, generation, operators, compiled evaluation.
//!
//! The nodes of a tree are data: a [`PrimitiveSet`] of [`Primitive`]s of two types. [`PrimitiveSet::evomcts`] is the set
//! of the EvoMCTS paper (Benbassat and Sipper 2013, tables I-IV and IX), [`PrimitiveSet::selection`] that of the formulas
//! which EA-MCTS evolves. The crate does not know games: a position is numbers and two sets of squares.
//!
//! A [`Tree`] is nodes in prefix order, without boxes. [`evaluate()`] walks it; [`Program`] is compiled from it once and
//! gives the same bits for several positions at a time.

mod evaluate;
mod generate;
mod operators;
mod primitive;
mod program;
mod random;
mod simplify;
mod text;
mod tree;

pub use evaluate::{Inputs, evaluate};
pub use generate::{full, grow, ramped_half_and_half};
pub use operators::{
    ByClass, Crossover, Limits, Mutation, NODE_TRIES, cross_one_way, cross_two_way, mutate, mutate_by_class,
    mutate_factor, mutate_subtree,
};
pub use primitive::{Op, Primitive, PrimitiveSet, SquareTest, Type};
pub use program::{LANES, Lanes, NODES_MAX, Program, Register};
pub use random::Random;
pub use simplify::{Expression, simplify};
pub use text::TreeError;
pub use tree::{Node, Stored, Tree};
