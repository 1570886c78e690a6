//! A study.

use analysis::{Cell, Table};
use record::facts::StudyFacts;

use super::{Part, Settings, games};
use crate::html::thousands;

pub(super) fn parts(facts: &StudyFacts, settings: &Settings) -> Vec<Part> {
    let what = if facts.measure == "decision" { "one decision" } else { "a whole game" };
    let mut runs = vec![format!("Each agent was given each problem {} times; a run is {what}.", thousands(facts.runs))];
    if let Some(position) = &facts.position {
        runs.push(format!("Decisions start from the position {position}."));
    }
    runs.push("Runs of the same number have the same seed for every agent, so that they are paired.".to_owned());
    runs.extend(games::scale(facts.header.scale));
    let heads = [("problem", "problem"), ("spec", "spec")];
    let mut problems = Table::new("problems", "Problems", &heads);
    for name in &facts.problem_order {
        problems.push(vec![Cell::text(name), facts.problems.get(name).map_or(Cell::Missing, Cell::text)]);
    }
    let mut parts = vec![
        Part::new("Problems", Vec::new()).with(problems),
        Part::new("Agents", Vec::new()).with(games::players(&facts.specs)),
        Part::new("Runs", runs),
    ];
    parts.extend(questions(settings));
    parts
}

/// What the experiment asks of its results.
fn questions(settings: &Settings) -> Option<Part> {
    let asked = settings.0.get("analysis")?.as_array()?;
    let heads = [
        ("name", "question"),
        ("question", "what is asked"),
        ("metric", "metric"),
        ("test", "test"),
        ("adjust", "p adjusted by"),
        ("alpha", "level"),
    ];
    let mut table = Table::new("questions", "Questions of the experiment", &heads);
    for question in asked {
        let cell = |key: &str| match question.get(key) {
            Some(toml::Value::String(text)) => Cell::text(text),
            Some(other) => Cell::text(other.to_string()),
            None => Cell::Missing,
        };
        table.push(heads.iter().map(|(key, _)| cell(key)).collect());
    }
    (!table.rows.is_empty()).then(|| Part::new("Questions", Vec::new()).with(table))
}
