//! What a study will cost: a cell is an agent at a problem.

use super::{
    Forecast,
    cells::{Cells, Spent, sum},
};
use crate::{
    Experiment,
    kinds::{Study, StudyPlan},
    plan::TrialError,
};
use record::study::study_shape;

pub(super) fn forecast(
    experiment: &Experiment,
    study: &Study,
    clock: &dyn Fn() -> f64,
    seconds: f64,
) -> Result<Forecast, TrialError> {
    let runs = StudyPlan::new(experiment, study).runs().with_artifacts(&experiment.brought());
    let runs = runs.map_err(|error| TrialError::Players(error.to_string()))?;
    let whose = |cell| study.cell(cell);
    let specs = |cell| vec![&whose(cell).1.1];
    let mut cells = Cells::new(study.cells(), runs.per_cell(), study.decisions_max(), specs);
    let shape = study_shape();
    let column = |name| shape.index(name).expect("a column of the shape");
    let [decisions, iterations] = ["decisions", "iterations"].map(column);
    cells.sample(clock, seconds, |cell, round| {
        let row = runs.run_one(cell * runs.per_cell() + round, None)?;
        Ok(Spent { playouts: sum(&row, [iterations]), decisions: sum(&row, [decisions]) })
    })?;
    Ok(cells.forecast(|cell| {
        let (problem, agent) = whose(cell);
        [problem.0.clone(), agent.0.clone()]
    }))
}
