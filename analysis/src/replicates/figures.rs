//! Runs of a setting as means, settings side by side.

use std::collections::BTreeMap;

use super::{Replicate, Setting, outcome_names};
use crate::{
    forms::figure::{Boxes, Chart, Distribution, Figures, Group, Panel, Point, Scale, Series},
    kinds::subject::Course,
    statistics::moments::Moments,
};

/// The courses of runs as means with the deviation over runs, and the outcomes that are drawn as boxes.
pub(super) fn of_settings(settings: &[Setting]) -> Figures {
    let mut figures: Figures = courses(settings).iter().map(Chart::draw).collect();
    figures.extend([outcomes(settings).draw()]);
    figures
}

/// A chart for each figure that a run has courses of, a panel a title, in the order in which they first appear.
fn courses(settings: &[Setting]) -> Vec<Chart> {
    let mut charts: Vec<Chart> = Vec::new();
    for course in settings.iter().flat_map(|setting| &setting.runs).flat_map(|run| &run.courses) {
        let place = charts.iter().position(|chart| chart.name == course.figure).unwrap_or_else(|| {
            charts.push(Chart { name: course.figure.to_owned(), panels: Vec::new() });
            charts.len() - 1
        });
        let panels = &mut charts[place].panels;
        if panels.iter().all(|panel| panel.title != course.title) {
            panels.push(panel(course, series(settings, course)));
        }
    }
    charts
}

fn panel(course: &Course, series: Vec<Series>) -> Panel {
    let highest = || {
        let ends = series.iter().flat_map(|series| &series.points).map(|p| p.spread.map_or(p.y, |(_, high)| high));
        ends.fold(0.0, f64::max).max(1.0)
    };
    Panel {
        title: course.title.clone(),
        x: course.x.to_owned(),
        y: course.y.to_owned(),
        x_scale: Scale::Linear,
        y_range: Some(course.range.unwrap_or_else(|| (0.0, 1.1 * highest()))),
        y_scale: Scale::Linear,
        y_step: None,
        level: course.level,
        series,
    }
}

/// The mean over each setting's runs, with the deviation about it.
fn series(settings: &[Setting], course: &Course) -> Vec<Series> {
    let of_run = |run: &Replicate| {
        let found = run.courses.iter().find(|own| own.figure == course.figure && own.title == course.title);
        found.map(|own| own.points.clone())
    };
    let one = |(colour, setting): (usize, &Setting)| {
        let mut values: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
        let runs: Vec<Vec<(u64, f64)>> = setting.runs.iter().filter_map(of_run).collect();
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
        Series { name, colour, look: course.looks[colour % 2], points: values.iter().filter_map(point).collect() }
    };
    settings.iter().enumerate().map(one).collect()
}

/// The outcomes that are drawn, a panel each, a point a run.
fn outcomes(settings: &[Setting]) -> Boxes {
    let drawn = |name: String| {
        let about =
            settings.iter().flat_map(|setting| &setting.runs).find_map(|run| run.outcome(&name)?.drawn_about)?;
        let group = |setting: &Setting| Group { name: setting.title(), values: setting.values(&name) };
        Some(Distribution { level: Some(about), groups: settings.iter().map(group).collect(), title: name })
    };
    Boxes {
        name: "replicate-winners".to_owned(),
        title: "winners on fresh games; a point is a run, dashed: equal strength".to_owned(),
        x: "points of 1000 games".to_owned(),
        panels: outcome_names(settings).into_iter().filter_map(drawn).collect(),
    }
}
