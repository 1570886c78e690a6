//! A study's agents beside a paper's.

use record::study::Metric;

use super::NOT_HERE;
use crate::{
    Cell, Report, Table,
    kinds::{
        study::{Arm, Study},
        subject::Subject,
    },
    papers::{Contrast, Figure, Paper, Spread, covers},
    statistics::{CONFIDENCE, Reason, mann_whitney, moments::Moments, tails, welch},
};

/// Level of the thesis' tests (section 5.5.6), which it does not adjust for their number.
const ALPHA: f64 = 0.05;
/// What a table of figures counts: `inside`, `outside`, not here.
const INSIDE: &str = "inside";
const OUTSIDE: &str = "outside";
/// What a table of pairs counts.
const AGREE: &str = "agree";
const DIFFER: &str = "differ";
/// The verdict of a figure that is shown for comparison only.
const SHOWN: &str = "shown only";

/// A table for each of the paper's, all of its cells beside ours; before several, one that counts their verdicts.
pub(super) fn beside(paper: &Paper, study: &Study) -> Report {
    let parts = paper.tables();
    let several = parts.len() > 1;
    let mut tables: Vec<Table> = parts
        .iter()
        .map(|part| {
            let short = part.key.rsplit('/').next().unwrap_or(part.key);
            let name = if several { format!("compare-{short}") } else { "compare".to_owned() };
            let contrasts = part.contrasts();
            if contrasts.is_empty() {
                figures_table(name, part, &part.figures(), study)
            } else {
                contrasts_table(name, part, &contrasts, study)
            }
        })
        .collect();
    if several {
        let counts = summary(paper, &parts, &tables);
        // What the run has nothing of is counted, not listed.
        tables.retain(|table| verdicts(table).any(|verdict| verdict != NOT_HERE));
        tables.insert(0, counts);
    }
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
            ("difference", "difference"),
            ("allowed", "allowed ±"),
            ("errors", "in errors"),
            ("verdict", "verdict"),
        ],
    )
    .of_kind("compare-figures")
    .spreads(&["ours", "paper"]);
    let z = tails::normal_quantile(0.5 + 0.5 * CONFIDENCE);
    let (mut compared, mut outside) = (0, 0);
    for figure in figures {
        let metric = Metric::find(figure.metric).expect("a metric of the list");
        let ours = arm(study, &figure.problem, &figure.problem_spec, &figure.agent, &figure.agent_spec)
            .and_then(|arm| Some((arm, arm.moments(metric)?)))
            .and_then(|(arm, ours)| Some((arm, ours, ours.mean()?)));
        let Some((arm, ours, mean)) = ours else {
            table.push(cells(figure, metric, None, [Cell::Missing, Cell::Missing, Cell::Missing], NOT_HERE));
            continue;
        };
        let difference = mean - figure.mean;
        let error = error(figure, &ours);
        let allowed = z * error + figure.rounding;
        // A difference that is the rounding to the last bit is inside.
        let inside = difference.abs() <= allowed * (1.0 + 1e-9);
        compared += 1;
        outside += u64::from(!inside);
        let verdict = if inside { INSIDE } else { OUTSIDE };
        let in_errors = Cell::real((error > 0.0).then(|| difference / error), 1);
        let (difference, allowed) = (Cell::real(difference, 4), Cell::real(allowed, 4));
        table.push(cells(figure, metric, Some((arm, ours)), [difference, allowed, in_errors], verdict));
        if let Some((visits, by_visits)) = by_visits(figure, arm) {
            let difference = Cell::real(by_visits.mean().map(|mean| mean - figure.mean), 4);
            let beside = [difference, Cell::Missing, Cell::Missing];
            table.push(cells(figure, visits, Some((arm, by_visits)), beside, SHOWN));
        }
    }
    table.notes.push(format!(
        "Mean ± deviation over runs; of the paper as printed. Allowed: {z:.2} standard errors of the difference, sqrt(s²/n + \
         p²/m), with s of our n runs and p of the paper's m, and half a unit of the last printed digit. p is what is printed \
         behind ±; where that is rounded to 0, ours as far as rounding would hide it; of leaf depths ours, because the printed \
         one is that within a tree; of shares sqrt(q(1-q)), q the printed share. In errors: the same without the rounding. Of \
         {compared} figures compared {outside} are outside, and {:.1} are expected there by chance alone.",
        compared as f64 * (1.0 - CONFIDENCE)
    ));
    if figures.iter().any(|figure| figure.metric == "by-reward") {
        table.notes.push(
            "The printed result is compared with the walk by reward, which gives the printed figures; the walk by visits, which the \
             text describes, is shown beside it."
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

fn cells(
    figure: &Figure,
    metric: &Metric,
    ours: Option<(&Arm, Moments)>,
    [difference, allowed, errors]: [Cell; 3],
    verdict: &str,
) -> Vec<Cell> {
    let digits = if figure.rounding < 0.001 { 3 } else { 2 };
    let printed = match figure.spread {
        Spread::Runs(sd, _) => Some(sd),
        Spread::Unknown | Spread::Share => None,
    };
    // The deviation of a share says nothing that the share does not.
    let shown = |ours: Moments| match figure.spread {
        Spread::Share => Cell::real(ours.mean(), digits),
        Spread::Runs(..) | Spread::Unknown => Cell::spread(Some(ours), digits),
    };
    vec![
        Cell::text(&figure.problem),
        Cell::text(ours.as_ref().map_or(&figure.agent, |(arm, _)| &arm.agent)),
        Cell::text(metric.head),
        ours.as_ref().map_or(Cell::Missing, |(_, ours)| Cell::Count(ours.n)),
        ours.map_or(Cell::Missing, |(_, ours)| shown(ours)),
        Cell::Count(figure.runs),
        printed.map_or(Cell::real(figure.mean, digits), |sd| Cell::Spread(figure.mean, Some(sd), digits.into())),
        difference,
        allowed,
        errors,
        Cell::text(verdict),
    ]
}

/// Standard error of the difference between the printed mean and ours.
fn error(figure: &Figure, ours: &Moments) -> f64 {
    let own = ours.deviation().unwrap_or(0.0);
    let theirs = match figure.spread {
        Spread::Runs(0.0, rounding) => own.min(rounding),
        Spread::Runs(sd, _) => sd,
        Spread::Unknown => own,
        Spread::Share => (figure.mean * (1.0 - figure.mean)).max(0.0).sqrt(),
    };
    // A single run says nothing of its spread: then as if it were the paper's.
    let own = if ours.n > 1 { own } else { theirs };
    (own * own / ours.n as f64 + theirs * theirs / figure.runs as f64).sqrt()
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
         reward), Welch's on leaf depths. Where neither agent's runs differ among themselves there is no p, and the agents differ if their values do. Implied: it follows only \
         from what the text leaves out. Of {compared} pairs compared {agreed} agree. Where the truth is no difference, a test \
         says different in 5 of 100 cases; where it is a small one, both samples find it or not by their luck."
    ));
    table
}

/// The thesis' test of a metric, and its p.
fn tested(metric: &Metric, a: &[f64], b: &[f64]) -> (&'static str, Result<f64, Reason>) {
    if metric.column == "leaf_depth" {
        ("Welch", welch::test(a, b).map(|test| test.p))
    } else {
        ("Mann-Whitney", mann_whitney::test(a, b).map(|test| test.p))
    }
}

/// How many cells of each table came out.
fn summary(paper: &Paper, parts: &[&'static Paper], tables: &[Table]) -> Table {
    let mut summary = Table::new(
        "compare",
        format!("{}: what came out", paper.title()),
        &[
            ("table", "table"),
            ("title", "what"),
            ("compared", "compared"),
            ("inside", "inside or agreeing"),
            ("outside", "outside or differing"),
            ("expected", "expected outside by chance"),
            ("missing", "not in this run"),
        ],
    )
    .of_kind("compare-summary");
    for (part, table) in parts.iter().zip(tables) {
        let count = |wanted: &[&str]| verdicts(table).filter(|verdict| wanted.contains(verdict)).count() as u64;
        let (good, bad, missing) = (count(&[INSIDE, AGREE]), count(&[OUTSIDE, DIFFER]), count(&[NOT_HERE]));
        let is_of_figures = part.contrasts().is_empty();
        summary.push(vec![
            Cell::text(part.key),
            Cell::text(part.title()),
            Cell::Count(good + bad),
            Cell::Count(good),
            Cell::Count(bad),
            Cell::real(is_of_figures.then(|| (good + bad) as f64 * (1.0 - CONFIDENCE)), 1),
            Cell::Count(missing),
        ]);
    }
    summary.notes.push(format!(
        "Expected outside by chance: {:.0} % of the figures compared, if they were independent. Figures of one agent on one \
         problem are not, so that they leave together.",
        100.0 * (1.0 - CONFIDENCE)
    ));
    summary
}

/// The last column.
fn verdicts(table: &Table) -> impl Iterator<Item = &str> {
    table.rows.iter().filter_map(|row| match row.last() {
        Some(Cell::Text(verdict)) => Some(verdict.as_str()),
        _ => None,
    })
}

/// The runs of an agent on a problem, each by the name that the catalogue gives; else by its spec, if that fits one
/// alone.
fn arm<'a>(study: &'a Study, problem: &str, problem_spec: &str, agent: &str, agent_spec: &str) -> Option<&'a Arm> {
    let problem = named(problem, problem_spec, &study.meta.problem_order, |name| study.meta.problems.get(name))?;
    let agent = named(agent, agent_spec, &study.meta.player_order, |name| study.meta.specs.get(name))?;
    study.arm(problem, agent)
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

/// Agents and problems that have the paper's name and are not what the paper had.
fn other_specs(parts: &[&'static Paper], study: &Study) -> Vec<String> {
    let mut wanted: Vec<(String, String)> = Vec::new();
    for figure in parts.iter().flat_map(|part| part.figures()) {
        wanted.push((figure.agent, figure.agent_spec));
        wanted.push((figure.problem, figure.problem_spec));
    }
    for contrast in parts.iter().flat_map(|part| part.contrasts()) {
        wanted.extend(contrast.agents.into_iter().zip(contrast.agent_specs));
        wanted.push((contrast.problem, contrast.problem_spec));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(mean: f64, spread: Spread) -> Figure {
        Figure {
            problem: String::new(),
            problem_spec: String::new(),
            agent: String::new(),
            agent_spec: String::new(),
            metric: "terminals",
            mean,
            spread,
            runs: 100,
            rounding: 0.005,
        }
    }

    #[test]
    fn errors_by_hand() {
        // Four runs with deviation 2.
        let ours = Moments::of_parts(4, 5.0, 12.0);
        let check = |spread, wanted: f64| {
            let found = error(&figure(0.2, spread), &ours);
            assert!((found - wanted).abs() < 1e-15, "{spread:?}: {found} is not {wanted}");
        };
        check(Spread::Runs(3.0, 0.005), (1.0f64 + 0.09).sqrt());
        check(Spread::Unknown, (1.0f64 + 0.04).sqrt());
        check(Spread::Share, (1.0f64 + 0.0016).sqrt());
        // Printed as 0 it may be anything that rounding hides.
        check(Spread::Runs(0.0, 0.005), (1.0 + 0.005f64 * 0.005 / 100.0).sqrt());
        check(Spread::Runs(0.0, 50.0), (1.0f64 + 0.04).sqrt());
        // A run alone: as if it spread like the paper's.
        let alone = error(&figure(0.2, Spread::Runs(3.0, 0.005)), &Moments::of(&[5.0]));
        assert!((alone - (9.0f64 + 0.09).sqrt()).abs() < 1e-15);
    }
}
