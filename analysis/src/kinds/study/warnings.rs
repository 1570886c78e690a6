//! What a reader must know before the tables of a study.

use record::study::METRICS;

use super::{Arm, Study};
use crate::kinds::warnings::{NOT_REPRODUCIBLE, missing};

/// What a reader must know before the tables.
pub(crate) fn warnings(study: &Study) -> Vec<String> {
    let mut warnings = Vec::new();
    if !study.meta.header.reproducible {
        warnings.push(NOT_REPRODUCIBLE.to_owned());
    }
    let consequence = "Means and tests go by the others; tests that pair runs leave out those that an agent misses.";
    warnings.extend(missing(study.runs(), study.trials, "runs", consequence));
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
