//! Evolutions and searches of a setting as means over runs, settings side by side.

mod tunings;

use std::collections::BTreeMap;

use crate::{
    forms::figure::{Chart, Figures, GENERATION, Look, Panel, Point, Scale, Series, panel},
    kinds::{
        evolution::{Evolution, Generation, figures::benchmarks::opponents},
        grid::{BEST, SCORE_OF},
    },
    replicates::{Replicate, Setting},
    statistics::moments::Moments,
};

/// Of settings with several runs each.
pub(crate) fn of_settings(settings: &[Setting]) -> Figures {
    let charts = [course(settings), scores(settings), tunings::course(settings)];
    let mut figures: Figures = charts.iter().map(Chart::draw).collect();
    figures.extend([tunings::winners(settings).draw()]);
    figures
}

/// Fitness of the best and size of trees.
pub(crate) fn course(settings: &[Setting]) -> Chart {
    let over_runs = |of: &dyn Fn(&Generation) -> f64| {
        series(settings, [Look::Line, Look::DashedBand], |run| {
            Some(run.evolution()?.generations.iter().map(|g| (g.number.into(), of(g))).collect())
        })
    };
    let sizes = over_runs(&|g| Moments::of(&g.size).mean().unwrap_or_default());
    let largest = highest(&sizes).max(1.0);
    let panels = vec![
        panel(
            "best individual inside its population",
            "fitness (% of its games)",
            Some((0.0, 100.0)),
            over_runs(&|g| 100.0 * g.best_share()),
        ),
        panel("trees", "mean size (nodes)", Some((0.0, 1.1 * largest)), sizes),
    ];
    Chart { name: "replicates".into(), panels }
}

/// Scores of the best, a panel an opponent.
pub(crate) fn scores(settings: &[Setting]) -> Chart {
    let evolutions = || settings.iter().flat_map(|setting| &setting.runs).filter_map(|run| run.evolution());
    let mut names: Vec<&str> = Vec::new();
    for name in evolutions().flat_map(|evolution| opponents(&evolution.benchmarks)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let against = |opponent: &str, evolution: &Evolution| -> Vec<(u64, f64)> {
        let score = |grid: &crate::kinds::grid::Grid| {
            let pair = grid.pairs_of(BEST).find(|pair| pair.b == opponent)?;
            Some((grid.meta.generation?.into(), pair.share() * SCORE_OF))
        };
        evolution.benchmarks.iter().filter_map(score).collect()
    };
    let panels = names.iter().map(|opponent| Panel {
        title: format!("best individual v {opponent}"),
        x: GENERATION.into(),
        y: "score (points of 1000 games)".into(),
        y_range: Some((0.0, SCORE_OF)),
        y_scale: Scale::Linear,
        y_step: None,
        level: Some((0.5 * SCORE_OF, "equal strength")),
        series: series(settings, [Look::Marked; 2], |run| Some(against(opponent, run.evolution()?))),
    });
    Chart { name: "replicate-benchmarks".into(), panels: panels.collect() }
}

/// Mean over a setting's runs with the deviation about it; a look a setting. `of` gives the values of a run by place on
/// the x axis, and nothing of a run that takes no part.
pub(super) fn series(
    settings: &[Setting],
    looks: [Look; 2],
    of: impl Fn(&Replicate) -> Option<Vec<(u64, f64)>>,
) -> Vec<Series> {
    let one = |(colour, setting): (usize, &Setting)| {
        let mut values: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
        let runs: Vec<Vec<(u64, f64)>> = setting.runs.iter().filter_map(&of).collect();
        for (x, value) in runs.iter().flatten() {
            values.entry(*x).or_default().push(*value);
        }
        let point = |(x, values): (&u64, &Vec<f64>)| {
            let over = Moments::of(values);
            let mean = over.mean()?;
            let spread = over.deviation().map(|sd| (mean - sd, mean + sd));
            Some(Point { x: *x as f64, y: mean, spread })
        };
        let name = match runs.len() {
            1 => format!("{}, one run", setting.title()),
            runs => format!("{}, mean ± 1 sd of {runs} runs", setting.title()),
        };
        Series { name, colour, look: looks[colour % 2], points: values.iter().filter_map(point).collect() }
    };
    settings.iter().enumerate().map(one).collect()
}

fn highest(series: &[Series]) -> f64 {
    let ends = series.iter().flat_map(|series| &series.points).map(|p| p.spread.map_or(p.y, |(_, high)| high));
    ends.fold(0.0, f64::max)
}
