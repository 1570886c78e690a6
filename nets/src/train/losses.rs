//! Losses of rows, and their derivatives by the logits of the heads.

use super::{Loss, Settings, Target, panel::Model};
use crate::{
    architecture::{Outcome, ValueOutput},
    functions::{self, held},
    lines::{Lanes, PANEL},
};

/// Probabilities below this have its logarithm in a loss.
const LEAST: f32 = 1e-7;

/// Logits of one row, which become derivatives.
pub(super) struct Heads<'a> {
    /// By linear map, `[panels][rows][16]`.
    pub(super) deltas: &'a mut [Vec<Lanes>],
    pub(super) rows: usize,
    pub(super) row: usize,
}

fn minus_ln(p: f32) -> f64 {
    f64::from(-libm::logf(if p > LEAST { p } else { LEAST }))
}

/// Cross-entropy of a probability and the share that it should be.
fn cross_entropy(p: f32, share: f32) -> f64 {
    let of = |p: f32, share: f32| if share == 0.0 { 0.0 } else { f64::from(share) * minus_ln(p) };
    of(p, share) + of(1.0 - p, 1.0 - share)
}

/// Loss of a sigmoid's value `p` and its derivative by the logit.
fn of_sigmoid(loss: Loss, p: f32, wanted: f32) -> (f64, f32) {
    let error = p - wanted;
    match loss {
        Loss::CrossEntropy => (cross_entropy(p, wanted), error),
        Loss::MeanSquare => (f64::from(error * error), 2.0 * error * (p * (1.0 - p))),
    }
}

impl Heads<'_> {
    /// The loss of the row, and whether its outcome is right; makes logits derivatives of `scale` times the loss.
    pub(super) fn loss(&mut self, model: &Model, settings: &Settings, target: &Target<'_>, scale: f32) -> (f64, bool) {
        let (mut loss, mut right) = (0.0, None);
        let mut place = model.steps.len();
        if let Some(kind) = model.architecture.outcome() {
            let lanes = &mut self.deltas[place][self.row];
            let of = outcome(kind, settings.loss, lanes, target.outcome, scale);
            loss += of.0;
            right = Some(of.1);
            place += 1;
        }
        if let Some(kind) = model.architecture.value() {
            let lanes = &mut self.deltas[place][self.row];
            let of = value(kind, settings.loss, lanes, target.value, scale * settings.value_weight as f32);
            loss += settings.value_weight * of.0;
            right = right.or(Some(of.1));
            place += 1;
        }
        if model.architecture.policy().is_some() {
            let of = self.policy(place, target.policy, scale * settings.policy_weight as f32);
            loss += settings.policy_weight * of;
        }
        (loss, right == Some(true))
    }

    /// Cross-entropy over the listed moves.
    fn policy(&mut self, place: usize, shares: &[(u16, f32)], scale: f32) -> f64 {
        let (rows, row) = (self.rows, self.row);
        let at = |move_place: u16| {
            let move_place = usize::from(move_place);
            (move_place / PANEL * rows + row, move_place % PANEL)
        };
        let numbers = &mut self.deltas[place];
        let logit = |&(move_place, _): &(u16, f32)| {
            let (panel, lane) = at(move_place);
            held(numbers[panel][lane], 1e9)
        };
        let mut probabilities: Vec<f32> = shares.iter().map(logit).collect();
        functions::softmax(&mut probabilities);
        for panel in numbers.chunks_exact_mut(rows) {
            panel[row] = Lanes::ZERO;
        }
        let mut loss = 0.0;
        for (&(move_place, share), p) in shares.iter().zip(probabilities) {
            let (panel, lane) = at(move_place);
            numbers[panel][lane] = scale * (p - share);
            if share != 0.0 {
                loss += f64::from(share) * minus_ln(p);
            }
        }
        loss
    }
}

/// Place of the greatest, of equal ones the first.
fn greatest(of: &[f32; 3]) -> usize {
    (1..3).fold(0, |best, place| if of[place] > of[best] { place } else { best })
}

fn outcome(kind: Outcome, loss: Loss, lanes: &mut Lanes, wanted: [f32; 3], scale: f32) -> (f64, bool) {
    let mut p = [0, 1, 2].map(|at| lanes[at]);
    *lanes = Lanes::ZERO;
    let mut sum = 0.0;
    match kind {
        Outcome::Sigmoid => {
            for at in 0..3 {
                p[at] = functions::sigmoid(p[at]);
                let (of, derivative) = of_sigmoid(loss, p[at], wanted[at]);
                sum += of / 3.0;
                lanes[at] = scale / 3.0 * derivative;
            }
        }
        Outcome::Softmax => {
            p = p.map(|x| held(x, 1e9));
            functions::softmax(&mut p);
            let error = [0, 1, 2].map(|at| p[at] - wanted[at]);
            match loss {
                Loss::CrossEntropy => {
                    let of = |at: usize| if wanted[at] == 0.0 { 0.0 } else { f64::from(wanted[at]) * minus_ln(p[at]) };
                    sum = of(0) + of(1) + of(2);
                    for at in 0..3 {
                        lanes[at] = scale * error[at];
                    }
                }
                Loss::MeanSquare => {
                    let mean = error[0] * p[0] + error[1] * p[1] + error[2] * p[2];
                    for at in 0..3 {
                        sum += f64::from(error[at] * error[at]) / 3.0;
                        lanes[at] = scale * (2.0 / 3.0) * (p[at] * (error[at] - mean));
                    }
                }
            }
        }
    }
    (sum, greatest(&p) == greatest(&wanted))
}

fn value(kind: ValueOutput, loss: Loss, lanes: &mut Lanes, wanted: f32, scale: f32) -> (f64, bool) {
    let logit = lanes[0];
    *lanes = Lanes::ZERO;
    let (points, of, derivative) = match kind {
        ValueOutput::Sigmoid => {
            let p = functions::sigmoid(logit);
            let (of, derivative) = of_sigmoid(loss, p, wanted);
            (p, of, derivative)
        }
        ValueOutput::Tanh => {
            let y = functions::tanh(logit);
            let error = y - (2.0 * wanted - 1.0);
            (0.5 + 0.5 * y, f64::from(error * error), 2.0 * error * (1.0 - y * y))
        }
    };
    lanes[0] = scale * derivative;
    (of, (points >= 0.5) == (wanted >= 0.5))
}
