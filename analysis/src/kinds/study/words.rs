//! What a study asks, and what came out.

use record::study::Metric;

use super::{Study, questions};
use crate::{
    Question, Table,
    kinds::words::{Line, Source, listed},
};

/// Names that a sentence lists.
const NAMED: usize = 4;
/// Problems that are told one by one.
const PROBLEMS: usize = 3;
/// Keys of probabilities, the one that counts first.
const P: [&str; 2] = ["p_adjusted", "p"];

/// What the experiment asks: its own questions, or what is usually asked.
pub(super) fn question(study: &Study, asked: &[Question]) -> String {
    let usual = [questions::usual(study)];
    let asked = if asked.is_empty() { &usual[..] } else { asked };
    let texts: Vec<&str> =
        asked.iter().map(|question| question.question.trim()).filter(|text| !text.is_empty()).collect();
    let problems: Vec<String> = study.problems().map(str::to_owned).collect();
    let at = format!("{} at {}", listed(&study.meta.player_order, NAMED), listed(&problems, NAMED));
    if texts.is_empty() {
        let what = questions::measured_head(&asked[0].metric);
        return format!("How do {at} differ in {what}?");
    }
    format!("Of {at}: {}", texts.join(" "))
}

/// What came out: the highest means by problem, and the clearest of the tests.
pub(super) fn findings(study: &Study, tables: &[Table]) -> Vec<String> {
    let mut said: Vec<String> =
        study.problems().take(PROBLEMS).filter_map(|problem| highest(problem, tables)).collect();
    said.extend(clearest(tables));
    said
}

/// The agent with the highest mean on a problem, by the first question that has groups.
fn highest(problem: &str, tables: &[Table]) -> Option<String> {
    let groups = Source::of_kind(tables, "question-groups")?;
    let mut lines = groups.lines().filter(|line| line.shown("problem") == problem && line.has("mean"));
    let (best, last) = (lines.next()?, lines.last());
    let what = groups.head("mean").replace(" (mean ± sd)", "");
    let mean = |line: Line<'_>| format!("{}{}", line.shown("mean"), interval(line, problem, tables, &what));
    let lowest = last.map_or_else(String::new, |last| format!(", {} the lowest, {}", last.shown("agent"), mean(last)));
    Some(format!(
        "At {problem} {} has the highest mean of {what}, {} over {} runs{lowest}.",
        best.shown("agent"),
        mean(best),
        best.shown("n")
    ))
}

/// The interval of the mean, where the table of trees or of points has it.
fn interval(line: Line<'_>, problem: &str, tables: &[Table], what: &str) -> String {
    let head = |name: &str| Metric::find(name).map(|metric| metric.head);
    let (table, key) = match Some(what) {
        what if what == head("by-reward") => ("trees", "by_reward_95"),
        what if what == head("points") => ("points", "points_95"),
        _ => return String::new(),
    };
    let source = Source::named(tables, table);
    let found = source
        .into_iter()
        .flat_map(Source::lines)
        .find(|row| row.shown("problem") == problem && row.shown("agent") == line.shown("agent"));
    found.map_or_else(String::new, |row| row.interval(&[key]))
}

/// The test of two agents with the smallest probability.
fn clearest(tables: &[Table]) -> Option<String> {
    let tests =
        tables.iter().filter(|table| ["mann-whitney", "welch", "student", "wilcoxon"].contains(&table.kind.as_str()));
    let key = |line: &Line<'_>| P.into_iter().find(|key| line.has(key));
    let lines = tests.flat_map(|table| Source::from(table).lines().map(move |line| (table, line)));
    let p = |line: &Line<'_>| key(line).and_then(|key| line.number(key)).unwrap_or(f64::INFINITY);
    let (table, line) = lines.filter(|(_, line)| key(line).is_some()).min_by(|(_, a), (_, b)| p(a).total_cmp(&p(b)))?;
    let (key, kind) = (key(&line)?, &table.kind);
    let adjusted = if key == "p" { "p" } else { "adjusted p" };
    Some(format!(
        "The clearest difference between two agents is that of {} and {} at {}: {adjusted} = {} ({kind}), effect {}.",
        line.shown("a"),
        line.shown("b"),
        line.shown("problem"),
        line.shown(key),
        line.shown("effect")
    ))
}
