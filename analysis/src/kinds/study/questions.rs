//! What a study's questions are about.

use record::study::{METRICS, Metric};

use super::{Arm, Study};
use crate::{
    Adjust, Error, Question, Test,
    kinds::own::{DIGITS, head},
};

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
}

impl Measured {
    fn find(name: &str, study: &Study) -> Option<Self> {
        let own = || study.own.numbers.iter().position(|column| in_files(column) == name);
        Metric::find(name).map(Measured::Metric).or_else(|| {
            let place = own()?;
            Some(Measured::Own(place, head(&study.own.numbers[place])))
        })
    }

    /// Head of a table's column.
    pub(crate) fn head(&self) -> &str {
        match self {
            Measured::Metric(metric) => metric.head,
            Measured::Own(_, head) => head,
        }
    }

    /// Digits after the point, for people.
    pub(crate) fn digits(&self) -> usize {
        match self {
            Measured::Metric(metric) => metric.digits,
            Measured::Own(..) => DIGITS,
        }
    }

    /// A value a run; `None` where the agent has none, as an agent without a tree has no depth.
    pub(crate) fn values<'a>(&self, arm: &'a Arm) -> Option<&'a [f64]> {
        match self {
            Measured::Metric(metric) => arm.moments(metric).map(|_| arm.values(metric)),
            Measured::Own(place, _) => arm.own_values.get(*place).map(Vec::as_slice),
        }
    }
}

/// A column's name in files.
fn in_files(column: &str) -> String {
    column.replace('_', "-")
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
