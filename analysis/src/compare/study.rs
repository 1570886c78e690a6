//! A study's agents beside a paper's.

use record::study::Metric;

use super::{
    contradictions,
    summary::{name, with_summary},
    verdict::{self, AGREE, DIFFER, Judged, NOT_HERE, counted},
};
use crate::{
    Cell, Report, Table,
    kinds::{
        study::{Arm, Measured, Study, measured_head},
        subject::Subject,
    },
    papers::{Contrast, Figure, Paper, Spread, covers},
    statistics::{Reason, mann_whitney, moments::Moments, student, welch},
};

/// Level of the thesis' tests (section 5.5.6), which it does not adjust for their number.
const ALPHA: f64 = 0.05;
/// The verdict of a figure that is shown for comparison only.
const SHOWN: &str = "shown only";

/// A table for each of the paper's, all of its cells beside ours; before several, one that counts their verdicts.
pub(super) fn beside(paper: &Paper, study: &Study) -> Report {
    let parts = paper.tables();
    let table = |part: &&'static Paper| {
        let (name, contrasts) = (name(part, &parts), part.contrasts());
        let mut table = if contrasts.is_empty() {
            figures_table(name, part, &part.figures(), study)
        } else {
            contrasts_table(name, part, &contrasts, study)
        };
        table.notes.extend(contradictions(part));
        table
    };
    let tables = with_summary(paper, &parts, parts.iter().map(table).collect());
    let mut warnings = Subject::warnings(study);
    warnings.extend(other_specs(&parts, study));
    Report { tables, warnings, ..Report::default() }.checked()
}

fn figures_table(name: String, paper: &Paper, figures: &[Figure], study: &Study) -> Table {
    let mut table = Table::new(
        name,
        format!("{}: ours beside the paper's", paper.title()),
        &[
            ("problem", "problem"),
            ("agent", "agent"),
            ("figure", "figure"),
            ("runs", "our runs"),
            ("ours", "ours"),
            ("paper_runs", "paper's runs"),
            ("paper", "paper"),
            ("paper_range", "paper's range"),
            ("difference", "difference"),
            ("allowed", "allowed ±"),
            ("errors", "in errors"),
            ("verdict", "verdict"),
        ],
    )
    .of_kind("compare-figures")
    .spreads(&["ours", "paper"])
    .intervals(&["paper_range"])
    .optional(&["paper", "paper_range"]);
    for figure in figures {
        let head = |agent: &str, metric: &str| [&figure.problem, agent, metric].map(Cell::text).to_vec();
        let [mean, range] = verdict::paper(&figure.printed);
        let of_paper = [Cell::Count(figure.printed.n), mean, range];
        let found = arm(study, &figure.problem, &figure.problem_spec, &figure.agent, &figure.agent_spec)
            .and_then(|arm| Some((arm, Measured::find(&figure.metric, study)?)))
            .and_then(|(arm, measured)| Some((arm, Moments::of(&measured.values(arm)?), measured)))
            .and_then(|(arm, ours, measured)| Some((arm, ours, measured, Judged::of(&figure.printed, &ours)?)));
        let Some((arm, ours, measured, judged)) = found else {
            let mut row = head(&figure.agent, &measured_head(&figure.metric));
            row.extend([Cell::Missing, Cell::Missing]);
            row.extend(of_paper);
            row.extend([Cell::Missing, Cell::Missing, Cell::Missing, Cell::text(NOT_HERE)]);
            table.push(row);
            continue;
        };
        let mut row = head(&arm.agent, measured.head());
        row.extend([Cell::Count(ours.n), verdict::ours(&figure.printed, ours)]);
        row.extend(of_paper.clone());
        row.extend(judged.cells());
        row.push(Cell::text(judged.verdict()));
        table.push(row);
        if let Some((visits, by_visits)) = by_visits(figure, arm) {
            let mut row = head(&arm.agent, visits.head);
            row.extend([Cell::Count(by_visits.n), verdict::ours(&figure.printed, by_visits)]);
            row.extend(of_paper);
            row.push(Cell::real(by_visits.mean().map(|mean| mean - figure.printed.mean), 4));
            row.extend([Cell::Missing, Cell::Missing, Cell::text(SHOWN)]);
            table.push(row);
        }
    }
    let z = verdict::quantile();
    table.notes.push(format!(
        "Mean ± deviation over runs; of the paper as printed. Allowed: {z:.2} standard errors of the difference, sqrt(s²/n + \
         p²/m), with s of our n runs and p of the paper's m, and half a unit of the last printed digit. p is what is printed \
         behind ±; where that is rounded to 0, ours as far as rounding would hide it; where no deviation over runs is printed, \
         ours (so of leaf depths, whose printed one is that within a tree); of shares sqrt(q(1-q)), q the printed share. In \
         errors: the same without the rounding. {}",
        counted(&table)
    ));
    if figures.iter().any(|figure| figure.metric == "by-reward") {
        table.notes.push(
            "The printed result is compared with the walk by reward, which gives the printed figures; the walk by visits, which the \
             text describes, is shown beside it."
                .to_owned(),
        );
    }
    if figures.iter().any(|figure| figure.metric.contains('/')) {
        table.notes.push(
            "A figure A / B is that of all runs together, the sum of A by the sum of B; its deviation is that of r + (A - r B) / mean(B) \
             over runs, r the ratio, whose mean is r and whose error is that of r."
                .to_owned(),
        );
    }
    if figures.iter().any(|figure| matches!(figure.printed.spread, Spread::Range(..))) {
        table.notes.push(
            "Where the paper prints a range, in which the means of several agents or problems are, the difference is that from its \
             nearer end, and 0 inside; p is ours."
                .to_owned(),
        );
    }
    table
}

/// The walk by visits, beside a printed result.
fn by_visits(figure: &Figure, arm: &Arm) -> Option<(&'static Metric, Moments)> {
    let metric = Metric::find("by-visits").filter(|_| figure.metric == "by-reward")?;
    Some((metric, arm.moments(metric)?))
}

fn contrasts_table(name: String, paper: &Paper, contrasts: &[Contrast], study: &Study) -> Table {
    let mut table = Table::new(
        name,
        format!("{}: ours beside the paper's", paper.title()),
        &[
            ("problem", "problem"),
            ("a", "a"),
            ("b", "b"),
            ("figure", "figure"),
            ("test", "test"),
            ("paper", "paper says"),
            ("paper_p", "paper's p"),
            ("n_a", "n a"),
            ("n_b", "n b"),
            ("ours", "ours says"),
            ("p", "our p"),
            ("verdict", "verdict"),
        ],
    )
    .of_kind("compare-contrasts");
    let (mut compared, mut agreed) = (0, 0);
    for contrast in contrasts {
        let metric = Metric::find(contrast.metric).expect("a metric of the list");
        let samples = [0, 1].map(|side| {
            let (name, spec) = (&contrast.agents[side], &contrast.agent_specs[side]);
            let arm = arm(study, &contrast.problem, &contrast.problem_spec, name, spec)?;
            arm.moments(metric).map(|_| arm.values(metric))
        });
        let (test, result) = match samples {
            [Some(a), Some(b)] => {
                let (test, p) = tested(metric, a, b);
                // Samples without any spread: there is nothing to test.
                let different = p.map_or(a.first() != b.first(), |p| p < ALPHA);
                (test, Some((a.len(), b.len(), p, different)))
            }
            _ => (tested(metric, &[], &[]).0, None),
        };
        let says = |different: bool| if different { "different" } else { "not different" };
        let ours = result.map(|(_, _, _, different)| different);
        let verdict = match ours {
            Some(ours) if ours == contrast.different => AGREE,
            Some(_) => DIFFER,
            None => NOT_HERE,
        };
        compared += u64::from(ours.is_some());
        agreed += u64::from(verdict == AGREE);
        let implied = if contrast.implied { " (implied)" } else { "" };
        table.push(vec![
            Cell::text(&contrast.problem),
            Cell::text(&contrast.agents[0]),
            Cell::text(&contrast.agents[1]),
            Cell::text(metric.head),
            Cell::text(test),
            Cell::text(format!("{}{implied}", says(contrast.different))),
            Cell::probability(contrast.p),
            result.map_or(Cell::Missing, |(n, ..)| Cell::Count(n as u64)),
            result.map_or(Cell::Missing, |(_, n, ..)| Cell::Count(n as u64)),
            ours.map_or(Cell::Missing, |ours| Cell::text(says(ours))),
            result.map_or(Cell::Missing, |(_, _, p, _)| Cell::probability(p)),
            Cell::text(verdict),
        ]);
    }
    table.notes.push(format!(
        "Two-sided tests at {ALPHA}, not adjusted for their number, as the thesis does: Mann-Whitney's on results (the walk by \
         reward), Welch's on leaf depths, Student's on scores. Where neither agent's runs differ among themselves there is no p, and the agents differ if their values do. Implied: it follows only \
         from what the text leaves out. Of {compared} pairs compared {agreed} agree. Where the truth is no difference, a test \
         says different in 5 of 100 cases; where it is a small one, both samples find it or not by their luck."
    ));
    table
}

/// The thesis' test of a metric, and its p.
fn tested(metric: &Metric, a: &[f64], b: &[f64]) -> (&'static str, Result<f64, Reason>) {
    match metric.column {
        "leaf_depth" => ("Welch", welch::test(a, b).map(|test| test.p)),
        "score" => ("Student", student::test(a, b).map(|test| test.p)),
        _ => ("Mann-Whitney", mann_whitney::test(a, b).map(|test| test.p)),
    }
}

/// The runs of an agent on a problem, each by the name that the catalogue gives; else by its spec, if that fits one
/// alone.
fn arm<'a>(study: &'a Study, problem: &str, problem_spec: &str, agent: &str, agent_spec: &str) -> Option<&'a Arm> {
    let problem = named_problem(problem, problem_spec, study)?;
    let agent = named(agent, agent_spec, &study.meta.player_order, |name| study.meta.specs.get(name))?;
    study.arm(problem, agent)
}

fn named_problem<'a>(problem: &str, spec: &str, study: &'a Study) -> Option<&'a str> {
    named(problem, spec, &study.meta.problem_order, |name| study.meta.problems.get(name))
}

fn named<'a>(
    name: &str,
    wanted: &str,
    names: &'a [String],
    spec: impl Fn(&str) -> Option<&'a String>,
) -> Option<&'a str> {
    if let Some(found) = names.iter().find(|found| *found == name) {
        return Some(found);
    }
    let fits = |name: &&String| !wanted.is_empty() && spec(name).is_some_and(|spec| covers(spec, wanted));
    let mut found = names.iter().filter(fits);
    found.next().filter(|_| found.next().is_none()).map(String::as_str)
}

/// Agents and problems that have the paper's name and are not what the paper had. A paper may mean different agents by a
/// name on different problems, so those on problems of this study count.
fn other_specs(parts: &[&'static Paper], study: &Study) -> Vec<String> {
    let here = |problem: &str, spec: &str| named_problem(problem, spec, study).is_some();
    let mut wanted: Vec<(String, String)> = Vec::new();
    for figure in parts.iter().flat_map(|part| part.figures()) {
        if here(&figure.problem, &figure.problem_spec) {
            wanted.push((figure.agent, figure.agent_spec));
            wanted.push((figure.problem, figure.problem_spec));
        }
    }
    for contrast in parts.iter().flat_map(|part| part.contrasts()) {
        if here(&contrast.problem, &contrast.problem_spec) {
            wanted.extend(contrast.agents.into_iter().zip(contrast.agent_specs));
            wanted.push((contrast.problem, contrast.problem_spec));
        }
    }
    wanted.sort();
    wanted.dedup();
    let meta = &study.meta;
    let mut warnings = Vec::new();
    for (name, wanted) in wanted {
        let ours = meta.specs.get(&name).or_else(|| meta.problems.get(&name));
        if let Some(ours) = ours.filter(|ours| !wanted.is_empty() && !covers(ours, &wanted)) {
            warnings
                .push(format!("`{name}` is `{ours}` here, and `{wanted}` in the paper: their figures need not agree."));
        }
    }
    warnings
}
