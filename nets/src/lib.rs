//! Small neural networks that give the same bits on every machine: their files, inference and training. The crate knows
//! nothing of games; a position is a row of numbers.
//!
//! An [`Architecture`] is one line of text, a [`Net`] has its weights and is a safetensors file, as PyTorch writes and reads
//! them. An [`Evaluator`] computes outputs in floating point, one row or many at a time; an [`Incremental`] keeps the sums of
//! the first layer in integers, so that a search changes a few inputs and pays for those alone. [`train`] makes a net of
//! another one and [`Data`].
//!
//! Every output has one order of additions, written down at the kernels ([`Evaluator`]). Products and sums are rounded one by
//! one, never fused, and no function of the platform's libm takes part. So the number of rows, of threads and the
//! instruction set change no bit.

mod architecture;
mod data;
mod evaluator;
mod file;
mod functions;
mod incremental;
mod kernels;
mod lines;
mod net;
mod processor;
mod random;
mod train;

pub use architecture::{Activation, Architecture, ArchitectureError, Layer, Outcome, ValueOutput};
pub use data::{Data, Target};
pub use evaluator::Evaluator;
pub use file::{BYTES_MAX, NetError};
pub use functions::softmax;
pub use incremental::Incremental;
pub use net::Net;
pub use processor::Processor;
pub use train::{Epoch, Loss, Settings, Trained, TrainingError, train, train_on};
