//! What came out so far: tables and figures of the closed stages.

use analysis::{Figure, Report, Table};
use coordinator::observe::Tallies;
use maud::{Markup, html};

use super::{
    given::{self, figure_link},
    grid,
};
use crate::{
    html::{Message, message, table, thousands, visible},
    site::{
        analyses::{Have, Made},
        asked::Asked,
        links::encoded,
        source::Run,
    },
};

/// Cells of tables on one page. What is longer is shown from its beginning, with a link to all of it.
const CELLS: usize = 900;
/// Rows that are shown of any table.
const ROWS_MIN: usize = 5;
/// Figures on one page.
const FIGURES: usize = 24;

/// The part of a run's page.
pub(super) fn part(run: &Run, asked: &Asked, have: Option<&Have>, tallies: Option<&Tallies>) -> Markup {
    html! {
        @if let Some(tallies) = tallies { (so_far(run, asked, tallies)) }
        (closed(run, asked, have, tallies.is_some()))
    }
}

/// Results of the open stage's games so far.
fn so_far(run: &Run, asked: &Asked, tallies: &Tallies) -> Markup {
    let Some((table, pairs)) = grid::so_far(tallies) else { return html! {} };
    let stage = tallies.stage.index;
    let link = |place: usize| asked.links.run(&run.key, &format!("/trials?stage={stage}&pair={}", pairs[place]));
    html! {
        h2 { "Stage " (stage) " so far: " (visible(&tallies.stage.name)) }
        (grid::heat(&table, link, grid::Firm::Provisional))
        p.soft { (thousands(tallies.games)) " games were counted; intervals are Wilson's." }
    }
}

/// What came out of the closed stages.
fn closed(run: &Run, asked: &Asked, have: Option<&Have>, counts: bool) -> Markup {
    match have {
        None if counts => html! {},
        None => html! {
            @if run.outline.is_ok() {
                p.soft { "No stage is closed yet; tables and figures are of closed stages." }
            }
        },
        Some(Have::Working) => html! {
            p.message data-again="1000" role="status" { strong { "Wait: " } "tables and figures are being made." }
        },
        Some(Have::Failed(why)) => message(Message::Note, &format!("There are no tables: {why}")),
        Some(Have::Ready(made)) => report(run, asked, made, false),
        Some(Have::Old(made)) => report(run, asked, made, true),
    }
}

fn report(run: &Run, asked: &Asked, made: &Made, old: bool) -> Markup {
    let report = &made.report;
    let base = asked.links.run(&run.key, "");
    html! {
        @if old {
            p.soft data-again="3000" { "A stage was closed since these were made; new ones follow." }
        }
        @if !report.words.findings.is_empty() {
            h2 { @if run.state.is_ended() { "What came out" } @else { "What came out so far" } }
            @for finding in &report.words.findings { p { (visible(finding)) } }
        }
        @for warning in &report.warnings { (message(Message::Warning, warning)) }
        @if let Some(pairs) = report.tables.iter().find(|table| table.kind == "pairs") {
            h2 { "Who beats whom" }
            (grid::heat(pairs, |pair| format!("{base}/pairs/{pair}"), grid::Firm::Closed))
        }
        (figures_of(report, |figure| figure_link(&base, figure, &made.version)))
        (tables(report, &base))
        @for reason in &report.left_out { p.soft { (visible(reason)) "." } }
    }
}

/// Figures, as pictures of their own that are loaded when they come into view. `link` says where each is.
pub(super) fn figures_of(report: &Report, link: impl Fn(&Figure) -> String) -> Markup {
    html! {
        @if !report.figures.is_empty() {
            h2 { "Figures" }
            div.figures {
                @for figure in report.figures.iter().take(FIGURES) { (picture(figure, &link(figure))) }
            }
            @if report.figures.len() > FIGURES {
                p { "And " (report.figures.len() - FIGURES) " more, among the files." }
            }
        }
    }
}

fn picture(figure: &Figure, link: &str) -> Markup {
    let words = visible(&figure.title);
    let (width, height) = size(&figure.svg);
    html! {
        figure {
            a.card href=(link) {
                img src=(link) width=[width] height=[height] loading="lazy" decoding="async"
                    alt={ "Figure: " (words) ". Its numbers are in the tables below." };
            }
            figcaption { (words) }
        }
    }
}

/// Width and height that a drawing says it has, in whole pixels.
fn size(svg: &str) -> (Option<u32>, Option<u32>) {
    let head = svg.split_once('>').map_or(svg, |(head, _)| head);
    let side = |name: &str| {
        let begin = head.find(&format!(" {name}=\""))? + name.len() + 3;
        head[begin..].split('"').next()?.parse::<f64>().ok().map(|side| side.round() as u32)
    };
    (side("width"), side("height"))
}

/// Tables, the long ones from their beginning.
pub(super) fn tables(report: &Report, base: &str) -> Markup {
    let mut left = CELLS;
    let shown = report.tables.iter().map(|table| {
        let columns = table.columns.len().max(1);
        let rows = table.rows.len().min((left / columns).max(ROWS_MIN));
        left = left.saturating_sub(rows * columns);
        (table, rows)
    });
    html! {
        @if !report.tables.is_empty() {
            h2 { "Tables" }
            @for (table, rows) in shown { (beginning(table, rows, base)) }
        }
        @for long in &report.long {
            p { "The table " (visible(long.name())) " is written to files only: " code { "redqueen analyze" } "." }
        }
    }
}

/// The first rows of a table, and where all of it is.
fn beginning(whole: &Table, rows: usize, base: &str) -> Markup {
    let link = format!("{base}/tables/{}", encoded(&whole.name));
    html! {
        @if rows < whole.rows.len() {
            (table(&Table { rows: whole.rows[..rows].to_vec(), ..whole.clone() }))
            p.more { a href=(&link) { "All " (thousands(whole.rows.len() as u64)) " rows of " (visible(&whole.title)) } }
        } @else {
            (table(whole))
        }
        (given::forms(whole, &link))
    }
}
