//! Weights while they are trained, in panels that threads own.

use std::{
    ops::Deref,
    sync::{RwLock, RwLockReadGuard},
};

use super::{
    NO_PANIC,
    adam::{Adam, Moments},
    rows::Block,
};
use crate::{
    Net, Processor,
    architecture::{Architecture, Step},
    evaluator::Chains,
    kernels::{self, Share, TILE, without_negative_zero},
    lines::{Lanes, PANEL, panels},
    net::Weights,
};

/// Weights of 16 outputs of a linear map.
pub(super) struct Panel {
    /// `[inputs][16]`.
    pub(super) weights: Vec<Lanes>,
    pub(super) bias: Lanes,
    /// `[panels of inputs][16 outputs][16 inputs]`; empty where nothing comes back.
    pub(super) transposed: Vec<Lanes>,
    /// Those of the weights, then those of the bias.
    moments: Vec<Moments>,
}

/// A linear map.
pub(super) struct Map {
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    /// Buffer that it reads.
    pub(super) reads: usize,
    pub(super) panels: Vec<RwLock<Panel>>,
}

impl Map {
    /// The panels, to be read.
    pub(super) fn read(&self) -> Vec<RwLockReadGuard<'_, Panel>> {
        self.panels.iter().map(|panel| panel.read().expect(NO_PANIC)).collect()
    }
}

/// A net while it is trained.
pub(super) struct Model {
    pub(super) architecture: Architecture,
    pub(super) processor: Processor,
    pub(super) steps: Vec<Step>,
    /// Those of the steps, then those of the heads.
    pub(super) maps: Vec<Map>,
}

impl Model {
    pub(super) fn new(net: &Net, processor: Processor) -> Self {
        let architecture = net.architecture.clone();
        let steps = architecture.steps();
        let maps = net.weights.iter().enumerate().map(|(place, weights)| {
            let chains = Chains::new(weights);
            let reads = place.min(steps.len());
            let panel = |(weights, bias): (&[Lanes], &Lanes)| {
                let moments = vec![Moments::default(); weights.len() + 1];
                let mut panel = Panel { weights: weights.to_vec(), bias: *bias, transposed: Vec::new(), moments };
                if reads > 0 {
                    panel.transposed = vec![Lanes::ZERO; panels(chains.inputs) * PANEL];
                    panel.transpose();
                }
                RwLock::new(panel)
            };
            let panels = chains.weights.chunks_exact(chains.inputs).zip(&chains.bias).map(panel).collect();
            Map { inputs: chains.inputs, outputs: weights.bias.len(), reads, panels }
        });
        Model { maps: maps.collect(), architecture, processor, steps }
    }

    /// Whether rows can be right or wrong.
    pub(super) fn has_outcome(&self) -> bool {
        self.architecture.outcome().is_some() || self.architecture.value().is_some()
    }

    /// Panels by thread, each to the thread that has least so far, the largest first.
    pub(super) fn owned(&self, threads: usize) -> Vec<Vec<(usize, usize)>> {
        let all = self.maps.iter().enumerate();
        let mut all: Vec<(usize, usize)> =
            all.flat_map(|(map, of)| (0..of.panels.len()).map(move |panel| (map, panel))).collect();
        all.sort_by_key(|&(map, _)| std::cmp::Reverse(self.maps[map].inputs));
        let mut owned = vec![Vec::new(); threads];
        let mut loads = vec![0; threads];
        for (map, panel) in all {
            let thread = (0..threads).min_by_key(|&thread| loads[thread]).unwrap_or_default();
            loads[thread] += self.maps[map].inputs;
            owned[thread].push((map, panel));
        }
        owned
    }

    /// The gradient of a panel over all rows, by tiles: (first input, gradient of its inputs), then that of the bias.
    pub(super) fn gradient(
        &self,
        map: usize,
        panel: usize,
        blocks: &[impl Deref<Target = Block>],
        mut take: impl FnMut(usize, &[Lanes]),
    ) -> Lanes {
        let of = &self.maps[map];
        // Of a small batch, some threads have no rows.
        let blocks: Vec<&Block> = blocks.iter().map(Deref::deref).filter(|block| !block.is_empty()).collect();
        let deltas: Vec<&[Lanes]> = blocks.iter().map(|block| block.deltas(map, panel)).collect();
        for input in (0..of.inputs).step_by(TILE) {
            let inputs = blocks.iter().map(|block| block.numbers(of.reads, input / PANEL));
            let shares: Vec<Share<'_>> = inputs.zip(&deltas).map(|(inputs, deltas)| Share { inputs, deltas }).collect();
            let mut tile = [Lanes::ZERO; TILE];
            kernels::gradient(self.processor, &shares, input % PANEL, &mut tile);
            take(input, &tile[..TILE.min(of.inputs - input)]);
        }
        let mut bias = Lanes::ZERO;
        for row in deltas.into_iter().flatten() {
            for (sum, delta) in bias.iter_mut().zip(row.iter()) {
                *sum += delta;
            }
        }
        bias
    }

    /// Changes a panel by its gradient.
    pub(super) fn update(&self, map: usize, panel: usize, blocks: &[impl Deref<Target = Block>], adam: &Adam) {
        let mut guard = self.maps[map].panels[panel].write().expect(NO_PANIC);
        let Panel { weights, bias, moments, .. } = &mut *guard;
        let inputs = weights.len();
        let gradient = self.gradient(map, panel, blocks, |input, tile| {
            let range = input..input + tile.len();
            adam.step(self.processor, true, tile, &mut weights[range.clone()], &mut moments[range]);
        });
        adam.step(self.processor, false, &[gradient], std::slice::from_mut(bias), &mut moments[inputs..]);
        guard.transpose();
    }

    /// The net; `None` if a weight is not finite.
    pub(super) fn net(&self) -> Option<Net> {
        let weights = self.maps.iter().map(|map| {
            let panels = map.read();
            let mut weights = Weights { weight: Vec::new(), bias: Vec::new() };
            for output in 0..map.outputs {
                let (panel, lane) = (&panels[output / PANEL], output % PANEL);
                weights.weight.extend(panel.weights.iter().map(|weights| without_negative_zero(weights[lane])));
                weights.bias.push(without_negative_zero(panel.bias[lane]));
            }
            weights.weight.iter().chain(&weights.bias).all(|w| w.is_finite()).then_some(weights)
        });
        Some(Net { weights: weights.collect::<Option<_>>()?, architecture: self.architecture.clone() })
    }
}

impl Panel {
    /// Copies the weights to where what comes back is computed from.
    fn transpose(&mut self) {
        let blocks = self.transposed.chunks_exact_mut(PANEL);
        for (block, weights) in blocks.zip(self.weights.chunks(PANEL)) {
            for (input, weights) in weights.iter().enumerate() {
                for (output, weight) in weights.iter().enumerate() {
                    block[output][input] = *weight;
                }
            }
        }
    }
}
