//! How an evolution went, for figures of replicates.

use record::facts::Role;

use super::{Evolution, Generation, figures::benchmarks::opponents};
use crate::{
    forms::figure::{GENERATION, Look},
    kinds::{
        grid::{Grid, PER_1000},
        subject::Course,
    },
    statistics::moments::Moments,
};

/// Fitness of the best, size of trees, and the best individual's points against each opponent of the benchmarks.
pub(super) fn courses(evolution: &Evolution) -> Vec<Course> {
    let over_generations = |of: &dyn Fn(&Generation) -> f64| -> Vec<(u64, f64)> {
        evolution.generations.iter().map(|g| (g.number.into(), of(g))).collect()
    };
    let fitness = Course {
        figure: "replicates",
        title: "best individual inside its population".to_owned(),
        x: GENERATION,
        y: "fitness (% of its games)",
        range: Some((0.0, 100.0)),
        level: None,
        looks: [Look::Line, Look::DashedBand],
        points: over_generations(&|g| 100.0 * g.best_share()),
    };
    let size = Course {
        title: "trees".to_owned(),
        y: "mean size (nodes)",
        range: None,
        points: over_generations(&|g| Moments::of(&g.size).mean().unwrap_or_default()),
        ..fitness.clone()
    };
    let against = |opponent: &str| {
        let points = |grid: &Grid| {
            let pair = grid.pairs_of(Role::Best).find(|pair| pair.b == opponent)?;
            Some((grid.meta.generation?.into(), pair.share() * PER_1000))
        };
        Course {
            figure: "replicate-benchmarks",
            title: format!("best individual v {opponent}"),
            x: GENERATION,
            y: "points of 1000 games",
            range: Some((0.0, PER_1000)),
            level: Some((0.5 * PER_1000, "equal strength")),
            looks: [Look::Marked; 2],
            points: evolution.benchmarks.iter().filter_map(points).collect(),
        }
    };
    let benchmarks = opponents(&evolution.benchmarks).into_iter().map(against);
    [fitness, size].into_iter().chain(benchmarks).collect()
}
