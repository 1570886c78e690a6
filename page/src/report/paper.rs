//! The run beside the paper that it reproduces: what `redqueen compare` says.

use analysis::{Cell, Report, Table, contradicted, papers::Paper};
use maud::{Markup, html};

use super::gathered::{Beside, Gathered};
use crate::html::{Message, count, message, table, visible};

/// Key of the column that ends a table of `compare`.
const VERDICT: &str = "verdict";

/// How many cells have which verdict, in the order in which verdicts first appear.
fn counted(report: &Report) -> Vec<(&str, usize)> {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for verdict in report.tables.iter().flat_map(of_table) {
        match counts.iter_mut().find(|(known, _)| *known == verdict) {
            Some((_, count)) => *count += 1,
            None => counts.push((verdict, 1)),
        }
    }
    counts
}

fn of_table(table: &Table) -> impl Iterator<Item = &str> {
    let place = table.columns.iter().position(|column| column.key == VERDICT);
    let cells = table.rows.iter().filter_map(move |row| place.map(|place| &row[place]));
    cells.filter_map(|cell| if let Cell::Text(verdict) = cell { Some(verdict.as_str()) } else { None })
}

/// The verdicts, in a line that leads to the cells.
fn line(report: &Report) -> String {
    let shown: Vec<String> = counted(report).iter().map(|(verdict, count)| format!("{count} {verdict}")).collect();
    shown.join(", ")
}

/// The same for the beginning of a report.
pub(super) fn verdicts(report: &Report) -> Markup {
    html! {
        p.verdicts {
            "Beside the paper, cell by cell: " strong { (line(report)) } ". "
            a href="#paper" { "The cells" }
        }
    }
}

/// The section of a report.
pub(super) fn section(gathered: &Gathered) -> Option<Markup> {
    let paper = gathered.header.as_ref().and_then(|header| header.paper.as_deref());
    match &gathered.beside {
        Beside::NoPaper => None,
        Beside::Not(why) => Some(message(Message::Note, why)),
        Beside::Compared(report) => Some(cells(report, paper)),
    }
}

/// Every cell of the paper's tables beside ours, behind how many came out and where the paper contradicts itself. `key` is
/// that of the paper's table. Pages show the same.
pub(crate) fn cells(report: &Report, key: Option<&str>) -> Markup {
    let paper = key.and_then(Paper::find);
    html! {
        @if let Some(paper) = paper { p { "The paper's table: " (paper.title()) " (" code { (paper.key) } ")." } }
        p.verdicts { "Cells: " strong { (line(report)) } "." }
        (contradictions(report))
        @for warning in &report.warnings { (message(Message::Warning, warning)) }
        @for one in &report.tables {
            div id=(place(one)) { (table(one)) }
        }
    }
}

/// Where a table stands in its document.
fn place(table: &Table) -> String {
    format!("paper-{}", table.name)
}

/// Which tables are of figures that the paper gives otherwise elsewhere. What it says there is quoted below each.
fn contradictions(report: &Report) -> Markup {
    let of_tables: Vec<(&Table, usize)> =
        report.tables.iter().map(|table| (table, contradicted(table))).filter(|(_, count)| *count > 0).collect();
    let all: usize = of_tables.iter().map(|(_, count)| count).sum();
    html! {
        @if all > 0 {
            p.message {
                strong { "Note: " }
                "The paper contradicts itself in " (count(all as u64, "place")) ", quoted below "
                @for (index, (table, _)) in of_tables.iter().enumerate() {
                    @if index > 0 { "; " }
                    a href={ "#" (place(table)) } { (visible(&table.title)) }
                }
                "."
            }
        }
    }
}
