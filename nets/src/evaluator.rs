//! Outputs of a net in floating point.

use std::sync::Arc;

use crate::{
    Net, Processor,
    architecture::{Activation, Architecture, Outcome, Skip, Step, ValueOutput},
    functions::{self, held},
    kernels::{self, ROWS, without_negative_zero},
    lines::{Lanes, PANEL, flat, flat_mut, panels},
    net::Weights,
};

/// Rows that are computed together.
const TOGETHER: usize = 16;
/// Rows from which on they are computed together: fewer are faster one by one.
const TOGETHER_MIN: usize = 3;
/// Logits are held within this, so that outputs are finite whatever the weights.
const LOGIT_MAX: f32 = 1e9;

/// A linear map as chains.
#[derive(Debug)]
pub(crate) struct Chains {
    pub(crate) inputs: usize,
    /// `[panels of outputs][inputs][16]`.
    pub(crate) weights: Vec<Lanes>,
    /// `[panels of outputs][16]`.
    pub(crate) bias: Vec<Lanes>,
}

impl Chains {
    pub(crate) fn new(weights: &Weights) -> Self {
        let outputs = weights.bias.len();
        let inputs = weights.weight.len() / outputs;
        let mut chains = Chains {
            inputs,
            weights: vec![Lanes::ZERO; panels(outputs) * inputs],
            bias: vec![Lanes::ZERO; panels(outputs)],
        };
        for output in 0..outputs {
            let (panel, lane) = (output / PANEL, output % PANEL);
            chains.bias[panel][lane] = without_negative_zero(weights.bias[output]);
            for input in 0..inputs {
                chains.weights[panel * inputs + input][lane] = weights.weight[output * inputs + input];
            }
        }
        chains
    }
}

/// A linear map as dot products.
#[derive(Debug)]
struct Dots {
    /// `[outputs][panels of inputs][16]`.
    weights: Vec<Lanes>,
    bias: Vec<f32>,
}

impl Dots {
    fn new(weights: &Weights) -> Self {
        let outputs = weights.bias.len();
        let inputs = weights.weight.len() / outputs;
        let width = panels(inputs);
        let mut dots = Dots { weights: vec![Lanes::ZERO; outputs * width], bias: weights.bias.clone() };
        for (row, weights) in dots.weights.chunks_exact_mut(width).zip(weights.weight.chunks_exact(inputs)) {
            flat_mut(row)[..inputs].copy_from_slice(weights);
        }
        dots
    }
}

/// A net's weights as kernels take them.
#[derive(Debug)]
struct Parts {
    architecture: Architecture,
    steps: Vec<Step>,
    /// Of the steps.
    hidden: Vec<Chains>,
    outcome: Option<(Outcome, Dots)>,
    value: Option<(ValueOutput, Dots)>,
    policy: Option<Chains>,
}

impl Parts {
    fn new(net: &Net) -> Self {
        let architecture = net.architecture.clone();
        let steps = architecture.steps();
        let (hidden, heads) = net.weights.split_at(steps.len());
        let mut heads = heads.iter();
        let mut next = || heads.next().expect("a net has the weights of all heads");
        let outcome = architecture.outcome().map(|kind| (kind, Dots::new(next())));
        let value = architecture.value().map(|kind| (kind, Dots::new(next())));
        let policy = architecture.policy().map(|_| Chains::new(next()));
        Parts { hidden: hidden.iter().map(Chains::new).collect(), architecture, steps, outcome, value, policy }
    }
}

/// Computes the outputs of a net, for any number of rows with the same bits for each.
///
/// Hidden layers and policies are chains (bias first, then weight times input by rising input), outcomes and values dot
/// products of eight partial sums; see the crate's documentation. Clones share the weights.
#[derive(Clone, Debug)]
pub struct Evaluator {
    parts: Arc<Parts>,
    processor: Processor,
    /// Inputs, then what each step gives: `[panels][rows][16]`.
    buffers: Vec<Vec<Lanes>>,
    /// A bit for each input of a step other than 0, 64 a word.
    nonzero: Vec<u64>,
    /// One row of the last hidden layer.
    top: Vec<Lanes>,
    /// Logits of a policy.
    logits: Vec<Lanes>,
}

impl Evaluator {
    /// An evaluator of the net.
    pub fn new(net: &Net) -> Self {
        Evaluator::on(net, Processor::this())
    }

    /// The same with the instructions of `processor`.
    pub fn on(net: &Net, processor: Processor) -> Self {
        let parts = Arc::new(Parts::new(net));
        let buffers = vec![Vec::new(); parts.steps.len() + 1];
        Evaluator { parts, processor, buffers, nonzero: Vec::new(), top: Vec::new(), logits: Vec::new() }
    }

    /// Architecture of the net.
    pub fn architecture(&self) -> &Architecture {
        &self.parts.architecture
    }

    /// Computes the outputs of rows of inputs, one behind the other: `[rows, outputs]` of `[rows, inputs]`. Those of a row are
    /// the outcome and the value, each behind its function, and the policy's logits, from -1e9 to 1e9. All are finite if the
    /// inputs are.
    ///
    /// # Panics
    /// The lengths do not fit.
    pub fn evaluate(&mut self, inputs: &[f32], outputs: &mut [f32]) {
        let (width, outs) = (self.parts.architecture.inputs(), self.parts.architecture.outputs());
        assert!(inputs.len().is_multiple_of(width), "{} numbers are not rows of {width} inputs", inputs.len());
        assert_eq!(inputs.len() / width, outputs.len() / outs, "rows of inputs and of outputs");
        assert!(outputs.len().is_multiple_of(outs), "{} numbers are not rows of {outs} outputs", outputs.len());
        for (inputs, outputs) in inputs.chunks(TOGETHER * width).zip(outputs.chunks_mut(TOGETHER * outs)) {
            if inputs.len() / width < TOGETHER_MIN {
                for (inputs, outputs) in inputs.chunks_exact(width).zip(outputs.chunks_exact_mut(outs)) {
                    self.row(inputs, outputs);
                }
            } else {
                self.rows(inputs, outputs);
            }
        }
    }

    /// Outputs of one row.
    fn row(&mut self, inputs: &[f32], outputs: &mut [f32]) {
        fill(&mut self.buffers[0], inputs);
        self.steps(0);
        let Evaluator { parts, processor, buffers, logits, .. } = self;
        heads(parts, *processor, buffers.last().expect("the inputs are there"), logits, outputs);
    }

    /// Computes the steps from `first` on for one row.
    fn steps(&mut self, first: usize) {
        let Evaluator { parts, processor, buffers, nonzero, .. } = self;
        for (place, step) in parts.steps.iter().enumerate().skip(first) {
            let chains = &parts.hidden[place];
            let (before, after) = buffers.split_at_mut(place + 1);
            let (x, out) = (&before[place], &mut after[0]);
            out.resize(chains.bias.len(), Lanes::ZERO);
            let is_sparse = match place.checked_sub(1).map(|before| parts.steps[before]) {
                None => true,
                Some(before) => before.activation == Activation::Relu && before.skip != Skip::After,
            };
            if is_sparse {
                nonzero.resize(chains.inputs.div_ceil(u64::BITS as usize), 0);
                kernels::mark_nonzero(*processor, x, nonzero);
            }
            let x = &flat(x)[..chains.inputs];
            let nonzero = is_sparse.then_some(&nonzero[..]);
            kernels::row(*processor, x, nonzero, chains.inputs, &chains.weights, &chains.bias, out);
            finish(*processor, step, before, place, out);
        }
    }

    /// Outputs of a few rows at a time.
    fn rows(&mut self, inputs: &[f32], outputs: &mut [f32]) {
        let Evaluator { parts, processor, buffers, top, logits, .. } = self;
        let (width, outs) = (parts.architecture.inputs(), parts.architecture.outputs());
        let rows = (inputs.len() / width).next_multiple_of(ROWS);
        buffers[0].clear();
        buffers[0].resize(panels(width) * rows, Lanes::ZERO);
        for (row, inputs) in inputs.chunks_exact(width).enumerate() {
            for (panel, inputs) in inputs.chunks(PANEL).enumerate() {
                buffers[0][panel * rows + row][..inputs.len()].copy_from_slice(inputs);
            }
        }
        for (place, step) in parts.steps.iter().enumerate() {
            let chains = &parts.hidden[place];
            let (before, after) = buffers.split_at_mut(place + 1);
            let (x, out) = (&before[place], &mut after[0]);
            out.resize(chains.bias.len() * rows, Lanes::ZERO);
            all_panels(*processor, x, rows, chains, out);
            finish(*processor, step, before, place, out);
        }
        let x = buffers.last().expect("the inputs are there");
        let mut policy = Vec::new();
        if let Some(chains) = &parts.policy {
            policy.resize(chains.bias.len() * rows, Lanes::ZERO);
            all_panels(*processor, x, rows, chains, &mut policy);
        }
        top.resize(panels(parts.architecture.top()), Lanes::ZERO);
        for (row, outputs) in outputs.chunks_exact_mut(outs).enumerate() {
            for (top, x) in top.iter_mut().zip(x.chunks_exact(rows)) {
                *top = x[row];
            }
            small_heads(parts, *processor, top, outputs);
            logits.clear();
            logits.extend(policy.chunks_exact(rows).map(|panel| panel[row]));
            put_logits(parts, logits, outputs);
        }
    }

    /// The outputs where the first step's sums, biases included, are known.
    pub(crate) fn finish_row(&mut self, sums: impl FnOnce(&mut Vec<Lanes>), outputs: &mut [f32]) {
        sums(&mut self.buffers[1]);
        let step = self.parts.steps[0];
        kernels::activate(self.processor, step.activation, &mut self.buffers[1]);
        self.steps(1);
        let Evaluator { parts, processor, buffers, logits, .. } = self;
        heads(parts, *processor, buffers.last().expect("the inputs are there"), logits, outputs);
    }
}

/// Puts a row of numbers into lanes, filled up with zeros.
fn fill(lanes: &mut Vec<Lanes>, numbers: &[f32]) {
    lanes.resize(panels(numbers.len()), Lanes::ZERO);
    let (numbers_to, rest) = flat_mut(lanes).split_at_mut(numbers.len());
    numbers_to.copy_from_slice(numbers);
    rest.fill(0.0);
}

fn all_panels(processor: Processor, x: &[Lanes], rows: usize, chains: &Chains, out: &mut [Lanes]) {
    let weights = chains.weights.chunks_exact(chains.inputs);
    for ((out, weights), bias) in out.chunks_exact_mut(rows).zip(weights).zip(&chains.bias) {
        kernels::rows(processor, x, rows, chains.inputs, weights, bias, out);
    }
}

/// Puts a step's sums through its activation, with what it adds of the buffers before.
pub(crate) fn finish(processor: Processor, step: &Step, before: &[Vec<Lanes>], place: usize, out: &mut [Lanes]) {
    if step.skip == Skip::Before {
        kernels::sum(processor, out, &before[place - 1]);
    }
    kernels::activate(processor, step.activation, out);
    if step.skip == Skip::After {
        kernels::sum(processor, out, &before[place]);
    }
}

/// Outcome and value of a row of the last hidden layer.
fn small_heads(parts: &Parts, processor: Processor, top: &[Lanes], outputs: &mut [f32]) {
    if let Some((kind, dots)) = &parts.outcome {
        let outcome = &mut outputs[..3];
        kernels::dots(processor, top, &dots.weights, &dots.bias, outcome);
        match kind {
            Outcome::Sigmoid => outcome.iter_mut().for_each(|x| *x = functions::sigmoid(*x)),
            Outcome::Softmax => {
                outcome.iter_mut().for_each(|x| *x = held(*x, LOGIT_MAX));
                functions::softmax(outcome);
            }
        }
    }
    if let Some((kind, dots)) = &parts.value {
        let value = &mut outputs[parts.architecture.value_at()..][..1];
        kernels::dots(processor, top, &dots.weights, &dots.bias, value);
        value[0] = match kind {
            ValueOutput::Sigmoid => functions::sigmoid(value[0]),
            ValueOutput::Tanh => functions::tanh(value[0]),
        };
    }
}

fn put_logits(parts: &Parts, logits: &[Lanes], outputs: &mut [f32]) {
    let outputs = &mut outputs[parts.architecture.policy_at()..];
    for (output, &logit) in outputs.iter_mut().zip(flat(logits)) {
        *output = held(logit, LOGIT_MAX);
    }
}

/// All outputs of a row of the last hidden layer.
fn heads(parts: &Parts, processor: Processor, top: &[Lanes], logits: &mut Vec<Lanes>, outputs: &mut [f32]) {
    small_heads(parts, processor, top, outputs);
    if let Some(chains) = &parts.policy {
        logits.resize(chains.bias.len(), Lanes::ZERO);
        let x = &flat(top)[..chains.inputs];
        kernels::row(processor, x, None, chains.inputs, &chains.weights, &chains.bias, logits);
        put_logits(parts, logits, outputs);
    }
}
