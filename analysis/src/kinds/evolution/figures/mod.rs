//! The figures of an evolution.

pub(crate) mod benchmarks;
mod fitness;
mod structure;

use crate::{
    forms::figure::{Chart, Figures},
    kinds::evolution::Evolution,
};

/// The figures of an evolution's closed stages.
pub(crate) fn of_evolution(evolution: &Evolution) -> Figures {
    let charts = [fitness::chart(evolution), benchmarks::chart(evolution), structure::chart(evolution)];
    charts.iter().map(Chart::draw).collect()
}
