//! Fitness over generations.

use crate::{
    forms::figure::{Chart, GENERATION, Look, Panel, Point, Scale, Series, point},
    kinds::evolution::Evolution,
    statistics::moments::Moments,
};

/// The best individual, and the mean with the deviation about it.
pub(crate) fn chart(evolution: &Evolution) -> Chart {
    let generations = &evolution.generations;
    let of = generations.first().map_or(0.0, |generation| generation.of);
    let best = generations.iter().map(|g| point(g.number.into(), g.best_fitness())).collect();
    let mean = generations.iter().filter_map(|g| {
        let fitness = Moments::of(&g.fitness);
        let mean = fitness.mean()?;
        let spread = fitness.deviation().map(|sd| (mean - sd, mean + sd));
        Some(Point { x: g.number.into(), y: mean, spread })
    });
    let series = vec![
        Series { name: "best individual".into(), colour: 1, look: Look::Line, points: best },
        Series {
            name: "mean, band ± 1 sd of individuals".into(), colour: 0, look: Look::Line, points: mean.collect()
        },
    ];
    let panel = Panel {
        title: format!("{}: fitness inside the population", evolution.facts.header.experiment),
        x: GENERATION.into(),
        y: format!("fitness (points of {of} games)"),
        x_scale: Scale::Linear,
        y_range: Some((0.0, of)).filter(|_| of > 0.0),
        y_scale: Scale::Linear,
        y_step: None,
        level: None,
        series,
    };
    Chart { name: "fitness".into(), panels: vec![panel] }
}
