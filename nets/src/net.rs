//! A network: its architecture and its weights.

use crate::{
    architecture::{Activation, Architecture, Step},
    random::Draws,
};

/// A linear map's weights `[outputs, inputs]` and biases `[outputs]`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Weights {
    pub(crate) weight: Vec<f32>,
    pub(crate) bias: Vec<f32>,
}

/// A network. Its weights are finite.
#[derive(Clone, Debug, PartialEq)]
pub struct Net {
    pub(crate) architecture: Architecture,
    /// Of the linear maps, in their order.
    pub(crate) weights: Vec<Weights>,
}

impl Net {
    /// A net with random weights: uniform with the variance of He et al. (2015) before ReLU, else of Glorot and Bengio (2010);
    /// in residual layers divided by their number; biases are 0.
    pub fn initial(architecture: &Architecture, seed: &[u8; 32]) -> Self {
        let mut draws = Draws::new(seed, 1);
        let steps = architecture.steps();
        let is_residual = |step: &&Step| step.skip != crate::architecture::Skip::None;
        let residual = steps.iter().filter(is_residual).count().max(1);
        let linears = architecture.linears();
        let weights = linears.iter().enumerate().map(|(place, linear)| {
            let (inputs, outputs) = (linear.inputs as f64, linear.outputs as f64);
            let step = steps.get(place);
            let bound = match step.map(|step| step.activation) {
                Some(Activation::Relu) => (6.0 / inputs).sqrt(),
                _ => (6.0 / (inputs + outputs)).sqrt(),
            };
            let parts = if step.as_ref().is_some_and(is_residual) { residual as f64 } else { 1.0 };
            let bound = (bound / parts) as f32;
            let weight = (0..linear.inputs * linear.outputs).map(|_| bound * draws.signed()).collect();
            Weights { weight, bias: vec![0.0; linear.outputs] }
        });
        Net { weights: weights.collect(), architecture: architecture.clone() }
    }

    /// Its layers and heads.
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }
}
