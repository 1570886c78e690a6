//! Linear maps, with a fixed order of additions, and what goes number by number.
//!
//! A **chain** starts at the bias and adds weight times input by rising input. It never holds the zero of negative sign, so an
//! input of 0 may be passed over without a change of bits. A **dot product** has eight partial sums, the i-th of the inputs
//! i, i + 8, i + 16 and so on, which one tree adds up, and then the bias. Maps of up to seven outputs (outcome and value) are
//! dot products in an [`Evaluator`](crate::Evaluator), all others chains.
//!
//! Outputs of chains stand in panels of 16: weights as `[panels][inputs][16]`, many rows of numbers as `[panels][rows][16]`.

mod row;
mod tiles;

pub(crate) use row::{dots, mark_nonzero, row};
pub(crate) use tiles::{ROWS, Share, TILE, back, gradient, rows};

use crate::{architecture::Activation, functions, lines::Lanes, processor::compiled};

/// Makes zeros of `-0.0`, which no chain may start at.
pub(crate) fn without_negative_zero(x: f32) -> f32 {
    x + 0.0
}

#[inline(always)]
fn each(numbers: &mut [Lanes], function: impl Fn(f32) -> f32) {
    for lanes in numbers {
        for x in lanes.iter_mut() {
            *x = function(*x);
        }
    }
}

#[inline(always)]
fn activate_on<const FOR: u8>(activation: Activation, numbers: &mut [Lanes]) {
    match activation {
        Activation::Relu => each(numbers, functions::relu),
        Activation::Sigmoid => each(numbers, functions::sigmoid),
        Activation::Tanh => each(numbers, functions::tanh),
    }
}

compiled! {
    widest,
    /// Puts every number through the activation.
    activate, activate_on, (activation: Activation, numbers: &mut [Lanes])
}

#[inline(always)]
fn sum_on<const FOR: u8>(to: &mut [Lanes], other: &[Lanes]) {
    for (to, other) in to.iter_mut().zip(other) {
        for (to, other) in to.iter_mut().zip(other.iter()) {
            *to += other;
        }
    }
}

compiled! {
    /// Adds numbers to others.
    sum, sum_on, (to: &mut [Lanes], other: &[Lanes])
}
