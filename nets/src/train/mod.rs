//! Training: a pure function of a net, data and settings.
//!
//! A batch has two phases. In the first, each thread takes some of the rows through the net and back; rows do not depend on
//! one another. In the second, each thread owns some panels of weights and sums their gradient over all rows, in the order of
//! the rows, whichever thread had them. So every number is one chain of additions, and the number of threads changes no bit.

mod adam;
mod barrier;
mod losses;
mod panel;
mod rows;

use std::sync::{Mutex, RwLock};

use crate::{Data, Net, Processor, data::Target, random::Draws};

use adam::Adam;
use barrier::Barrier;
use panel::Model;
use rows::Block;

/// What outcomes and values are trained by. Policies are always trained by cross-entropy, and values behind `tanh` by the mean
/// square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// Cross-entropy: of each of the three numbers behind a sigmoid, their mean; of a softmax as a whole.
    CrossEntropy,
    /// The mean of the squared differences.
    MeanSquare,
}

/// How a net is trained. The optimiser is Adam (Kingma and Ba 2015) with its usual constants 0.9, 0.999 and 1e-8.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Passes through the data, at least 1.
    pub epochs: u32,
    /// Rows of a batch, from 1 to 65536.
    pub batch: usize,
    /// Learning rate of the first epoch, above 0.
    pub learning_rate: f64,
    /// What the learning rate is multiplied by after each epoch, above 0.
    pub decay: f64,
    /// Share of each weight that is taken from it at a learning rate of 1 (Loshchilov and Hutter 2019), biases excepted; 0 for
    /// none.
    pub weight_decay: f64,
    /// What outcomes and values are trained by.
    pub loss: Loss,
    /// Weight of the value's loss; the outcome's is 1.
    pub value_weight: f64,
    /// Weight of the policy's loss.
    pub policy_weight: f64,
    /// Share of the rows, drawn at random, that is not trained on, from 0 to 0.9.
    pub held_out: f64,
    /// What draws the rows held out and the order of the others.
    pub seed: [u8; 32],
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            epochs: 10,
            batch: 256,
            learning_rate: 1e-3,
            decay: 1.0,
            weight_decay: 0.0,
            loss: Loss::CrossEntropy,
            value_weight: 1.0,
            policy_weight: 1.0,
            held_out: 0.0,
            seed: [0; 32],
        }
    }
}

/// What an epoch showed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Epoch {
    /// Mean loss of the rows trained on, each before the step that it was part of.
    pub loss: f64,
    /// Mean loss of the rows held out after the epoch; `None` without such rows.
    pub held_out: Option<f64>,
    /// Share of the rows held out whose likeliest outcome is right, or, in nets without an outcome, whose value lies on the
    /// right side of 0.5; `None` without such rows, and in nets that have a policy alone.
    pub right: Option<f64>,
}

/// A trained net.
#[derive(Clone, Debug)]
pub struct Trained {
    /// The net.
    pub net: Net,
    /// What each epoch showed.
    pub epochs: Vec<Epoch>,
}

/// Why a net cannot be trained.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TrainingError {
    /// There are no rows to train on.
    #[error("there are no rows to train on: {rows} rows, {held_out} of them held out")]
    NoRows {
        /// All rows.
        rows: usize,
        /// Those held out.
        held_out: usize,
    },
    /// Rows have another number of inputs.
    #[error("the rows have {found} inputs, and the net has {inputs}")]
    Inputs {
        /// Those of the rows.
        found: usize,
        /// Those of the net.
        inputs: usize,
    },
    /// A target names a place that the policy does not have.
    #[error("a row has a share for place {place} of the policy, and the net's has {numbers} places")]
    Policy {
        /// The place.
        place: u16,
        /// Numbers of the net's policy.
        numbers: usize,
    },
    /// A number in the data is not finite.
    #[error("the data hold a number that is not finite")]
    NotFinite,
    /// A setting is out of its range.
    #[error("`{name}` is out of its range")]
    Setting {
        /// Its name.
        name: &'static str,
    },
    /// Weights grew beyond all bounds.
    #[error("the training diverged in epoch {epoch}: the loss is not finite; a lower learning rate may help")]
    Diverged {
        /// The epoch, from 1.
        epoch: u32,
    },
}

impl Settings {
    /// Checks the ranges.
    ///
    /// # Errors
    /// The first setting that is out of its range.
    pub fn check(&self) -> Result<(), TrainingError> {
        let is_rate = |x: f64| x > 0.0 && x <= 10.0;
        let is_weight = |x: f64| (0.0..=1e3).contains(&x);
        let ranges = [
            ("epochs", self.epochs > 0),
            ("batch", (1..=65_536).contains(&self.batch)),
            ("learning-rate", is_rate(self.learning_rate)),
            ("decay", is_rate(self.decay)),
            ("weight-decay", is_weight(self.weight_decay)),
            ("value-weight", is_weight(self.value_weight)),
            ("policy-weight", is_weight(self.policy_weight)),
            ("held-out", (0.0..=0.9).contains(&self.held_out)),
        ];
        match ranges.iter().find(|(_, holds)| !holds) {
            Some((name, _)) => Err(TrainingError::Setting { name }),
            None => Ok(()),
        }
    }
}

/// Trains a copy of the net on the data, on so many threads, at least 1. The result is the same to the bit for any number of
/// threads and on every machine.
///
/// # Errors
/// Data or settings that do not fit, or a training that diverges.
pub fn train(net: &Net, data: &Data, settings: &Settings, threads: usize) -> Result<Trained, TrainingError> {
    train_on(net, data, settings, threads, Processor::this())
}

/// [`train`] with the instructions of `processor`.
///
/// # Errors
/// As [`train`].
pub fn train_on(
    net: &Net,
    data: &Data,
    settings: &Settings,
    threads: usize,
    processor: Processor,
) -> Result<Trained, TrainingError> {
    settings.check()?;
    let architecture = net.architecture();
    if data.inputs() != architecture.inputs() {
        return Err(TrainingError::Inputs { found: data.inputs(), inputs: architecture.inputs() });
    }
    if let Some(numbers) = architecture.policy()
        && let Some(place) = data.beyond(numbers)
    {
        return Err(TrainingError::Policy { place, numbers });
    }
    if !data.is_finite() {
        return Err(TrainingError::NotFinite);
    }
    let mut order: Vec<u32> = (0..u32::try_from(data.len()).unwrap_or(u32::MAX)).collect();
    let mut draws = Draws::new(&settings.seed, 2);
    shuffle(&mut order, &mut draws);
    let held_out = order.split_off(order.len() - (settings.held_out * order.len() as f64) as usize);
    if order.is_empty() {
        return Err(TrainingError::NoRows { rows: data.len(), held_out: held_out.len() });
    }
    let threads = threads.clamp(1, settings.batch.div_ceil(crate::kernels::ROWS));
    let model = Model::new(net, processor);
    let shared = Shared {
        blocks: (0..threads).map(|_| RwLock::new(Block::new(&model))).collect(),
        owned: model.owned(threads),
        barrier: Barrier::new(threads),
        epochs: Mutex::new(Vec::new()),
        model,
        data,
        settings,
        held_out,
    };
    std::thread::scope(|scope| {
        for thread in 1..threads {
            let (shared, order, draws) = (&shared, order.clone(), draws.clone());
            scope.spawn(move || shared.run(thread, order, draws));
        }
        shared.run(0, order, draws);
    });
    let epochs = shared.epochs.into_inner().expect("no thread panicked");
    let diverged = epochs.iter().position(|epoch| !epoch.loss.is_finite());
    match (diverged, shared.model.net()) {
        (None, Some(net)) => Ok(Trained { net, epochs }),
        (epoch, _) => Err(TrainingError::Diverged { epoch: epoch.unwrap_or(epochs.len() - 1) as u32 + 1 }),
    }
}

/// Puts rows in random order.
fn shuffle(order: &mut [u32], draws: &mut Draws) {
    for last in (1..order.len()).rev() {
        order.swap(last, draws.below(last as u32 + 1) as usize);
    }
}

/// What threads share.
struct Shared<'a> {
    model: Model,
    /// Rows of each thread.
    blocks: Vec<RwLock<Block>>,
    /// Panels of each thread: (linear map, panel).
    owned: Vec<Vec<(usize, usize)>>,
    barrier: Barrier,
    epochs: Mutex<Vec<Epoch>>,
    data: &'a Data,
    settings: &'a Settings,
    held_out: Vec<u32>,
}

/// Why a lock is not poisoned.
const NO_PANIC: &str = "a thread that panics ends the training";

impl Shared<'_> {
    /// What each thread does; all draw the same orders.
    fn run(&self, thread: usize, mut order: Vec<u32>, mut draws: Draws) {
        let _leaving = self.barrier.leaving();
        let settings = self.settings;
        let mut adam = Adam::new(settings);
        for epoch in 0..settings.epochs {
            if epoch > 0 {
                shuffle(&mut order, &mut draws);
                adam.decay(settings.decay);
            }
            let (mut loss, mut count) = (0.0, 0u64);
            for batch in order.chunks(settings.batch) {
                self.forward(thread, batch, true);
                self.barrier.wait();
                self.blocks(|blocks| {
                    adam.next();
                    for &(map, panel) in &self.owned[thread] {
                        self.model.update(map, panel, blocks, &adam);
                    }
                    if thread == 0 {
                        loss += blocks.iter().flat_map(|block| block.losses()).sum::<f64>();
                        count += batch.len() as u64;
                    }
                });
                self.barrier.wait();
            }
            let (mut held_loss, mut right) = (0.0, 0u64);
            for batch in self.held_out.chunks(settings.batch) {
                self.forward(thread, batch, false);
                self.barrier.wait();
                if thread == 0 {
                    self.blocks(|blocks| {
                        held_loss += blocks.iter().flat_map(|block| block.losses()).sum::<f64>();
                        right += blocks.iter().map(|block| block.right()).sum::<u64>();
                    });
                }
                self.barrier.wait();
            }
            if thread == 0 {
                let held = self.held_out.len() as f64;
                let has_right = self.model.has_outcome() && held > 0.0;
                self.epochs.lock().expect(NO_PANIC).push(Epoch {
                    loss: loss / count as f64,
                    held_out: (held > 0.0).then(|| held_loss / held),
                    right: has_right.then(|| right as f64 / held),
                });
            }
        }
    }

    /// Takes this thread's rows of a batch through the net, and back if it is trained on them.
    fn forward(&self, thread: usize, batch: &[u32], back: bool) {
        let tiles = batch.len().div_ceil(crate::kernels::ROWS);
        let (threads, rows) = (self.blocks.len(), crate::kernels::ROWS);
        let [from, to] = [thread, thread + 1].map(|thread| (tiles * thread / threads * rows).min(batch.len()));
        let mut block = self.blocks[thread].write().expect(NO_PANIC);
        block.pass(&self.model, self.data, self.settings, &batch[from..to], batch.len(), back);
    }

    /// Gives all blocks to `use_them`.
    fn blocks(&self, use_them: impl FnOnce(&[std::sync::RwLockReadGuard<'_, Block>])) {
        let blocks: Vec<_> = self.blocks.iter().map(|block| block.read().expect(NO_PANIC)).collect();
        use_them(&blocks);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean loss of all rows, and derivatives of the weights by place and input, in the order of a file.
    fn loss_and_gradient(net: &Net, data: &Data, settings: &Settings) -> (f64, Vec<f32>) {
        let model = Model::new(net, Processor::this());
        let mut block = Block::new(&model);
        let rows: Vec<u32> = (0..data.len() as u32).collect();
        block.pass(&model, data, settings, &rows, rows.len(), true);
        let loss = block.losses().iter().sum::<f64>() / rows.len() as f64;
        let mut found = Vec::new();
        for (place, map) in model.maps.iter().enumerate() {
            let mut weights = vec![0.0; map.inputs * map.outputs];
            let mut biases = Vec::new();
            for panel in 0..map.panels.len() {
                let lanes = (map.outputs - panel * 16).min(16);
                let bias = model.gradient(place, panel, &[&block], |first, tile| {
                    for (input, gradient) in tile.iter().enumerate() {
                        for lane in 0..lanes {
                            weights[(panel * 16 + lane) * map.inputs + first + input] = gradient[lane];
                        }
                    }
                });
                biases.extend_from_slice(&bias[..lanes]);
            }
            found.extend(weights);
            found.extend(biases);
        }
        (loss, found)
    }

    /// Central differences of the loss, weight by weight.
    #[test]
    fn gradients_are_finite_differences() {
        let layers = "hidden=18:tanh,residual:sigmoid,block:tanh,residual:tanh";
        for (heads, loss) in [
            ("outcome=sigmoid", Loss::CrossEntropy),
            ("outcome=sigmoid value=sigmoid", Loss::MeanSquare),
            ("outcome=softmax value=sigmoid policy=20", Loss::CrossEntropy),
            ("outcome=softmax value=tanh policy=5", Loss::MeanSquare),
        ] {
            let architecture = format!("encoding=x inputs=5 {layers} {heads}").parse().expect("an architecture");
            let mut net = Net::initial(&architecture, &[6; 32]);
            let mut draws = Draws::new(&[7; 32], 0);
            let mut data = Data::new(5);
            for row in 0..7u16 {
                let inputs: Vec<f32> = (0..5).map(|_| draws.signed()).collect();
                let policy = [(row % 5, 0.25), ((row + 2) % 5, 0.75)];
                data.push(&inputs, &Target::of_points(f32::from(row % 3) / 2.0, &policy));
            }
            let settings = Settings { loss, value_weight: 0.5, policy_weight: 1.5, ..Settings::default() };
            let (_, gradient) = loss_and_gradient(&net, &data, &settings);
            let mut place = 0;
            for map in 0..net.weights.len() {
                let (weights, biases) = (net.weights[map].weight.len(), net.weights[map].bias.len());
                for index in 0..weights + biases {
                    if index.is_multiple_of(3) || index >= weights {
                        let mut at = |change: f32| {
                            let of = &mut net.weights[map];
                            let weight =
                                if index < weights { &mut of.weight[index] } else { &mut of.bias[index - weights] };
                            *weight += change;
                            loss_and_gradient(&net, &data, &settings).0
                        };
                        let (above, below) = (at(0.02), at(-0.04));
                        at(0.02);
                        let (wanted, found) = ((above - below) / 0.04, f64::from(gradient[place]));
                        assert!((found - wanted).abs() < 2e-3 * wanted.abs() + 2e-4, "{heads}: {found}, not {wanted}");
                    }
                    place += 1;
                }
            }
        }
    }
}
