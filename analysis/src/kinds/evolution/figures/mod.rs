//! The figures of an evolution.

pub(crate) mod benchmarks;
mod fitness;
mod structure;

use crate::{
    forms::figure::{Chart, Figures},
    kinds::evolution::Evolution,
};

/// Of an evolution, as far as its stages are closed.
pub(crate) fn of_evolution(evolution: &Evolution) -> Figures {
    let charts = [fitness::chart(evolution), benchmarks::chart(evolution), structure::chart(evolution)];
    charts.iter().map(Chart::draw).collect()
}
