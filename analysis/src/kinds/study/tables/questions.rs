//! Tables that answer a question of the experiment.

use crate::{
    Error, Question, Table,
    kinds::study::{
        Arm, Study,
        questions::{Measured, subject},
    },
    samples::{
        Family, Sample,
        compared::{By, Comparison, Words, compare, groups},
    },
};

/// Names of tables that a question's may not have.
const TAKEN: [&str; 12] = [
    "own",
    "own-by-turn",
    "trees",
    "formulas",
    "formula-counts",
    "points",
    "decision-figures",
    "turn-figures",
    "cost",
    "workers",
    "compare",
    "compare-groups",
];

/// The tests of a question; of tests of pairs before them the agents with their letters.
pub(crate) fn answer(question: &Question, study: &Study) -> Result<Vec<Table>, Error> {
    let (metric, players) = subject(question, study)?;
    let families: Vec<Family> = study.problems().map(|problem| family(study, problem, &metric, &players)).collect();
    let words = words(&metric);
    let name = &question.name;
    let asked = Comparison {
        name: if TAKEN.contains(&name.as_str()) { format!("question-{name}") } else { name.clone() },
        title: match question.question.trim() {
            "" => format!("{}: {}", study.meta.header.experiment, metric.head()),
            asked => asked.to_owned(),
        },
        test: question.test,
        adjust: question.adjust,
        alpha: question.alpha,
    };
    let (table, letters) = compare(&families, &words, &asked);
    let groups = letters.map(|letters| groups(&families, &words, &asked, &letters));
    Ok(groups.into_iter().chain([table]).collect())
}

/// The agents on a problem that have the metric, in the question's order; runs of the same number are a block.
fn family(study: &Study, problem: &str, metric: &Measured, players: &[String]) -> Family {
    let sample = |arm: &Arm| {
        let values = metric.values(arm)?.to_vec();
        Some(Sample { name: arm.agent.clone(), values, blocks: arm.runs.clone() })
    };
    let found = players.iter().filter_map(|player| study.arm(problem, player));
    let samples = found.filter_map(sample).collect();
    Family { name: problem.to_owned(), samples }
}

fn words(metric: &Measured) -> Words {
    let both = |word: &str| (word.to_owned(), word.to_owned());
    Words {
        value: metric.head().to_owned(),
        digits: metric.digits(),
        group: both("agent"),
        groups: "agents".to_owned(),
        block: "runs with the same number".to_owned(),
        by: Some(By { column: both("problem"), one: "a problem".to_owned(), all: "the problems".to_owned() }),
    }
}
