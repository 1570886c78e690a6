//! The run beside the paper that it reproduces: what `redqueen compare` says.

use analysis::{Cell, Report, Table, papers::Paper};
use maud::{Markup, html};

use super::{
    gathered::{Beside, Gathered},
    paragraph,
};
use crate::html::{Message, message, table};

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

/// Every cell of the paper's tables beside ours. Where the paper contradicts itself, the notes of a table say so.
pub(super) fn section(gathered: &Gathered) -> Option<Markup> {
    let report = match &gathered.beside {
        Beside::NoPaper => return None,
        Beside::Not(why) => return Some(message(Message::Note, why)),
        Beside::Compared(report) => report,
    };
    let paper = gathered.header.as_ref().and_then(|header| Paper::find(header.paper.as_deref()?));
    Some(html! {
        @if let Some(paper) = paper { (paragraph(&format!("The paper's table: {} (`{}`).", paper.title(), paper.key))) }
        @for warning in &report.warnings { (message(Message::Warning, warning)) }
        @for one in &report.tables { (table(one)) }
    })
}
