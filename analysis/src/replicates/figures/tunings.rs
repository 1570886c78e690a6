//! Tunings of a setting: their searches as means over runs, and what their winners are worth.

use crate::{
    forms::figure::{Boxes, Chart, Distribution, Group, Look, Panel, Scale},
    kinds::{grid::SCORE_OF, tuning::Generation},
    replicates::{ADVANTAGE, Replicate, Setting, figures::series, outcome_names},
};

/// Shares of leaders and of all candidates. Over games, not generations: those of two algorithms differ in size.
pub(crate) fn course(settings: &[Setting]) -> Chart {
    let panel = |title: &str, of: &dyn Fn(&Generation) -> Option<f64>| Panel {
        title: title.to_owned(),
        x: "games of the search so far".to_owned(),
        y: "share of the points".to_owned(),
        y_range: Some((0.0, 1.02)),
        y_scale: Scale::Linear,
        y_step: None,
        level: None,
        series: series(settings, [Look::Line, Look::DashedBand], |run| by_games(run, of)),
    };
    let panels = vec![
        panel("leader of the search", &|generation| generation.leader.share()),
        panel("mean of a generation's candidates", &|generation| generation.mean_share()),
    ];
    Chart { name: "replicate-tunings".into(), panels }
}

/// Values of the generations of a tuning that has ended, by the games that the search should have by then.
fn by_games(run: &Replicate, of: &dyn Fn(&Generation) -> Option<f64>) -> Option<Vec<(u64, f64)>> {
    let mut games = 0;
    let value = |generation: &Generation| {
        games += generation.played.trials;
        Some((games, of(generation)?))
    };
    Some(run.tuning()?.generations.iter().filter_map(value).collect())
}

/// What winners took on fresh games and how much more than the defaults, a panel each, a point a run.
pub(crate) fn winners(settings: &[Setting]) -> Boxes {
    let has_any =
        |name: &String| settings.iter().flat_map(|setting| &setting.runs).any(|run| value(run, name).is_some());
    let panel = |name: String| Distribution {
        level: Some(if name == ADVANTAGE { 0.0 } else { 0.5 * SCORE_OF }),
        groups: settings
            .iter()
            .map(|setting| Group {
                name: setting.title(),
                values: setting.runs.iter().filter_map(|run| value(run, &name)).collect(),
            })
            .collect(),
        title: name,
    };
    Boxes {
        name: "replicate-winners".to_owned(),
        title: "winners on fresh games; a point is a run, dashed: equal strength".to_owned(),
        x: "points of 1000 games".to_owned(),
        panels: outcome_names(settings).into_iter().filter(has_any).map(panel).collect(),
    }
}

/// An outcome of a tuning.
fn value(run: &Replicate, outcome: &str) -> Option<f64> {
    run.tuning().and_then(|_| run.outcome(outcome)).map(|outcome| outcome.value)
}
