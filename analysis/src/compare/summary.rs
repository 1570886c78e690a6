//! How many cells of each of a paper's tables came out.

use super::{
    claims::{AGREES, DIFFERS},
    verdict::{AGREE, DIFFER, INSIDE, NOT_HERE, OUTSIDE, verdicts},
};
use crate::{Cell, Table, papers::Paper, statistics::CONFIDENCE};

/// Of several tables, those that this run has something of, behind one that counts the verdicts of all.
pub(super) fn with_summary(paper: &Paper, parts: &[&'static Paper], mut tables: Vec<Table>) -> Vec<Table> {
    if parts.len() > 1 {
        let counts = summary(paper, parts, &tables);
        // What the run has nothing of is counted, not listed.
        tables.retain(|table| verdicts(table).any(|verdict| verdict != NOT_HERE));
        tables.insert(0, counts);
    }
    tables
}

/// The name of a table of one of `parts`.
pub(super) fn name(part: &Paper, parts: &[&'static Paper]) -> String {
    let short = part.key.rsplit('/').next().unwrap_or(part.key);
    if parts.len() > 1 { format!("compare-{short}") } else { "compare".to_owned() }
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
        let (good, bad, missing) =
            (count(&[INSIDE, AGREE, AGREES]), count(&[OUTSIDE, DIFFER, DIFFERS]), count(&[NOT_HERE]));
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
