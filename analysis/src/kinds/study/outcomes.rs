//! The numbers by which replicates of a study are compared.

use super::{Arm, Study};
use crate::{
    kinds::subject::Outcome,
    statistics::{CONFIDENCE, interval},
};

/// The mean over runs of the study's main metric, an outcome for each problem and agent.
pub(super) fn outcomes(study: &Study) -> Vec<Outcome> {
    let metric = study.main_metric();
    let outcome = |arm: &Arm| {
        let values = arm.moments(metric)?;
        Some(Outcome {
            name: format!("{} of {} on {}", metric.name(), arm.agent, arm.problem),
            value: values.mean()?,
            interval: interval::of_mean_share(&values, CONFIDENCE),
            digits: 4,
            // Points of any game.
            range: (0.0, 1.0),
            opponent: None,
            note: None,
            drawn_about: None,
        })
    };
    study.arms.iter().filter_map(outcome).collect()
}
