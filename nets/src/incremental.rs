//! Outputs of a net whose first layer's sums are kept in whole numbers.

use std::sync::Arc;

use crate::{
    Evaluator, Net, Processor,
    architecture::Architecture,
    lines::{Lanes, Line, PANEL, panels},
    processor::compiled,
};

/// Steps of an input: quarters.
const QUARTERS: f32 = 4.0;
/// Bits behind the point of a weight, where sums leave room for them.
const BITS_MAX: i32 = 22;
/// Sums stay below this in either direction.
const SUM_MAX: f64 = (1u32 << 30) as f64;

/// Whole numbers side by side.
type Whole = Line<i32>;

/// The first layer in whole numbers.
#[derive(Debug)]
struct Layer {
    /// `[inputs][panels][16]`: weights in steps of `1 / scale`, for a quarter of an input.
    weights: Vec<Whole>,
    /// `[panels][16]`.
    bias: Vec<Whole>,
    /// The value of one step of a sum.
    unit: f32,
}

/// A net whose first layer is rounded to fixed point: weights in steps of 2^-22 or, where sums would not fit into 32 bits,
/// coarser ones, and inputs in quarters.
///
/// Sums of whole numbers do not depend on their order. So inputs may be changed one at a time, along the path of a search and
/// back, and outputs are still a function of the inputs alone, with the same bits on every machine. They are those of a
/// rounding of the file's weights and differ from an [`Evaluator`]'s in the seventh digit.
#[derive(Clone, Debug)]
pub struct Incremental {
    layer: Arc<Layer>,
    rest: Evaluator,
    processor: Processor,
    /// Inputs in quarters.
    inputs: Vec<i32>,
    /// Greatest input in quarters, in either direction.
    limit: i32,
    /// `[panels][16]`.
    sums: Vec<Whole>,
}

impl Incremental {
    /// The net with all inputs 0; they may be from `-limit` to `limit`. `None` if the net has no hidden layer.
    ///
    /// # Panics
    /// The limit is not from 1 to 4096.
    pub fn new(net: &Net, limit: u32) -> Option<Self> {
        Incremental::on(net, limit, Processor::this())
    }

    /// The same with the instructions of `processor`.
    ///
    /// # Panics
    /// The limit is not from 1 to 4096.
    pub fn on(net: &Net, limit: u32, processor: Processor) -> Option<Self> {
        assert!((1..=4096).contains(&limit), "inputs up to {limit}");
        if net.architecture.hidden().is_empty() {
            return None;
        }
        let (inputs, weights) = (net.architecture.inputs(), &net.weights[0]);
        let outputs = weights.bias.len();
        let size = |output: usize| {
            let row = &weights.weight[output * inputs..][..inputs];
            row.iter().map(|&w| f64::from(w).abs()).sum::<f64>() * f64::from(limit)
                + f64::from(weights.bias[output]).abs()
        };
        let greatest = (0..outputs).map(size).fold(0.0, f64::max);
        // Sums are in quarters of a weight's step; the half step that rounding adds to each stays within the other half of
        // the range.
        let mut bits = BITS_MAX;
        while bits > -BITS_MAX && greatest * power(bits + 2) >= SUM_MAX {
            bits -= 1;
        }
        let width = panels(outputs);
        let mut layer = Layer {
            weights: vec![Whole::default(); inputs * width],
            bias: vec![Whole::default(); width],
            unit: power(-bits - 2) as f32,
        };
        for output in 0..outputs {
            let (panel, lane) = (output / PANEL, output % PANEL);
            layer.bias[panel][lane] = whole(f64::from(weights.bias[output]) * power(bits + 2));
            for input in 0..inputs {
                let weight = f64::from(weights.weight[output * inputs + input]);
                layer.weights[input * width + panel][lane] = whole(weight * power(bits));
            }
        }
        Some(Incremental {
            sums: layer.bias.clone(),
            layer: Arc::new(layer),
            rest: Evaluator::on(net, processor),
            processor,
            inputs: vec![0; inputs],
            limit: (limit * 4) as i32,
        })
    }

    /// Architecture of the net.
    pub fn architecture(&self) -> &Architecture {
        self.rest.architecture()
    }

    /// Makes an input `value`, cut to whole quarters within the limit.
    ///
    /// # Panics
    /// There is no such input.
    #[inline]
    pub fn set(&mut self, input: usize, value: f32) {
        // The conversion saturates, and NaN becomes 0.
        let quarters = ((value * QUARTERS) as i32).clamp(-self.limit, self.limit);
        let change = quarters - self.inputs[input];
        if change != 0 {
            self.inputs[input] = quarters;
            let width = self.sums.len();
            change_sums(self.processor, &mut self.sums, &self.layer.weights[input * width..][..width], change);
        }
    }

    /// Makes all inputs those of a row; only those that change cost time.
    ///
    /// # Panics
    /// The row has another length.
    pub fn set_all(&mut self, row: &[f32]) {
        assert_eq!(row.len(), self.inputs.len(), "inputs of the net");
        for (input, &value) in row.iter().enumerate() {
            self.set(input, value);
        }
    }

    /// Computes the outputs, as [`Evaluator::evaluate`] lists them.
    ///
    /// # Panics
    /// `outputs` has another length.
    pub fn outputs(&mut self, outputs: &mut [f32]) {
        assert_eq!(outputs.len(), self.architecture().outputs(), "outputs of the net");
        let Incremental { layer, rest, sums, processor, .. } = self;
        let put = |out: &mut Vec<Lanes>| {
            out.resize(sums.len(), Lanes::ZERO);
            floats(*processor, sums, layer.unit, out);
        };
        rest.finish_row(put, outputs);
    }
}

/// 2 to the power of `exponent`.
fn power(exponent: i32) -> f64 {
    let factor = if exponent < 0 { 0.5 } else { 2.0 };
    (0..exponent.unsigned_abs()).fold(1.0, |power, _| power * factor)
}

/// The nearest whole number, of two the even one.
fn whole(x: f64) -> i32 {
    x.round_ties_even() as i32
}

#[inline(always)]
fn change_on<const FOR: u8>(sums: &mut [Whole], weights: &[Whole], change: i32) {
    for (sums, weights) in sums.iter_mut().zip(weights) {
        for (sum, weight) in sums.iter_mut().zip(weights.iter()) {
            *sum = sum.wrapping_add(weight.wrapping_mul(change));
        }
    }
}

compiled! {
    /// Adds so many times the weights.
    change_sums, change_on, (sums: &mut [Whole], weights: &[Whole], change: i32)
}

#[inline(always)]
fn floats_on<const FOR: u8>(sums: &[Whole], unit: f32, out: &mut [Lanes]) {
    for (sums, out) in sums.iter().zip(out) {
        for (sum, out) in sums.iter().zip(out.iter_mut()) {
            *out = *sum as f32 * unit;
        }
    }
}

compiled! {
    /// The values of sums.
    floats, floats_on, (sums: &[Whole], unit: f32, out: &mut [Lanes])
}
