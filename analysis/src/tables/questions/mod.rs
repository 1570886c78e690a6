//! Tables that answer a question of the experiment.

mod pairs;
mod together;

use crate::{
    Cell, Error, Table,
    questions::{Adjust, Question, Test, subject},
    statistics::adjust,
    study::{Arm, Metric, Study},
};

/// Names of tables that a question's may not have.
const TAKEN: [&str; 8] =
    ["trees", "formulas", "formula-counts", "points", "cost", "workers", "compare", "compare-groups"];

/// The tests of a question; of tests of pairs before them the agents with their letters.
pub(crate) fn answer(question: &Question, study: &Study) -> Result<Vec<Table>, Error> {
    let (metric, players) = subject(question, study)?;
    let asked = Asked { question, metric, players: &players, study };
    Ok(match question.test {
        Test::MannWhitney | Test::Welch | Test::Student | Test::Wilcoxon => asked.pairs(),
        Test::KruskalWallis | Test::Friedman => vec![asked.together()],
        Test::Normality => vec![asked.normality()],
    })
}

struct Asked<'a> {
    question: &'a Question,
    metric: &'static Metric,
    players: &'a [String],
    study: &'a Study,
}

/// What a test of two samples says.
struct Tested {
    statistic: f64,
    p: f64,
    effect: f64,
}

impl<'a> Asked<'a> {
    fn name(&self) -> String {
        let name = &self.question.name;
        if TAKEN.contains(&name.as_str()) { format!("question-{name}") } else { name.clone() }
    }

    fn title(&self) -> String {
        match self.question.question.trim() {
            "" => format!("{}: {}", self.study.meta.experiment, self.metric.head),
            asked => asked.to_owned(),
        }
    }

    /// Agents on a problem that have the metric, in the question's order.
    fn arms(&self, problem: &str) -> Vec<&'a Arm> {
        let study: &'a Study = self.study;
        let found = self.players.iter().filter_map(|player| study.arm(problem, player));
        found.filter(|arm| arm.moments(self.metric).is_some()).collect()
    }

    fn adjusted_head(&self) -> Option<(&'static str, &'static str)> {
        match self.question.adjust {
            Adjust::None => None,
            Adjust::Holm => Some(("p_adjusted", "p (Holm)")),
            Adjust::BenjaminiHochberg => Some(("p_adjusted", "p (Benjamini-Hochberg)")),
        }
    }

    /// p of a family adjusted; where there is no test there is none, and it takes no part.
    fn adjust(&self, family: impl Iterator<Item = Option<f64>>) -> Vec<Option<f64>> {
        let family: Vec<Option<f64>> = family.collect();
        let known: Vec<f64> = family.iter().flatten().copied().collect();
        let mut adjusted = match self.question.adjust {
            Adjust::None => known,
            Adjust::Holm => adjust::holm(&known),
            Adjust::BenjaminiHochberg => adjust::benjamini_hochberg(&known),
        }
        .into_iter();
        family.into_iter().map(|p| p.and_then(|_| adjusted.next())).collect()
    }

    fn family(&self, what: &str) -> String {
        let way = match self.question.adjust {
            Adjust::None => return "p are not adjusted for their number.".to_owned(),
            Adjust::Holm => "Holm (against any false alarm)",
            Adjust::BenjaminiHochberg => "Benjamini and Hochberg (the share of false ones among the alarms)",
        };
        format!("p adjusted by {way} over {what}.")
    }

    /// Stars below alpha, a fifth and a fiftieth of it: 0.05, 0.01 and 0.001 as usual.
    fn mark(&self, p: Option<f64>) -> Cell {
        let alpha = self.question.alpha;
        Cell::text(match p {
            Some(p) if p < alpha / 50.0 => "***",
            Some(p) if p < alpha / 5.0 => "**",
            Some(p) if p < alpha => "*",
            _ => "",
        })
    }

    fn marks(&self) -> String {
        let alpha = self.question.alpha;
        format!(
            "* below {alpha}, ** below {}, *** below {}. A dash: nothing to test, as of runs that are all equal.",
            alpha / 5.0,
            alpha / 50.0
        )
    }
}

/// The values of runs that all of these agents have, in the order of their numbers.
fn paired(metric: &Metric, arms: &[&Arm]) -> Vec<Vec<f64>> {
    let Some((first, others)) = arms.split_first() else { return Vec::new() };
    let shared = |run: &&u64| others.iter().all(|arm| arm.runs.binary_search(run).is_ok());
    let runs: Vec<u64> = first.runs.iter().filter(shared).copied().collect();
    let values = |arm: &&Arm| {
        let of = |run: &u64| arm.runs.binary_search(run).ok().map(|place| arm.values(metric)[place]);
        runs.iter().filter_map(of).collect()
    };
    arms.iter().map(values).collect()
}
