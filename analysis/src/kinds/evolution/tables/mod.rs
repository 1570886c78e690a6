//! The tables of an evolution, a file each.

mod benchmarks;
mod generations;
mod phases;

pub(crate) use benchmarks::{benchmarks, last};
pub(crate) use generations::generations;
pub(crate) use phases::phases;
