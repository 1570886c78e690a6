//! Adam (Kingma and Ba 2015), with decay of weights apart from the gradient (Loshchilov and Hutter 2019).

use super::Settings;
use crate::{Processor, lines::Lanes, processor::compiled};

const BETA_1: f32 = 0.9;
const BETA_2: f32 = 0.999;
const EPSILON: f32 = 1e-8;

/// The state of the optimiser that all weights have in common.
#[derive(Clone, Copy)]
pub(super) struct Adam {
    rate: f64,
    weight_decay: f64,
    /// The constants to the power of the steps so far.
    powers: [f64; 2],
}

/// Factors of a step.
#[derive(Clone, Copy)]
pub(super) struct Factors {
    rate: f32,
    kept: f32,
    first: f32,
    second: f32,
}

/// Means of the gradient and of its square.
#[derive(Clone, Copy, Default)]
pub(super) struct Moments {
    first: Lanes,
    second: Lanes,
}

impl Adam {
    pub(super) fn new(settings: &Settings) -> Self {
        Adam { rate: settings.learning_rate, weight_decay: settings.weight_decay, powers: [1.0; 2] }
    }

    /// Multiplies the learning rate.
    pub(super) fn decay(&mut self, factor: f64) {
        self.rate *= factor;
    }

    /// Begins a step.
    pub(super) fn next(&mut self) {
        self.powers[0] *= f64::from(BETA_1);
        self.powers[1] *= f64::from(BETA_2);
    }

    /// Changes weights by their gradient; biases do not decay.
    pub(super) fn step(
        &self,
        processor: Processor,
        decays: bool,
        gradient: &[Lanes],
        weights: &mut [Lanes],
        moments: &mut [Moments],
    ) {
        let factors = Factors {
            rate: self.rate as f32,
            kept: if decays { (1.0 - self.rate * self.weight_decay) as f32 } else { 1.0 },
            first: (1.0 / (1.0 - self.powers[0])) as f32,
            second: (1.0 / (1.0 - self.powers[1])) as f32,
        };
        change(processor, &factors, gradient, weights, moments);
    }
}

#[inline(always)]
fn change_on<const FOR: u8>(factors: &Factors, gradient: &[Lanes], weights: &mut [Lanes], moments: &mut [Moments]) {
    let Factors { rate, kept, first, second } = *factors;
    for ((gradient, weights), moments) in gradient.iter().zip(weights).zip(moments) {
        for lane in 0..gradient.len() {
            let g = gradient[lane];
            let m = BETA_1 * moments.first[lane] + (1.0 - BETA_1) * g;
            let v = BETA_2 * moments.second[lane] + (1.0 - BETA_2) * (g * g);
            (moments.first[lane], moments.second[lane]) = (m, v);
            weights[lane] = kept * weights[lane] - rate * (m * first) / ((v * second).sqrt() + EPSILON);
        }
    }
}

compiled! {
    /// One step.
    change, change_on, (factors: &Factors, gradient: &[Lanes], weights: &mut [Lanes], moments: &mut [Moments])
}
