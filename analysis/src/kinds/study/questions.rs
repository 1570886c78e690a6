//! What a study's questions and a paper's figures are about.

use std::borrow::Cow;

use record::{
    columns::in_files,
    study::{METRICS, Metric},
};

use super::{Arm, Study};
use crate::{Adjust, Error, Question, Test, kinds::own::DIGITS};

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

/// What a question is about.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Measured {
    /// A metric that every study has.
    Metric(&'static Metric),
    /// A number that the game declares: its place among them, and its name for people.
    Own(usize, String),
    /// One such number by another, over all runs: their places, and the name for people.
    Ratio([usize; 2], String),
}

impl Measured {
    /// What a name in files is about: `leaf-depth`, `final-score`, `final-score/meeples-played`.
    pub(crate) fn find(name: &str, study: &Study) -> Option<Self> {
        let own = |name: &str| study.own.numbers.iter().position(|column| in_files(column) == name);
        if let Some((of, by)) = name.split_once('/') {
            return Some(Measured::Ratio([own(of)?, own(by)?], measured_head(name)));
        }
        let metric = Metric::find(name).map(Measured::Metric);
        metric.or_else(|| Some(Measured::Own(own(name)?, measured_head(name))))
    }

    /// Head of a table's column.
    pub(crate) fn head(&self) -> &str {
        match self {
            Measured::Metric(metric) => metric.head,
            Measured::Own(_, head) | Measured::Ratio(_, head) => head,
        }
    }

    /// Digits after the point, for people.
    pub(crate) fn digits(&self) -> usize {
        match self {
            Measured::Metric(metric) => metric.digits,
            Measured::Own(..) | Measured::Ratio(..) => DIGITS,
        }
    }

    /// A value a run; `None` where the agent has none, as an agent without a tree has no depth.
    /// Of a ratio see [`linearised`].
    pub(crate) fn values<'a>(&self, arm: &'a Arm) -> Option<Cow<'a, [f64]>> {
        let own = |place: usize| arm.own_values.get(place).map(Vec::as_slice);
        match self {
            Measured::Metric(metric) => arm.moments(metric).map(|_| arm.values(metric).into()),
            Measured::Own(place, _) => own(*place).map(Cow::from),
            Measured::Ratio([of, by], _) => linearised(own(*of)?, own(*by)?).map(Cow::from),
        }
    }
}

/// A value for each pair of `of` and `by` whose mean is the ratio r of their sums, and whose spread is that of r to the
/// first order: r + (x - r y) / mean(y). `None` where `by` sums to 0.
fn linearised(of: &[f64], by: &[f64]) -> Option<Vec<f64>> {
    let [above, below] = [of, by].map(|values| values.iter().sum::<f64>());
    let (ratio, mean) = (above / below, below / by.len() as f64);
    (below != 0.0).then(|| of.iter().zip(by).map(|(x, y)| ratio + (x - ratio * y) / mean).collect())
}

/// A name in files as people read it.
pub(crate) fn measured_head(name: &str) -> String {
    let metric = Metric::find(name).map(|metric| metric.head.to_owned());
    metric.unwrap_or_else(|| name.replace('/', " / ").replace('-', " "))
}

/// What a question is about, and the agents.
pub(crate) fn subject(question: &Question, study: &Study) -> Result<(Measured, Vec<String>), Error> {
    let wrong = |reason: String| Error::Question { question: question.name.clone(), reason };
    let metric = Measured::find(&question.metric, study).ok_or_else(|| {
        let own = study.own.numbers.iter().map(|column| in_files(column));
        let known = METRICS.iter().map(Metric::name).chain(own).collect::<Vec<_>>().join(", ");
        wrong(format!("there is no metric `{}`; there are {known}", question.metric))
    })?;
    let all = &study.meta.player_order;
    if let Some(unknown) = question.players.iter().find(|player| !all.contains(player)) {
        return Err(wrong(format!("there is no player `{unknown}`; there are {}", all.join(", "))));
    }
    Ok((metric, if question.players.is_empty() { all.clone() } else { question.players.clone() }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::moments::Moments;

    /// 10 by 4 is 2.5; deviations x - 2.5 y are -1.5, 0.5 and 1, the mean of y is 4/3.
    #[test]
    fn a_ratio_is_of_sums_and_spreads_by_its_residuals() {
        let values = linearised(&[1.0, 3.0, 6.0], &[1.0, 1.0, 2.0]).expect("a ratio");
        assert_eq!(values, [2.5 - 1.125, 2.5 + 0.375, 2.5 + 0.75]);
        assert_eq!(Moments::of(&values).mean(), Some(2.5));
        assert_eq!(linearised(&[1.0, 3.0], &[0.0, 0.0]), None);
    }
}
