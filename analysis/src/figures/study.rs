//! Where a study's agents searched, what they found, and how deep their trees are.

use crate::{
    figure::{Boxes, Curve, Distribution, Group, Places, Stack},
    study::{Arm, Metric, Study},
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
    let curve = study.meta.plots.get(problem).and_then(|points| {
        Some(Curve {
            title: format!("{}: {problem}", study.meta.experiment),
            y: format!("{problem}(x)"),
            points: points.iter().map(|[x, y]| (*x, *y)).collect(),
            optimum: highest(points)?,
        })
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

/// Where the first of the highest points is; of equal neighbours, their middle.
fn highest(points: &[[f64; 2]]) -> Option<f64> {
    let top = points.iter().map(|[_, y]| *y).max_by(f64::total_cmp)?;
    let first = points.iter().position(|[_, y]| *y == top)?;
    let equal = points[first..].iter().take_while(|[_, y]| *y == top).count();
    Some(0.5 * (points[first][0] + points[first + equal - 1][0]))
}

/// What runs found, by problem and agent (figure 5.9): points by reward of a decision, points of a game.
pub(crate) fn results(study: &Study) -> Boxes {
    let metric = study.main_metric();
    let mut boxes = distributions(study, "results", metric, metric.head);
    // Points on the scale of the function: how far the best is.
    for panel in boxes.panels.iter_mut().filter(|_| metric.name == "by-reward") {
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
        title: format!("{}: {}; a point is a run, a box holds the middle half", study.meta.experiment, metric.head),
        x: x.to_owned(),
        panels: study.problems().map(panel).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_optimum_is_in_the_middle_of_a_plateau() {
        assert_eq!(highest(&[[0.1, 1.0], [0.2, 3.0], [0.3, 2.0]]), Some(0.2));
        assert_eq!(highest(&[[0.25, 3.0], [0.75, 3.0], [0.8, 1.0], [0.9, 3.0]]), Some(0.5));
        assert_eq!(highest(&[]), None);
    }
}
