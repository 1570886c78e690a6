//! Points of a study's agents, and the time of their decisions.

use crate::{
    Cell, Table,
    kinds::{study::Study, workers::Work},
    statistics::{CONFIDENCE, interval},
};

/// A row a problem and agent: points and game score.
pub(crate) fn points(study: &Study) -> Table {
    let unit = study.meta.score_unit.as_deref().unwrap_or("points");
    let mut table = Table::new(
        "points",
        format!("{}: points and game score", study.meta.header.experiment),
        &[
            ("problem", "problem"),
            ("agent", "agent"),
            ("runs", "runs"),
            ("points", "points"),
            ("points_95", "95 %"),
            ("game_score", &format!("game score ({unit})")),
            ("game_score_95", "95 %"),
            ("plies", "plies"),
            ("distinct", "distinct"),
        ],
    )
    .spreads(&["points", "game_score"]);
    for arm in &study.arms {
        let [points, game_score] = ["points", "score"].map(|name| arm.of(name));
        table.push(vec![
            Cell::text(&arm.problem),
            Cell::text(&arm.agent),
            Cell::Count(arm.runs.len() as u64),
            Cell::spread(points, 3),
            Cell::interval(points.and_then(|points| interval::of_units(&points, 1, CONFIDENCE)), 4),
            Cell::spread(game_score, 2),
            Cell::interval(game_score.and_then(|score| interval::of_mean(&score, CONFIDENCE)), 2),
            Cell::real(arm.of("plies").and_then(|plies| plies.mean()), 1),
            Cell::Count(arm.distinct),
        ]);
    }
    let at = if study.is_of_decisions() {
        "of the position behind the chosen move, as if the game ended there"
    } else {
        "at the end of the game"
    };
    table.notes.push(format!(
        "Points of the searching seat and the game score, which is the game's own, {at}: mean ± sample deviation over runs, and the interval of the \
         mean: of points Wilson's for as many games as their spread is worth, of game scores Student's, which there is none of \
         where all runs are equal. distinct: different runs by their moves."
    ));
    table
}

/// A row a problem and agent: time and iterations.
pub(crate) fn study_cost(study: &Study) -> Table {
    let mut table = Table::new(
        "cost",
        format!("{}: what decisions took", study.meta.header.experiment),
        &[
            ("problem", "problem"),
            ("agent", "agent"),
            ("decisions", "decisions"),
            ("iterations", "iterations a decision"),
            ("decision_ms", "ms a decision"),
            ("iterations_per_second", "iterations a second and thread"),
        ],
    )
    .of_kind("study-cost")
    .measured(&["decision_ms", "iterations_per_second"]);
    for arm in &study.arms {
        let cost = &arm.cost;
        table.push(vec![
            Cell::text(&arm.problem),
            Cell::text(&arm.agent),
            Cell::Count(cost.decisions),
            Cell::real(cost.per_decision(cost.iterations), 1),
            Cell::real(cost.per_decision(cost.us).map(|us| us / 1e3), 3),
            Cell::real(Work::mean(cost.iterations, cost.us).map(|rate| rate * 1e6), 0),
        ]);
    }
    table.notes.push("Times are the workers' and differ from run to run; iterations do not.".to_owned());
    table
}
