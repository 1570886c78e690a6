//! The tables and figures of a study.

use super::{Arm, METRICS, Study, figures, tables};
use crate::{
    Error, Report,
    forms::figure::Figures,
    kinds::workers,
    questions,
    report::{NOT_REPRODUCIBLE, Options, drawn},
};

/// All of them.
pub(crate) fn report(study: &Study, options: &Options) -> Result<Report, Error> {
    if let Some((one, _)) = options.contrasts.first() {
        return Err(Error::UnknownPair { pair: one.clone(), known: "none, because this run is no grid".into() });
    }
    let mut tables = vec![tables::trees(study), tables::formulas(study), tables::frequent(study)];
    let points = tables::points(study);
    // What a game is about is how it ends; what a decision is about is what the search believes in.
    if study.is_of_decisions() {
        tables.push(points);
    } else {
        tables.insert(0, points);
    }
    let usual = [questions::usual(study)];
    let asked = if options.questions.is_empty() { &usual[..] } else { &options.questions };
    for question in asked {
        tables.extend(tables::answer(question, study)?);
    }
    let workers = workers::workers(&study.meta.experiment, &study.workers, ["runs", "run"]);
    tables.extend([tables::study_cost(study), workers]);
    // Without an agent that grows trees or evolves formulas they say nothing.
    tables.retain(|table| !table.rows.is_empty());
    let Figures { drawn: figures, left_out } = drawn(options, || figures::of_study(study));
    Ok(Report { tables, figures, warnings: warnings(study), left_out, ..Report::default() })
}

/// What a reader must know before the figures.
pub(crate) fn warnings(study: &Study) -> Vec<String> {
    let mut warnings = Vec::new();
    if !study.meta.reproducible {
        warnings.push(NOT_REPRODUCIBLE.to_owned());
    }
    let missing = study.trials.saturating_sub(study.runs());
    if missing > 0 {
        warnings.push(format!(
            "{missing} of {} runs have no result (quarantined after repeated failures). Means and tests go by the others; tests \
             that pair runs leave out those that an agent misses.",
            study.trials
        ));
    }
    for arm in study.arms.iter().filter(|arm| is_one(arm)) {
        warnings.push(format!(
            "the {} runs of {} on {} are all equal: they are one observation, repeated, and tests that count them as more say \
             too much.",
            arm.runs.len(),
            arm.agent,
            arm.problem
        ));
    }
    warnings
}

/// Whether several runs are the same in everything that is measured.
fn is_one(arm: &Arm) -> bool {
    let equal = |values: &[f64]| values.windows(2).all(|pair| pair[0] == pair[1]);
    arm.runs.len() > 1 && arm.distinct == 1 && METRICS.iter().all(|metric| equal(arm.values(metric)))
}
