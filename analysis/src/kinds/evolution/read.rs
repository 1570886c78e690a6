//! The stages of an evolution.

use record::{columns::GENERATION, folds::GenerationFold};

use super::{Evolution, Generation};
use crate::{
    Error,
    data::Exported,
    kinds::{grid, workers::Played},
};

/// Reads stages of the shapes `generation` and `match`.
pub(crate) fn read(stages: &[Exported]) -> Result<Evolution, Error> {
    let facts = stages[0].meta()?;
    let (mut generations, mut benchmarks) = (Vec::new(), Vec::new());
    for stage in stages {
        match stage.spec.shape.name.as_str() {
            GENERATION => generations.push(generation(stage)?),
            _ => benchmarks.push(grid::read(stage)?),
        }
    }
    Ok(Evolution { facts, generations, benchmarks })
}

fn generation(stage: &Exported) -> Result<Generation, Error> {
    let GenerationFold { fitness, size, depth, introns, best, distinct, .. } = stage.fold()?;
    let individuals = fitness.len();
    if best >= individuals || [size.len(), depth.len(), introns.len()] != [individuals; 3] {
        return Err(stage.contract("its fold has lists of different lengths, or a best outside of them"));
    }
    Ok(Generation {
        number: stage.fact("generation")?,
        fitness,
        // Everybody sits first as often as second, and a game has one of each.
        of: 2.0 * stage.spec.trials as f64 / individuals as f64,
        size: size.into_iter().map(|nodes| nodes as f64).collect(),
        depth: depth.into_iter().map(f64::from).collect(),
        introns,
        best,
        distinct,
        played: Played::of(stage)?,
    })
}
