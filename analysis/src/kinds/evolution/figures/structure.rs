//! What the trees of a population are like, over generations.

use crate::{
    forms::figure::{Chart, Look, Series, panel, point},
    kinds::evolution::{Evolution, Generation},
    statistics::moments::Moments,
};

/// Size, depth, introns and variety, a panel each.
pub(crate) fn chart(evolution: &Evolution) -> Chart {
    let series = |name: &str, colour: usize, look: Look, of: &dyn Fn(&Generation) -> f64| {
        let points = evolution.generations.iter().map(|g| point(g.number.into(), of(g))).collect();
        Series { name: name.to_owned(), colour, look, points }
    };
    let mean = |values: &[f64]| Moments::of(values).mean().unwrap_or_default();
    let largest = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
    let all = |of: &dyn Fn(&Generation) -> f64| evolution.generations.iter().map(of).fold(1.0, f64::max);
    let percent = Some((0.0, 100.0));
    let deepest = all(&|g| largest(&g.depth));
    let mut panels = vec![
        panel(
            "tree size",
            "size (nodes)",
            Some((0.0, 1.1 * all(&|g| largest(&g.size)))),
            vec![
                series("mean", 0, Look::Line, &|g| mean(&g.size)),
                series("largest", 1, Look::Dashed, &|g| largest(&g.size)),
            ],
        ),
        panel(
            "tree depth",
            "depth (levels)",
            Some((0.0, deepest + 1.0)),
            vec![
                series("mean", 0, Look::Line, &|g| mean(&g.depth)),
                series("deepest", 1, Look::Dashed, &|g| largest(&g.depth)),
            ],
        ),
        panel(
            "introns",
            "introns (% of nodes)",
            percent,
            vec![series("mean", 0, Look::Line, &|g| 100.0 * mean(&g.introns))],
        ),
        panel(
            "different trees",
            "different (% of trees)",
            percent,
            vec![series("share", 0, Look::Line, &|g| 100.0 * g.distinct_share())],
        ),
    ];
    // Levels are whole.
    panels[1].y_step = Some((deepest / 5.0).ceil());
    Chart { name: "structure".into(), panels }
}
