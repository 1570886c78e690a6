//! Where a study's agents searched, what they found, and how deep their trees are.

use crate::{
    forms::figure::{Bars, Boxes, Chart, Curve, Distribution, Figures, Group, Places, Stack},
    kinds::{
        own,
        study::{Arm, Metric, Study},
    },
};

/// Nodes by place, a figure a problem that searches a line, under its function (figures 5.4 to 5.8 of the SIEA-MCTS
/// thesis).
pub(crate) fn trees(study: &Study) -> Vec<Places> {
    study.problems().map(|problem| places(study, problem)).collect()
}

fn places(study: &Study, problem: &str) -> Places {
    let stack = |arm: &Arm| {
        let thirds = arm.histogram.as_ref()?;
        let mean = |counts: &Vec<u64>| counts.iter().map(|count| *count as f64 / arm.histograms as f64).collect();
        Some(Stack { name: arm.agent.clone(), layers: thirds.each_ref().map(mean) })
    };
    let curve = study.meta.plots.get(problem).map(|points| Curve {
        title: format!("{}: {problem}", study.meta.header.experiment),
        y: format!("{problem}(x)"),
        points: points.iter().map(|[x, y]| (*x, *y)).collect(),
        optima: optima(points),
    });
    Places {
        name: format!("trees-{problem}"),
        x: "place x of a node's interval".to_owned(),
        curve,
        y: "mean nodes per bin".to_owned(),
        layers: ["first third of the iterations", "second third", "last third"],
        stacks: study.arms_of(problem).filter_map(stack).collect(),
    }
}

/// The figures of a study.
pub(crate) fn of_study(study: &Study) -> Figures {
    let mut figures: Figures = trees(study).iter().map(Places::draw).collect();
    figures.extend([results(study), leaf_depth(study)].iter().map(Boxes::draw));
    figures.extend(by_source(study).iter().map(Bars::draw));
    figures.extend(by_turn(study).iter().map(Chart::draw));
    figures.extend(study.turn_figures.charts().iter().map(Chart::draw));
    figures
}

/// Tops that are lower by less than this share of the function's range are as high as the highest: its points are
/// samples.
const AS_HIGH: f64 = 1e-3;
/// A function with more of them (f3 of the thesis) has no place that it could be found at.
const OPTIMA_MAX: usize = 4;

/// Where a function is highest: the middle of each stretch of points about its top. Nowhere if there are many.
fn optima(points: &[[f64; 2]]) -> Vec<f64> {
    let wider = |(low, top): (f64, f64), [_, y]: &[f64; 2]| (low.min(*y), top.max(*y));
    let (low, top) = points.iter().fold((f64::INFINITY, f64::NEG_INFINITY), wider);
    let is_high = |[_, y]: &[f64; 2]| *y >= top - AS_HIGH * (top - low);
    let stretches = points.chunk_by(|one, other| is_high(one) == is_high(other)).filter(|stretch| is_high(&stretch[0]));
    let middle = |stretch: &[[f64; 2]]| {
        let highest = stretch.iter().map(|[_, y]| *y).fold(f64::NEG_INFINITY, f64::max);
        let mut at = stretch.iter().filter(|[_, y]| *y == highest).map(|[x, _]| *x);
        let first = at.next().unwrap_or_default();
        0.5 * (first + at.next_back().unwrap_or(first))
    };
    let optima: Vec<f64> = stretches.map(middle).collect();
    if optima.len() <= OPTIMA_MAX { optima } else { Vec::new() }
}

/// What runs found, by problem and agent (figure 5.9): points by reward of a decision, points of a game.
pub(crate) fn results(study: &Study) -> Boxes {
    let metric = study.main_metric();
    let mut boxes = distributions(study, "results", metric, metric.head);
    // Points on the scale of the function: how far the best is.
    for panel in boxes.panels.iter_mut().filter(|_| metric.column == "by_reward") {
        let points = study.meta.plots.get(&panel.title);
        panel.level = points.and_then(|points| points.iter().map(|[_, y]| *y).max_by(f64::total_cmp));
    }
    if boxes.panels.iter().any(|panel| panel.level.is_some()) {
        boxes.title.push_str("; dashed: the function's maximum");
    }
    boxes
}

/// How deep leaves are, by problem and agent (figure 5.10).
pub(crate) fn leaf_depth(study: &Study) -> Boxes {
    let metric = Metric::find("leaf-depth").expect("a metric of the list");
    distributions(study, "leaf-depth", metric, "mean depth of leaves (plies)")
}

/// Points by source, a panel a problem (figure 5.11).
fn by_source(study: &Study) -> Option<Bars> {
    let bar = |arm: &Arm| (arm.agent.clone(), arm.own.numbers.clone());
    let panel = |problem: &str| (problem.to_owned(), study.arms_of(problem).map(bar).collect());
    let names = study.own.numbers.iter().map(String::as_str);
    own::by_source(&study.meta.header.experiment, names, study.problems().map(panel))
}

/// Lists that the game declares, turn by turn: a figure a list, with a panel a problem.
fn by_turn(study: &Study) -> Vec<Chart> {
    let chart = |(place, list): (usize, &String)| {
        let line = |arm: &Arm| (arm.agent.clone(), arm.own.turns.get(place).cloned().unwrap_or_default());
        let panel = |problem: &str| (problem.to_owned(), study.arms_of(problem).map(line).collect());
        own::by_turn(list, study.problems().map(panel))
    };
    study.own.lists.iter().enumerate().map(chart).collect()
}

fn distributions(study: &Study, name: &str, metric: &Metric, x: &str) -> Boxes {
    let group = |arm: &Arm| {
        let values = arm.moments(metric).map(|_| arm.values(metric).to_vec())?;
        Some(Group { name: arm.agent.clone(), values })
    };
    let panel = |problem: &str| Distribution {
        title: problem.to_owned(),
        level: None,
        groups: study.arms_of(problem).filter_map(group).collect(),
    };
    Boxes {
        name: name.to_owned(),
        title: format!(
            "{}: {}; a point is a run, a box holds the middle half",
            study.meta.header.experiment, metric.head
        ),
        x: x.to_owned(),
        panels: study.problems().map(panel).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn optima_are_tops_of_the_same_height() {
        assert_eq!(optima(&[[0.1, 1.0], [0.2, 3.0], [0.3, 2.0]]), [0.2]);
        // A plateau has a middle, and what is a little lower beside it does not move it.
        assert_eq!(optima(&[[0.1, 0.0], [0.2, 2.9999], [0.3, 3.0], [0.5, 3.0], [0.6, 1.0]]), [0.4]);
        assert_eq!(optima(&[[0.1, 3.0], [0.2, 0.0], [0.3, 3.0], [0.4, 1.0], [0.5, 2.9]]), [0.1, 0.3]);
        let saw: Vec<[f64; 2]> = (0..20).map(|i| [f64::from(i), f64::from(i % 2)]).collect();
        assert_eq!(optima(&saw), [0.0; 0]);
        assert_eq!(optima(&[]), [0.0; 0]);
    }
}
