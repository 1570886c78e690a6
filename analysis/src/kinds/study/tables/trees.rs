//! What the trees of a study's agents are like, as the tables of the SIEA-MCTS thesis give it (5.4 to 5.8).

use crate::{
    Cell, Table,
    kinds::study::{Arm, Study},
    statistics::{CONFIDENCE, interval},
};

/// A row a problem and agent that grows trees.
pub(crate) fn trees(study: &Study) -> Table {
    let mut table = Table::new(
        "trees",
        format!("{}: trees and what they believe in", study.meta.header.experiment),
        &[
            ("problem", "problem"),
            ("agent", "agent"),
            ("runs", "runs"),
            ("expansion_rate", "expansion rate"),
            ("terminals", "terminals"),
            ("leaf_depth", "leaf depth ± in tree"),
            ("leaf_depth_run_sd", "sd over runs"),
            ("by_visits", "by visits"),
            ("by_reward", "by reward"),
            ("by_reward_95", "95 %"),
            ("root_share", "root share"),
        ],
    )
    .spreads(&["expansion_rate", "terminals", "leaf_depth", "by_visits", "by_reward", "root_share"]);
    study.arms.iter().filter(|arm| arm.has_trees()).for_each(|arm| table.push(row(arm)));
    table.notes.push(format!(
        "Mean ± sample deviation over runs{}; of leaf depths ± is the mean of their deviations within a tree, as the SIEA-MCTS \
         thesis prints it, with the deviation of the means over runs beside it. expansion rate: nodes but for the root, an \
         iteration. terminals: different ones in the tree. by visits, by reward: points of the position at the end of the walk \
         along most visited children, and along those of the highest mean reward; the interval is Student's over runs, and \
         there is none where all runs are equal. root share: visits of the root's most visited child.",
        if study.is_of_decisions() { "" } else { ", a run the mean of its decisions" }
    ));
    table
}

fn row(arm: &Arm) -> Vec<Cell> {
    let (depth, within) = (arm.of("leaf-depth"), arm.of("leaf-depth-sd"));
    let by_reward = arm.of("by-reward");
    vec![
        Cell::text(&arm.problem),
        Cell::text(&arm.agent),
        Cell::Count(arm.runs.len() as u64),
        Cell::spread(arm.of("expansion-rate"), 2),
        Cell::spread(arm.of("terminals"), 2),
        depth.map_or(Cell::Missing, |depth| {
            Cell::Spread(depth.mean().unwrap_or(f64::NAN), within.and_then(|within| within.mean()), 2.into())
        }),
        Cell::real(depth.and_then(|depth| depth.deviation()), 2),
        Cell::spread(arm.of("by-visits"), 3),
        Cell::spread(by_reward, 3),
        Cell::interval(by_reward.and_then(|values| interval::of_mean_share(&values, CONFIDENCE)), 4),
        Cell::spread(arm.of("root-share"), 3),
    ]
}
