//! What a study's questions are about.

use record::study::{METRICS, Metric};

use super::Study;
use crate::{Adjust, Error, Question, Test};

/// What is asked where nothing is: whether agents differ in what the study is about.
pub(crate) fn usual(study: &Study) -> Question {
    let metric = study.main_metric();
    Question {
        name: "differences".to_owned(),
        question: format!("Do agents differ in {}?", metric.head),
        metric: metric.name(),
        test: Test::MannWhitney,
        adjust: Adjust::Holm,
        alpha: 0.05,
        players: Vec::new(),
    }
}

/// The metric and the agents that a question is about.
pub(crate) fn subject(question: &Question, study: &Study) -> Result<(&'static Metric, Vec<String>), Error> {
    let wrong = |reason: String| Error::Question { question: question.name.clone(), reason };
    let metric = Metric::find(&question.metric).ok_or_else(|| {
        let known = METRICS.iter().map(Metric::name).collect::<Vec<_>>().join(", ");
        wrong(format!("there is no metric `{}`; there are {known}", question.metric))
    })?;
    let all = &study.meta.player_order;
    if let Some(unknown) = question.players.iter().find(|player| !all.contains(player)) {
        return Err(wrong(format!("there is no player `{unknown}`; there are {}", all.join(", "))));
    }
    Ok((metric, if question.players.is_empty() { all.clone() } else { question.players.clone() }))
}
