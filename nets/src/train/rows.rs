//! A thread's rows of a batch, and their way through the net and back.

use super::{Settings, losses, panel::Model};
use crate::{
    Data,
    architecture::Skip,
    evaluator::finish,
    functions::derivative,
    kernels::{self, ROWS},
    lines::{Lanes, PANEL, panels},
};

/// Numbers of some rows of a batch. All are `[panels][rows][16]`.
pub(super) struct Block {
    /// Rows, those that fill up the last tile included.
    rows: usize,
    /// Inputs, then what each step gives.
    buffers: Vec<Vec<Lanes>>,
    /// What a residual step gives before its inputs are added; empty of other steps.
    activated: Vec<Vec<Lanes>>,
    /// By buffer: derivatives of the loss.
    back: Vec<Vec<Lanes>>,
    /// By linear map: derivatives of the loss by its sums; of heads the logits before.
    deltas: Vec<Vec<Lanes>>,
    losses: Vec<f64>,
    right: u64,
    row: Vec<f32>,
}

impl Block {
    pub(super) fn new(model: &Model) -> Self {
        let (steps, maps) = (model.steps.len(), model.maps.len());
        Block {
            rows: 0,
            buffers: vec![Vec::new(); steps + 1],
            activated: vec![Vec::new(); steps],
            back: vec![Vec::new(); steps + 1],
            deltas: vec![Vec::new(); maps],
            losses: Vec::new(),
            right: 0,
            row: vec![0.0; model.architecture.inputs()],
        }
    }

    /// Whether there are no rows.
    pub(super) fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Loss of each row.
    pub(super) fn losses(&self) -> &[f64] {
        &self.losses
    }

    /// Rows whose outcome is right.
    pub(super) fn right(&self) -> u64 {
        self.right
    }

    /// One panel of a buffer.
    pub(super) fn numbers(&self, buffer: usize, panel: usize) -> &[Lanes] {
        &self.buffers[buffer][panel * self.rows..][..self.rows]
    }

    /// The deltas of one panel of a map.
    pub(super) fn deltas(&self, map: usize, panel: usize) -> &[Lanes] {
        &self.deltas[map][panel * self.rows..][..self.rows]
    }

    /// Takes rows of the data through the net, and back if `back`; `batch` is the size of the whole batch.
    pub(super) fn pass(
        &mut self,
        model: &Model,
        data: &Data,
        settings: &Settings,
        rows: &[u32],
        batch: usize,
        back: bool,
    ) {
        self.rows = rows.len().next_multiple_of(ROWS);
        self.fill(model, data, rows);
        self.forward(model);
        self.losses.clear();
        self.right = 0;
        for (row, &of) in rows.iter().enumerate() {
            let mut heads = losses::Heads { deltas: &mut self.deltas, rows: self.rows, row };
            let (loss, right) = heads.loss(model, settings, &data.target(of as usize), 1.0 / batch as f32);
            self.losses.push(loss);
            self.right += u64::from(right);
        }
        if back {
            // Rows that fill up the last tile have no loss.
            for deltas in &mut self.deltas[model.steps.len()..] {
                for panel in deltas.chunks_exact_mut(self.rows.max(1)) {
                    panel[rows.len()..].fill(Lanes::ZERO);
                }
            }
            self.backward(model);
        }
    }

    fn fill(&mut self, model: &Model, data: &Data, rows: &[u32]) {
        let width = panels(model.architecture.inputs());
        let inputs = &mut self.buffers[0];
        inputs.clear();
        inputs.resize(width * self.rows, Lanes::ZERO);
        for (place, &row) in rows.iter().enumerate() {
            data.row(row as usize, &mut self.row);
            for (panel, numbers) in self.row.chunks(PANEL).enumerate() {
                inputs[panel * self.rows + place][..numbers.len()].copy_from_slice(numbers);
            }
        }
    }

    fn forward(&mut self, model: &Model) {
        for (place, map) in model.maps.iter().enumerate() {
            let step = model.steps.get(place);
            let (before, after) = self.buffers.split_at_mut(map.reads + 1);
            let x = &before[map.reads];
            let out = if step.is_some() { &mut after[0] } else { &mut self.deltas[place] };
            out.resize(map.panels.len() * self.rows, Lanes::ZERO);
            if self.rows == 0 {
                continue;
            }
            for (panel, out) in map.panels.iter().zip(out.chunks_exact_mut(self.rows)) {
                let panel = panel.read().expect(super::NO_PANIC);
                kernels::rows(model.processor, x, self.rows, map.inputs, &panel.weights, &panel.bias, out);
            }
            let Some(step) = step else { continue };
            if step.skip == Skip::After {
                kernels::activate(model.processor, step.activation, out);
                self.activated[place].clone_from(out);
                kernels::sum(model.processor, out, x);
            } else {
                finish(model.processor, step, before, place, out);
            }
        }
    }

    fn backward(&mut self, model: &Model) {
        for (back, buffer) in self.back.iter_mut().zip(&self.buffers) {
            back.clear();
            back.resize(buffer.len(), Lanes::ZERO);
        }
        for place in (model.steps.len()..model.maps.len()).filter(|_| !model.steps.is_empty()) {
            self.come_back(model, place);
        }
        for (place, step) in model.steps.iter().enumerate().rev() {
            let (before, after) = self.back.split_at_mut(place + 1);
            let y = if step.skip == Skip::After { &self.activated[place] } else { &self.buffers[place + 1] };
            let deltas = &mut self.deltas[place];
            deltas.clear();
            deltas.extend(
                after[0]
                    .iter()
                    .zip(y)
                    .map(|(back, y)| Lanes::from_fn(|lane| back[lane] * derivative(step.activation, y[lane]))),
            );
            match step.skip {
                Skip::None => {}
                Skip::Before => kernels::sum(model.processor, &mut before[place - 1], deltas),
                Skip::After => kernels::sum(model.processor, &mut before[place], &after[0]),
            }
            if place > 0 {
                self.come_back(model, place);
            }
        }
    }

    /// Adds what comes back through a map to the derivatives of the buffer that it reads.
    fn come_back(&mut self, model: &Model, place: usize) {
        if self.rows == 0 {
            return;
        }
        let map = &model.maps[place];
        let weights = map.read();
        for (panel, out) in self.back[map.reads].chunks_exact_mut(self.rows).enumerate() {
            let transposed: Vec<&[Lanes]> =
                weights.iter().map(|weights| &weights.transposed[panel * PANEL..][..PANEL]).collect();
            kernels::back(model.processor, &self.deltas[place], self.rows, map.outputs, &transposed, out);
        }
    }
}
